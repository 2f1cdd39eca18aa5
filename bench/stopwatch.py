"""Turns with a watch beside them: of the daemon's and of `bench.bare_turn`'s."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from websockets.asyncio.client import ClientConnection

from bench.bare_turn import FINISHED
from bench.history import Thread
from bench.process import processor_s
from sulla.daemon.models.warming import WARM
from sulla.daemon.run import LOGS
from sulla.host.system import SystemClock
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import Door
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.ollama_server import FakeOllama
from tests.servers.openai_server import FakeOpenAi
from tests.servers.script import Script
from tests.servers.wire import WireRequest, WireResponse

_SETTLE_S = 0.01
_LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class Times:
    """One turn, in milliseconds from the client's send."""

    acknowledged: float
    """Until the client knows that its message is kept."""
    request: float
    """Until the model's service has read the whole request."""
    overhead: float
    """Until the client knows that the turn is over, less the time between the service's last byte read and its last
    byte written."""
    processor: float = 0.0
    """What the turn took of the server's processor time; filled in by `timed`."""


Contender = Callable[[], Coroutine[object, object, Times]]


class Watch:
    """A watch on a fake of a model's service: first among the bases of a class."""

    def __init__(self, script: Script) -> None:
        super().__init__(script, SystemClock())  # type: ignore[call-arg]  # the fake's
        self.body = b""
        """The last request's."""
        self.arrived = self.answered = 0.0
        """When the last request was read in full, and when the last byte of its answer was written. Seconds."""

    async def _handle(self, request: WireRequest, response: WireResponse) -> None:
        self.arrived = time.perf_counter()
        self.body = request.body
        await super()._handle(request, response)  # type: ignore[misc]  # the fake's
        self.answered = time.perf_counter()
        self.requests.clear()  # type: ignore[attr-defined]  # each holds a whole history, and nobody looks at them

    def times(self, sent: float, acknowledged: float, finished: float) -> Times:
        """What a turn took, from what its client saw, in seconds."""
        took = self.answered - self.arrived
        return Times((acknowledged - sent) * 1000, (self.arrived - sent) * 1000, (finished - sent - took) * 1000)


class Service(Watch, FakeAnthropic):
    """Anthropic's, with a watch."""


class OpenAiService(Watch, FakeOpenAi):
    """OpenAI's, with a watch."""


class OllamaService(Watch, FakeOllama):
    """Ollama's, with a watch."""


@asynccontextmanager
async def talking(where: Door, threads: Sequence[Thread]) -> AsyncIterator[Client]:
    """A client that follows threads."""
    async with open_client(where) as client:
        for thread in threads:
            await client.call("events.subscribe", thread_id=thread.id, after=thread.last_seq)
        yield client


async def timed(contender: Contender, pid: int) -> Times:
    """A turn, with what it took of a server's processor time.

    Args:
        contender: has the turn.
        pid: the server's.
    """
    await asyncio.sleep(_SETTLE_S)  # what follows the turn before is not this one's
    begun = processor_s(pid)
    found = await contender()
    await asyncio.sleep(_SETTLE_S)
    return replace(found, processor=(processor_s(pid) - begun) * 1000)


async def new_thread(client: Client) -> Thread:
    """An empty thread, followed."""
    thread_id = (await client.call("thread.create"))["thread_id"]
    await client.call("events.subscribe", thread_id=thread_id, after=0)
    return Thread(thread_id, 0)


async def turn(client: Client, service: Watch, thread: Thread) -> Times:
    """One turn of the daemon's."""
    message_id, text = thread.next_message()
    sent = time.perf_counter()
    run_id = (await client.call("turn.send", thread_id=thread.id, message_id=message_id, text=text))["run_id"]
    acknowledged = time.perf_counter()
    async for event in client.events():
        thread.last_seq = max(thread.last_seq, event["seq"] or 0)
        if event["run_id"] == run_id and event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
            finished = time.perf_counter()
            assert event["type"] == "RUN_FINISHED", event
            return service.times(sent, acknowledged, finished)
    raise AssertionError("`events` ends with an error or not at all")


async def bare_turn(socket: ClientConnection, service: Service, body: int, text: str) -> Times:
    """One turn of the limit's."""
    sent = time.perf_counter()
    await socket.send(f"{body} {text}")
    await socket.recv()
    acknowledged = time.perf_counter()
    while await socket.recv() != FINISHED:
        pass
    return service.times(sent, acknowledged, time.perf_counter())


async def until_warm(home: Path, lives: int = 1) -> None:
    """Wait until a daemon's log says that it has loaded what a first turn needs.

    Args:
        home: the daemon's; its log level is ``info``.
        lives: how many daemons have been started on the home by now.
    """
    logs = home / LOGS
    while sum(file.read_text(encoding="utf-8").count(WARM) for file in logs.glob("*")) < lives:  # noqa: ASYNC110 - another's
        await asyncio.sleep(_LOOK_S)
