"""A daemon that was stopped past its lease writes nothing when it wakes up."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from sulla.cli.client import open_client
from sulla.cli.place import door
from sulla.testing.anthropic_server import FakeAnthropic
from sulla.testing.script import Reply, Rule, Script, ToolUse
from tests.faults.backend import CLOCK, sqlite
from tests.faults.harness import DONE, NOTES, Daemon, Story, User
from tests.faults.judge import breaches


def script() -> Script:
    """The first request stands still; whoever asks next gets on."""
    return Script(
        [
            Rule(Reply("I note both.", tools=NOTES, hold="zombie"), results=0, times=1),
            Rule(Reply("I note both.", tools=NOTES), results=0),
            Rule(Reply(DONE), results=2),
        ]
    )


async def awakened(tmp_path: Path, *faults: str) -> list[str]:
    """Two homes on one store: the first is stopped in the middle of a turn, the second takes over, the first wakes
    up.
    """
    file = tmp_path / "shared.db"
    backend = sqlite(file)
    settings = {**backend.settings, "SULLA_STORE__LEASE_TTL_S": "1"}
    async with (
        FakeAnthropic(script(), CLOCK) as fake,
        Daemon(tmp_path / "one", fake.url, settings) as first,
        Daemon(tmp_path / "two", fake.url, settings) as second,
    ):
        await first.start(*faults)
        await second.start()
        asking = User(first.home)
        sending = asyncio.ensure_future(asking.run())
        async with CLOCK.timeout(10):
            await fake.until(lambda seen: "zombie" in seen.held)
        first.send_signal(signal.SIGSTOP)
        sending.cancel()
        user = User(second.home)
        seen = await user.run()
        first.send_signal(signal.SIGCONT)
        fake.release("zombie")
        async with open_client(door(first.home)) as client, CLOCK.timeout(10):
            while (await client.call("system.status"))["running"]:
                await CLOCK.sleep(0.02)
        log = await backend.read_log(seen.thread_id)
        requests = [request.results for request in fake.requests]
    return breaches(Story(seen, log, [], [], requests, second.effects.read(), 1, []))


async def test_a_zombie_is_fenced(tmp_path: Path) -> None:
    assert not await awakened(tmp_path)


@pytest.mark.faults
async def test_the_judge_notices_a_missing_fence(tmp_path: Path) -> None:
    assert await awakened(tmp_path, "--defect", "skip-fence")


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
        async with open_client(door(daemon.home)) as client, CLOCK.timeout(10):
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
