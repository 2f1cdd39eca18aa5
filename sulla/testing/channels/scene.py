"""A daemon's part with one channel, whole: threads, an agent that answers, and the channel's driver on a fake wire.

Time stands still but while somebody waits in `Scene.until`: so a service's rates cost a test nothing, and everything
that is done over sockets is done in real time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Final

from sulla.agent.calls.file_marks import FileMarks
from sulla.agent.door import still_waits
from sulla.channels.machine.admission import Rules
from sulla.channels.machine.people import ChannelScope, Identity, Person, decode, encode
from sulla.channels.metrics import COUNTERS
from sulla.channels.run.files import FileBounds, Inbox
from sulla.channels.run.held import Around
from sulla.channels.run.line import Line, LineRules
from sulla.channels.run.people_book import KEY, PeopleBook
from sulla.core.errors import NotFound, QueueFull, RateLimited
from sulla.core.ids import MessageId, ThreadId, derived_id
from sulla.core.message import Message, Text
from sulla.core.redact import Redactor
from sulla.host.system import SystemClock
from sulla.models.base import ChatRequest, Completed, Delta, Provider, TextDelta, TokenUsage
from sulla.store.base import Store
from sulla.telemetry.tally import Tally
from sulla.testing.channels.wire import Wire
from sulla.testing.clock import ManualClock
from sulla.testing.world import World
from sulla.threads.log.records import Answer, Input, ThreadCreated
from sulla.threads.store import Sent
from sulla.tools.base import Tool

STEP_S: Final = 0.25
"""How far time moves between two looks."""
MOST_S: Final = 7_200.0
"""After so much of that nobody waits any longer."""
MOST_REAL_S: Final = 60.0
ECHO: Final = "You said: "


class Echo:
    """Plays a model that says again what it was told last. Keeps `models.Provider`."""

    name = "scripted"

    def __init__(self) -> None:
        self.requests: list[ChatRequest] = []

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`."""
        self.requests.append(replace(request, messages=tuple(request.messages)))
        said = next(one for one in reversed(request.messages) if one.role == "user")
        text = ECHO + next((part.text for part in said.parts if isinstance(part, Text)), "")
        yield TextDelta(text)
        message_id = MessageId(derived_id("msg", self.name, said.id))
        yield Completed(Message(message_id, "assistant", (Text(text, "agent"),)), TokenUsage(10, 10), "end")

    async def close(self) -> None:
        """Nothing to let go of."""


