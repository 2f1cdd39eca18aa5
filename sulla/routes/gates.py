"""Which route a message takes: the first gate that holds, in code, before a model is asked. Pure.

A gate holds where one of its `any` is said, and all of its `all`, and its facts are so. A phrase of `unless` takes back
what it overlaps, and nothing else: `dont want to die` takes back the `want to die` within it, and in "I don't want to
die, but I think of killing myself" the second half still counts. So what excuses a phrase is written out with it, such
as `bug ... want to die`; a word of work somewhere in the sentence excuses nothing. A negation is no reason of its own,
because "I don't want to live" is one: it is a matter of `unless`. What a gate takes back, a later gate may still find.

Gates of incidents are asked before all others, whatever their place in the file; then the order of the file decides,
and after one that holds none is asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from sulla.core.dataclass import dataclass
from sulla.routes.phrases import MOST_WORDS, Found
from sulla.routes.plan import Gate, GateFacts, RoutePlan, RouteTable
from sulla.routes.words import Words, hear

MOST_TOLD: Final = 5
"""Of the words that a gate found, in its plan."""
SLICE_WORDS: Final = 1_000
"""Of a message that are looked at in one go."""
_AROUND: Final = 2 * MOST_WORDS
"""Words around a slice: what begins in it, and what may take that back."""
MUST_NOT_MISS: Final = frozenset({"incident", "clarify"})
"""Kinds of routes whose gates look at all that may be the person's own words; the others look at what surely is."""


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """What is known of a turn beside its message."""

    agent: str = ""
    """Who has the conversation."""
    project: str = ""
    """The thread's; empty for none."""
    first: bool = False
    """Whether nothing was said before in the thread."""
    last_route: str = ""
    """The route that the turn before took; empty for none."""
    earlier: tuple[str, ...] = ()
    """If that was the default route: those of the turns before it, the newest first, up to the first other one."""
    procedure: bool = False
    """Whether a guided procedure is under way."""


def route_of(table: RouteTable, message: str, facts: TurnFacts) -> RoutePlan | None:
    """The route that a message takes; None if no gate holds.

    `RouteTable.default` is not for here: what else can decide about a turn (a mention, an active agent, an intent) is
    asked first.

    Args:
        table: the routes.
        message: what the person wrote.
        facts: what else is known.
    """
    if not table.gates:
        return None
    heard = hear(message)
    own = _held(table, heard.own)
    whole = own if heard.whole is heard.own or not table.looks_at_quoted else _held(table, heard.whole)
    sure = own if heard.sure is heard.own else _held(table, heard.sure)
    for number in sorted({*own, *whole, *table.always}):
        gate = table.gates[number]
        held, words = (sure, heard.sure) if table.routes[gate.route].kind not in MUST_NOT_MISS else (own, heard.own)
        if gate.quoted:
            held, words = whole, heard.whole
        why = held.get(number)
        short = gate.facts.words is None or len(words.folded) <= gate.facts.words
        if why is not None and short and facts_hold(gate.facts, facts):
            return RoutePlan(table.routes[gate.route], message, gate.name, why)
    return None


def facts_hold(wanted: GateFacts, facts: TurnFacts) -> bool:
    """Whether all is so that a gate asks for beside the message.

    Args:
        wanted: what it asks for.
        facts: what is so.
    """
    return (
        _one_of(wanted.agent, facts.agent)
        and _one_of(wanted.project, facts.project)
        and any(_one_of(wanted.last_route, one) for one in (facts.last_route, *facts.earlier)[: wanted.within])
        and wanted.first in (None, facts.first)
        and wanted.procedure in (None, facts.procedure)
    )


def _one_of(wanted: Collection[str], name: str) -> bool:
    return not wanted or name in wanted


@dataclass(slots=True)
class _Heard:
    """What of a gate has been found so far in a message."""

    any: list[Found]
    """What is not taken back, so many as are told."""
    all: dict[str, Found]


def _held(table: RouteTable, words: Words) -> dict[int, tuple[str, ...]]:
    """The gates whose words are said, by their places in `gates`, each with the words for which it holds.

    A message is looked at in slices, so that what is found of it has a bound, however long it is. What is found in a
    slice is all that begins there, with all around it that may take it back.

    Args:
        table: the routes.
        words: what is said.
    """
    heard: dict[int, _Heard] = {}
    count = len(words.folded)
    for begin in range(0, count, SLICE_WORDS):
        places: defaultdict[int, list[Found]] = defaultdict(list)
        for one in table.index.find(words, max(0, begin - _AROUND), begin + SLICE_WORDS + _AROUND):
            places[one.number].append(one)
        if places:
            gates = table.may_hold(places) if count <= SLICE_WORDS else range(len(table.gates))
            for number in gates:
                _hear_gate(table, number, places, begin, heard)
    found = {number: why for number, one in heard.items() if (why := _why(table.gates[number], one, words)) is not None}
    return found | dict.fromkeys(table.always, ())


def _hear_gate(
    table: RouteTable,
    number: int,
    places: Mapping[int, Sequence[Found]],
    begin: int,
    heard: dict[int, _Heard],
) -> None:
    """Take what a slice has of a gate.

    Args:
        table: the routes.
        number: the gate's place.
        places: what was found in the slice and around it.
        begin: the first word of the slice.
        heard: takes it.
    """
    gate, numbers = table.gates[number], table.numbers
    some = [one for text in gate.any for one in places.get(numbers[text], ())]
    needed = {text: places[numbers[text]] for text in gate.all if numbers[text] in places}
    if not some and not needed:
        return
    back = [one for text in gate.unless for one in places.get(numbers[text], ())]
    kept = heard.setdefault(number, _Heard([], {}))
    here = _Slice(begin, _covered(back) if back else frozenset())
    if len(kept.any) < MOST_TOLD:
        kept.any += sorted(filter(here.has, some), key=_in_order)[:MOST_TOLD]
    for text, found in needed.items():
        one = next(filter(here.has, found), None)
        if one is not None:
            kept.all.setdefault(text, one)


class _Slice(NamedTuple):
    """Part of a message."""

    begin: int
    back: frozenset[int]
    """The places of the words that are taken back."""

    def has(self, one: Found) -> bool:
        """Whether something begins in it and is not taken back."""
        begins = self.begin <= one.first < self.begin + SLICE_WORDS
        return begins and (not self.back or self.back.isdisjoint(range(one.first, one.last + 1)))


def _covered(back: Sequence[Found]) -> frozenset[int]:
    return frozenset(at for one in {(one.first, one.last) for one in back} for at in range(one[0], one[1] + 1))


def _in_order(one: Found) -> tuple[int, int]:
    return one.first, -one.last


def _why(gate: Gate, heard: _Heard, words: Words) -> tuple[str, ...] | None:
    """The words for which a gate holds; None if it does not."""
    if (gate.any and not heard.any) or any(text not in heard.all for text in gate.all):
        return None
    first = sorted([*heard.any, *heard.all.values()], key=_in_order)
    return tuple(dict.fromkeys(words.said(one.first, one.last) for one in first))[:MOST_TOLD]
