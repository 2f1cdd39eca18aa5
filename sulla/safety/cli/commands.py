"""`sulla safety`."""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sulla.host.system import SystemClock, random_id
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.framed import reason_lines
from sulla.terminal.ids import meant
from sulla.terminal.options import add_home
from sulla.terminal.output import tell
from sulla.terminal.place import Door, door, home_of
from sulla.terminal.program import program
from sulla.terminal.questions import is_sure, somebody_is_there
from sulla.terminal.table import Paper, one_line, paper

COMMANDS = {
    "explain": "say what in a conversation is from outside, and which calls were asked about",
    "forget": "copy a conversation as it was before anything from outside was in it, to go on there",
    "trust": "trust a file, or all files in a folder, as they are now, whoever wrote them",
}
"""Every command below this one; docs/safety.md explains them."""
_WORDS = 100
_MOST_FILES = 5
"""So many marked files are named."""
_MOST_LINES = 6
"""So many lines of a question that was asked are shown."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    below = command.add_subparsers(dest="below", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        one = below.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_home(one, below=True)
        if name == "trust":
            one.add_argument("path", metavar="PATH", help="the file or folder: from here, or below the workspace")
            one.add_argument("--yes", action="store_true", help="do not ask")
        else:
            one.add_argument("thread", metavar="THREAD", help="the conversation's id, or its beginning")
        one.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    if given.below == "trust":
        return asyncio.run(_trust(given))
    params = {"thread_id": meant(home_of(given), given.thread)}
    if given.below == "forget":
        params["request_id"] = random_id("req")
    found = asyncio.run(_ask(door(home_of(given)), f"safety.{given.below}", params))
    if given.json:
        print(json.dumps(found))
    elif given.below == "forget":
        print(f"copied {found['records']} records: `{program()} chat --thread {found['thread_id']}` goes on from there")
    else:
        for line in explained(found, paper()):
            print(line)
    return Exit.OK


def explained(found: dict[str, Any], paper: Paper) -> Iterator[str]:
    """What is printed of an explanation.

    Args:
        found: the answer to `safety.explain`.
        paper: what it is printed on.
    """
    if not found["tainted"]:
        yield "nothing in this conversation is from outside: calls that reach out are made without a question"
    else:
        yield "this conversation holds text from outside; calls that reach out are asked about:"
    for mark in found["marks"]:
        yield f"  {paper.faint(_at(mark))}  {one_line(mark['source'])}"
        if mark["words"]:
            yield f"      {paper.faint(one_line(mark['words'], _WORDS))}"
    if found["more_marks"]:
        yield f"  and {found['more_marks']} more"
    if found.get("files"):
        said = _named(found["files"], len(found["files"]) + found["more_files"])
        yield f"commands may have read the files that are marked as from outside: {said}"
        yield f"`{program()} safety trust PATH` trusts one, or all in a folder, as they are now"
    if found["held"]:
        yield "asked about:"
        yield from _held(found["held"], paper)
    if found["clean_before"] > 1:
        thread, before = one_line(found["thread_id"]), found["clean_before"]
        yield f"`{program()} safety forget {thread}` copies it as it was before record {before}, to go on there"


def _named(files: Sequence[str], count: int) -> str:
    names = [one_line(name) for name in files[:_MOST_FILES]]
    return ", ".join(names) + (f" and {count - len(names)} more" if count > len(names) else "")


def _held(rows: Sequence[dict[str, Any]], paper: Paper) -> Iterator[str]:
    for held in rows:
        yield f"  {paper.faint(_at(held))}  {one_line(held['tool'])}: {held['answer'] or 'open'}"
        why = reason_lines(held["why"])
        for line in why[:_MOST_LINES]:
            yield f"      {paper.faint(one_line(line))}"
        if why[_MOST_LINES:]:
            yield f"      {paper.faint(f'… {len(why) - _MOST_LINES} more lines; --json has them')}"


async def _trust(given: argparse.Namespace) -> Exit:
    where, params = door(home_of(given)), {"path": _here(given.path)}
    found = await _ask(where, "safety.trust", params)
    if not given.yes and not somebody_is_there():
        if given.json:
            print(json.dumps(found))
        tell(f"not trusted: {marked(found)}, since there is nobody to ask")
        tell(f"`{program()} safety trust --yes {shlex.quote(given.path)}` trusts it as it is")
        return Exit.USAGE
    if not given.yes:
        tell(marked(found))
        if not await is_sure("trust this as it is? Agents then act on what it says without a question.", SystemClock()):
            tell("nothing was changed")
            return Exit.CANCELLED
    found = await _ask(where, "safety.trust", params | {"seen": found["seen"]})
    print(json.dumps(found) if given.json else f"trusted: {marked(found)}")
    return Exit.OK


def _here(path: str) -> str:
    """A path from here if there is such a file, else as it was said, for the daemon to look below its workspace."""
    return str(here) if (here := Path(path).absolute()).exists() else path


def marked(found: dict[str, Any]) -> str:
    """What is printed of a file or folder that is marked.

    Args:
        found: the answer to `safety.trust`.
    """
    named = f": {_named(found['names'], found['files'])}" if found.get("names") else ""
    count = f" (marked files: {found['files']}{named})" if found["kind"] == "folder" else ""
    others = f"; homes that mistrust it still, trust it there too: {found['others']}" if found["others"] else ""
    return f"the {found['kind']} {one_line(found['path'])}{count}{others}"


def _at(row: dict[str, Any]) -> str:
    return f"#{row['seq']}"


async def _ask(where: Door, method: str, params: dict[str, str]) -> dict[str, Any]:
    async with open_client(where) as client:
        return await client.call(method, **params)
