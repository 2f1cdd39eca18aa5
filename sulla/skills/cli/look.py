"""What each command of `sulla skills` does. No daemon has to run: skills are files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from sulla.core.errors import SullaError
from sulla.host.system import SystemClock
from sulla.skills.bundle import read_bundle
from sulla.skills.catalog import SkillCatalog
from sulla.skills.folders import looked_at
from sulla.skills.found import KnownSkill
from sulla.skills.skill import SKILL_FILE, read_skill
from sulla.terminal.exits import Exit
from sulla.terminal.output import say, tell
from sulla.terminal.place import settings_of
from sulla.terminal.table import Table, harmless, one_line, paper

_HEADS = ("NAME", "FROM", "ALLOWED", "DESCRIPTION")
_WIDTHS = (24, 9, 7)


def _list(given: argparse.Namespace) -> Exit:
    catalog = _catalog(given)
    table = Table(_HEADS, _WIDTHS, paper())
    if not given.json:
        print(table.head())
    for name, known in catalog.known.items():
        print(
            json.dumps(_row(known))
            if given.json
            else table.row((name, known.whose, _allowed(known), known.skill.description))
        )
    _complain(catalog.troubles)
    return Exit.OK


def _show(given: argparse.Namespace) -> Exit:
    known, bundle = _catalog(given).open(given.name)
    text = bundle.text(given.file or SKILL_FILE)
    if given.json:
        print(json.dumps({**_row(known), "file": given.file or SKILL_FILE, "text": text}))
        return Exit.OK
    on = paper()
    for said in (f"{known.folder}  ({_WORDS[_allowed(known)]})", known.digest, *known.files):
        say(on.faint(one_line(said)))
    say(f"\n{harmless(text).rstrip()}")
    return Exit.OK


def _check(given: argparse.Namespace) -> Exit:
    """The exit code says whether every skill can be used."""
    bad = False
    for place, result, said in _checked(given):
        bad = bad or result == "fault"
        if given.json:
            print(json.dumps({"folder": place, "result": result, "found": said}))
        else:
            say(f"{result:<7}  {one_line(place)}{': ' if said else ''}{one_line(said)}")
    return Exit.FAILED if bad else Exit.OK


def _checked(given: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    if given.folders:
        for folder in given.folders:
            yield from _one(folder)
        return
    catalog = _catalog(given)
    for known in catalog.known.values():
        yield from _one(known.folder)
    for said in catalog.troubles:
        place, _, why = said.partition(": ")
        yield place, "fault", why


def _one(folder: Path) -> Iterator[tuple[str, str, str]]:
    try:
        bundle = read_bundle(folder)
        skill = read_skill(folder.resolve().name, bundle.text(SKILL_FILE))
    except SullaError as error:
        yield str(folder), "fault", error.message
        return
    except OSError as error:
        yield str(folder), "fault", f"it cannot be read: {error.strerror}"
        return
    for said in skill.warnings:
        yield str(folder), "warning", said
    if not skill.warnings:
        yield str(folder), "ok", ""


def _trust(given: argparse.Namespace) -> Exit:
    catalog = _catalog(given)
    known, _ = catalog.open(given.name)
    if not known.trusted:
        catalog.trust(known)
    if given.json:
        print(json.dumps({"name": given.name, "digest": known.digest, "trusted": True}))
    else:
        print(f"{given.name} is allowed as it is now ({known.digest})")
    return Exit.OK


def _forget(given: argparse.Namespace) -> Exit:
    was = _catalog(given).forget(given.name)
    if given.json:
        print(json.dumps({"name": given.name, "trusted": False, "changed": was}))
    else:
        print(f"{one_line(given.name)} is asked about again" if was else f"{one_line(given.name)} was not allowed")
    return Exit.OK


def _catalog(given: argparse.Namespace) -> SkillCatalog:
    return looked_at(settings_of(given), SystemClock())


def _row(known: KnownSkill) -> dict[str, object]:
    return {
        "name": known.skill.name,
        "description": known.skill.description,
        "from": known.whose,
        "trusted": known.trusted,
        "digest": known.digest,
        "folder": str(known.folder),
        "files": list(known.files),
    }


def _allowed(known: KnownSkill) -> str:
    return "yes" if known.trusted else "changed" if known.before else "no"


_WORDS = {"yes": "allowed", "no": "not allowed yet", "changed": "changed since it was allowed"}


def _complain(troubles: tuple[str, ...]) -> None:
    for said in troubles:
        tell(one_line(said))


LOOKS = {"list": _list, "show": _show, "check": _check, "trust": _trust, "forget": _forget}
"""What does each command."""
