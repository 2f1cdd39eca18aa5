"""What clients can do with the entities of an agent's memory."""

from __future__ import annotations

from typing import Annotated, Final, Protocol

from pydantic import Field, StringConstraints

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.memory.entities.statement import MAX_NAME, MAX_VALUE, MAX_WHAT, EntityKind
from sulla.rpc.caller import Context
from sulla.rpc.form import LINE_PATTERN, Name, Params
from sulla.rpc.method import Example, Method, Methods, Rest

MOST_ENTITIES: Final = 1_000
"""Entities of one answer, the newest."""
MOST_FORGOTTEN: Final = 50
"""Entities and facts that one call forgets."""
CODE_CHARS: Final = 16

Limit = Annotated[int, Field(ge=1, le=MOST_ENTITIES)]
Called = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME, pattern=LINE_PATTERN)]
What = Annotated[str, StringConstraints(min_length=1, max_length=MAX_WHAT, pattern=LINE_PATTERN)]
Value = Annotated[str, StringConstraints(min_length=1, max_length=MAX_VALUE, pattern=LINE_PATTERN)]
Code = Annotated[str, StringConstraints(max_length=CODE_CHARS, pattern=LINE_PATTERN)]


class MemoryGraph(Params):
    """`memory.graph`."""

    agent: Name
    limit: Limit = 100


class MemoryEntity(Params):
    """`memory.entity`."""

    agent: Name
    entity: Called
    """One of its names, or its id."""


class MemoryCorrect(Params):
    """`memory.correct`."""

    agent: Name
    entity: Called
    what: What
    """What a fact is about, or ``name`` or ``kind``."""
    value: Value
    new: EntityKind | None = None
    """What it is, where nothing of this kind is called so yet: it is known from now on. Null: it has to be known."""


class MemoryMerge(Params):
    """`memory.merge`."""

    agent: Name
    entity: Called
    other: Called
    other_kind: bool = False
    """Whether it is meant so although they are of two kinds, such as a person and a place."""


class MemoryForget(Params):
    """`memory.forget`: without a code it says what would go, with the code for exactly that it goes."""

    agent: Name
    named: Annotated[list[Called], Field(min_length=1, max_length=MOST_FORGOTTEN)]
    """Entities, by names or ids, and ids of facts and relations."""
    code: Code = ""


@dataclass(frozen=True, slots=True)
class KnownRow:
    """A fact or a relation of an entity."""

    id: str
    what: str
    value: str
    """The fact; of a relation the other entity's name."""
    tainted: bool
    """Whether only text says it that nobody trusts."""
    corrected: bool
    """Whether a person says it."""
    notes: tuple[str, ...]
    """The notes that it was drawn from, the newest first."""
    to: str = ""
    """Of a relation the other entity's id."""
    back: bool = False
    """Whether the other one stands so to this one."""


@dataclass(frozen=True, slots=True)
class EntityRow:
    """The answer to `memory.entity`, `memory.correct` and `memory.merge`."""

    id: str
    scope: str
    """Whose memory it is in; empty for all agents'."""
    kind: str
    name: str
    aliases: tuple[str, ...]
    tainted: bool
    facts: tuple[KnownRow, ...]
    relations: tuple[KnownRow, ...]
    merges: tuple[str, ...]
    """What people merged; each can be forgotten."""
    notes: tuple[str, ...]
    """The notes that speak of it, the newest first."""


@dataclass(frozen=True, slots=True)
class EntityRows:
    """The answer to `memory.graph`."""

    entities: tuple[EntityRow, ...]
    more: bool
    """Whether there are others."""


@dataclass(frozen=True, slots=True)
class MemoryForgotten:
    """The answer to `memory.forget`."""

    forgotten: int
    """So much is gone; 0 where it was only shown."""
    would_go: tuple[str, ...] = ()
    """What would go, each in a line."""
    code: str = ""
    """What has to be said to have exactly that forgotten."""


