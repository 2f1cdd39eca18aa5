"""`sulla memory graph`, `entity`, `merge`, `correct`: who and what is known, and how people put it right."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from sulla.agent.spec import SULLA
from sulla.core.errors import NotFound
from sulla.core.stamp import stamp
from sulla.host.system import SystemClock
from sulla.memory.entities.desk import EntityDesk, Found, told
from sulla.memory.entities.graph import Entity, Known
from sulla.memory.entities.service import entity_row
from sulla.memory.entities.statement import ENTITY_KINDS, EntityKind
from sulla.memory.settings import MemorySettings
from sulla.terminal.exits import Exit
from sulla.terminal.keyboard import read_answer
from sulla.terminal.output import say, tell
from sulla.terminal.questions import is_sure, somebody_is_there
from sulla.terminal.table import harmless

MOST_SHOWN = 1_000
"""Entities of one memory that are shown, the newest."""


async def run_entities(
    given: argparse.Namespace, desk: EntityDesk, scopes: Sequence[str], wanted: MemorySettings
) -> Exit:
    """Do what was chosen.

    Args:
        given: the command.
        desk: the home's entities.
        scopes: whose memories.
        wanted: what the settings say of the memory.
    """
    match given.below:
        case "graph":
            return await _graph(given, desk, scopes, wanted)
        case "entity":
            return _show(given, await desk.find(scopes, given.name))
        case "merge":
            return await _merge(given, desk, scopes)
        case _:
            return await _correct(given, desk, scopes)


async def _merge(given: argparse.Namespace, desk: EntityDesk, scopes: Sequence[str]) -> Exit:
    other_kind = given.other_kind
    one, two = [(await desk.find(scopes, name)).entity for name in (given.name, given.other)]
    if one.kind != two.kind and not other_kind and somebody_is_there():
        asked = f"{one.name} is a {one.kind}, and {two.name} a {two.kind}: are they one all the same?"
        if not await is_sure(asked, SystemClock()):
            tell("nothing was merged")
            return Exit.CANCELLED
        other_kind = True
    return _show(given, await desk.merge(scopes, given.name, given.other, other_kind=other_kind))


async def _correct(given: argparse.Namespace, desk: EntityDesk, scopes: Sequence[str]) -> Exit:
    new, value = given.new, " ".join(given.value)
    if new is None:
        try:
            await desk.find(scopes, given.name)
        except NotFound as error:
            if (new := await _new_kind(given.name, error)) is None:
                tell("nothing was corrected")
                return Exit.CANCELLED
    own = given.agent or SULLA.id  # whose a new one is
    among = [own, *(scope for scope in scopes if scope != own)]
    return _show(given, await desk.correct(among, given.name, given.what, value, new))


async def _new_kind(name: str, error: NotFound) -> EntityKind | None:
    """What somebody says that an unknown name is; None for nothing.

    Raises:
        NotFound: there is nobody to ask.
    """
    kinds: dict[str, EntityKind] = {kind: kind for kind in ENTITY_KINDS}
    if not somebody_is_there():
        raise NotFound(f"{error.message}; `--new KIND` has it known from now on ({', '.join(kinds)})")
    tell(harmless(f"{error.message}. Is {name!r} a new one? Say what it is: {', '.join(kinds)}; nothing for none"))
    said = await read_answer("> ", SystemClock()) or ""
    return kinds.get(said.strip().casefold())


async def _graph(given: argparse.Namespace, desk: EntityDesk, scopes: Sequence[str], wanted: MemorySettings) -> Exit:
    shown: list[Found] = []
    if given.name:
        one = await desk.find(scopes, given.name)
        graph = await desk.graph(one.scope)
        near = dict.fromkeys(known.to for known in one.entity.relations)
        shown = [one, *(Found(one.scope, graph.entities[to]) for to in near if to in graph.entities)]
    else:
        for scope in scopes:
            every = [*(await desk.graph(scope)).entities.values()]
            shown += [Found(scope, one) for one in sorted(every, key=_newest, reverse=True)[:MOST_SHOWN]]
    for one in shown:
        if given.json:
            print(json.dumps(asdict(entity_row(one))))
        else:
            related = "; ".join(told(known, one.entity.name) for known in one.entity.relations)
            say(harmless(f"{_title(one.entity)}{f': {related}' if related else ''} [{one.entity.id}, {_whose(one)}]"))
    if not shown and not given.json:
        tell(f"nothing is known of anybody yet: {_when(wanted)}")
    return Exit.OK


def _show(given: argparse.Namespace, found: Found) -> Exit:
    if given.json:
        print(json.dumps(asdict(entity_row(found))))
        return Exit.OK
    one = found.entity
    say(harmless(f"{_title(one)} [{one.id}, {_whose(found)}]"))
    for known in (*one.facts, *one.relations):
        say(harmless(f"  {told(known, one.name)} [{known.said[0].id}, {_where(known)}]"))
    for said in one.statements:
        if said.form == "same":
            say(harmless(f"  merged by a person [{said.id}]"))
    return Exit.OK


def _when(wanted: MemorySettings) -> str:
    if not wanted.entities:
        return "`memory.entities = true` in the settings has it drawn from conversations"
    turns = "every turn" if wanted.entities_every == 1 else f"every {wanted.entities_every} turns"
    return f"a daemon with a model draws it from conversations {turns}, and from what is left over within two hours"


def _title(one: Entity) -> str:
    also = f", also {', '.join(one.aliases)}" if one.aliases else ""
    return f"{one.name} ({one.kind}{also}){', from text that nobody trusts' if one.tainted else ''}"


def _where(known: Known) -> str:
    if known.by_person:
        return "corrected by a person"
    first = known.said[0]
    trust = ", from text that nobody trusts" if known.tainted else ""
    return f"{stamp(first.at_ms)[:10]}, {', '.join(first.source)}{trust}"


def _newest(one: Entity) -> int:
    return max((said.at_ms for said in one.statements), default=0)


def _whose(one: Found) -> str:
    return one.scope or "all agents"
