"""`sulla memory`: what agents remember. It looks where the daemon keeps it, so it works with one and without."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from sulla.core.errors import NotFound, SettingsError
from sulla.host.store_url import MEMORY, named_store, store_file
from sulla.host.system import SystemClock
from sulla.memory.adapters import make_memory_index
from sulla.memory.base import MemoryIndex
from sulla.memory.cli.entities import run_entities
from sulla.memory.entities.desk import EntityDesk
from sulla.memory.entities.service import statement_line
from sulla.memory.entities.statement import ENTITY_KINDS
from sulla.memory.note import EVERYONE, KINDS, MemoryNote, note_to_json
from sulla.memory.section import row
from sulla.memory.settings import MemorySettings
from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home, count
from sulla.terminal.output import say, tell
from sulla.terminal.place import settings_of
from sulla.terminal.questions import is_sure, somebody_is_there
from sulla.terminal.table import harmless

COMMANDS = {
    "list": "list what is remembered, the newest first",
    "search": "look for what is remembered",
    "forget": "remove what is remembered for good",
    "graph": "show who and what is known, and how they stand to each other",
    "entity": "show what is known of one, with where it is from",
    "correct": "say how it is: no model's word counts against that",
    "merge": "say that two are one",
    "export": "print all that is remembered, one JSON object per line",
}
"""Every command below this one; docs/memory.md explains them."""

_PAGE = 500


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    below = command.add_subparsers(dest="below", metavar="COMMAND", required=True)
    parsers = {
        name: below.add_parser(name, help=text, description=f"{text.capitalize()}.") for name, text in COMMANDS.items()
    }
    for name, one in parsers.items():
        one.set_defaults(wrong=one.error)
        add_home(one, below=True)
        one.add_argument("--agent", metavar="ID", help="of this agent alone, with what all agents know")
        if name != "export":
            one.add_argument("--json", action="store_true", help="print JSON, one object per line")
    parsers["search"].add_argument("words", nargs="+", metavar="WORD", help="what to look for")
    forgotten = "a note, a fact of an entity, or an entity with all that is known of it"
    parsers["forget"].add_argument("ids", nargs="+", metavar="ID", help=forgotten)
    _entity_arguments(parsers)
    parsers["forget"].add_argument("--yes", action="store_true", help="do not ask")
    for name in ("list", "search"):
        parsers[name].add_argument("--limit", type=count, metavar="N", default=20, help="at most so many (else 20)")


def _entity_arguments(parsers: Mapping[str, argparse.ArgumentParser]) -> None:
    parsers["graph"].add_argument("name", nargs="?", default="", metavar="NAME", help="with its neighbours alone")
    for name in ("entity", "correct", "merge"):
        parsers[name].add_argument("name", metavar="NAME", help="one of its names, or its id")
    parsers["correct"].add_argument("what", metavar="WHAT", help='what a fact is about, or "name" or "kind"')
    parsers["correct"].add_argument("value", nargs="+", metavar="VALUE", help="how it is")
    new = "where nothing of this kind is called so yet: have it known from now on"
    parsers["correct"].add_argument(
        "--new", metavar="KIND", choices=ENTITY_KINDS, help=f"{new} ({', '.join(ENTITY_KINDS)})"
    )
    parsers["merge"].add_argument(
        "--other-kind", action="store_true", help="also where one is a person and one a place"
    )
    parsers["merge"].add_argument("other", metavar="OTHER", help="the same, of the other one")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    return asyncio.run(_run(given))


async def _run(given: argparse.Namespace) -> Exit:
    async with _opened(given) as index:
        scopes = [given.agent, EVERYONE]
        if not given.agent:
            scopes = sorted({*await index.scopes(), *await index.statements.scopes()})
        match given.below:
            case "search":
                found = await index.search(scopes, " ".join(given.words), given.limit)
                return _show(given, [one.note for one in found], "nothing that is remembered fits these words")
            case "list":
                return _show(given, await _newest(index, scopes, given.limit), "nothing is remembered yet")
            case "export":
                async for note in _all(index, scopes):
                    print(note_to_json(note))
                return Exit.OK
            case "forget":
                return await _forget(given, index, scopes)
            case _:
                wanted, desk = settings_of(given).section(MemorySettings), EntityDesk(index.statements, SystemClock())
                return await run_entities(given, desk, scopes, wanted)


@asynccontextmanager
async def _opened(given: argparse.Namespace) -> AsyncIterator[MemoryIndex]:
    settings = settings_of(given)
    if named_store(settings).url == MEMORY:
        raise SettingsError("store.url (SULLA_STORE) is memory:, which ends with its daemon: there is nothing to open")
    if (path := store_file(settings)) is not None and not path.parent.is_dir():
        raise SettingsError(f"there is no folder {path.parent}: make a home with `sulla init`, or name one with --home")
    index = make_memory_index(settings, SystemClock())
    await index.open()
    try:
        yield index
    finally:
        await index.close()


async def _newest(index: MemoryIndex, scopes: Sequence[str], limit: int) -> list[MemoryNote]:
    notes = [note for kind in KINDS for note in await index.recent(scopes, kind, limit)]
    return sorted(notes, key=lambda note: -note.at_ms)[:limit]


async def _all(index: MemoryIndex, scopes: Sequence[str]) -> AsyncIterator[MemoryNote]:
    """Every note; those of one millisecond are asked for once more with the next page, and given once."""
    for kind in KINDS:
        before: int | None = None
        given: set[str] = set()
        while page := await index.recent(scopes, kind, _PAGE + len(given), before):
            fresh = [note for note in page if note.id not in given]
            if not fresh:
                break
            for note in fresh:
                yield note
            last_ms = fresh[-1].at_ms
            given = {note.id for note in page if note.at_ms == last_ms}
            before = last_ms + 1


def _show(given: argparse.Namespace, notes: Sequence[MemoryNote], otherwise: str) -> Exit:
    for note in notes:
        if given.json:
            print(note_to_json(note))
        else:
            say(harmless(f"{row(note).text} [{note.id}, {note.agent}, {note.thread_id}]"))
    if not notes and not given.json:
        tell(otherwise)
    return Exit.OK


async def _forget(given: argparse.Namespace, index: MemoryIndex, scopes: Sequence[str]) -> Exit:
    desk = EntityDesk(index.statements, SystemClock())
    notes = [note for note in await index.get(given.ids) if note.scope in scopes]
    others = [one for one in given.ids if one not in {note.id for note in notes}]
    known = [one for one in others if one.startswith(("st_", "ent_"))]
    if missing := [one for one in others if one not in known]:
        raise NotFound(f"nothing is remembered under {', '.join(missing)}: `sulla memory list` shows what is")
    statements = {said.id: said for one in known for said in await desk.doomed(scopes, one)}
    if not given.yes:
        if not somebody_is_there():
            given.wrong("there is nobody to ask: say --yes to forget")
        for note in notes:
            tell(harmless(row(note).text))
        for said in statements.values():
            tell(harmless(statement_line(said)))
        if not await is_sure("forget this for good?", SystemClock()):
            tell("nothing was forgotten")
            return Exit.CANCELLED
    gone = await index.delete([note.id for note in notes]) + await desk.forget([*statements.values()])
    print(json.dumps({"forgotten": gone}) if given.json else f"forgotten: {gone}")
    return Exit.OK
