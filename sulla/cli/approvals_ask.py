"""What each command of `sulla approvals` does, by the daemon."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from sulla.cli.client import Client, open_client
from sulla.cli.exits import Exit
from sulla.cli.place import door, home_of
from sulla.cli.table import Table, harmless, one_line, paper
from sulla.core.errors import InvalidInput, NotFound

Row = dict[str, Any]


def _list(given: argparse.Namespace) -> Exit:
    for row in asyncio.run(_all(given)):
        if given.json:
            print(json.dumps(row))
            continue
        until = f" (until {_minute(row['expires_at'])} UTC)" if row["expires_at"] else ""
        print(paper().bold(one_line(row["id"])) + f" in {one_line(row['thread_id'])}{until}")
        print(f"  {harmless(row['prompt'])}")
        if row["target"]:
            print(f"  `sulla approvals always` would allow {one_line(row['tool'])} for {one_line(row['target'])}")
    return Exit.OK


async def _all(given: argparse.Namespace) -> list[Row]:
    async with open_client(door(home_of(given))) as client:
        return [row async for row in _questions(client)]


async def _questions(client: Client) -> AsyncIterator[Row]:
    after: str | None = None
    while True:
        page = await client.call("approval.list", after=after)
        for row in page["questions"]:
            yield row
        after = page["next"]
        if after is None:
            return


def _answer(given: argparse.Namespace) -> Exit:
    return _said(given, given.verdict, given.text)


def _always(given: argparse.Namespace) -> Exit:
    return _said(given, "always", "")


def _said(given: argparse.Namespace, verdict: str, text: str) -> Exit:
    row, seq = asyncio.run(_give(given, verdict, text))
    if given.json:
        print(json.dumps({"thread_id": row["thread_id"], "id": row["id"], "verdict": verdict, "seq": seq}))
    else:
        print(f"{one_line(row['id'])}: {verdict}")
    return Exit.OK


async def _give(given: argparse.Namespace, verdict: str, text: str) -> tuple[Row, int]:
    async with open_client(door(home_of(given))) as client:
        found = [row async for row in _questions(client) if row["id"].startswith(given.id)]
        if not found:
            raise NotFound(f"nobody asks {one_line(given.id, 80)!r} (any more); `sulla approvals` lists the questions")
        if len({row["id"] for row in found}) > 1:
            raise InvalidInput(f"{len(found)} questions begin with {one_line(given.id, 80)!r}; give more of it")
        row = found[0]
        answered = await client.call(
            "approval.answer", thread_id=row["thread_id"], id=row["id"], verdict=verdict, text=text
        )
        return row, int(answered["seq"])


def _rules(given: argparse.Namespace) -> Exit:
    rows = asyncio.run(_ask(given, "approval.rules"))["rules"]
    table = Table(("RULE", "EXPIRES (UTC)", "AGENT", "TOOL", "TARGET"), (29, 16, 12, 20), paper())
    if not given.json:
        print(table.head())
    for row in rows:
        cells = (row["rule"], _minute(row["expires_at"]), row["agent"], row["tool"], row["target"])
        print(json.dumps(row) if given.json else table.row(cells))
    return Exit.OK


def _forget(given: argparse.Namespace) -> Exit:
    gone = asyncio.run(_ask(given, "approval.forget", rule=given.rule))
    print(json.dumps(gone) if given.json else f"forgot {one_line(given.rule)}: people are asked again")
    return Exit.OK


async def _ask(given: argparse.Namespace, method: str, **params: object) -> Row:
    async with open_client(door(home_of(given))) as client:
        return await client.call(method, **params)


def _minute(at: str) -> str:
    return at[:16].replace("T", " ")


DOES = {"list": _list, "answer": _answer, "always": _always, "rules": _rules, "forget": _forget}
"""What does each command."""
