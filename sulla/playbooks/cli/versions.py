"""`sulla flow history`, `diff` and `rollback`: a playbook as it was when its runs began. Every run keeps the whole text
that it walks, so what has run can be looked at, compared and put back.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from sulla.core.errors import InvalidInput, NotFound
from sulla.playbooks.catalog import PLAYBOOKS
from sulla.playbooks.cli.run_view import runs_of
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.place import door, home_of
from sulla.terminal.table import Table, harmless, one_line, paper
from sulla.terminal.times import second

Row = dict[str, Any]

_HEADS = ("DIGEST", "RUNS", "FIRST", "LAST", "NEWEST RUN")
_WIDTHS = (16, 5, 19, 19)
_SHOWN = 16
"""Characters of a digest."""


def show_history(given: argparse.Namespace) -> Exit:
    """Every text of a playbook with which a run began, the newest first."""

    async def ask() -> tuple[list[Row], str]:
        async with open_client(door(home_of(given))) as client:
            return await _versions(client, given.name), await _digest_now(client, given.name)

    found, now = asyncio.run(ask())
    table = Table(_HEADS, _WIDTHS, paper())
    if not given.json:
        print(table.head())
    for row in found:
        row["now"] = row["digest"] == now
        cells = (_short(row["digest"]), row["runs"], second(row["first"]), second(row["last"]))
        mark = "  (as it is now)" if row["now"] else ""
        print(json.dumps(row) if given.json else table.row((*cells, f"{row['run']}{mark}")))
    return Exit.OK


def show_diff(given: argparse.Namespace) -> Exit:
    """What has changed in a playbook since a run began."""

    async def ask() -> tuple[str, Row, Row]:
        async with open_client(door(home_of(given))) as client:
            run = given.run or await _before(client, given.name)
            return run, await _text(client, given.name, run), await _text(client, given.name)

    run, then, now = asyncio.run(ask())
    lines = list(_diff(then["text"], now["text"], run, Path(now["about"]["file"]).name))
    if given.json:
        print(json.dumps({"run": run, "same": not lines, "diff": "".join(lines)}))
    else:
        print(harmless("".join(lines)) if lines else f"{one_line(run)} began with what the file says now", end="")
        print(end="" if lines else "\n")
    return Exit.OK


def roll_back(given: argparse.Namespace) -> Exit:
    """Put the text with which a run began in the place of what a playbook says now, which is kept beside it."""

    async def ask() -> Row:
        async with open_client(door(home_of(given))) as client:
            return await _text(client, given.name, given.run)

    then = asyncio.run(ask())
    file = Path(then["about"]["file"])
    if not file.name:  # the home has it no more
        file = home_of(given) / PLAYBOOKS / f"{given.name}.yaml"
    before = file.with_name(f"{file.name}.before")
    now = file.read_text(encoding="utf-8") if file.is_file() else ""
    if now == then["text"]:
        print(json.dumps({"file": str(file), "same": True}) if given.json else f"{file} says that already")
        return Exit.OK
    if now:
        _put(before, now)
    _put(file, then["text"])
    if given.json:
        print(json.dumps({"file": str(file), "same": False, "before": str(before) if now else ""}))
        return Exit.OK
    print(harmless("".join(_diff(now, then["text"], "before", file.name))), end="")
    tell(one_line(f"{file} is as it was when {given.run} began" + (f"; what it said is in {before}" if now else "")))
    return Exit.OK


def _put(file: Path, text: str) -> None:
    """Write a file as a whole: a daemon that looks meanwhile sees no half of it.

    Raises:
        InvalidInput: it cannot be written.
    """
    draft = file.with_name(f".{file.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be written: {error.strerror}") from None


async def _versions(client: Client, name: str) -> list[Row]:
    """By their digests, the one that ran last first.

    Raises:
        NotFound: no run of it is kept.
    """
    found: dict[str, Row] = {}
    async for run in _of(client, name):
        at = run["started_at"]
        one = found.setdefault(run["digest"], {"digest": run["digest"], "runs": 0, "first": at, "last": "", "run": ""})
        one["runs"], one["first"] = one["runs"] + 1, min(one["first"], at)
        if at >= one["last"]:
            one["last"], one["run"] = at, run["run"]
    if not found:
        raise NotFound(f"no run of a playbook {name[:60]!r} is kept")
    return sorted(found.values(), key=lambda one: str(one["last"]), reverse=True)


async def _of(client: Client, name: str) -> AsyncIterator[Row]:
    async for run in runs_of(client, None):
        if run["playbook"] == name:
            yield run


async def _before(client: Client, name: str) -> str:
    """The newest run that began with another text than the file has now; else the newest."""
    now = await _digest_now(client, name)
    found = await _versions(client, name)
    return str(next((one for one in found if one["digest"] != now), found[0])["run"])


async def _digest_now(client: Client, name: str) -> str:
    rows = (await client.call("workflow.list"))["playbooks"]
    return next((str(row["digest"]) for row in rows if row["playbook"] == name), "")


async def _text(client: Client, name: str, run: str | None = None) -> Row:
    return await client.call("workflow.get", playbook=name, run=run)


def _diff(old: str, new: str, old_name: str, new_name: str) -> list[str]:
    lines = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), old_name, new_name)
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]


def _short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:_SHOWN]
