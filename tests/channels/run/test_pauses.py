"""A channel that fails rests a little longer each time, whatever it fails of."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from sulla.channels.base import Channel
from sulla.channels.run.line import PAUSE_S
from sulla.core.errors import Unavailable
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock


class Rests(ManualClock):
    """Notes how long whoever looks after the channel rests. How long it takes until it is tried again says less: a
    thread makes it meanwhile, for which time does not stand still.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rests_s: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Note it, and sleep."""
        if seconds in PAUSE_S:
            self.rests_s.append(seconds)
        await super().sleep(seconds)


def _failing(error: Exception, clock: ManualClock, tried_s: list[float]) -> Callable[[], Channel]:
    def make() -> Channel:
        tried_s.append(clock.elapsed())
        raise error

    return make


@pytest.mark.parametrize(
    "error", [IndexError("list index out of range"), Unavailable("it is away")], ids=["other", "own"]
)
async def test_each_pause_is_longer_until_the_longest(error: Exception, tmp_path: Path) -> None:
    clock, tried_s = Rests(), list[float]()
    store = MemoryStore(clock, random_id)
    async with Scene(TelegramWire(clock), tmp_path / "ws", store=store, clock=clock) as scene:
        scene.line.make = _failing(error, clock, tried_s)
        clock.rests_s.clear()
        await scene.until(lambda: len(tried_s) == len(PAUSE_S) + 2, "all pauses")
        assert scene.line.state == "failing"
        rests_s = clock.rests_s[: len(PAUSE_S) + 1]
    assert rests_s == [*PAUSE_S, PAUSE_S[-1]]
    assert all(after - before >= rest_s for (before, after), rest_s in zip(pairwise(tried_s), rests_s, strict=True))
