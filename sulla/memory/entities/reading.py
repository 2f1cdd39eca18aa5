"""What a model drew from some turns, held against these turns: only what stands in them is kept. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from sulla.agent.input.sanitize import sanitize
from sulla.agent.input.screening import looks_planted
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.search.terms import terms
from sulla.memory.entities.statement import (
    ENTITY_KINDS,
    MAX_ALIASES,
    MAX_NAME,
    MAX_NAME_WORDS,
    MAX_SOURCES,
    MAX_VALUE,
    MAX_WHAT,
    EntityKind,
    EntityName,
    Form,
    Statement,
    canonical,
    make_id,
    spelled,
)
from sulla.memory.fusion import USUAL_WORDS
from sulla.memory.note import MemoryNote

MOST_ENTITIES: Final = 60
"""Entities of one answer that are looked at; and as many relations."""
MOST_FACTS: Final = 80
"""Facts of one answer that are looked at."""
SHARE: Final = 0.5
"""The part of a fact's words that stand in the turns that it is said to be from."""
_MARKUP: Final = frozenset("<>{}[]|`\\=")
_KINDS: Final[dict[str, EntityKind]] = {kind: kind for kind in ENTITY_KINDS}


@dataclass(frozen=True, slots=True)
class Drawn:
    """What came of an answer."""

    statements: tuple[Statement, ...]
    refused: int
    """Parts of the answer that were not kept: their form is wrong, they stand in no turn, or there were too many."""
    answered: bool = True
    """Whether the answer has the form at all; else the model may be asked once more."""


@dataclass(frozen=True, slots=True)
class _Turn:
    note: MemoryNote
    spelled: str
    """All its words, for finding names in them."""
    words: frozenset[str]

    def names(self, name: str) -> bool:
        return f" {canonical(name)} " in self.spelled


def drawn_from(args: FrozenJson | None, notes: Sequence[MemoryNote], known: Mapping[str, str]) -> Drawn:
    """The statements of an answer.

    A name has to stand in a turn, and so has half of what is said of it. A statement goes with each turn that one of
    its words stands in and in none of its other turns: no turn's words outlive it, whatever the model says of where
    they are from.

    Args:
        args: what the model called the tool with; None if it did not.
        notes: the turns, in the order in which it was shown them; of one memory, and all trusted or none.
        known: kinds by the canonical name of what is known already.
    """
    if args is None or not isinstance(args.get("entities"), list | tuple):
        return Drawn((), 0, answered=False)
    return _Reader(notes, known).read(args)


