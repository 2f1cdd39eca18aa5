"""What people are told in a conversation comes of one of its runs, or of a playbook's; the judge takes nobody else."""

from __future__ import annotations

import pytest

from sulla.core.ids import RunId
from sulla.people.slice import Notice
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.threads.log.records import RunStarted
from tests.doubles.play_world import PlayWorld
from tests.simulation.history import History, ThreadHistory, breaches

REST = "name: rest\nsteps:\n  - {id: ok, wait: 1s}\n"


@pytest.mark.parametrize(("whose", "found"), [("playbook", []), ("nobody", ["accounts"])])
async def test_a_notice_is_of_a_run_here_or_of_a_playbook(whose: str, found: list[str]) -> None:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await store.open()
    world = PlayWorld(store, ScriptedProvider(), {"rest": REST}, clock=clock)
    talk, play = await world.thread(), await world.run_play("rest")
    (started,) = [entry for entry in await world.log(play) if isinstance(entry.fact, RunStarted)]
    run_id = started.origin.run_id if whose == "playbook" else RunId("run_of_nobody")
    await world.threads.tell(talk, Notice("Hello."), "key", run_id)
    await clock.advance(1.0)
    await world.work()
    threads = [ThreadHistory(one, tuple(await world.log(one))) for one in (talk, play)]
    assert [breach.rule for breach in breaches(History(tuple(threads)))] == found