class EntityService(Protocol):
    """The entities of the agents' memories."""

    async def graph(self, agent: str, limit: int) -> EntityRows:
        """The newest entities of an agent's memory, with those of all agents."""

    async def entity(self, agent: str, name: str) -> EntityRow:
        """One entity.

        Raises:
            NotFound: there is none of the name.
            Refused: there are several.
        """

    async def correct(self, agent: str, name: str, what: str, value: str, new: EntityKind | None) -> EntityRow:
        """Say how it is; see `EntityDesk.correct`."""

    async def merge(self, agent: str, name: str, other: str, *, other_kind: bool) -> EntityRow:
        """Say that two are one; see `EntityDesk.merge`."""

    async def forget(self, agent: str, named: tuple[str, ...], code: str) -> MemoryForgotten:
        """Show what would go, or forget it.

        Raises:
            NotFound: there is no such thing.
            Refused: it is another code.
        """


async def _graph(service: EntityService, params: MemoryGraph, context: Context) -> EntityRows:
    return await service.graph(params.agent, params.limit)


async def _entity(service: EntityService, params: MemoryEntity, context: Context) -> EntityRow:
    return await service.entity(params.agent, params.entity)


async def _correct(service: EntityService, params: MemoryCorrect, context: Context) -> EntityRow:
    return await service.correct(params.agent, params.entity, params.what, params.value, params.new)


async def _merge(service: EntityService, params: MemoryMerge, context: Context) -> EntityRow:
    return await service.merge(params.agent, params.entity, params.other, other_kind=params.other_kind)


async def _forget(service: EntityService, params: MemoryForget, context: Context) -> MemoryForgotten:
    return await service.forget(params.agent, tuple(params.named), params.code)


_ANA: Final[JsonObject] = {
    "id": "ent_5d0c",
    "scope": "sulla",
    "kind": "person",
    "name": "Ana",
    "aliases": ["Ana Berg"],
    "tainted": False,
    "facts": [
        {
            "id": "st_91aa",
            "what": "lives in",
            "value": "Malmö",
            "tainted": False,
            "corrected": True,
            "notes": [],
            "to": "",
            "back": False,
        }
    ],
    "relations": [],
    "merges": [],
    "notes": ["ep_77f1"],
}

METHODS: Final[Methods[EntityService]] = Methods(
    "entities",
    (
        Method(
            "memory.graph",
            MemoryGraph,
            EntityRows,
            "read",
            _graph,
            Rest("GET", "/memory/{agent}/entities", "Who and what an agent knows."),
            Example({"entities": [_ANA], "more": False}),
            needs="open",
        ),
        Method(
            "memory.entity",
            MemoryEntity,
            EntityRow,
            "read",
            _entity,
            Rest("GET", "/memory/{agent}/entities/{entity}", "What is known of one."),
            Example(_ANA),
            needs="open",
        ),
        Method(
            "memory.correct",
            MemoryCorrect,
            EntityRow,
            "write",
            _correct,
            Rest("POST", "/memory/{agent}/correct", "Say how it is, whatever models draw later."),
            Example(_ANA, {"entity": "Ana", "what": "lives in", "value": "Malmö"}),
            needs="open",
        ),
        Method(
            "memory.merge",
            MemoryMerge,
            EntityRow,
            "write",
            _merge,
            Rest("POST", "/memory/{agent}/merge", "Say that two are one."),
            Example(_ANA, {"entity": "Ana", "other": "Ana Berg"}),
            needs="open",
        ),
        Method(
            "memory.forget",
            MemoryForget,
            MemoryForgotten,
            "write",
            _forget,
            Rest("POST", "/memory/{agent}/forget", "Show what would go of entities; with its code, have it go."),
            Example({"forgotten": 2, "would_go": [], "code": ""}, {"named": ["st_91aa"], "code": "5f0a11c2"}),
            needs="open",
        ),
    ),
)