class _Reader:
    """Reads one answer."""

    def __init__(self, notes: Sequence[MemoryNote], known: Mapping[str, str]) -> None:
        self._turns = [_Turn(n, f" {' '.join(spelled(_said(n)))} ", frozenset(terms(_said(n)))) for n in notes]
        self._names: dict[str, list[EntityName]] = {}
        """Every name by which an entity may be meant, with the entity's own one first."""
        self._known = known
        self._found: dict[str, Statement] = {}
        self._refused = 0

    def read(self, args: FrozenJson) -> Drawn:
        for one in self._each(args.get("entities"), MOST_ENTITIES):
            self._count(self._entity(one))
        for one in self._each(args.get("facts"), MOST_FACTS):
            self._count(self._fact(one))
        for one in self._each(args.get("relations"), MOST_ENTITIES):
            self._count(self._relation(one))
        return Drawn(tuple(self._found.values()), self._refused)

    def _count(self, kept: bool) -> None:
        self._refused += not kept

    def _each(self, given: Json | FrozenJson | Sequence[object], most: int) -> Iterator[Mapping[str, object]]:
        listed = list(given) if isinstance(given, list | tuple) else []
        self._refused += max(0, len(listed) - most)
        for one in listed[:most]:
            if isinstance(one, Mapping):
                yield one
            else:
                self._refused += 1

    def _entity(self, one: Mapping[str, object]) -> bool:
        name, kind = name_of(one.get("name")), _KINDS.get(str(one.get("kind")))
        if not name or kind is None or not any(turn.names(name) for turn in self._turns):
            return False
        entity = EntityName(kind, name)
        also = one.get("aliases")
        given = [name_of(each) for each in also][: MAX_ALIASES + 1] if isinstance(also, list | tuple) else []
        aliases = [each for each in given if each and canonical(each) != canonical(name)]
        self._refused += len(given) - len(aliases)
        self._names.setdefault(canonical(name), []).insert(0, entity)
        for turn in self._turns:
            called = [each for each in (name, *aliases) if turn.names(each)]
            if called:
                self._keep("mention", entity, [turn])
        for alias in aliases[:MAX_ALIASES]:
            # That two names are one has to be seen where both stand, or in the turns that have one each.
            grounds = self._grounds((), (entity.name, alias))
            self._refused += not grounds
            for turns in grounds:
                self._keep("alias", entity, turns, value=alias)
            if grounds:  # else a wrong name would have facts pass for another one's
                self._names.setdefault(canonical(alias), []).append(entity)
        return True

    def _fact(self, one: Mapping[str, object]) -> bool:
        entity, what, value = self._meant(one.get("of")), plain(one.get("what"), MAX_WHAT), plain(one.get("is"))
        if entity is None or not what or not value:
            return False
        grounds = self._grounds(_numbers(one), (entity.name,), f"{what} {value}", value)
        kept = [self._keep("fact", entity, turns, what=what, value=value) for turns in grounds]
        return any(kept)

    def _relation(self, one: Mapping[str, object]) -> bool:
        entity, to, what = self._meant(one.get("of")), self._meant(one.get("to")), plain(one.get("what"), MAX_WHAT)
        if entity is None or to is None or not what or entity.key == to.key:
            return False
        grounds = self._grounds(_numbers(one), (entity.name, to.name))
        kept = [self._keep("relation", entity, turns, what=what, to=to) for turns in grounds]
        return any(kept)

    def _meant(self, given: object) -> EntityName | None:
        name = name_of(given)
        if not name:
            return None
        key = canonical(name)
        if key in self._names:
            return self._names[key][0]
        kind = _KINDS.get(self._known.get(key, ""))
        return EntityName(kind, name) if kind is not None else None

    def _grounds(
        self, cited: Iterable[int], names: Sequence[str], said: str = "", value: str = ""
    ) -> list[Sequence[_Turn]]:
        """The turns that each say it alone; else the few that do together; none if they do not."""
        turns = [self._turns[number - 1] for number in cited if 1 <= number <= len(self._turns)] or self._turns
        called = [[name, *self._others(name)] for name in names]
        alone: list[Sequence[_Turn]] = [[turn] for turn in turns if _say([turn], called, said, value)]
        if alone:
            return alone
        telling = [turn for turn in turns if any(turn.names(each) for ways in called for each in ways)]
        telling = telling or turns
        some = list(dict.fromkeys((*telling, *turns)))[:MAX_SOURCES]
        return [some] if _say(some, called, said, value) else []

    def _others(self, name: str) -> list[str]:
        """Other names of an entity, in this answer."""
        own = canonical(name)
        return [key for key, ones in self._names.items() if key != own and canonical(ones[0].name) == own]

    def _keep(
        self,
        form: Form,
        of: EntityName,
        turns: Sequence[_Turn],
        *,
        what: str = "",
        value: str = "",
        to: EntityName | None = None,
    ) -> bool:
        text = f"{of.name} {what} {value} {to.name if to is not None else ''}"
        needed = self._needed(turns, terms(text))
        if len(needed) > MAX_SOURCES:
            return False
        source = tuple(turn.note.id for turn in needed)
        scope = needed[0].note.scope
        id_ = make_id(scope, form, of, what, value, *(to.key if to is not None else ()), *source)
        tainted, at_ms = any(turn.note.tainted for turn in needed), max(turn.note.at_ms for turn in needed)
        made = Statement(id_, scope, form, of, what, value, to, at_ms, source, tainted)
        self._found.setdefault(id_, made)
        return True

    def _needed(self, turns: Sequence[_Turn], words: Iterable[str]) -> list[_Turn]:
        """These turns, and those that a word stands in which none of these has."""
        needed, there = list(turns), set[str]().union(*(turn.words for turn in turns))
        for word in words:
            if word not in there and (other := next((one for one in self._turns if word in one.words), None)):
                needed.append(other)
                there |= other.words
        return needed


def _say(turns: Sequence[_Turn], called: Sequence[Sequence[str]], said: str, value: str) -> bool:
    """Whether turns have every name, in one of its ways, and enough of what is said."""
    if not all(any(turn.names(each) for turn in turns for each in ways) for ways in called):
        return False
    there = frozenset().union(*(turn.words for turn in turns))
    for text in (value, said):
        words = {word for word in terms(text) if word not in USUAL_WORDS} or set(terms(text))
        if words and len(words & there) < SHARE * len(words):
            return False
    return True


def name_of(given: object) -> str:
    """A name as it is kept; empty if it is none: too long, a sentence, markup, or nothing that can be said.

    Nothing is cut: a part of a name would be another one's.
    """
    name = plain(given, MAX_NAME)
    if not name or len(name.split()) > MAX_NAME_WORDS or not any(sign.isalnum() for sign in name):
        return ""
    return name


def plain(given: object, most: int = MAX_VALUE) -> str:
    """A text in one line without hidden signs; empty if it is too long, has markup, or looks planted.

    Args:
        given: by a model.
        most: characters.
    """
    if not isinstance(given, str) or len(given) > 4 * most:
        return ""
    text = " ".join(sanitize(given).text.split())
    if len(text) > most or _MARKUP & set(text) or looks_planted(text):
        return ""
    return text


def _numbers(one: Mapping[str, object]) -> list[int]:
    given = one.get("turns")
    listed = given if isinstance(given, list | tuple) else []
    return list(Counter(each for each in listed if isinstance(each, int) and not isinstance(each, bool)))


def _said(note: MemoryNote) -> str:
    return f"{note.asked}\n{note.text}"
