"""`sulla memory graph`, `entity`, `merge`, `correct`: who and what is known, and how people put it right."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from sulla.core.stamp import stamp
from sulla.memory.entities.desk import EntityDesk, Found, told
from sulla.memory.entities.graph import Entity, Known
from sulla.memory.entities.service import entity_row
from sulla.terminal.exits import Exit
from sulla.terminal.output import say, tell
from sulla.terminal.table import harmless

MOST_SHOWN = 1_000
"""Entities of one memory that are shown, the newest."""


async def run_entities(given: argparse.Namespace, desk: EntityDesk, scopes: Sequence[str]) -> Exit:
    """Do what was chosen.

    Args:
        given: the command.
        desk: the home's entities.
        scopes: whose memories.
    """
    match given.below:
        case "graph":
            return await _graph(given, desk, scopes)
        case "entity":
            return _show(given, await desk.find(scopes, given.name))
        case "merge":
            return _show(given, await desk.merge(scopes, given.name, given.other))
        case _:
            return _show(given, await desk.correct(scopes, given.name, given.what, " ".join(given.value)))


async def _graph(given: argparse.Namespace, desk: EntityDesk, scopes: Sequence[str]) -> Exit:
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
            related = "; ".join(told(known) for known in one.entity.relations)
            say(harmless(f"{_title(one.entity)}{f': {related}' if related else ''} [{one.entity.id}, {_whose(one)}]"))
    if not shown and not given.json:
        tell("nothing is known of anybody yet: `memory.entities` in the settings has it drawn from conversations")
    return Exit.OK


def _show(given: argparse.Namespace, found: Found) -> Exit:
    if given.json:
        print(json.dumps(asdict(entity_row(found))))
        return Exit.OK
    one = found.entity
    say(harmless(f"{_title(one)} [{one.id}, {_whose(found)}]"))
    for known in (*one.facts, *one.relations):
        say(harmless(f"  {told(known)} [{known.said[0].id}, {_where(known)}]"))
    for said in one.statements:
        if said.form == "same":
            say(harmless(f"  merged by a person [{said.id}]"))
    return Exit.OK


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
