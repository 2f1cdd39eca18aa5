"""A process that dies at any change within a beat leaves a beat that goes on, or that says how it ended: no task is
worked on twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sulla.core.ids import CallId
from sulla.core.message import ToolCall, ToolResult
from sulla.core.words import ours
from sulla.heartbeat.beats import BeatEnded, CycleEnded
from sulla.models.base import ChatRequest
from sulla.store.memory import MemoryStore
from sulla.testing.mortal import Killed, Mortal, is_kill
from sulla.testing.provider import Say, ScriptedProvider
from sulla.tools.base import Done, Effect, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.heartbeat.test_node import Heart
from tests.kits.points import some
from tests.simulation.history import History, Kept, ThreadHistory, breaches

MORE = "More. <AGENT_CONTINUE><STATUS_REPORT>task {n} is done</STATUS_REPORT></AGENT_CONTINUE>"
DONE = "All. <AGENT_DONE>task {n} is done</AGENT_DONE>"
CYCLES = 2


class Worker:
    """Works on task N in cycle N with one call, and then says so; the same however often it is asked."""

    name = "model"

    async def stream(self, request: ChatRequest) -> AsyncIterator[Any]:
        said = next(message.text for message in request.messages if message.role == "user")
        found = re.search(r"cycle (\d+) of at most", said)
        assert found is not None
        number = int(found[1])
        results = [part for message in request.messages for part in message.parts if isinstance(part, ToolResult)]
        say = (
            Say((DONE if number == CYCLES else MORE).format(n=number))
            if results
            else Say("", (ToolCall(CallId("work"), "work", {"task": number}),))
        )
        async for delta in ScriptedProvider([say]).stream(request):
            yield delta

    async def close(self) -> None: ...


class Bench:
    """What was really worked on."""

    def __init__(self, effect: Effect) -> None:
        self.done: list[tuple[int, str]] = []
        self._effect = effect

    def tool(self) -> Tool:
        async def work(context: ToolContext, *, task: int) -> Result:
            """Work on a task.

            Args:
                task: which.
            """
            self.done.append((task, context.idempotency_key))
            return Done(ours("worked"))

        return define(work, effect=self._effect, reach="inward")


async def judged(heart: Heart) -> list[str]:
    """What of the promises is broken, over all logs of the store."""
    threads = []
    for info, state in await heart.world.threads.list():
        assert state is not None
        kept = Kept(state.spending.usage, state.spending.day, state.spending.day_tokens)
        threads.append(ThreadHistory(info.key, tuple(await heart.world.log(state.thread_id)), kept=kept))
    return [str(breach) for breach in breaches(History(tuple(threads)))]


async def beat_and_die(store: MemoryStore, home: Path, bench: Bench, dies_at: int, *, after: bool) -> bool:
    """Begin a beat whose process dies at its n-th change; whether it did."""
    heart = Heart(Mortal(store, dies_at, after=after), home, Worker(), boot=2, tools=(bench.tool(),))
    heart.thread = (await store.find())[0].key  # type: ignore[assignment]  # the one that there is
    try:
        await heart.world.work()
    except (Killed, BaseExceptionGroup) as error:
        if not is_kill(error):
            raise
        return True
    return False


CHANGES = 40
"""More than a beat of two cycles makes; the last test keeps this honest."""


async def begun(store: MemoryStore, home: Path) -> Heart:
    heart = Heart(store, home, Worker())
    await heart.open()
    heart.project("tour")
    await heart.send()
    return heart


DEATHS = list(product(range(1, CHANGES + 1), ("idempotent", "once"), (False, True)))


@pytest.mark.parametrize(("dies_at", "effect", "after"), some(DEATHS, len(DEATHS) // 10, "a beat's death"))
async def test_killed_at_any_change_a_beat_goes_on_or_says_how_it_ended(
    store: MemoryStore, tmp_path: Path, dies_at: int, effect: Effect, *, after: bool
) -> None:
    bench = Bench(effect)
    first = await begun(store, tmp_path)
    died = await beat_and_die(store, tmp_path, bench, dies_at, after=after)
    last = Heart(store, tmp_path, Worker(), boot=3, tools=(bench.tool(),))
    last.thread, last.beats = first.thread, first.beats
    await last.world.work()

    assert await judged(last) == []
    (ended,) = await last.facts(BeatEnded)
    cycles = await last.facts(CycleEnded)
    assert [cycle.number for cycle in cycles] == list(range(1, ended.cycles + 1))
    times = Counter(bench.done)
    if ended.status == "done":
        assert ended.cycles == CYCLES
        assert {task for task, _ in times} == {1, 2}
    else:  # nobody knows whether a call that may be made once took effect: that is for a person
        assert (effect, ended.status, died) == ("once", "blocked", True)
    assert len({task for task, _ in times}) == len(times), "a task was worked on under a second key"
    if effect == "once":
        assert set(times.values()) <= {1}
    # The next beat is none the worse for it.
    last.clock.jump(86_400.0)
    assert (await last.beat()).status == "done"
    assert await judged(last) == []


async def test_the_number_of_changes_is_what_these_tests_think(store: MemoryStore, tmp_path: Path) -> None:
    await begun(store, tmp_path)
    bench = Bench("idempotent")
    assert not await beat_and_die(store, tmp_path, bench, CHANGES + 1, after=False)
    assert [task for task, _ in bench.done] == [1, 2]
