"""What the tests of telemetry stand on: real turns in memory, and what was heard of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest

from sulla.store.memory import MemoryStore
from sulla.telemetry.families import new_tally
from sulla.telemetry.measures import Measures
from sulla.telemetry.stream import SpanFeed
from sulla.telemetry.tally import Tally
from sulla.telemetry.timeline import Piece
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.tools.base import Tool


@dataclass(slots=True)
class Heard:
    """A world, what its stream told, and what was counted of it."""

    world: World
    clock: ManualClock
    stream: SpanFeed
    tally: Tally
    pieces: list[Piece] = field(default_factory=list)

    def counts(self, name: str) -> dict[tuple[str, ...], float]:
        """A counter by its labels."""
        return next(counts for family, counts in self.tally.counted() if family.name == name)

    def seen(self, name: str) -> dict[tuple[str, ...], tuple[int, float]]:
        """How often something was measured, and the sum, by labels."""
        spreads = next(spreads for family, spreads in self.tally.observed() if family.name == name)
        return {labels: (spread.counts[-1], round(spread.sum_s, 6)) for labels, spread in spreads.items()}


Hear = Callable[..., Heard]


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store in memory, open."""
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


@pytest.fixture
def hear(store: MemoryStore) -> Hear:
    """Makes a world that is listened to; more than one over the same store are boots of one home."""

    def make(
        provider: ScriptedProvider, *tools: Tool, boot: int = 1, clock: ManualClock | None = None, home: str = "home"
    ) -> Heard:
        time, tally, pieces = clock if clock is not None else ManualClock(), new_tally(), list[Piece]()
        stream = SpanFeed(time, [pieces.append, Measures(tally, {tool.name for tool in tools}).read])
        world = World(store, provider, tools=tools, clock=time, boot=boot, home=home, watcher=stream)
        return Heard(world, time, stream, tally, pieces)

    return make
