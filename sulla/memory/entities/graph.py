"""All statements of a memory made one: entities with their names, facts, relations and turns. Pure.

It is folded anew from the statements whenever these change, so nothing of it is kept, and nothing in it outlives what
it came from. What a person said decides first, then what was drawn from trusted turns; what was drawn from others
stands beside it, joins no names, and takes no place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.ids import derived_id
from sulla.memory.entities.statement import (
    ENTITY_KINDS,
    MAX_ALIASES,
    MAX_FACTS,
    EntityKind,
    EntityName,
    Statement,
    canonical,
    slot_of,
)

Key = tuple[str, str]
"""Kind and canonical name."""

_KINDS: Final[dict[str, EntityKind]] = {kind: kind for kind in ENTITY_KINDS}

NAME_SLOT: Final = "name"
KIND_SLOT: Final = "kind"
"""What a person corrects of the entity itself, in the place of a fact about it."""


@dataclass(frozen=True, slots=True)
class Known:
    """A fact or a relation of an entity, with all statements that say it."""

    what: str
    value: str
    """The fact; of a relation the other entity's name."""
    to: str = ""
    """Of a relation the other entity's id; empty for a fact."""
    said: tuple[Statement, ...] = ()
    """The newest first."""
    back: bool = False
    """Whether it is the other entity that stands so to this one."""

    @property
    def tainted(self) -> bool:
        """Whether nobody trusted says it."""
        return all(one.tainted for one in self.said)

    @property
    def by_person(self) -> bool:
        """Whether a person corrected it."""
        return any(one.by_person for one in self.said)


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something that is known."""

    id: str
    kind: EntityKind
    name: str
    aliases: tuple[str, ...]
    keys: frozenset[Key]
    facts: tuple[Known, ...]
    """What a person said first, then the newest."""
    relations: tuple[Known, ...]
    sources: tuple[str, ...]
    """The notes that speak of it, the newest first."""
    statements: tuple[Statement, ...]
    """All that is about it, in whatever form; relations that others have to it are not among them."""
    tainted: bool
    """Whether it is known from untrusted turns alone."""

    @property
    def corrections(self) -> tuple[Known, ...]:
        """What a person said of it; not what they said of another one that stands so to it."""
        return tuple(known for known in (*self.facts, *self.relations) if known.by_person and not known.back)


@dataclass(frozen=True, slots=True)
class Graph:
    """The entities of a memory."""

    entities: Mapping[str, Entity] = field(default_factory=dict)
    """By id."""
    by_key: Mapping[Key, str] = field(default_factory=dict)
    """The id by every key that is a name of it."""
    by_name: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ids by canonical name, of whatever kind."""
    by_note: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ids of the entities that a note speaks of."""
    by_person: tuple[tuple[Entity, Known], ...] = ()
    """The corrections of all entities: few, so that they can be looked through at each message."""

    def named(self, name: str) -> tuple[Entity, ...]:
        """The entities of a name, whatever kinds they are; or the one with this id."""
        if name in self.entities:
            return (self.entities[name],)
        return tuple(self.entities[one] for one in self.by_name.get(canonical(name), ()))


def graph_of(statements: Iterable[Statement]) -> Graph:
    """Fold statements to a graph.

    Args:
        statements: in the order in which they were kept; any order gives the same entities.
    """
    every = list(statements)
    groups = _groups(every)
    mine: dict[Key, list[Statement]] = defaultdict(list)
    for one in every:
        if one.form != "same":
            mine[groups.find(one.of.key)].append(one)
        if one.to is not None:
            mine.setdefault(groups.find(one.to.key), [])
    merges: dict[Key, list[Statement]] = defaultdict(list)
    for one in every:
        if one.form == "same":
            roots = {groups.find(groups.known[digest]) for digest in one.value.split() if digest in groups.known}
            for root in roots:
                merges[root].append(one)
    keys: dict[Key, set[Key]] = defaultdict(set)
    for key in groups.known.values():
        keys[groups.find(key)].add(key)
    incoming: dict[Key, list[Statement]] = defaultdict(list)
    for one in every:
        if one.to is not None:
            incoming[groups.find(one.to.key)].append(one)
    heads = {root: _head(root, keys[root], said, incoming[root], merges[root]) for root, said in mine.items()}
    by_id = {head.id: head for head in heads.values()}
    entities = [_entity(head, mine[root], incoming[root], heads, by_id, groups) for root, head in heads.items()]
    return _indexed(entities)


class _Groups:
    """Which keys are one (union-find); the smallest key of a group stands for it, so that the order plays no part."""

    def __init__(self) -> None:
        self.known: dict[str, Key] = {}
        """Keys by their digest."""
        self._parents: dict[Key, Key] = {}

    def add(self, name: EntityName) -> None:
        key = name.key
        if key not in self._parents:
            self._parents[key] = key
            self.known[name.digest] = key

    def find(self, key: Key) -> Key:
        while (parent := self._parents.get(key, key)) != key:
            self._parents[key] = self._parents.get(parent, parent)
            key = parent
        return key

    def join(self, one: Key, other: Key) -> None:
        low, high = sorted((self.find(one), self.find(other)))
        self._parents[high] = low


def _groups(statements: Sequence[Statement]) -> _Groups:
    groups = _Groups()
    for one in statements:
        if one.form != "same":
            groups.add(one.of)
            if one.to is not None:
                groups.add(one.to)
    # An untrusted text that says that two are one would have its facts pass for the other's.
    _join_aliases(groups, [one for one in statements if one.form == "alias" and not one.tainted])
    for one in statements:
        if one.form == "same" and one.by_person:
            there = [groups.known[digest] for digest in one.value.split() if digest in groups.known]
            for other in there[1:]:
                groups.join(there[0], other)
    return groups


def _join_aliases(groups: _Groups, aliases: Sequence[Statement]) -> None:
    claims: dict[Key, set[Key]] = defaultdict(set)
    for one in aliases:
        other = EntityName(one.of.kind, one.value)
        groups.add(other)
        if one.by_person:
            groups.join(one.of.key, other.key)
        else:
            claims[other.key].add(one.of.key)
    for alias, owners in claims.items():
        if len(owners - {alias}) == 1:  # else it does not say who is meant
            for owner in owners:
                groups.join(owner, alias)


@dataclass(frozen=True, slots=True)
class _Head:
    """An entity without what is known of it."""

    id: str
    kind: EntityKind
    name: str
    aliases: tuple[str, ...]
    keys: frozenset[Key]
    corrected: Mapping[str, Statement]
    """What a person said, by what it is about: the newest of each."""
    statements: tuple[Statement, ...]

    def counts(self, one: Statement) -> bool:
        """Whether nothing that a person said stands against it."""
        return self.corrected.get(one.slot, one) is one


def _head(
    root: Key,
    keys: set[Key],
    said: Sequence[Statement],
    incoming: Sequence[Statement],
    merges: Sequence[Statement],
) -> _Head:
    trusted = [one for one in said if not one.tainted]
    towards = [one.to.name for one in incoming if one.to is not None and not one.tainted]
    if not trusted and not towards:
        trusted, towards = list(said), [one.to.name for one in incoming if one.to is not None]
    names = Counter([*(one.of.name for one in trusted), *towards])
    others = Counter(one.value for one in trusted if one.form == "alias")
    kinds = Counter(one.of.kind for one in trusted)
    name = max(names, key=lambda each: (names[each], each[:1].isupper(), len(each), each), default=root[1])
    ours = sorted((one for one in said if one.by_person), key=lambda one: (one.at_ms, one.id))
    corrected = {one.slot: one for one in ours if one.form in ("fact", "relation")}
    kind = kinds.most_common(1)[0][0] if kinds else _KINDS[root[0]]
    if NAME_SLOT in corrected:
        name = corrected[NAME_SLOT].value
    if KIND_SLOT in corrected and (said_kind := _KINDS.get(corrected[KIND_SLOT].value)) is not None:
        kind = said_kind
    every = dict.fromkeys(each for each, _ in (names + others).most_common() if each != name)
    alone = {canonical(each): each for each in reversed(every) if canonical(each) != canonical(name)}
    return _Head(
        derived_id("ent", *root),
        kind,
        name,
        tuple(reversed(alone.values()))[:MAX_ALIASES],
        frozenset(keys | {(root[0], canonical(name))}),
        corrected,
        (*said, *merges),
    )


def _entity(
    head: _Head,
    said: Sequence[Statement],
    incoming: Sequence[Statement],
    heads: Mapping[Key, _Head],
    by_id: Mapping[str, _Head],
    groups: _Groups,
) -> Entity:
    facts: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    relations: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    back: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    for one in said:
        if one.slot in (NAME_SLOT, KIND_SLOT) or not head.counts(one):
            continue
        if one.form == "fact":
            facts[one.slot, slot_of(one.value)].append(one)
        elif one.form == "relation" and one.to is not None:
            relations[one.slot, heads[groups.find(one.to.key)].id].append(one)
    for one in incoming:
        other = heads[groups.find(one.of.key)]
        if other.counts(one):
            back[one.slot, other.id].append(one)
    _say_once(facts, relations, by_id)
    known = [_known(each) for each in facts.values()]
    related = [_known(each, by_id[to].name, to) for (_, to), each in relations.items() if to != head.id]
    related += [_known(each, by_id[to].name, to, back=True) for (_, to), each in back.items() if to != head.id]
    places = sorted((*said, *incoming), key=lambda one: -one.at_ms)
    sources = dict.fromkeys(source for one in places for source in one.source)
    return Entity(
        head.id,
        head.kind,
        head.name,
        head.aliases,
        head.keys,
        tuple(_ordered(known)),
        tuple(_ordered(related)),
        tuple(sources),
        head.statements,
        all(one.tainted for one in places),
    )


def _say_once(
    facts: dict[tuple[str, str], list[Statement]],
    relations: Mapping[tuple[str, str], list[Statement]],
    by_id: Mapping[str, _Head],
) -> None:
    """What is said as a fact, "works for: Acme", and as a relation to the entity Acme, is that relation alone.

    An untrusted relation takes no trusted fact in: it would be trusted for it.
    """
    for (slot, to), related in relations.items():
        called = {name for _, name in by_id[to].keys}
        trusted = any(not one.tainted for one in related)
        same = [key for key, said in facts.items() if key[0] == slot and canonical(said[0].value) in called]
        for key in same:
            if trusted or all(one.tainted for one in facts[key]):
                related += facts.pop(key)


def _known(said: Sequence[Statement], name: str = "", to: str = "", *, back: bool = False) -> Known:
    newest = tuple(sorted(said, key=lambda one: (one.tainted, -one.at_ms)))
    return Known(newest[0].what, name or newest[0].value, to, newest, back)


def _ordered(known: Iterable[Known]) -> list[Known]:
    return sorted(known, key=lambda one: (not one.by_person, one.tainted, -one.said[0].at_ms))[:MAX_FACTS]


def _indexed(entities: Sequence[Entity]) -> Graph:
    by_key: dict[Key, str] = {}
    by_name: dict[str, dict[str, None]] = defaultdict(dict)
    by_note: dict[str, dict[str, None]] = defaultdict(dict)
    for one in entities:
        for key in one.keys:
            by_key.setdefault(key, one.id)
            by_name[key[1]][one.id] = None
        for source in one.sources:
            by_note[source][one.id] = None
    return Graph(
        {one.id: one for one in entities},
        by_key,
        {name: tuple(ids) for name, ids in by_name.items()},
        {note: tuple(ids) for note, ids in by_note.items()},
        tuple((one, known) for one in entities for known in one.corrections),
    )
