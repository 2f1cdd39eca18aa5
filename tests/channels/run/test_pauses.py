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


def _failing(error: Exception, clock: ManualClock, tried_s: list[float]) -> Callable[[], Channel]:
    def make() -> Channel:
        tried_s.append(clock.elapsed())
        raise error

    return make


@pytest.mark.parametrize(
    "error", [IndexError("list index out of range"), Unavailable("it is away")], ids=["other", "own"]
)
async def test_each_pause_is_longer_until_the_longest(error: Exception, tmp_path: Path) -> None:
    clock, tried_s = ManualClock(), list[float]()
    store = MemoryStore(clock, random_id)
    async with Scene(TelegramWire(clock), tmp_path / "ws", store=store, clock=clock) as scene:
        scene.line.make = _failing(error, clock, tried_s)
        await scene.until(lambda: len(tried_s) == len(PAUSE_S) + 2, "all pauses")
        assert scene.line.state == "failing"
    pauses_s = [after - before for before, after in pairwise(tried_s)]
    assert pauses_s == pytest.approx([*PAUSE_S, PAUSE_S[-1]], abs=1.0)
    assert pauses_s[0] < PAUSE_S[1]
