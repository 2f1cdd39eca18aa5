"""What clients are given to speak of a real daemon's replies, whenever they come."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from sulla.host.system import SystemClock
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.faults.harness import Daemon
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script, ToolUse

CLOCK = SystemClock()
PATIENCE_S = 50.0
FIRST, SECOND, OPEN = "Dr. Brown called at 3.30 p.m. today.", "She asks for you!", "Please call her back"
WRAPPED = f"{FIRST} {SECOND} {OPEN} <AGENT_DONE>done</AGENT_DONE>"
PIECES = [
    (0, 0, len(FIRST), FIRST),
    (1, len(FIRST) + 1, len(FIRST) + 1 + len(SECOND), SECOND),
    (2, len(FIRST) + len(SECOND) + 2, len(FIRST) + len(SECOND) + len(OPEN) + 2, OPEN),
]
SCRIPT = Script(
    [
        Rule(Reply("", tools=(ToolUse("list_projects", {}),)), text="Look", results=0),
        Rule(Reply(WRAPPED), text="Look", results=1),
        Rule(Reply(WRAPPED, pieces=40, hold="rest", hold_after=30), text="Stream"),
        Rule(Reply(WRAPPED, pieces=40, hold="never", hold_after=30), text="Stop"),
    ]
)


async def spoken(client: Client, last: str) -> list[tuple[int, int, int, str]]:
    """What comes to be spoken up to the first event of a type, and behind that in the same step."""
    found: list[tuple[int, int, int, str]] = []
    async with asyncio.timeout(PATIENCE_S):
        async for event in client.events():
            data: dict[str, Any] = event["data"]
            if event["type"] == "SPEAK":
                found.append((data["index"], data["offset"], data["end"], data["text"]))
            elif event["type"] == last:
                return found
    raise AssertionError("`events` ends with an error or not at all")


async def first(client: Client) -> tuple[int, int, int, str]:
    """The next piece."""
    async with asyncio.timeout(PATIENCE_S):
        async for event in client.events():
            if event["type"] == "SPEAK":
                data = event["data"]
                return data["index"], data["offset"], data["end"], data["text"]
    raise AssertionError("`events` ends with an error or not at all")


async def begun(client: Client, text: str) -> str:
    thread: str = (await client.call("thread.create"))["thread_id"]
    await client.call("events.subscribe", thread_id=thread, after=0, speak=True)
    await client.call("turn.send", thread_id=thread, message_id="m1", text=text)
    return thread


async def test_whoever_listens_from_the_start_in_the_middle_or_after_a_restart_gets_the_same(tmp_path: Path) -> None:
    async with FakeAnthropic(SCRIPT, CLOCK) as model, Daemon(tmp_path / "home", model.url, {}) as daemon:
        await daemon.start()
        async with open_client(door(daemon.home)) as early, open_client(door(daemon.home)) as late:
            thread = await begun(early, "Stream something.")
            assert [await first(early), await first(early)] == PIECES[:2]
            await late.call("events.subscribe", thread_id=thread, after=3, speak=True)
            assert [await first(late), await first(late)] == PIECES[:2]
            model.release("rest")
            assert await spoken(early, "RUN_FINISHED") == await spoken(late, "RUN_FINISHED") == PIECES[2:]
        await daemon.kill()
        await daemon.start()
        async with open_client(door(daemon.home)) as again:
            await again.call("events.subscribe", thread_id=thread, after=0, speak=True)
            assert await spoken(again, "RUN_FINISHED") == PIECES


async def test_calls_of_tools_are_not_spoken(tmp_path: Path) -> None:
    async with FakeAnthropic(SCRIPT, CLOCK) as model, Daemon(tmp_path / "home", model.url, {}) as daemon:
        await daemon.start()
        async with open_client(door(daemon.home)) as client:
            await begun(client, "Look at the projects.")
            assert await spoken(client, "RUN_FINISHED") == PIECES


async def test_a_reply_that_is_stopped_is_spoken_no_further(tmp_path: Path) -> None:
    async with FakeAnthropic(SCRIPT, CLOCK) as model, Daemon(tmp_path / "home", model.url, {}) as daemon:
        await daemon.start()
        async with open_client(door(daemon.home)) as client:
            thread = await begun(client, "Stop.")
            assert [await first(client), await first(client)] == PIECES[:2]
            await client.call("turn.stop", thread_id=thread)
            assert await spoken(client, "RUN_FINISHED") == []
            await client.call("events.unsubscribe", thread_id=thread)
            await client.call("events.subscribe", thread_id=thread, after=0, speak=True)
            assert await spoken(client, "RUN_FINISHED") == PIECES[:2]


async def test_a_model_that_does_not_stream_is_spoken_too(tmp_path: Path) -> None:
    async with Daemon(tmp_path / "home", "", {"SULLA_MODEL": "offline"}) as daemon:
        await daemon.start()
        async with open_client(door(daemon.home)) as client:
            await begun(client, "who are you")
            pieces = await spoken(client, "RUN_FINISHED")
    assert [index for index, *_ in pieces] == list(range(len(pieces)))
    assert len(pieces) > 1
