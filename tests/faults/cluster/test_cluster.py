"""A gateway and two workers: clients of the one are answered by the others, whichever of these dies, hangs or stops."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path

import pytest

from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.faults.backend import CLOCK, Backend
from tests.faults.cluster.cluster import PATIENCE_S, Cluster, asked, cluster, running
from tests.faults.conftest import new_database
from tests.faults.harness import User
from tests.faults.judge import breaches
from tests.faults.test_zombie import script
from tests.kits.in_turn import in_turn
from tests.kits.points import some
from tests.servers.script import Reply, Rule, Script
from tests.servers.stores.postgres import PostgresServer

ZOMBIES = int(os.environ.get("SULLA_FAULT_ZOMBIES", "200"))
AT_ONCE = 12
"""Fewer than one worker has places for, should the other one have none of them."""
TAKE_OVER_MS = 6_000
KINDS = ("postgres", "redis")
WHOLE = "What comes first, and what comes later. <AGENT_DONE>said</AGENT_DONE>"
_NUMBERS = count(1)

pytestmark = [pytest.mark.timeout(300), in_turn(2)]


@pytest.fixture
def queue(postgres_server: PostgresServer) -> Mapping[str, str]:
    """The setting that names a PostgreSQL for the queue."""
    return {"SULLA_WORK__DATABASE_URL": new_database(postgres_server, 900_000 + next(_NUMBERS))}


async def _shown(client: Client, *, until: str) -> str:
    """The text that was shown live until an event of that type came."""
    text = ""
    async with asyncio.timeout(PATIENCE_S):
        async for event in client.events():
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                text += event["data"]["delta"]
            if event["type"] == until:
                return text
    raise AssertionError("`events` ends with an error or not at all")


@pytest.mark.parametrize("kind", some(KINDS, 1, "cluster, live"))
async def test_a_turn_sent_at_a_gateway_is_answered_by_a_worker_and_shown_live(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend], queue: Mapping[str, str]
) -> None:
    held = Script([Rule(Reply(WHOLE, hold="half", hold_after=1))])
    async with (
        cluster(tmp_path, backend_of(kind), held, queue) as found,
        open_client(door(found.gateway.home)) as client,
    ):
        thread = (await client.call("thread.create"))["thread_id"]
        await client.call("events.subscribe", thread_id=thread, after=0)
        await client.call("turn.send", thread_id=thread, message_id="m1", text="hello")
        assert WHOLE.startswith(await _shown(client, until="TEXT_MESSAGE_CONTENT")), "the reply stands still"
        worker = await found.at_work("half")
        status = await client.call("system.status")
        assert status["running"] == 0, "the gateway runs nothing"
        assert (status["journal"], status["shell"]["here"]) == ("at the workers", False)
        await client.call("schedule.add", schedule="late", every_s=3600, message="hello")
        assert [one["schedule"] for one in (await client.call("schedule.list"))["schedules"]] == ["late"]
        assert [one["enabled"] for one in (await client.call("heartbeat.status"))["heartbeats"]] == [False]
        found.model.release("half")
        assert await _shown(client, until="RUN_FINISHED") != "", "and goes on live"
        told = {
            path: (await asked(worker, path)).status_code
            for path in ("/healthz", "/readyz", "/ws", "/api/threads", "/")
        }
        assert told == {"/healthz": 200, "/readyz": 200, "/ws": 404, "/api/threads": 404, "/": 404}


@pytest.mark.parametrize("kind", some(KINDS, 1, "cluster, kill"))
async def test_another_worker_goes_on_soon_after_one_was_killed_and_nothing_is_doubled(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend], queue: Mapping[str, str]
) -> None:
    async with cluster(tmp_path, backend_of(kind), script(1), queue) as found:
        user = User(found.gateway.home)
        sending = asyncio.create_task(user.run())
        await (await found.at_work("zombie 1")).kill()
        killed_ms = CLOCK.now() * 1000
        story = await found.story(await sending, 1, 1)
        assert breaches(story) == []
        (taken_over_ms,) = [entry.origin.at_ms for entry in story.log if entry.kind == "RESUMED"]
        assert taken_over_ms - killed_ms < TAKE_OVER_MS


async def _round(found: Cluster, numbers: Sequence[int]) -> list[str]:
    """One worker after the other stands still until others have brought the turns that it has to their ends, and wakes
    up then: each of these turns has a zombie that means to go on with it.
    """
    users = {number: User(found.gateway.home, number) for number in numbers}
    sending = {number: asyncio.create_task(user.run()) for number, user in users.items()}
    async with CLOCK.timeout(PATIENCE_S):
        await found.model.until(lambda seen: {f"zombie {number}" for number in numbers} <= seen.held)
    zombies = 0
    for worker in found.workers:
        had = await running(worker)
        zombies += had
        worker.send_signal(signal.SIGSTOP)
        async with CLOCK.timeout(PATIENCE_S):
            while len(over := [number for number, task in sending.items() if task.done()]) < zombies:
                await CLOCK.sleep(0.02)
        worker.send_signal(signal.SIGCONT)
        for number in over:
            found.model.release(f"zombie {number}")
        await found.at_rest(worker)
    assert zombies == len(numbers)
    stories = {number: await found.story(await task, number, 1) for number, task in sending.items()}
    return [f"zombie {number}: {breach}" for number, story in stories.items() for breach in breaches(story)]


@pytest.mark.parametrize("kind", some(KINDS, 1, "cluster, zombies"))
async def test_a_worker_that_wakes_up_after_it_was_relieved_writes_nothing(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend], queue: Mapping[str, str]
) -> None:
    async with cluster(tmp_path, backend_of(kind), script(2), queue) as found:
        assert await _round(found, (1, 2)) == []


@pytest.mark.faults
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", KINDS)
async def test_many_workers_that_wake_up_write_nothing(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend], queue: Mapping[str, str]
) -> None:
    began_s = CLOCK.elapsed()
    async with cluster(tmp_path, backend_of(kind), script(ZOMBIES), queue) as found:
        for first in range(1, ZOMBIES + 1, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, ZOMBIES + 1))
            assert await _round(found, numbers) == []
            print(f"{kind}: {numbers[-1]} zombies in {CLOCK.elapsed() - began_s:.0f} s, and none wrote anything")


@pytest.mark.parametrize("kind", some(KINDS, 1, "cluster, drain"))
async def test_a_worker_that_is_told_to_stop_ends_its_step_and_another_one_goes_on(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend], queue: Mapping[str, str]
) -> None:
    async with cluster(tmp_path, backend_of(kind), script(1), queue) as found:
        user = User(found.gateway.home)
        sending = asyncio.create_task(user.run())
        worker = await found.at_work("zombie 1")
        worker.send_signal(signal.SIGTERM)
        found.model.release("zombie 1")
        story = await found.story(await sending, 1, 0)
        assert breaches(story) == []
        await worker.gone()
        assert worker.process is not None
        assert worker.process.poll() == 0


async def test_a_worker_is_looked_at_from_its_home(
    tmp_path: Path, backend_of: Callable[[str], Backend], queue: Mapping[str, str]
) -> None:
    async with cluster(tmp_path, backend_of("postgres"), script(0), queue) as found:
        worker = found.workers[0]
        code, said, _ = await worker.command("doctor", "--json")
        assert code == 0, said
        checks = {one["check"]: (one["result"], one["found"]) for one in json.loads(said)["checks"]}
        assert checks["daemon"][1].startswith("a worker is ready at http")
        assert checks["store"][1].startswith("not looked at from a worker")
        code, said, _ = await worker.command("status")
        assert (code, said.splitlines()[1:3]) == (0, ["  running: 0", "  queued: 0"])
        code, said, error = await worker.command("reload")
        assert (code, said) == (6, "")
        assert "takes up its settings when it starts: restart it" in error


async def test_a_copy_of_a_workers_home_does_not_start_beside_it_and_the_one_that_stood_still_ends_when_it_wakes(
    tmp_path: Path, backend_of: Callable[[str], Backend], queue: Mapping[str, str]
) -> None:
    async with cluster(tmp_path, backend_of("postgres"), script(0), queue) as found:
        original = found.workers[0]
        async with original.copy(tmp_path / "copy") as copy:
            with pytest.raises(AssertionError, match="this home already works as"):
                await copy.start()
            original.send_signal(signal.SIGSTOP)
            await copy.start()
            original.send_signal(signal.SIGCONT)
            await original.gone()
            assert "this home already works as" in original.complaints
            assert not copy.dead
