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
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.routes.phrases import Found
from sulla.routes.plan import Gate, GateFacts, RoutePlan, RouteTable
from sulla.routes.words import Words, hear

MOST_TOLD: Final = 5
"""Of the words that a gate found, in its plan."""
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


_Places = Mapping[int, Sequence[Found]]
"""Where phrases were found, by their numbers."""


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
    own = _places(table, heard.own)
    whole = own if heard.whole is heard.own or not table.looks_at_quoted else _places(table, heard.whole)
    sure = own if heard.sure is heard.own else _places(table, heard.sure)
    for number in table.may_hold({*own, *whole}):
        gate = table.gates[number]
        careful = table.routes[gate.route].kind in MUST_NOT_MISS
        places, words = (own, heard.own) if careful else (sure, heard.sure)
        if gate.quoted:
            places, words = whole, heard.whole
        why = _why(table, gate, places, words)
        if why is not None and gate.facts.words is not None and len(words.folded) > gate.facts.words:
            continue
        if why is not None and facts_hold(gate.facts, facts):
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


def _places(table: RouteTable, words: Words) -> _Places:
    found: defaultdict[int, list[Found]] = defaultdict(list)
    for one in table.index.find(words):
        found[one.number].append(one)
    return found


def _why(table: RouteTable, gate: Gate, places: _Places, words: Words) -> tuple[str, ...] | None:
    """The words for which a gate holds; None if it does not. One that asks for no words holds for none."""
    numbers = table.numbers
    found: Sequence[Found] = [one for text in gate.any for one in places.get(numbers[text], ())]
    if gate.any and not found:
        return None
    needed = [places.get(numbers[text], ()) for text in gate.all]
    if not all(needed):
        return None
    back = [one for text in gate.unless for one in places.get(numbers[text], ())]
    if back:
        found = _kept(found, back)
        needed = [_kept(some, back) for some in needed]
        if (gate.any and not found) or not all(needed):
            return None
    first = sorted([*found, *(some[0] for some in needed)], key=lambda one: (one.first, -one.last))
    return tuple(dict.fromkeys(words.said(one.first, one.last) for one in first))[:MOST_TOLD]


def _kept(found: Sequence[Found], back: Sequence[Found]) -> Sequence[Found]:
    """What is not taken back."""
    return [one for one in found if not any(one.first <= other.last and other.first <= one.last for other in back)]
