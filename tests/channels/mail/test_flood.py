"""Ten thousand mails at once, half of which wait in the mailbox already, over the end of a daemon: each is taken once,
and no more of them is held than of one batch.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import psutil
import pytest

from sulla.channels.base import Place
from sulla.core.ids import MessageId, RunId, ThreadId, derived_id
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.mail.wire import MailWire
from sulla.testing.channels.scene import Scene, WorldKeeper
from sulla.testing.clock import ManualClock
from sulla.threads.log.records import Input
from sulla.threads.store import Sent

MANY: Final = 10_000
PLACES: Final = 2_500
"""More than are remembered."""
FILLING: Final = "and so on " * 400
STEP: Final = 500
BOUND_MIB: Final = 16.0
"""More than a fifth of what came: a mail that is held on to would be seen."""


class Counting(WorldKeeper):
    """Lets all words in and keeps only what they were: what grows is the channel's own."""

    def __init__(self, scene: Scene, taken: dict[MessageId, str]) -> None:
        super().__init__(scene.world)
        self._taken = taken

    async def begin(self, agent: str, title: str, request_id: str, channel: str) -> ThreadId:
        """See `DoorKeeper`."""
        return ThreadId(derived_id("thr", request_id))

    async def say(self, thread_id: ThreadId, said: Input, caller: str) -> Sent:
        """See `DoorKeeper`."""
        first = said.message_id not in self._taken
        self._taken[said.message_id] = said.text.partition(" and")[0]
        return Sent(RunId("run_1"), 1, first)


async def _arrive(wire: MailWire, numbers: Sequence[int]) -> None:
    ann = wire.person(1)
    for number in numbers:
        place = Place(ann.id, f"<talk-{number % PLACES}@people.example>")
        await wire.say(place, ann, f"word {number} {FILLING}")


def _has(taken: dict[MessageId, str], many: int) -> bool:
    return len(taken) >= many


@pytest.mark.faults
async def test_ten_thousand_mails_are_taken_once_each_within_bounds(tmp_path: Path) -> None:
    clock, taken = ManualClock(), dict[MessageId, str]()
    wire, store = MailWire(clock), MemoryStore(clock, random_id)
    await wire.start()
    await _arrive(wire, range(MANY // 2))
    held_mib, began_s = list[float](), 0.0
    for boot, upto in ((1, MANY // 4), (2, MANY)):
        scene = Scene(wire, tmp_path / "ws", store=store, clock=clock, boot=boot)
        scene.keeper = Counting(scene, taken)
        async with scene:
            await scene.pair(1, "ann")
            began_s -= time.perf_counter()
            for enough in range(len(taken) // STEP * STEP + STEP, upto + 1, STEP):
                await scene.until(partial(_has, taken, enough), f"{enough} mails")
                held_mib.append(psutil.Process().memory_full_info().uss / 2**20)
            began_s += time.perf_counter()
        if boot == 1:
            await _arrive(wire, range(MANY // 2, MANY))
            held_mib.clear()
    growth_mib = max(held_mib) - held_mib[0]
    print(f"{began_s:.0f} s for {MANY}; {held_mib[0]:.0f} MiB, and at most {growth_mib:.1f} more")  # noqa: T201 - shown with -s
    assert Counter(taken.values()) == Counter(f"word {number}" for number in range(MANY))
    assert growth_mib < BOUND_MIB
    await wire.stop()
