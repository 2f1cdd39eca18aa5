"""What people do with the entities of a memory: look at them, correct, merge and forget them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound, QueueFull, Refused
from sulla.memory.entities.base import StatementStore
from sulla.memory.entities.graph import KIND_SLOT, NAME_SLOT, Entity, Graph, Known
from sulla.memory.entities.graphs import Graphs
from sulla.memory.entities.reading import name_of
from sulla.memory.entities.statement import (
    ENTITY_KINDS,
    MAX_MERGED,
    MAX_NAME,
    MAX_SAID,
    MAX_VALUE,
    MAX_WHAT,
    EntityKind,
    EntityName,
    Statement,
    canonical,
    digest_of,
    make_id,
    slot_of,
)
from sulla.tools.nearest import did_you_mean

_PREPOSITIONS: Final = frozenset("at by for from in of on to with".split())


@dataclass(frozen=True, slots=True)
class Found:
    """An entity, and whose memory it is in."""

    scope: str
    entity: Entity


class EntityDesk:
    """The entities of a home, for people: what they say counts for ever, whatever a model draws later.

    Args:
        store: keeps the statements.
        clock: all time.
        graphs: of the store; None for new ones.
    """

    def __init__(self, store: StatementStore, clock: Clock, graphs: Graphs | None = None) -> None:
        self._store = store
        self._clock = clock
        self._graphs = graphs if graphs is not None else Graphs(store)

    async def graph(self, scope: str) -> Graph:
        """The entities of one memory."""
        return await self._graphs.of([scope])

    async def find(self, scopes: Sequence[str], name: str) -> Found:
        """The one entity of a name or an id.

        Args:
            scopes: in whose memories.
            name: any of its names, or its id.

        Raises:
            NotFound: there is none; the error says what is called nearly so.
            Refused: there are several; the error names their ids.
        """
        found = await self._named(scopes, name)
        if not found:
            known = [
                each for scope in scopes for one in (await self.graph(scope)).entities.values() for each in _names(one)
            ]
            hint = did_you_mean(name, known)
            raise NotFound(f"no entity is called {name[:MAX_NAME]!r}.{hint} `sulla memory graph` shows all")
        if len(found) > 1:
            named = ", ".join(f"{one.entity.id} ({one.entity.kind} of {one.scope or 'all agents'})" for one in found)
            raise Refused(f"{name[:MAX_NAME]!r} may be several: {named}; say one id, and the agent where ids are equal")
        return found[0]

    async def correct(
        self, scopes: Sequence[str], name: str, what: str, value: str, new: EntityKind | None = None
    ) -> Found:
        """Say how it is: this stands in the place of all that models drew, or will draw, about the same.

        Args:
            scopes: in whose memories.
            name: the entity, by a name or its id.
            what: what is corrected: what a fact or a relation is about, or ``name`` or ``kind``.
            value: how it is.
            new: what it is, where nothing of this kind is called so yet: then the first of the memories knows it from
                now on. None where it has to be known.

        Raises:
            InvalidInput: a text is empty or too long, or a kind is none.
            NotFound: there is no such entity, and it is not said to be a new one.
            Refused: there are several.
            QueueFull: people said as much as may be.
        """
        what, value = " ".join(what.split()), " ".join(value.split())
        if not what or len(what) > MAX_WHAT or not value or len(value) > MAX_VALUE:
            raise InvalidInput(
                f"say what is corrected, in at most {MAX_WHAT} characters, and how it is, in at most {MAX_VALUE}"
            )
        if slot_of(what) == KIND_SLOT and value not in ENTITY_KINDS:
            raise InvalidInput(f"{value!r} is no kind of entity: expected one of {', '.join(ENTITY_KINDS)}")
        if slot_of(what) == NAME_SLOT and not name_of(value):
            raise InvalidInput(f"{value!r} is no name: expected one line of at most {MAX_NAME} characters, no markup")
        scope, of = await self._meant(scopes, name, new)
        at_ms = round(self._clock.now() * 1000)
        id_ = make_id(scope, "fact", of, what, value, "person", str(at_ms))
        await self._say(Statement(id_, scope, "fact", of, what, value, None, at_ms, (), tainted=False))
        return await self._again(scope, of)

    async def merge(self, scopes: Sequence[str], name: str, other: str, *, other_kind: bool = False) -> Found:
        """Say that two are one.

        Args:
            scopes: in whose memories.
            name: the one.
            other: the other one.
            other_kind: whether it is meant so although they are of two kinds, such as a person and a place.

        Raises:
            NotFound: there is no such entity.
            Refused: there are several; or they are in two memories; or they are of two kinds, and that is not said.
            InvalidInput: they are one already, or have too many names.
            QueueFull: people said as much as may be.
        """
        one, two = await self.find(scopes, name), await self.find(scopes, other)
        if one.scope != two.scope:
            raise Refused("these two are in the memories of two agents, which know nothing of each other")
        if one.entity.id == two.entity.id:
            raise InvalidInput(f"{name!r} and {other!r} are one already")
        if one.entity.kind != two.entity.kind and not other_kind:
            raise Refused(
                f"{one.entity.name!r} is a {one.entity.kind}, and {two.entity.name!r} a {two.entity.kind}: these are "
                "seldom one; say other_kind (`--other-kind`) where they are"
            )
        keys = sorted(digest_of(key) for key in one.entity.keys | two.entity.keys)
        if len(keys) > MAX_MERGED:
            raise InvalidInput(f"they have {len(keys)} names together, and {MAX_MERGED} is the most")
        at_ms, of = round(self._clock.now() * 1000), EntityName(one.entity.kind, "")
        id_ = make_id(one.scope, "same", of, *keys, str(at_ms))
        # The names are not in it: those that go with their turns are not to be read here.
        await self._say(Statement(id_, one.scope, "same", of, "", " ".join(keys), None, at_ms, (), tainted=False))
        return await self._again(one.scope, _name_in(one.entity, name))

    async def doomed(self, scopes: Sequence[str], named: str) -> list[Statement]:
        """What would be forgotten.

        Args:
            scopes: in whose memories.
            named: an entity by a name or its id, with all that is known of it; or the id of a fact or a relation.

        Raises:
            NotFound: there is no such thing.
            Refused: there are several entities of the name.
        """
        for scope in scopes:
            graph = await self.graph(scope)
            for one in graph.entities.values():
                for known in (*one.facts, *one.relations):
                    if any(said.id == named for said in known.said):
                        return list(known.said)
                if alone := [said for said in one.statements if said.id == named]:
                    return alone
        found = await self.find(scopes, named)
        others = (await self.graph(found.scope)).entities.values()
        towards = [
            said
            for one in others
            for said in one.statements
            if said.to is not None and said.to.key in found.entity.keys
        ]
        return list({said.id: said for said in (*found.entity.statements, *towards)}.values())

    async def forget(self, statements: Sequence[Statement]) -> int:
        """Remove statements for good; how many there were."""
        return await self._store.remove([one.id for one in statements])

    async def _named(self, scopes: Sequence[str], name: str) -> list[Found]:
        return [Found(scope, one) for scope in scopes for one in (await self.graph(scope)).named(name)]

    async def _meant(self, scopes: Sequence[str], name: str, new: EntityKind | None) -> tuple[str, EntityName]:
        """Whose memory something is to be said in, and of what."""
        alike = [] if new is None else [one for one in await self._named(scopes, name) if one.entity.kind == new]
        if new is None or alike:
            found = await self.find(scopes, alike[0].entity.id if len(alike) == 1 else name)
            return found.scope, _name_in(found.entity, name)
        if name.startswith("ent_") or not name_of(name):
            raise InvalidInput(f"{name!r} is no name: expected one line of at most {MAX_NAME} characters, no markup")
        return scopes[0], EntityName(new, name_of(name))

    async def _say(self, statement: Statement) -> None:
        said = 0
        for one in (await self.graph(statement.scope)).entities.values():
            said += sum(each.by_person for each in one.statements)
        if said >= MAX_SAID:
            raise QueueFull(f"people corrected and merged {said} times, and {MAX_SAID} is the most: forget some first")
        await self._store.put(statement.scope, [statement])

    async def _again(self, scope: str, of: EntityName) -> Found:
        graph = await self.graph(scope)
        return Found(scope, graph.entities[graph.by_key[of.key]])


def told(known: Known, of: str) -> str:
    """A fact or a relation of an entity in a few words.

    Args:
        known: it.
        of: the entity's name.
    """
    return _sentence(known.value, known.what, of) if known.back else f"{known.what}: {known.value}"


def _sentence(who: str, what: str, whom: str) -> str:
    """How one stands to another, as grammatical as it can be made of words of which nothing is known."""
    first, *more = what.replace("_", " ").split()
    if more and first.endswith("s") and not first.endswith("ss"):  # "works for"
        return f"{who} {' '.join((first, *more))} {whom}"
    if more and more[-1] in _PREPOSITIONS:  # "married to", "brother of"
        return f"{who} is {' '.join((first, *more))} {whom}"
    return f"{who}, {what}: {whom}"


def _names(entity: Entity) -> tuple[str, ...]:
    return (entity.name, *entity.aliases)


def _name_in(entity: Entity, name: str) -> EntityName:
    """A name of an entity by which it is found: as it was typed, else as it was said."""
    names = [one.of for one in entity.statements if one.form != "same" and one.of.key in entity.keys]
    typed = next((one for one in names if one.name and one.key[1] == canonical(name)), None)
    if typed is not None:
        return EntityName(typed.kind, name) if name != entity.id else typed
    trusted = (one.of for one in entity.statements if one.form != "same" and not one.tainted)
    return next(iter((*trusted, *names)), EntityName(entity.kind, entity.name))
