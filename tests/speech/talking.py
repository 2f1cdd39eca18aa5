"""A person who talks with a whole agent: its turns, and what is spoken over them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sulla.core.ids import MessageId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message
from sulla.speech.interruptions.interruptions import Interruptions, TurnVerdict
from sulla.speech.service import Playing
from sulla.speech.turn_taking.events import End, Partial, TurnStarted
from sulla.testing.clock import ManualClock
from sulla.testing.world import World
from sulla.threads.log.records import Input, ModelStarted, RunError, RunFinished, TextMessageEnd
from sulla.threads.log.spoken import Heard, Spoken
from sulla.threads.store import Sent
from sulla.tools.base import Tool


class Room:
    """Somebody speaks and listens; the clock stands still."""

    def __init__(self, store: Any, provider: Any, *tools: Tool, boot: int = 1) -> None:
        self.clock = ManualClock()
        self.provider = provider
        self.world = World(store, provider, tools=tools, clock=self.clock, boot=boot)
        self.shown: list[tuple[str, JsonObject]] = []
        self.woken: list[ThreadId] = []
        self.interruptions = Interruptions(
            self.world.threads, lambda _, type_, data: self.shown.append((type_, data)), self.clock, self.woken.append
        )
        self.thread = ThreadId("")
        self.sent: Sent | None = None
        """The last message that was sent."""

    @property
    def types(self) -> list[str]:
        """What was shown."""
        return [type_ for type_, _ in self.shown]

    async def begin(self) -> None:
        """Make the thread."""
        self.thread = await self.world.thread()

    @asynccontextmanager
    async def answering(self) -> AsyncIterator[asyncio.Task[None]]:
        """A turn is worked on, and interruptions are looked after."""
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(self.interruptions.run())
            turn = group.create_task(self.world.turns.attend(self.thread))
            await self.clock.settle()
            yield turn
            await turn
            await self.clock.settle()
            listening.cancel()

    async def hears(self, turn_id: str, *texts: str, playing: Playing | None = None) -> None:
        """Partials come."""
        self.interruptions.heard(self.thread, TurnStarted(turn_id, 0), playing)
        for text in texts:
            self.interruptions.heard(self.thread, Partial(turn_id, text), playing)
            await self.clock.settle()

    async def ends(
        self, turn_id: str, text: str, playing: Playing | None = None, *, score: float = 1.0, reason: Any = "complete"
    ) -> tuple[TurnVerdict, Sent | None]:
        """The turn ends, is judged and delivered."""
        verdict = await self.judges(turn_id, text, playing, score=score, reason=reason)
        return verdict, await self.delivers(turn_id, text, verdict.heard) if verdict.deliver else None

    async def judges(
        self, turn_id: str, text: str, playing: Playing | None = None, *, score: float = 1.0, reason: Any = "complete"
    ) -> TurnVerdict:
        """The turn ends, and is judged."""
        end = End(turn_id, text, reason, score, "sentence", 200)
        self.interruptions.heard(self.thread, end, playing)
        return await self.interruptions.judge(self.thread, end, playing)

    async def delivers(self, turn_id: str, text: str, heard: Heard | None) -> Sent:
        """Its message is sent."""
        spoken = Spoken(turn_id, "complete", 1.0, "sentence", 200, heard)
        fact = Input(MessageId(f"speech:{turn_id}"), text, "steer", spoken=spoken)
        self.sent = await self.world.threads.send(self.thread, fact)
        return self.sent

    async def replies(self) -> list[TextMessageEnd]:
        """What the agent has said, as it is kept."""
        return [entry.fact for entry in await self.world.log(self.thread) if isinstance(entry.fact, TextMessageEnd)]

    async def making(self) -> MessageId:
        """The id of the reply that is being made."""
        begun = [entry.fact for entry in await self.world.log(self.thread) if isinstance(entry.fact, ModelStarted)]
        return begun[-1].message_id

    async def ended(self) -> list[tuple[str, str]]:
        """How each run has ended."""
        log = await self.world.log(self.thread)
        ends = [entry.fact.outcome for entry in log if isinstance(entry.fact, RunFinished | RunError)]
        return [(end.status, end.reason) for end in ends]


def said(told: Any) -> list[str]:
    """Who said what, in turn, without what the model is told beside it.

    Args:
        told: messages, or a request that has them.
    """
    return [_first(message) for message in getattr(told, "messages", told)]


def _first(message: Message) -> str:
    if message.role == "user":
        return getattr(message.parts[0], "text", "")
    return message.text
