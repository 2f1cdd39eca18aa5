"""Two daemons with two homes over one PostgreSQL: what one of them does, clients of the other see, live."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sulla.host.system import SystemClock
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.faults.harness import Daemon
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script
from tests.servers.stores.postgres import PASSWORD, PostgresServer

PATIENCE_S = 50.0
WHOLE = "What comes first, and what comes later. <AGENT_DONE>said</AGENT_DONE>"
SCRIPT = Script([Rule(Reply(WHOLE, hold="half", hold_after=1))])


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    """An empty database."""
    return postgres_server.emptied()


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


async def test_live_text_reaches_a_client_of_the_other_daemon(tmp_path: Path, url: str) -> None:
    settings = {"POSTGRES_URL": url}
    async with (
        FakeAnthropic(SCRIPT, SystemClock()) as model,
        Daemon(tmp_path / "one", model.url, settings) as one,
        Daemon(tmp_path / "two", model.url, settings) as two,
    ):
        await one.start()
        await two.start()
        async with open_client(door(one.home)) as here, open_client(door(two.home)) as there:
            thread = (await here.call("thread.create"))["thread_id"]
            await there.call("events.subscribe", thread_id=thread, after=0)
            # Whoever of the two is quicker takes the turn: one client of each sees it all the same.
            await here.call("events.subscribe", thread_id=thread, after=0)
            await here.call("turn.send", thread_id=thread, message_id="m1", text="hello")
            for client in (here, there):
                assert WHOLE.startswith(await _shown(client, until="TEXT_MESSAGE_CONTENT")), "the reply stands still"
            status = await there.call("system.status")
            assert status["store"].endswith("(POSTGRES_URL or store.postgres_url)")
            assert PASSWORD not in str(status)
            model.release("half")
            for client in (here, there):
                assert await _shown(client, until="RUN_FINISHED") != "", "and goes on live"
