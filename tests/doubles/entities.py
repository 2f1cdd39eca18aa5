"""What is known of one person, in memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sulla.memory.entities.rpc import EntityRow, EntityRows, KnownRow, MemoryForgotten

CODE = "5f0a11c2"
FACT = KnownRow("st_1", "lives in", "Lund", tainted=False, corrected=False, notes=("ep_1",))
ANA = EntityRow("ent_1", "sulla", "person", "Ana", ("Ana Berg",), False, (FACT,), (), (), ("ep_1",))


class MemoryEntities:
    """Implements `memory.entities.rpc.EntityService`: one agent knows one person.

    Args:
        called: what is told of each call first.
    """

    def __init__(self, called: Callable[..., Awaitable[None]]) -> None:
        self._called = called

    async def graph(self, agent: str, limit: int) -> EntityRows:
        """The one."""
        await self._called("memory_graph", agent, limit)
        return EntityRows((ANA,), more=False)

    async def entity(self, agent: str, name: str) -> EntityRow:
        """The one."""
        await self._called("memory_entity", agent, name)
        return ANA

    async def correct(self, agent: str, name: str, what: str, value: str, new: str | None) -> EntityRow:
        """As it was."""
        await self._called("memory_correct", agent, name, what, value, new)
        return ANA

    async def merge(self, agent: str, name: str, other: str, *, other_kind: bool) -> EntityRow:
        """As it was."""
        await self._called("memory_merge", agent, name, other, other_kind)
        return ANA

    async def forget(self, agent: str, named: tuple[str, ...], code: str) -> MemoryForgotten:
        """One fact."""
        await self._called("memory_forget", agent, named, code)
        return MemoryForgotten(1) if code else MemoryForgotten(0, ("2027-01-15: Ana lives in: Lund",), CODE)
