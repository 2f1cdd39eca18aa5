"""The kill switch of real daemons: everything stands still within a second, stays so, and goes on where it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from sulla.host.system import SystemClock
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.faults.harness import Daemon
from tests.kits.in_turn import in_turn
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.servers.stores.redis import RedisServer, redis_server
from tests.soon import a_pause, attempts

pytestmark = in_turn(2)

__all__ = ["redis_server"]

CLOCK = SystemClock()
PATIENCE_S = 50.0
STILL_S = 1.0
"""How soon everything has to stand still."""
DONE = "Done. <AGENT_DONE>done</AGENT_DONE>"
LAST_S = "76543.25"
"""No other program sleeps for so long."""

SCRIPT = Script(
    [
        Rule(Reply("", tools=(ToolUse("spawn_sub_agent", {"task": "Stream something."}),)), text="Ask", results=0),
        Rule(Reply(DONE), text="Ask", results=1),
        Rule(Reply("", tools=(ToolUse("bash", {"command": f"sleep {LAST_S}"}),)), text="Sleep", results=0),
        Rule(Reply(DONE), text="Sleep", results=1),
        Rule(Reply(f"What comes first, and what comes later. {DONE}", hold="half", hold_after=1), text="Stream"),
        Rule(Reply(f"{'word ' * 600}{DONE}", pieces=600, delay_s=0.005, hold="end", hold_after=599), text="Flood"),
        Rule(Reply(DONE)),
    ]
)


@pytest.fixture
async def model() -> AsyncIterator[FakeAnthropic]:
    async with FakeAnthropic(SCRIPT, CLOCK) as fake:
        yield fake


@asynccontextmanager
async def running(home: Path, model: FakeAnthropic, **settings: str) -> AsyncIterator[Daemon]:
    forgetful = {"SULLA_MEMORY__ENABLED": "false", "SULLA_HEARTBEAT__ENABLED": "false", **settings}
    async with Daemon(home, model.url, forgetful) as daemon:
        await daemon.start()
        yield daemon


UNKNOWN = ("", "nobody has looked for it yet", "it is being tried")
"""What a daemon says of its sandbox while it does not know yet whether there is one."""


async def begun(client: Client, text: str) -> str:
    """A thread, followed, in which something was said."""
    thread: str = (await client.call("thread.create"))["thread_id"]
    await client.call("events.subscribe", thread_id=thread, after=0)
    await client.call("turn.send", thread_id=thread, message_id="m1", text=text)
    return thread


async def until(client: Client, type_: str, holds: Callable[[dict[str, Any]], bool] = lambda event: True) -> Any:
    """The next event of a type."""
    async with asyncio.timeout(PATIENCE_S):
        async for event in client.events():
            if event["type"] == type_ and holds(event):
                return event
    raise AssertionError("`events` ends with an error or not at all")


async def each(client: Client, threads: list[str], type_: str) -> list[Any]:
    """Events of a type until there was one of each of these threads."""
    waiting, found = set(threads), []
    while waiting:
        found.append(await until(client, type_))
        waiting.discard(found[-1]["thread_id"])
    return found


async def paused(client: Client, reason: str = "") -> dict[str, Any]:
    """All work is paused, and one thread that is followed says so."""
    state = await client.call("system.pause", reason=reason)
    event = await until(client, "RUN_PAUSED")
    assert event["data"] == {"by": "owner"} | ({"reason": reason} if reason else {})
    return state


async def standing_still(client: Client) -> None:
    """Nobody works any more."""
    async with asyncio.timeout(PATIENCE_S):
        while (await client.call("system.status"))["running"]:
            await a_pause()


def sleepers() -> list[psutil.Process]:
    """Programs that sleep for as long as only these tests do."""
    found = psutil.process_iter(["cmdline"])
    return [one for one in found if one.info["cmdline"] == ["sleep", LAST_S] and one.status() != psutil.STATUS_ZOMBIE]


async def test_a_reply_in_flight_is_given_up_and_made_again_after_a_kill_and_a_restart(
    tmp_path: Path, model: FakeAnthropic
) -> None:
    async with running(tmp_path / "home", model) as daemon:
        async with open_client(door(daemon.home)) as client:
            thread = await begun(client, "Stream something.")
            await until(client, "TEXT_MESSAGE_CONTENT")
            state = await paused(client, "it orders pizza")
            assert state | {"since": ""} == {"paused": True, "since": "", "by": "owner", "reason": "it orders pizza"}
            await standing_still(client)
        await daemon.kill()
        asked = len(model.requests)
        await daemon.start()
        async with open_client(door(daemon.home)) as client:
            status = await client.call("system.status")
            assert status["paused"] == {name: state[name] for name in ("since", "by", "reason")}
            assert ("paused", False) in [(one["what"], one["blocks"]) for one in status["troubles"]]
            # Taken and acknowledged all the same; it waits.
            second = (await client.call("thread.create"))["thread_id"]
            sent = await client.call("turn.send", thread_id=second, message_id="m1", text="hello")
            assert sent["seq"] == 2
            for _ in range(100):
                assert (await client.call("system.status"))["running"] == 0
            assert len(model.requests) == asked
            model.release("half")
            await client.call("events.subscribe", thread_id=thread, after=0)
            resumed = await client.call("system.resume")
            assert resumed == {"paused": False, "since": None, "by": "", "reason": ""}
            assert (await until(client, "RESUMED"))["data"] == {"reason": "paused"}
            assert (await until(client, "RUN_FINISHED"))["data"]["outcome"]["status"] == "done"
            await client.call("events.subscribe", thread_id=second, after=0)
            await until(client, "RUN_FINISHED", lambda event: event["thread_id"] == second)
            history = (await client.call("thread.history", thread_id=thread, limit=500))["events"]
            assert [event["data"].get("reason") for event in history if event["type"] == "MODEL_ABANDONED"] == [
                "paused"
            ]


async def test_a_reply_in_flight_stands_still_within_a_second(tmp_path: Path, model: FakeAnthropic) -> None:
    async with running(tmp_path / "home", model) as daemon, open_client(door(daemon.home)) as client:
        await begun(client, "Stream something.")
        for took in attempts(STILL_S):
            await until(client, "TEXT_MESSAGE_CONTENT")
            began_s = CLOCK.elapsed()
            await paused(client)
            took.append(CLOCK.elapsed() - began_s)
            await client.call("system.resume")


async def test_a_command_is_ended_with_all_it_started_and_a_person_is_asked_what_came_of_it(
    tmp_path: Path, model: FakeAnthropic
) -> None:
    async with running(tmp_path / "home", model) as daemon, open_client(door(daemon.home)) as client:
        for took in attempts(STILL_S):
            thread = await begun(client, "Sleep for long.")
            async with asyncio.timeout(PATIENCE_S):  # it is tried beside the start
                while (
                    not (shell := (await client.call("system.status"))["shell"])["sandbox"] and shell["why"] in UNKNOWN
                ):
                    await a_pause()
            if not shell["sandbox"]:
                (wait,) = (await until(client, "SUSPENDED"))["data"]["waits"]
                answer = {"id": wait["wait_id"], "verdict": "approve"}
                await client.call("approval.answer", thread_id=thread, **answer)
            async with asyncio.timeout(PATIENCE_S):
                while not sleepers():
                    await a_pause()
            began_s = CLOCK.elapsed()
            await paused(client)
            took.append(CLOCK.elapsed() - began_s)
            assert sleepers() == []
            await client.call("system.resume")
            (wait,) = (await until(client, "SUSPENDED", _review))["data"]["waits"]
            assert "was cut off, and nobody knows whether it took effect" in wait["prompt"]
            answer = {"id": wait["wait_id"], "verdict": "give_up", "text": "Never mind."}
            await client.call("approval.answer", thread_id=thread, **answer)
            assert (await until(client, "RUN_FINISHED"))["data"]["outcome"]["status"] == "done"


def _review(event: dict[str, Any]) -> bool:
    return bool(event["data"]["waits"][0]["wait_id"].startswith("review:"))


async def test_a_child_stands_still_too_and_its_parent_has_its_report_once(
    tmp_path: Path, model: FakeAnthropic
) -> None:
    async with running(tmp_path / "home", model) as daemon:
        async with open_client(door(daemon.home)) as client:
            parent = await begun(client, "Ask somebody.")
            child = (await until(client, "CHILD_STARTED"))["data"]["thread_id"]
            await client.call("events.subscribe", thread_id=child, after=0)
            for took in attempts(STILL_S):
                if took:
                    await client.call("system.resume")
                await until(client, "TEXT_MESSAGE_CONTENT", lambda event: event["thread_id"] == child)
                began_s = CLOCK.elapsed()
                await paused(client)
                took.append(CLOCK.elapsed() - began_s)
            await standing_still(client)
        await daemon.kill()
        await daemon.start()
        async with open_client(door(daemon.home)) as client:
            await client.call("events.subscribe", thread_id=parent, after=0)
            model.release("half")
            await client.call("system.resume")
            assert (await until(client, "RUN_FINISHED"))["data"]["outcome"]["status"] == "done"
            history = (await client.call("thread.history", thread_id=parent, limit=500))["events"]
            kinds = [event["type"] for event in history]
            assert (kinds.count("ANSWER"), kinds.count("CHILD_STARTED"), kinds.count("RUN_PAUSED")) == (1, 1, 0)


async def test_sixteen_turns_in_full_flood_stop_at_once_and_all_go_on(tmp_path: Path, model: FakeAnthropic) -> None:
    many = {"SULLA_LIMITS__RUNS_PER_AGENT": "16", "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0"}
    async with running(tmp_path / "home", model, **many) as daemon, open_client(door(daemon.home)) as client:
        threads = [await begun(client, "Flood me.") for _ in range(16)]
        for took in attempts(STILL_S):
            await each(client, threads, "TEXT_MESSAGE_CONTENT")
            began_s = CLOCK.elapsed()
            await client.call("system.pause")
            await each(client, threads, "RUN_PAUSED")
            took.append(CLOCK.elapsed() - began_s)
            await client.call("system.resume")
        model.release("end")
        ended = await each(client, threads, "RUN_FINISHED")
        assert {event["data"]["outcome"]["status"] for event in ended} == {"done"}


async def test_two_daemons_on_one_store_obey_each_others_switch(
    tmp_path: Path, model: FakeAnthropic, redis_server: RedisServer
) -> None:
    shared = {"SULLA_STORE": redis_server.new_url()}
    async with running(tmp_path / "one", model, **shared) as one, open_client(door(one.home)) as here:
        thread = await begun(here, "Stream something.")
        await until(here, "TEXT_MESSAGE_CONTENT")  # the run is the first one's
        async with running(tmp_path / "two", model, **shared) as two, open_client(door(two.home)) as there:
            for took in attempts(STILL_S):
                if took:
                    await here.call("system.resume")
                    await until(here, "TEXT_MESSAGE_CONTENT")
                began_s = CLOCK.elapsed()
                await there.call("system.pause", reason="from afar")
                assert (await until(here, "RUN_PAUSED"))["data"] == {"by": "owner", "reason": "from afar"}
                took.append(CLOCK.elapsed() - began_s)
            assert (await here.call("system.status"))["paused"]["reason"] == "from afar"
            model.release("half")
            await here.call("system.resume")
            assert (await until(here, "RUN_FINISHED"))["data"]["outcome"]["status"] == "done"
            history = (await there.call("thread.history", thread_id=thread, limit=500))["events"]
            reasons = [event["data"]["reason"] for event in history if event["type"] == "RESUMED"]
            assert reasons == ["paused"] * len(took)
            assert (await there.call("system.status"))["paused"] is None
