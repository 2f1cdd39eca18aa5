"""What each command of `sulla knowledge` does."""

from __future__ import annotations

import argparse
import json

from sulla.host.system import SystemClock
from sulla.knowledge.answer import nothing_found
from sulla.knowledge.settings import KnowledgeSettings
from sulla.knowledge.shelf import KnowledgeShelf
from sulla.terminal.exits import Exit
from sulla.terminal.output import say, tell
from sulla.terminal.place import settings_of
from sulla.terminal.table import Table, harmless, one_line, paper

_HEADS = ("FILE", "SECTIONS", "BYTES")
_WIDTHS = (48, 8)


async def _list(given: argparse.Namespace) -> Exit:
    shelf, _ = _opened(given)
    shelved = await shelf.read()
    table = Table(_HEADS, _WIDTHS, paper())
    if not given.json:
        print(table.head())
    for file in shelved.files:
        row = {"file": file.path, "sections": len(file.sections), "bytes": file.found.size_bytes}
        print(json.dumps({**row, "left_out": ""}) if given.json else table.row(tuple(map(str, row.values()))))
    for one in shelved.left_out:
        if given.json:
            print(json.dumps({"file": one.path, "sections": 0, "bytes": 0, "left_out": one.why}))
        else:
            tell(one_line(f"{one.path} {one.why}"))
    if not given.json and not shelved.files:
        tell(f"there is nothing to read in {shelf.folder}")
    return Exit.OK


async def _search(given: argparse.Namespace) -> Exit:
    shelf, bounds = _opened(given)
    question = " ".join(given.words)
    found = await shelf.search(question, given.limit or bounds.passages)
    for number, one in enumerate(found, 1):
        if given.json:
            print(json.dumps({**one.section.row, "score": round(one.score, 3), "fit": round(one.fit, 3)}))
        else:
            say(f"[{number}] {one_line(one.section.citation)}\n\n{harmless(one.section.cut.text)}\n")
    if found:
        return Exit.OK
    shelved = await shelf.read()
    tell(harmless(nothing_found(question, [file.path for file in shelved.files], 0, len(shelved.left_out))))
    return Exit.FAILED


def _opened(given: argparse.Namespace) -> tuple[KnowledgeShelf, KnowledgeSettings]:
    settings = settings_of(given)
    bounds = settings.section(KnowledgeSettings)
    return KnowledgeShelf(settings.home, bounds, SystemClock()), bounds


LOOKS = {"list": _list, "search": _search}
"""What does each command."""
