"""Voice clients that lose their connections all the time, and send again what was not acknowledged, in any order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from sulla.core.errors import SullaError
from sulla.core.jsontypes import JsonObject
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from sulla.threads.log.codec import Entry
from tests.faults.backend import CLOCK, Backend
from tests.faults.speech.speaking import Person
from tests.simulation.history import History, ThreadHistory
from tests.speech.streams import Heard, disturbed, utterance

UTTERANCES = 4
FASTER = 20
"""How many times as fast they speak as people do."""
MOST_FRAMES = 12
"""A connection is lost after at most so many."""
_PAUSE_S = 0.02


@dataclass(slots=True)
class Voice:
    """One client.

    Args:
        person: whose words they are; `said` has them all from the beginning.
        chance: what happens to it.
    """

    person: Person
    chance: Random
    lost: int = 0
    """How many connections."""
    sent: int = 0
    """How many chunks, those that were sent again with them."""
    waits_s: list[float] = field(default_factory=list)
    """How long acknowledgements took."""
    _replies: list[str] = field(default_factory=lambda: ["msg_nobody_knows"])
    """Messages that may be played to them."""
    _ahead: list[Heard] = field(default_factory=list)
    _open: dict[int, Heard] = field(default_factory=dict)
    """What was sent and is not acknowledged, by its place."""
    _said: int = 0

    @classmethod
    def of(cls, home: Path, number: int, chance: Random) -> Voice:
        """Somebody who has something to say, in several utterances that overlap."""
        person = Person(home, number, chance)
        heard: list[Heard] = []
        for one in range(UTTERANCES):
            words = [f"p{number}u{one}w{place}" for place in range(chance.randint(1, 24))]
            person.said += words
            heard += disturbed(chance, utterance(chance, f"u{one}", words, one * chance.choice((500, 3_000, 9_000))))
        heard.sort(key=lambda one: one.at_ms)
        return cls(person, chance, _ahead=heard)

    async def perform(self) -> None:
        """Say all of it, until all of it is acknowledged."""
        began = CLOCK.elapsed()
        async with AsyncExitStack() as stack:
            before: Client | None = None
            while self._said < len(self._ahead) or self._open:
                try:
                    client = await stack.enter_async_context(open_client(door(self.person.home)))
                    await self._begin(client)
                except SullaError as error:
                    if not error.retryable:
                        raise
                    await CLOCK.sleep(_PAUSE_S)
                    continue
                async with asyncio.TaskGroup() as group:
                    self._send_again(client, group)
                    if before is not None and self.chance.random() < 0.5:
                        self._send_again(before, group)  # the daemon may think that both are there
                    if before is not None:
                        await self._cut(before)
                    await self._go_on(client, group, began)
                    before = client
                    if self.chance.random() < 0.5:
                        await self._cut(client)
                        before = None
                self.lost += 1
                await CLOCK.sleep(self.chance.random() * _PAUSE_S)

    async def _begin(self, client: Client) -> None:
        """Have a thread, and learn what was answered so far."""
        if not self.person.thread_id:
            made = await client.call("thread.create", request_id=f"voice-{self.person.number}")
            self.person.thread_id = made["thread_id"]
        page = await client.call("thread.history", thread_id=self.person.thread_id, limit=500)
        ended = [event["data"] for event in page["events"] if event["type"] == "TEXT_MESSAGE_END"]
        self._replies += [data["message_id"] for data in ended if data["message_id"] not in self._replies]

    def _send_again(self, client: Client, group: asyncio.TaskGroup) -> None:
        """In any order, and some of it twice."""
        places = list(self._open)
        for place in self.chance.sample(places, len(places)) + self.chance.choices(places, k=len(places) // 3):
            group.create_task(self._send(client, place, self._open[place]))

    async def _go_on(self, client: Client, group: asyncio.TaskGroup, began: float) -> None:
        for _ in range(self.chance.randint(1, MOST_FRAMES)):
            if self._said >= len(self._ahead):
                return
            place, one = self._said, self._ahead[self._said]
            await CLOCK.sleep(max(0.0, began + one.at_ms / 1000 / FASTER - CLOCK.elapsed()))
            self._said, self._open[place] = place + 1, one
            group.create_task(self._send(client, place, one))
            if self.chance.random() < 0.05:
                group.create_task(self._flush(client))

    async def _send(self, client: Client, place: int, one: Heard) -> None:
        chunk, began = one.chunk, CLOCK.elapsed()
        self.sent += 1
        given: JsonObject = {
            "utterance_id": chunk.utterance_id,
            "seq": chunk.seq,
            "kind": chunk.kind,
            "text": chunk.text,
        }
        if self.chance.random() < 0.3:  # they speak over an answer, or over one that never was
            heard = self.chance.choice((0, 3, 40, 10**6))
            given["playing"] = {"message_id": self.chance.choice(self._replies[-3:]), "played_chars": heard}
        try:
            await client.call("speech.chunk", thread_id=self.person.thread_id, **given)
        except SullaError as error:
            if not error.retryable:
                raise
            return  # it is sent again
        self.waits_s.append(CLOCK.elapsed() - began)
        self._open.pop(place, None)

    async def _cut(self, client: Client) -> None:
        """Hang up without a word, whatever is under way."""
        await CLOCK.sleep(self.chance.random() * _PAUSE_S)
        client._socket.transport.abort()

    async def _flush(self, client: Client) -> None:
        try:
            await client.call("speech.flush", thread_id=self.person.thread_id)
        except SullaError as error:
            if not error.retryable:
                raise


async def all_perform(voices: Sequence[Voice], end_s: float) -> None:
    """Have all of them say everything at once.

    Raises:
        TimeoutError: that took too long.
    """
    async with CLOCK.timeout(end_s), asyncio.TaskGroup() as group:
        for voice in voices:
            group.create_task(voice.perform())


async def at_rest(backend: Backend, voices: Sequence[Voice], end_s: float) -> History:
    """What was kept of all of them, once each of their messages has its end.

    Raises:
        TimeoutError: some have none.
    """
    found: list[ThreadHistory] = []
    async with CLOCK.timeout(end_s):
        for voice in voices:
            log = await backend.read_log(voice.person.thread_id)
            while _count(log, "INPUT") > _count(log, "RUN_FINISHED", "RUN_ERROR"):
                await CLOCK.sleep(0.1)
                log = await backend.read_log(voice.person.thread_id)
            found.append(ThreadHistory(voice.person.thread_id, tuple(log)))
    return History(tuple(found))


def _count(log: Sequence[Entry], *kinds: str) -> int:
    return sum(entry.kind in kinds for entry in log)
