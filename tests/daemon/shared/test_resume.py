"""Coming back in the middle of a reply, to a daemon that has it from another one: two homes over one Redis."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sulla.host.system import SystemClock
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.faults.harness import Daemon
from tests.gateway.storm import Witness
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script
from tests.servers.stores.redis import RedisServer, redis_server

__all__ = ["redis_server"]

PATIENCE_S = 50.0
WHOLE = "What comes first, 🦉 and what comes later. "
SCRIPT = Script([Rule(Reply(WHOLE + "<AGENT_DONE>said</AGENT_DONE>", hold="half", hold_after=2))])


async def _until(client: Client, witness: Witness, type_: str) -> str:
    """Take in events up to one of that type; the text that was shown live."""
    text = ""
    async with asyncio.timeout(PATIENCE_S):
        async for event in client.events():
            witness.takes({"method": "event", "params": event})
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                text += event["data"]["delta"]
            if event["type"] == type_:
                return text
    raise AssertionError("`events` ends with an error or not at all")


async def test_the_text_so_far_comes_from_the_daemon_that_has_the_run(
    tmp_path: Path, redis_server: RedisServer
) -> None:
    settings = {"SULLA_STORE": redis_server.new_url()}
    async with (
        FakeAnthropic(SCRIPT, SystemClock()) as model,
        Daemon(tmp_path / "one", model.url, settings) as one,
        Daemon(tmp_path / "two", model.url, settings) as two,
    ):
        await one.start()
        here, there = Witness(), Witness()
        async with open_client(door(one.home)) as client:
            thread = (await client.call("thread.create"))["thread_id"]
            await client.call("events.subscribe", thread_id=thread, after=0)
            await client.call("turn.send", thread_id=thread, message_id="m1", text="hello")
            begun = await _until(client, here, "TEXT_MESSAGE_CONTENT")
            await two.start()  # only now, so that the run is the first one's
            for _ in range(2):  # the second time over a restart of the daemon that serves it
                async with open_client(door(two.home)) as far:
                    there.comes_back()
                    await far.call("events.subscribe", thread_id=thread, after=there.last(thread))
                    again = await _until(far, there, "TEXT_MESSAGE_CONTENT")
                    assert again.startswith(begun), "from its beginning, and not less than was shown elsewhere"
                await two.kill()
                await two.start()
            async with open_client(door(two.home)) as far:
                there.comes_back()
                await far.call("events.subscribe", thread_id=thread, after=there.last(thread))
                await _until(far, there, "TEXT_MESSAGE_CONTENT")
                model.release("half")
                await _until(far, there, "RUN_FINISHED")
            await _until(client, here, "RUN_FINISHED")
    assert here.wrong == there.wrong == []
    assert here.kept == there.kept
    assert len(model.requests) == 1, "the run never left the first daemon"
