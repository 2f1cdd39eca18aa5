"""People who speak to a daemon that dies: they send again what was not acknowledged, and go on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from sulla.core.errors import SullaError, Unavailable
from sulla.core.jsontypes import JsonObject
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from sulla.threads.log.records import Input
from tests.faults.backend import CLOCK, Backend

GAP_S = 0.02
"""Between two chunks."""
AGAIN_S = 0.05


@dataclass(slots=True)
class Person:
    """Somebody in one thread.

    Args:
        home: whose daemon.
        number: makes their words their own.
        seed: what they say.
    """

    home: Path
    number: int
    chance: Random
    thread_id: str = ""
    said: list[str] = field(default_factory=list)
    """Words that are acknowledged for good: those of final chunks."""
    speaking: bool = False
    """Whether a chunk of an utterance is acknowledged, and its end is not."""
    stop: bool = False

    async def speak(self) -> None:
        """One utterance after the other, over any number of daemons, until told to stop."""
        chunks = self.chunks()
        chunk = next(chunks)
        while not (self.stop and not self.speaking):
            try:
                async with open_client(door(self.home)) as client:
                    await self.enter(client)
                    while not (self.stop and not self.speaking):
                        await client.call("speech.chunk", thread_id=self.thread_id, **chunk)
                        self.acknowledged(chunk)
                        chunk = next(chunks)
                        await CLOCK.sleep(GAP_S)
            except Unavailable:
                await CLOCK.sleep(AGAIN_S)
            except SullaError as error:
                if not error.retryable:
                    raise
                await CLOCK.sleep(AGAIN_S)

    async def enter(self, client: Client) -> None:
        """Have a thread."""
        if not self.thread_id:
            made = await client.call("thread.create", request_id=f"person-{self.number}")
            self.thread_id = made["thread_id"]

    def acknowledged(self, chunk: JsonObject) -> None:
        """Know that a chunk was taken."""
        self.speaking = chunk["kind"] != "final"
        if not self.speaking:
            self.said += str(chunk["text"]).split()

    def chunks(self) -> Iterator[JsonObject]:
        """What they say, without an end, a chunk at a time."""
        utterance = 0
        while True:
            utterance += 1
            words = [f"w{self.number}.{utterance}.{one}" for one in range(self.chance.randint(3, 30))]
            name = f"u{utterance}"
            for seq in range(1, len(words)):
                if self.chance.random() < 0.5:
                    yield {"utterance_id": name, "seq": seq, "kind": "delta", "text": words[seq - 1]}
                else:
                    yield {"utterance_id": name, "seq": seq, "kind": "cumulative", "text": " ".join(words[:seq])}
            yield {"utterance_id": name, "seq": len(words), "kind": "final", "text": " ".join(words)}


async def heard(backend: Backend, person: Person) -> list[str]:
    """The words in the messages of a person's thread."""
    entries = await backend.read_log(person.thread_id)
    return [word for entry in entries if isinstance(entry.fact, Input) for word in entry.fact.text.split()]


async def faults_of(backend: Backend, person: Person, patience_s: float = 20.0) -> list[str]:
    """What is wrong with what came of a person's words; they may take a while to arrive."""
    try:
        async with CLOCK.timeout(patience_s):
            while set(person.said) - set(await heard(backend, person)):
                await CLOCK.sleep(0.1)
    except TimeoutError:
        pass
    words = await heard(backend, person)
    lost = [word for word in person.said if word not in words]
    twice = [word for word, times in Counter(words).items() if times > 1]
    return [f"lost: {word}" for word in lost] + [f"twice: {word}" for word in twice]


async def all_speak(people: list[Person], group: asyncio.TaskGroup) -> None:
    """Have them begin, and return when everybody is in mid-utterance or was."""
    for person in people:
        group.create_task(person.speak())
    async with CLOCK.timeout(30.0):
        while not all(person.speaking or person.said for person in people):
            await CLOCK.sleep(0.02)
