"""A daemon that was stopped past its lease writes nothing when it wakes up."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from sulla.terminal.client import open_client
from sulla.terminal.place import door
from tests.faults.backend import CLOCK, Backend, sqlite
from tests.faults.crowd import UNBOUNDED
from tests.faults.harness import DONE, NOTES, Daemon, Story, User, asked
from tests.faults.judge import breaches
from tests.kits.in_turn import in_turn
from tests.kits.points import some
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script, ToolUse

pytestmark = in_turn(2)

ROUNDS = int(os.environ.get("SULLA_FAULT_ZOMBIES", "200"))


def script(rounds: int) -> Script:
    """In each round the first request stands still; whoever asks next gets on."""
    return Script(
        [
            rule
            for number in range(1, rounds + 1)
            for rule in (
                Rule(Reply("I note both.", tools=NOTES, hold=f"zombie {number}"), asked(number), results=0, times=1),
                Rule(Reply("I note both.", tools=NOTES), asked(number), results=0),
                Rule(Reply(DONE), asked(number), results=2),
            )
        ]
    )


async def awakened(tmp_path: Path, backend: Backend, *faults: str, rounds: int = 1) -> list[str]:
    """Two homes on one store: the first is stopped in the middle of a turn, the second takes over, the first wakes
    up; again and again.
    """
    settings = {**backend.settings, "SULLA_STORE__LEASE_TTL_S": "1", "SULLA_MEMORY__ENABLED": "false", **UNBOUNDED}
    found: list[str] = []
    async with (
        FakeAnthropic(script(rounds), CLOCK) as fake,
        Daemon(tmp_path / "one", fake.url, settings) as first,
        Daemon(tmp_path / "two", fake.url, settings) as second,
    ):
        await first.start(*faults)
        await second.start()
        for number in range(1, rounds + 1):
            story = await _round(number, fake, first, second, backend)
            found += [f"round {number}: {breach}" for breach in breaches(story)]
    return found


async def _round(number: int, fake: FakeAnthropic, first: Daemon, second: Daemon, backend: Backend) -> Story:
    earlier, effects = len(fake.requests), len(second.effects.read())
    sending = asyncio.ensure_future(User(first.home, number).run())
    await _held_by_first(f"zombie {number}", fake, second)
    first.send_signal(signal.SIGSTOP)
    sending.cancel()
    second.send_signal(signal.SIGCONT)
    seen = await User(second.home, number).run()
    first.send_signal(signal.SIGCONT)
    fake.release(f"zombie {number}")
    async with open_client(door(first.home)) as client, CLOCK.timeout(60):
        while (await client.call("system.status"))["running"]:
            await CLOCK.sleep(0.02)
    log = await backend.read_log(seen.thread_id)
    requests = [request.results for request in fake.requests[earlier:]]
    return Story(seen, log, [], [], requests, second.effects.read()[effects:], 1, [])


async def _held_by_first(name: str, fake: FakeAnthropic, second: Daemon) -> None:
    """Wait until a request stands still; the second daemon does as well, or it might have been the quicker one."""
    second.send_signal(signal.SIGSTOP)
    async with CLOCK.timeout(60):
        await fake.until(lambda seen: name in seen.held)


async def test_a_zombie_is_fenced(tmp_path: Path) -> None:
    assert not await awakened(tmp_path, sqlite(tmp_path / "shared.db"))


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", some(["redis", "postgres"], 1, "zombies"))
async def test_a_zombie_is_fenced_on_a_server_too(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend]
) -> None:
    assert not await awakened(tmp_path, backend_of(kind), rounds=2)


@pytest.mark.faults
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", ["sqlite", "redis", "postgres"])
async def test_many_zombies_are_fenced(tmp_path: Path, kind: str, backend_of: Callable[[str], Backend]) -> None:
    assert not await awakened(tmp_path, backend_of(kind), rounds=ROUNDS)


@pytest.mark.faults
async def test_the_judge_notices_a_missing_fence(tmp_path: Path) -> None:
    assert await awakened(tmp_path, sqlite(tmp_path / "shared.db"), "--defect", "skip-fence")


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", some(["sqlite", "redis", "postgres"], 1, "take-over"))
async def test_another_home_takes_over_within_the_lease_and_a_second(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend]
) -> None:
    backend, lease_s = backend_of(kind), 1.0
    settings = {**backend.settings, "SULLA_STORE__LEASE_TTL_S": str(lease_s)}
    async with (
        FakeAnthropic(script(1), CLOCK) as fake,
        Daemon(tmp_path / "one", fake.url, settings) as first,
        Daemon(tmp_path / "two", fake.url, settings) as second,
    ):
        await first.start()
        await second.start()
        user = User(first.home)
        sending = asyncio.ensure_future(user.run())
        await _held_by_first("zombie 1", fake, second)
        second.send_signal(signal.SIGCONT)
        await first.kill()
        killed_ms = CLOCK.now() * 1000
        sending.cancel()
        assert (await User(second.home).run()).ended
        log = await backend.read_log(user.seen.thread_id)
        (taken_over_ms,) = [entry.origin.at_ms for entry in log if entry.kind == "RESUMED"]
        assert taken_over_ms - killed_ms < (lease_s + 1.0) * 1000


async def test_a_suspended_turn_waits_through_a_kill_and_goes_on_with_its_answer(tmp_path: Path) -> None:
    asking = Script(
        [
            Rule(Reply("One moment.", tools=(ToolUse("ask_person", {"what": "may I?"}),)), results=0),
            Rule(Reply(DONE), results=1),
        ]
    )
    async with FakeAnthropic(asking, CLOCK) as fake, Daemon(tmp_path / "home", fake.url) as daemon:
        await daemon.start()
        async with open_client(door(daemon.home)) as client:
            thread = (await client.call("thread.create", request_id="r"))["thread_id"]
            run = (await client.call("turn.send", thread_id=thread, message_id="m", text="ask"))["run_id"]
            await client.call("events.subscribe", thread_id=thread, after=0)
            async for event in client.events():
                if event["type"] == "SUSPENDED":
                    break
        await daemon.kill()
        await daemon.start()
        async with open_client(door(daemon.home)) as client, CLOCK.timeout(60):
            questions = (await client.call("approval.list"))["questions"]
            (question,) = questions
            assert (question["thread_id"], question["run_id"], question["prompt"]) == (thread, run, "may I?")
            await client.call("approval.answer", thread_id=thread, id=question["id"], text="yes, do")
            await client.call("events.subscribe", thread_id=thread, after=0)
            kinds = []
            async for event in client.events():
                kinds.append(event["type"])
                if event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                    break
    assert kinds.count("RESUMED") == 1
    assert kinds[-1] == "RUN_FINISHED"
    assert len(fake.requests) == 2
    assert [line["tool"] for line in daemon.effects.read()] == ["ask_person"]
