"""The account of a day as several homes keep it: one value that has a part for each of them (docs/limits.md). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from sulla.agent.limits.limits import Charge
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import Json, JsonObject

MOST_HOMES: Final = 64
"""Parts that are told apart; what further homes used today is kept as one sum."""

MOST_AGENTS: Final = 1_000
"""Agents whose use is told apart; further ones share one account, so that none goes uncounted."""

GONE: Final = "gone"
"""The part of homes that had to make room."""


@dataclass(frozen=True, slots=True)
class Reserved:
    """What is set aside for a call."""

    agent: str
    charge: Charge
    restored: bool = False
    """By an earlier process: who knows whether anybody will settle it."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one home used on a day, and has set aside."""

    day: int
    """Days since 1970, UTC."""
    at_s: int
    """When it was kept, UTC seconds; 0 for what was added up under `GONE`."""
    tokens: int
    cost_micro: int
    agents: dict[str, int]
    open: dict[str, Reserved]
    settled: dict[str, Charge]


@dataclass(slots=True)
class Others:
    """What all other homes used on one day, and have set aside."""

    tokens: int = 0
    cost_micro: int = 0
    agents: dict[str, int] = field(default_factory=dict)
    open: dict[str, Reserved] = field(default_factory=dict)
    settled: dict[str, Charge] = field(default_factory=dict)


def read_part(kept: Json) -> Part:
    """One home's part.

    Raises:
        CorruptRecord: it is none.
    """
    match kept:
        case {
            "day": int() as day,
            "tokens": int() as tokens,
            "cost_micro": int() as cost_micro,
            "agents": dict() as agents,
            "open": dict() as reserved,
            "settled": dict() as settled,
        }:
            at_s = kept.get("at_s") if isinstance(kept, dict) else None
            return Part(
                day,
                at_s if isinstance(at_s, int) else 0,
                tokens,
                cost_micro,
                {name: used for name, used in agents.items() if isinstance(used, int)},
                {call_id: _reserved(value) for call_id, value in reserved.items()},
                {call_id: _charge(value) for call_id, value in settled.items()},
            )
    raise CorruptRecord(f"not an account of a day: {str(kept)[:200]!r}")


def read_homes(kept: Json) -> dict[str, Json]:
    """The parts of a kept value by home, each as it was found.

    Raises:
        CorruptRecord: it is no account.
    """
    match kept:
        case {"homes": dict() as homes}:
            return dict(homes)
    raise CorruptRecord(f"not an account of homes: {str(kept)[:200]!r}")


def read_others(parts: Mapping[str, Json], home: str) -> tuple[list[Part], list[str]]:
    """The parts of all homes but one, and the names of those whose part cannot be read."""
    read: list[Part] = []
    unreadable: list[str] = []
    for name, kept in parts.items():
        if name == home:
            continue
        try:
            read.append(read_part(kept))
        except CorruptRecord:
            unreadable.append(name)
    return read, unreadable


def is_of(day: int, part_day: int) -> bool:
    """Whether a part counts on a day: of that day, or of the next one by a clock that is a little ahead."""
    return day <= part_day <= day + 1


def sum_up(parts: list[Part], day: int) -> Others:
    """What other homes used on a day.

    A call is set aside once, however many homes have begun it; it is not set aside any more once one has settled it:
    who took up the run of a home that is gone does that.
    """
    others = Others()
    for part in parts:
        if not is_of(day, part.day):
            continue
        others.tokens += part.tokens
        others.cost_micro += part.cost_micro
        for agent, used in part.agents.items():
            others.agents[agent] = others.agents.get(agent, 0) + used
        for call_id, reserved in part.open.items():
            known = others.open.get(call_id)
            if known is None or known.charge.tokens < reserved.charge.tokens:
                others.open[call_id] = reserved
        for call_id, charge in part.settled.items():
            others.settled[call_id] = greater(others.settled.get(call_id), charge)
    for call_id in others.settled.keys() & others.open.keys():
        del others.open[call_id]
    return others


def greater(one: Charge | None, other: Charge | None) -> Charge:
    """The greater of two figures of a call, tokens and money each for itself."""
    one, other = one or Charge(0, 0), other or Charge(0, 0)
    return Charge(max(one.tokens, other.tokens), max(one.cost_micro or 0, other.cost_micro or 0))


def with_part(parts: Mapping[str, Json], home: str, part: JsonObject) -> JsonObject:
    """The value to keep: all parts as they were found, and one's own.

    What is older than yesterday is let go of: homes that come and go would make the value larger and larger. At most
    `MOST_HOMES` parts remain. Those of other days go first; then those that were not kept for the longest time are
    added up under `GONE`, what they had set aside as if it was used.

    Args:
        parts: as they were found.
        home: whose part it is.
        part: the part.
    """
    day = read_part(part).day
    homes: dict[str, Json] = {name: kept for name, kept in parts.items() if not _is_long_ago(kept, day)}
    homes[home] = part
    if len(homes) <= MOST_HOMES:
        return {"homes": homes}
    counted: dict[str, Part] = {}
    for name in [name for name in homes if name != home]:
        (read, _) = read_others({name: homes[name]}, home)
        if read and is_of(day, read[0].day):
            counted[name] = read[0]
        elif len(homes) > MOST_HOMES:
            del homes[name]
    gone = [counted.pop(GONE)] if GONE in counted else []
    by_age = sorted(counted, key=lambda name: (bool(counted[name].open), counted[name].at_s))
    if len(homes) > MOST_HOMES:
        room = MOST_HOMES - (0 if gone else 1)
        leaving = by_age[: len(homes) - room]
        homes[GONE] = _added_up(gone + [counted[name] for name in leaving], day)
        for name in leaving:
            del homes[name]
    return {"homes": homes}


def made_room(parts: Mapping[str, Json], home: str, part: Json) -> bool:
    """Whether what a home has kept is under `GONE` by now.

    Args:
        parts: as they were found.
        home: the home.
        part: what it has kept last.
    """
    if home in parts or GONE not in parts:
        return False
    ours, _ = read_others({"": part, GONE: parts[GONE]}, home)
    return len(ours) == 2 and is_of(ours[0].day, ours[1].day)


def _is_long_ago(kept: Json, day: int) -> bool:
    match kept:
        case {"day": int() as part_day}:
            return part_day < day - 1
    return False


def _added_up(parts: list[Part], day: int) -> JsonObject:
    agents: dict[str, int] = {}
    tokens = cost_micro = 0
    for part in parts:
        charges = [reserved.charge for reserved in part.open.values()]
        tokens += part.tokens + sum(charge.tokens for charge in charges)
        cost_micro += part.cost_micro + sum(charge.cost_micro or 0 for charge in charges)
        used = [*part.agents.items(), *((reserved.agent, reserved.charge.tokens) for reserved in part.open.values())]
        for agent, more in used:
            name = agent if agent in agents or len(agents) < MOST_AGENTS else ""
            agents[name] = agents.get(name, 0) + more
    return {"day": day, "tokens": tokens, "cost_micro": cost_micro, "agents": {**agents}, "open": {}, "settled": {}}


def _reserved(value: Json) -> Reserved:
    match value:
        case [str() as agent, int() as tokens, None | int() as cost_micro]:
            return Reserved(agent, Charge(tokens, cost_micro), restored=True)
    raise CorruptRecord(f"not what a call may take: {str(value)[:200]!r}")


def _charge(value: Json) -> Charge:
    match value:
        case [int() as tokens, None | int() as cost_micro]:
            return Charge(tokens, cost_micro)
    raise CorruptRecord(f"not what a call took: {str(value)[:200]!r}")
