"""People whose agents wait for a yes: threads with a parked call each, and the world outside that counts calls."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from sulla.core.errors import StoreUnavailable, SullaError
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.faults.backend import CLOCK, Backend
from tests.faults.harness import Daemon
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.servers.wire import WireRequest, WireResponse, WireServer
from tests.simulation.history import Acknowledged, History, ThreadHistory, breaches

DONE = "That is all. <AGENT_DONE>ok</AGENT_DONE>"
PATIENCE_S = 40.0
ENDS = ("RUN_FINISHED", "RUN_ERROR")

ASKING: Mapping[str, str] = {
    "SULLA_SHELL__SANDBOX": "false",  # so a person is asked before each command, on every machine
    "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0",
    "SULLA_LIMITS__MESSAGE_BURST": "1000",
}


class Sink:
    """Somebody else's service: counts what reaches it, by path. Paths in `silent` get no answer."""

    def __init__(self) -> None:
        self.hits: Counter[str] = Counter()
        self.silent: set[str] = set()
        self._server = WireServer(self._handle)

    async def __aenter__(self) -> Sink:
        await self._server.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._server.__aexit__(None, None, None)

    async def _handle(self, request: WireRequest, response: WireResponse) -> None:
        self.hits[request.path] += 1
        if request.path in self.silent:
            await asyncio.Event().wait()
        await response.whole(200, b"{}")

    def command(self, name: str) -> str:
        """A command that reaches it once, and says how it was answered."""
        at = urlsplit(self._server.url)
        request = f"POST /{name} HTTP/1.1\\r\\nhost: sink\\r\\ncontent-length: 0\\r\\n\\r\\n"
        return f"exec 3<>/dev/tcp/{at.hostname}/{at.port}; printf '{request}' >&3; read -r line <&3; echo \"$line\""

    def times(self, name: str) -> int:
        """How often a call has reached it."""
        return self.hits[f"/{name}"]


def script_for(commands: Mapping[str, str]) -> Script:
    """A model that runs a message's command, then says that that is all."""
    rules = []
    for name, command in commands.items():
        call = ToolUse("bash", {"command": command, "timeout_s": 30})
        rules += [
            Rule(Reply(tools=(call,)), text=f"({name})", results=0),
            Rule(Reply(DONE), text=f"({name})", results=1),
        ]
    return Script(rules)


@dataclass(slots=True)
class Parked:
    """One person's thread, and what they were told and asked."""

    name: str
    thread_id: str = ""
    told: Acknowledged | None = None
    question: dict[str, Any] = field(default_factory=dict)

    async def send(self, client: Client) -> None:
        """Ask for the outward call."""
        self.thread_id = (await client.call("thread.create", request_id=f"make-{self.name}"))["thread_id"]
        said = f"Do it, please ({self.name})."
        sent = await client.call("turn.send", thread_id=self.thread_id, message_id=f"m-{self.name}", text=said)
        self.told = Acknowledged(f"m-{self.name}", sent["run_id"], sent["seq"])

    async def asked(self, client: Client, before: str = "") -> dict[str, Any]:
        """The question that its run waits with; another one than `before`."""
        async with CLOCK.timeout(PATIENCE_S):
            while True:
                with suppress(StoreUnavailable):  # on a busy machine it may be told to try again
                    for question in await questions(client):
                        if question["thread_id"] == self.thread_id and question["id"] != before:
                            self.question = question
                            return question
                await CLOCK.sleep(0.05)

    async def answer(self, client: Client, verdict: str, text: str = "") -> dict[str, Any]:
        """Answer it."""
        return await client.call(
            "approval.answer", thread_id=self.thread_id, id=self.question["id"], verdict=verdict, text=text or None
        )

    def ended(self, kinds: Sequence[Any]) -> bool:
        """Whether the run has its end in this log."""
        assert self.told is not None
        return any(entry.kind in ENDS and entry.data["run_id"] == self.told.run_id for entry in kinds)


async def questions(client: Client) -> list[dict[str, Any]]:
    """All that people are asked now."""
    found = await client.call("approval.list", limit=200)
    assert found["next"] is None
    rows: list[dict[str, Any]] = found["questions"]
    return rows


@asynccontextmanager
async def at(daemon: Daemon) -> AsyncIterator[Client]:
    """A client of a daemon."""
    async with open_client(door(daemon.home)) as client:
        yield client


async def park(daemon: Daemon, people: Sequence[Parked]) -> None:
    """Have each person's run wait for its yes."""
    async with at(daemon) as client:
        for one in people:
            await one.send(client)
        for one in people:
            await one.asked(client)


async def until(true: Callable[[], object]) -> None:
    """Look until it is so."""
    async with CLOCK.timeout(PATIENCE_S):
        while not true():
            await CLOCK.sleep(0.02)


def standing_in(workspace: Path) -> list[str]:
    """The processes that stand in a workspace."""
    found = []
    for process in psutil.process_iter(["cwd", "cmdline", "status"]):
        cwd = process.info["cwd"]
        if cwd and Path(cwd) == workspace and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(" ".join(process.info["cmdline"] or ["?"]))
    return found


async def until_ended(backend: Backend, one: Parked) -> list[Any]:
    """A thread's log, once its run has its end."""
    async with CLOCK.timeout(PATIENCE_S):
        while not one.ended(log := await backend.read_log(one.thread_id)):
            await CLOCK.sleep(0.1)
    return log


async def try_to_answer(daemon: Daemon, one: Parked, verdict: str) -> bool:
    """Answer while the daemon may be dying; whether it was acknowledged."""
    try:
        async with at(daemon) as client:
            await one.answer(client, verdict)
    except SullaError:
        return False
    return True


def broken(one: Parked, log: Sequence[Any]) -> list[str]:
    """What does not hold of a thread at its end (`tests.simulation.history`)."""
    assert one.told is not None
    return [str(each) for each in breaches(History((ThreadHistory(one.thread_id, tuple(log), (one.told,)),)))]


def results(log: Sequence[Any]) -> list[str]:
    """What the run's calls came to, for the model."""
    return [str(entry.data["text"]) for entry in log if entry.kind == "TOOL_CALL_RESULT"]
