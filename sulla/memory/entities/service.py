"""Does the methods of `sulla.memory.entities.rpc`."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from sulla.core.errors import NotFound, Refused
from sulla.core.stamp import stamp
from sulla.memory.entities.desk import EntityDesk, Found
from sulla.memory.entities.graph import Entity, Known
from sulla.memory.entities.rpc import EntityRow, EntityRows, KnownRow, MemoryForgotten
from sulla.memory.entities.statement import EntityKind, Statement
from sulla.memory.note import EVERYONE


class HomeEntities:
    """Answers about the entities of a home. It lives as long as the daemon, and keeps nothing.

    Args:
        desk: has them; None where the memory is off.
    """

    def __init__(self, desk: EntityDesk | None) -> None:
        self._desk = desk

    async def graph(self, agent: str, limit: int) -> EntityRows:
        """See `EntityService.graph`."""
        found = [
            Found(scope, one)
            for scope in (agent, EVERYONE)
            for one in (await self._there.graph(scope)).entities.values()
        ]
        newest = sorted(found, key=lambda one: (-_newest(one.entity), one.entity.id))
        return EntityRows(tuple(map(entity_row, newest[:limit])), len(found) > limit)

    async def entity(self, agent: str, name: str) -> EntityRow:
        """See `EntityService.entity`."""
        return entity_row(await self._there.find((agent, EVERYONE), name))

    async def correct(self, agent: str, name: str, what: str, value: str, new: EntityKind | None) -> EntityRow:
        """See `EntityService.correct`."""
        return entity_row(await self._there.correct((agent, EVERYONE), name, what, value, new))

    async def merge(self, agent: str, name: str, other: str, *, other_kind: bool) -> EntityRow:
        """See `EntityService.merge`."""
        return entity_row(await self._there.merge((agent, EVERYONE), name, other, other_kind=other_kind))

    async def forget(self, agent: str, named: tuple[str, ...], code: str) -> MemoryForgotten:
        """See `EntityService.forget`."""
        found = [said for one in named for said in await self._there.doomed((agent, EVERYONE), one)]
        doomed = {said.id: said for said in found}
        right = code_of([*doomed.values()])
        if not code:
            return MemoryForgotten(0, tuple(statement_line(said) for said in doomed.values()), right)
        if code != right:
            raise Refused("the code is not the one for this: ask once more without a code to see what would go")
        return MemoryForgotten(await self._there.forget([*doomed.values()]))

    @property
    def _there(self) -> EntityDesk:
        if self._desk is None:
            raise NotFound("nothing is known of anybody: the memory is off (`memory.enabled`)")
        return self._desk


def entity_row(found: Found) -> EntityRow:
    """An entity as it is told, with where each part is from.

    Args:
        found: it.
    """
    one = found.entity
    return EntityRow(
        one.id,
        found.scope,
        one.kind,
        one.name,
        one.aliases,
        one.tainted,
        tuple(map(_known, one.facts)),
        tuple(map(_known, one.relations)),
        tuple(said.id for said in one.statements if said.form == "same"),
        one.sources,
    )


def statement_line(one: Statement) -> str:
    """A statement in one line, for people who are asked whether it is to go."""
    said = {
        "mention": "was spoken of",
        "alias": f"is also called {one.value}",
        "relation": f"{one.what}: {one.to.name if one.to is not None else ''}",
        "same": "several names are one",
    }.get(one.form, f"{one.what}: {one.value}")
    return f"{stamp(one.at_ms)[:10]}: {one.of.name} {said}".replace("  ", " ")


def code_of(statements: Sequence[Statement]) -> str:
    """What has to be said to have exactly these forgotten."""
    digest = blake2b(digest_size=4)
    for one in sorted(one.id for one in statements):
        digest.update(f"{one}\0".encode())
    return digest.hexdigest()


def _known(known: Known) -> KnownRow:
    notes = dict.fromkeys(source for said in known.said for source in said.source)
    return KnownRow(
        known.said[0].id,
        known.what,
        known.value,
        known.tainted,
        known.by_person,
        tuple(notes),
        known.to,
        known.back,
    )


def _newest(one: Entity) -> int:
    return max((said.at_ms for said in one.statements), default=0)