class WorldKeeper:
    """Lets words in, and has the world's agent answer. Keeps `agent.door.DoorKeeper`.

    Args:
        world: has the threads.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.news = asyncio.Event()
        """Something is to be worked on."""
        self.full = False
        """Whether there is no room for messages."""
        self.too_fast = ""
        """The name of a caller whose messages come too fast."""
        self.agents: tuple[str, ...] = ("sulla", "helper")
        """Who can be talked to."""
        self.gone = ""
        """An agent that there is no more."""
        self.said: list[tuple[ThreadId, Input, str]] = []
        """What was let in for the first time, where, and under whose name."""

    async def known(self) -> tuple[str, ...]:
        """Who can be talked to now."""
        return self.agents

    async def begin(self, agent: str, title: str, request_id: str, channel: str) -> ThreadId:
        """See `DoorKeeper`."""
        return await self._world.threads.create(ThreadCreated(agent or "sulla", title, "", channel), request_id)

    async def say(self, thread_id: ThreadId, said: Input, caller: str) -> Sent:
        """See `DoorKeeper`."""
        if self.full:
            raise QueueFull("too many messages wait", retry_after_s=1.0)
        if caller == self.too_fast:
            raise RateLimited("too many messages in a minute", retry_after_s=60.0)
        if said.agent and said.agent == self.gone:
            raise NotFound(f"no agent {said.agent!r} (known: sulla)")
        sent = await self._world.threads.send(thread_id, said)
        self.news.set()
        if sent.first:
            self.said.append((thread_id, said, caller))
        return sent

    async def stop(self, thread_id: ThreadId, request_id: str) -> None:
        """See `DoorKeeper`."""
        await self._world.threads.stop(thread_id, request_id, drop=True)
        self.news.set()

    async def withdraw(self, thread_id: ThreadId, message_id: MessageId, request_id: str) -> bool:
        """See `DoorKeeper`."""
        waits = await still_waits(self._world.threads, thread_id, message_id)
        await self._world.threads.stop(thread_id, request_id, only=message_id)
        self.news.set()
        return waits

    async def answer(self, thread_id: ThreadId, answer: Answer) -> None:
        """See `DoorKeeper`."""
        await self._world.threads.answer(thread_id, answer)
        self.news.set()


class Scene:
    """One boot of a daemon with one channel. Make a second one over the same store for the next boot.

    Args:
        wire: the fake service; started.
        workspace: where files go.
        store: where all is kept.
        clock: all time.
        provider: plays the model.
        tools: what the agent can use.
        groups: the groups that are allowed, by their ids.
        boot: which boot of the home this is.
    """

    def __init__(
        self,
        wire: Wire,
        workspace: Path,
        *,
        store: Store,
        clock: ManualClock,
        provider: Provider | None = None,
        tools: tuple[Tool, ...] = (),
        groups: Sequence[str] = (),
        boot: int = 1,
    ) -> None:
        self.wire = wire
        self.clock = clock
        self.store = store
        self.provider = provider if provider is not None else Echo()
        self.world = World(
            self.store, self.provider, tools=tools, clock=self.clock, boot=boot, completion="plain", workspace=workspace
        )
        self.keeper = WorldKeeper(self.world)
        self.tally = Tally(COUNTERS, ())
        self.workspace = workspace
        numbers = count(1)
        around = Around(
            self.store,
            self.world.threads,
            self.clock,
            self.tally,
            PeopleBook(self.store, self.clock, lambda prefix: derived_id(prefix, str(boot), str(next(numbers)))),
            lambda: self.keeper,
            self.keeper.known,
            f"home:boot{boot}",
            lambda prefix: derived_id(prefix, "fresh", str(boot), str(next(numbers))),
            workspace,
            Redactor([wire.secret]).text,
        )
        self.people = around.people
        inbox = Inbox(workspace, FileMarks(workspace.parent / "marks.jsonl"), self.clock, FileBounds())
        said = LineRules("chat", "fake", Rules("chat", frozenset(groups), strangers=True))
        self.line = Line(said, wire.channel, inbox, around)
        self._task: asyncio.Task[None] | None = None
        self._working: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Scene:
        """Begin."""
        await self.store.open()
        self._task = asyncio.create_task(self.line.run())
        self._working = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        """End, as a daemon that is told to; the store stays open for the next boot."""
        for task in (self._task, self._working):
            if task is not None:
                task.cancel()
                await self.clock.sleep(0)
                while not task.done():  # what is under way may come to its end, within its time
                    await self.pass_time(STEP_S)
                await asyncio.gather(task, return_exceptions=True)

    @property
    def dead(self) -> bool:
        """Whether the channel's task has ended by itself, as by a kill."""
        return self._task is not None and self._task.done()

    async def pair(self, number: int, name: str, scopes: tuple[ChannelScope, ...] | None = None) -> Person:
        """Let somebody in without a code."""
        old = await self.store.get(KEY)
        people, person = decode(old).joined(name, Identity("chat", self.wire.person(number).id), scopes)
        assert await self.store.swap(KEY, old, encode(people))
        return person

    async def until(self, holds: Callable[[], object], what: str) -> None:
        """Let time pass until something holds.

        Args:
            holds: looks.
            what: it is, for whoever waits in vain.

        Raises:
            AssertionError: it does not come to hold.
        """
        end_s, loop = self.clock.elapsed() + MOST_S, asyncio.get_running_loop()
        real_s = loop.time() + MOST_REAL_S
        while not holds():
            late = self.clock.elapsed() > end_s or loop.time() > real_s
            assert not late, f"waited in vain: {what}; the channel is {self.line.state!r}: {self.line.why}"
            await self.pass_time(STEP_S)

    async def pass_time(self, seconds: float) -> None:
        """Let some time pass, and what is to be done in it be done."""
        left = seconds
        while left > 0:
            await self.clock.advance(min(left, STEP_S))
            left -= STEP_S
            await SystemClock().sleep(0.002)  # sockets are real

    @property
    def settled(self) -> bool:
        """Whether nothing is on its way to the service: the next boot has nothing to doubt."""
        return self.line.held is not None and not self.line.held.book.items

    def texts(self, number: int, *, group: bool = False) -> list[str]:
        """What people see of the daemon's at a place."""
        return [one.text for one in self.wire.seen(self.wire.place(number, group=group))]

    async def _work(self) -> None:
        """Have the agent answer, as a daemon's worker does."""
        while True:
            self.keeper.news.clear()
            await asyncio.gather(*(self._attend(ThreadId(info.key)) for info in await self.store.find(ready=True)))
            if not await self.store.find(ready=True):
                await self.keeper.news.wait()

    async def _attend(self, thread_id: ThreadId) -> None:
        await self.world.turns.attend(thread_id)
        self.line.wake(thread_id)
