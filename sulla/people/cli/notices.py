"""What each command of `sulla notices` does, by the daemon."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, Final

from sulla.core.errors import Unavailable
from sulla.host.system import SystemClock
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.follow import Follow
from sulla.terminal.ids import whole_notice
from sulla.terminal.output import say
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.screen import notice_head
from sulla.terminal.table import harmless, one_line, paper
from sulla.terminal.times import second

Row = dict[str, Any]

MOST_AT_ONCE: Final = 64
"""Notices that are marked with one request (docs/inside/protocol.md)."""


def _list(given: argparse.Namespace) -> Exit:
    rows = asyncio.run(_all(given))
    for row in rows:
        _print(given, row)
    if not rows and not given.json:
        print(
            "no notices" if given.all else f"nothing that you have not seen; `{program()} notices --all` lists the rest"
        )
    return Exit.OK


async def _all(given: argparse.Namespace) -> list[Row]:
    async with open_client(door(home_of(given))) as client:
        return [row async for row in notices(client, unseen=not given.all)]


async def notices(client: Client, *, unseen: bool) -> AsyncIterator[Row]:
    """What people were told, the newest first.

    Args:
        client: asks the daemon.
        unseen: only what this person has not seen.
    """
    after: str | None = None
    while True:
        page = await client.call("notice.list", after=after, unseen="mine" if unseen else None)
        for row in page["notices"]:
            yield row
        after = page["next"]
        if after is None:
            return


def _seen(given: argparse.Namespace) -> Exit:
    new = asyncio.run(_mark(given))
    print(json.dumps({"new": new}) if given.json else f"{new} marked as seen")
    return Exit.OK


async def _mark(given: argparse.Namespace) -> int:
    async with open_client(door(home_of(given))) as client:
        ids = [await whole_notice(client, one) for one in given.id or ()]
        if not given.id:
            ids = [row["id"] async for row in notices(client, unseen=True)]
        pages = [ids[start : start + MOST_AT_ONCE] for start in range(0, len(ids), MOST_AT_ONCE)]
        return sum([(await client.call("notice.seen", ids=page))["new"] for page in pages])


def _watch(given: argparse.Namespace) -> Exit:
    asyncio.run(_follow(given))
    return Exit.OK


async def _follow(given: argparse.Namespace) -> None:
    async def begin(client: Client) -> bool:
        await client.call("notice.subscribe")
        follow.begun = True
        return True

    follow = Follow(home_of(given), SystemClock(), begin, source=Client.notices)
    async with aclosing(follow.events()) as rows:
        async for row in rows:
            _print(given, row)
            if follow.client is not None:
                with suppress(Unavailable):  # then it is told again, which does no harm
                    await follow.client.call("notice.seen", ids=[row["id"]])


def _print(given: argparse.Namespace, row: Row) -> None:
    if given.json:
        print(json.dumps(row), flush=True)
        return
    seen = ", ".join(f"seen by {one_line(one['person'])}" for one in row["seen"])
    head = f"{second(row['at'])} {notice_head(row | {'agent': row['agent'] or 'the daemon'})}"
    ink = paper()
    say(ink.bold(one_line(row["id"])) + f" {one_line(head)}" + (f" ({seen})" if seen else ""))
    for line in harmless(row["text"]).splitlines():
        say(f"  {line}")
    say(ink.faint(f"  in {one_line(row['thread_id'])}"))


DOES = {"list": _list, "seen": _seen, "watch": _watch}
"""What does each command."""
