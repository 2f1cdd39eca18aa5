"""Gates that can never hold: another one holds wherever they do, or they take back all that they find. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from sulla.routes.gates import MUST_NOT_MISS
from sulla.routes.phrases import Choice, Gap, Phrase, Slot, phrase_of
from sulla.routes.plan import Gate, GateFacts, RouteTable
from sulla.routes.words import Words

_SURE, _OWN, _WHOLE = range(3)


def covers(wide: Phrase, narrow: Phrase) -> bool:
    """Whether a phrase is surely found, within the same words, wherever another one is.

    Args:
        wide: the one that would be found.
        narrow: the one that is.
    """
    return any(_begins(wide, narrow[at:]) for at in range(len(narrow)))


def _begins(wide: Sequence[Slot], narrow: Sequence[Slot]) -> bool:
    """Whether it is found from the first of these words on."""
    if not wide:
        return True
    first, then = wide[0], narrow[0] if narrow else None
    if isinstance(first, Gap):
        over = isinstance(then, Gap) and then.most <= first.most and _begins(wide[1:], narrow[1:])
        return over or _begins(wide[1:], narrow)
    return isinstance(then, Choice) and _takes_all(first, then) and _begins(wide[1:], narrow[1:])


def _takes_all(wide: Choice, narrow: Choice) -> bool:
    stems = all(any(stem.startswith(one) for one in wide.stems) for stem in narrow.stems)
    return stems and all(map(wide.takes, narrow.words))


class Coverings:
    """The phrases of a home's routes that are found wherever others are.

    Args:
        table: the routes.
    """

    def __init__(self, table: RouteTable) -> None:
        self._of: dict[Phrase, frozenset[Phrase]] = {}
        by_number = {table.numbers[text]: phrase_of(text) for text in table.numbers}
        for phrase in by_number.values():
            # Whatever is found wherever it is, is found in the words that it has at the least.
            least = [_any_word(slot) for slot in phrase if isinstance(slot, Choice)]
            maybe = {one.number for one in table.index.find(Words(least, least, [0] * len(least)))}
            self._of[phrase] = frozenset(by_number[one] for one in maybe if covers(by_number[one], phrase))

    def has_one_of(self, phrase: Phrase, some: Collection[Phrase]) -> bool:
        """Whether one of some phrases is found wherever a phrase is.

        Args:
            phrase: the phrase.
            some: the others.
        """
        return not self._of[phrase].isdisjoint(some)

    def taken_back(self, gate: Gate) -> tuple[str, ...]:
        """The phrases of a gate that its own `unless` takes back wherever they are found.

        Args:
            gate: the gate.
        """
        unless = frozenset(map(phrase_of, gate.unless))
        return tuple(text for text in (*gate.any, *gate.all) if self.has_one_of(phrase_of(text), unless))

    def never_holds(self, gate: Gate) -> bool:
        """Whether a gate takes back all that it could hold for.

        Args:
            gate: the gate.
        """
        back = {*self.taken_back(gate)}
        return (bool(gate.any) and back.issuperset(gate.any)) or not back.isdisjoint(gate.all)

    def shadowed(self, gates: Sequence[Gate], table: RouteTable) -> Mapping[str, str]:
        """The gates that are never reached, by name, each with the one that holds wherever it does.

        Args:
            gates: in the order in which they are asked.
            table: the routes.
        """
        found: dict[str, str] = {}
        earlier: list[_Asks] = []
        for gate in gates:
            asks = _asks(gate, table)
            if not (asks.any or asks.all or asks.facts != GateFacts()):
                continue
            before = next((other.name for other in earlier if self._is_in(asks, other)), None)
            if before is not None:
                found[gate.name] = before
            else:
                earlier.append(asks)
        return found

    def _is_in(self, one: _Asks, other: _Asks) -> bool:
        """Whether the other one holds wherever one does."""
        if not (one.unless >= other.unless and _facts_in(one.facts, other.facts)):
            return False
        if other.reading != one.reading and (other.reading < one.reading or other.unless):
            return False  # what one hears more may be what takes something back
        if other.any and not self._is_said(one, other.any):
            return False
        return all(self._is_said(one, {phrase}) for phrase in other.all)

    def _is_said(self, asks: _Asks, some: Collection[Phrase]) -> bool:
        """Whether one of some phrases is said wherever a gate holds."""
        if any(self.has_one_of(phrase, some) for phrase in asks.all):
            return True
        return bool(asks.any) and all(self.has_one_of(phrase, some) for phrase in asks.any)


class _Asks(NamedTuple):
    """What a gate asks for, comparable."""

    name: str
    any: frozenset[Phrase]
    all: frozenset[Phrase]
    unless: frozenset[Phrase]
    facts: GateFacts
    reading: int
    """How much of a message it hears."""


def _asks(gate: Gate, table: RouteTable) -> _Asks:
    any_of, all_of, unless = (frozenset(map(phrase_of, texts)) for texts in (gate.any, gate.all, gate.unless))
    careful = table.routes[gate.route].kind in MUST_NOT_MISS
    return _Asks(gate.name, any_of, all_of, unless, gate.facts, _WHOLE if gate.quoted else _OWN if careful else _SURE)


_NAMES: Final = ("agent", "project", "last_route")


def _facts_in(one: GateFacts, other: GateFacts) -> bool:
    """Whether the other facts are so wherever one's are."""
    for name in _NAMES:
        wide, narrow = getattr(other, name), getattr(one, name)
        if wide and not (narrow and {*narrow} <= {*wide}):
            return False
    if other.last_route and other.within < one.within:
        return False
    if other.words is not None and (one.words is None or one.words > other.words):
        return False
    return other.first in (None, one.first) and other.procedure in (None, one.procedure)


def _any_word(choice: Choice) -> str:
    return min(choice.words or choice.stems)
