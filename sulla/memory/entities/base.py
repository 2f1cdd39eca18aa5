"""The promise of what keeps statements, beside the notes that they were drawn from. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.memory.entities.statement import Statement
from sulla.memory.note import Kind, MemoryNote

NEWEST: Final = 500
"""Notes of each kind from which is drawn, the newest of each memory: what lies further back when this is switched on is
left alone, so that it does not cost days of calls."""

DRAWN_KINDS: Final[tuple[Kind, ...]] = ("episode", "fact")
"""Notes from which is drawn: nobody spoke in an errand."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A statement, and the number under which it was kept: later ones have higher numbers, and none is given twice."""

    seq: int
    statement: Statement


@dataclass(frozen=True, slots=True)
class Revision:
    """How a memory's statements are by now; the same again where nothing has changed."""

    last: int
    """The number of the newest."""
    removed: int
    """How often some were removed."""


class StatementStore(Protocol):
    """Keeps what was drawn from notes, and what people said of it. Each method is one atomic step; every one raises
    `StoreUnavailable` if it cannot be done.

    It lies where the notes lie, and whatever removes a note there removes every statement that was drawn from it in the
    same step. The backends beside each of `MemoryIndex` are held to one kit (tests/kits/entity_kit.py).
    """

    async def undrawn(self, scope: str, limit: int) -> list[MemoryNote]:
        """Notes among the `NEWEST` of their kind from which nothing was drawn yet, the oldest first.

        Args:
            scope: whose.
            limit: how many are given at most.
        """

    async def put(
        self, scope: str, statements: Sequence[Statement], drawn: Sequence[str] = (), most: int | None = None
    ) -> bool:
        """Keep statements, and that all was drawn from some notes; on return the disk has both.

        A statement of which a source is gone is left out, and one that is known stays as it is.

        Args:
            scope: whose memory.
            statements: of that memory.
            drawn: the notes; where another daemon has drawn from one of them meanwhile, nothing at all is kept.
            most: how many that models drew are kept of the memory, the oldest go first; None for all.

        Returns:
            Whether it was kept.
        """

    async def revision(self, scope: str) -> Revision:
        """How a memory's statements are by now."""

    async def since(self, scope: str, after: int, limit: int) -> list[Kept]:
        """Statements in the order in which they were kept, those with a higher number."""

    async def scopes(self) -> list[str]:
        """Every memory that has statements, in order."""

    async def remove(self, ids: Sequence[str]) -> int:
        """Remove statements for good; how many there were."""
