"""Two daemons with two homes on one Redis know of each other's people, until one of them dies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sulla.people.presence import HERE_S
from sulla.terminal.client import open_client
from sulla.terminal.place import door
from tests.daemon.running import Place
from tests.faults.backend import CLOCK, Backend, several_daemons
from tests.gateway.peer import Peer
from tests.servers.ollama_server import FakeOllama
from tests.servers.script import Reply, Rule, Script, ToolUse

TELLS = ToolUse("notify_user", {"text": "The report is ready."})
SCRIPT = Script(
    [Rule(Reply("", tools=(TELLS,)), text="tell me", results=0), Rule(Reply("Told. <AGENT_DONE>told</AGENT_DONE>"))]
)
LOOK_S = 0.5


async def _clients(home: Path) -> list[str]:
    """What the owner is connected with, as a home's daemon knows."""
    async with open_client(door(home)) as client:
        (owner,) = (await client.call("presence.list"))["people"]
        found: list[str] = owner["connected"]
        return found


async def _owner(home: Path) -> dict[str, Any]:
    async with open_client(door(home)) as client:
        found: dict[str, Any] = (await client.call("presence.list"))["people"][0]
        return found


async def _until(home: Path, *, there: bool) -> None:
    async with asyncio.timeout(HERE_S + 15):
        while ("test" in await _clients(home)) != there:
            await CLOCK.sleep(LOOK_S)  # leaves the machine to the daemons between two looks


@several_daemons("people")
@pytest.mark.timeout(180)
async def test_people_and_what_they_are_told_are_known_at_every_daemon_and_die_with_theirs(
    tmp_path: Path, backend_of: Callable[[str], Backend]
) -> None:
    backend = backend_of("redis")
    async with FakeOllama(SCRIPT, CLOCK) as model:
        environ = {"OLLAMA_HOST": model.url, "SULLA_MODEL": "ollama:fake:1b"}
        places = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            places.append(Place(tmp_path / name / "home", **environ, **backend.settings))
        one, two = places
        with one.up() as first, two.up() as second:
            token = (two.home / "token").read_text().strip()
            async with Peer.connect(second) as peer:
                await peer.hello(token)
                assert await peer.call("notice.subscribe") == {"waiting": 0}
                await _until(one.home, there=True)
                assert (await _owner(one.home))["active_at"] is None
                await peer.call("presence.report", idle_s=0)
                # An agent at the other daemon has something to say: it comes here, at once, and once.
                assert (await asyncio.to_thread(one.run, "ask", "tell me"))[0] == 0
                told = (await peer.notice())["params"]
                assert told["text"] == "The report is ready."
                assert await peer.call("notice.seen", ids=[told["id"]]) == {"new": 1}
                listed = await asyncio.to_thread(one.run, "notices", "--all", "--json")
                assert json.loads(listed[1])["seen"][0]["person"] == "owner"
                assert (await asyncio.to_thread(one.run, "notices", "--json"))[1] == ""
                assert peer.ahead == []
                second.process.kill()
                await _until(one.home, there=False)
                owner = await _owner(one.home)
                assert owner["idle_s"] is not None
                assert first.process.poll() is None
