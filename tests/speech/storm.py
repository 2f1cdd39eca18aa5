"""People who speak while everything goes wrong: stores fail, daemons die or sleep, others take over. From a seed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sulla.core.errors import StoreUnavailable, SullaError
from sulla.core.ids import ThreadId
from sulla.speech.limits import SpeechLimits
from sulla.speech.turn_taking.chunk import Chunk
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Killed
from tests.speech.booth import Booth, memory_store
from tests.speech.streams import Heard, disturbed, profile_of, sentence, utterance

PASSED_ON = ("publish", "is_heard", "subscribe")
HOMES = ("home1", "home1", "home2", "home3")
"""The first one comes back most often."""
END_S = 200.0
"""Long enough for the leases of the dead to run out, twice, and for everything to be delivered."""


@dataclass(slots=True)
class Weather:
    """How bad it is; each a share of all calls of the store."""

    chance: Random
    fails: float = 0.0
    kills: float = 0.0


class RoughStore:
    """A process's way to the store, until it dies.

    Args:
        inner: the store.
        weather: how often something happens.
    """

    def __init__(self, inner: MemoryStore, weather: Weather) -> None:
        self._inner = inner
        self._weather = weather
        self.dead = False
        self.awake = asyncio.Event()
        """Not set while the process stands still, as one that was suspended does."""
        self.awake.set()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self._inner, name)
        if name in PASSED_ON:
            return method

        async def call(*args: object, **kwargs: object) -> object:
            if not self.awake.is_set():
                await self.awake.wait()
            self._strike()
            answer = await method(*args, **kwargs)
            self._strike()
            return answer

        return call

    def _strike(self) -> None:
        weather = self._weather
        if not self.dead and weather.chance.random() < weather.kills / 2:
            self.dead = True
        if self.dead:
            raise Killed
        if weather.chance.random() < weather.fails / 2:
            raise StoreUnavailable("a storm")


@dataclass(slots=True)
class Life:
    """A daemon from its start to its end."""

    home: str
    rough: RoughStore
    booth: Booth
    task: asyncio.Task[None]
    sleeps_until_s: float = 0.0


@dataclass(slots=True)
class Speaker:
    """Somebody in one thread, and what came of each chunk."""

    thread_id: ThreadId
    to_say: list[Heard]
    gives_up: bool = False
    """Does not send again what was not acknowledged."""
    acknowledged: list[Chunk] = field(default_factory=list)
    unsure: list[Chunk] = field(default_factory=list)
    at: Life | None = None
    """The daemon that is spoken to, until it does not take something."""

    def failed(self, chunk: Chunk) -> None:
        """One attempt has; another daemon may have taken it, or somebody tries already."""
        if chunk not in self.unsure and chunk not in self.acknowledged:
            self.unsure.append(chunk)

    @property
    def done(self) -> bool:
        """Whether nothing is left to be said."""
        return not self.to_say and (self.gives_up or not self.unsure)


class Storm:
    """Threads with speakers over daemons that come and go.

    Args:
        seed: decides everything.
        speakers: how many.
        gives_up: nobody sends anything twice.
        together: how many daemons there are at once at the most.
    """

    def __init__(self, seed: int, speakers: int = 3, *, gives_up: bool = False, together: int = 1) -> None:
        self.chance = Random(seed)
        self.clock = ManualClock()
        self.weather = Weather(self.chance, self.chance.choice((0.0, 0.02, 0.1)), self.chance.choice((0.005, 0.02)))
        self._count = speakers
        self._gives_up = gives_up
        self._together = together
        self.speakers: list[Speaker] = []
        self.boots = 0
        self._asleep: list[Life] = []
        self._limits = SpeechLimits(
            profile_of(self.chance),
            max_live=self.chance.choice((2, 1000)),
            segment_bytes=self.chance.choice((500, 5_000, 100_000)),
        )

    async def run(self) -> None:
        """Until everybody is done and all is delivered.

        Raises:
            AssertionError: words are lost, or there twice.
        """
        self.store = await memory_store(self.clock)
        calm = Booth(self.store, self.clock, "people:1")
        self.speakers = [
            Speaker(await calm.thread(f"t{n}"), self._speech(n), self._gives_up) for n in range(self._count)
        ]
        while not all(speaker.done for speaker in self.speakers):
            await self._boot(last=False)
        self.weather.fails = self.weather.kills = 0.0
        await self._boot(last=True)
        for speaker in self.speakers:
            self._judge(speaker, await calm.texts(speaker.thread_id))
        left = [info.key for info in await self.store.find(kind="speech")]
        assert left == [], "logs that nobody needs any more"

    async def _boot(self, *, last: bool) -> None:
        """One daemon's life, or that of some at once."""
        self.boots += 1
        for slept in self._asleep:
            if last or self.chance.random() < 0.5:
                slept.rough.awake.set()
        if self.boots > 40:  # enough of it
            self.weather.kills = 0.0
        lives = self._lives(1 if last else self.chance.randint(1, self._together))
        sending: set[asyncio.Task[None]] = set()
        until = self.clock.elapsed() + (END_S if last else self.chance.choice((3.0, 20.0, 60.0)))
        while not all(life.rough.dead for life in lives) and self.clock.elapsed() < until:
            for speaker in self.speakers:
                sending.update(self._due(lives, speaker))
            if self._together > 1:
                self._doze(lives)
            await self.clock.advance(self.chance.choice((0.01, 0.03, 0.2, 1.0)) if not last else 0.5)
        for life in lives:
            if not last and not life.rough.dead and len(self._asleep) < 2 and self.chance.random() < 0.5:
                life.rough.awake.clear()
                self._asleep.append(life)
            else:
                life.rough.awake.set()
                life.task.cancel()
                sending.add(life.task)
        if last:
            sending.update(slept.task for slept in self._asleep)
        await self._end(sending)
        await self.clock.advance(self.chance.choice((0.0, 0.1, 2.0, 40.0)))

    def _lives(self, count: int) -> list[Life]:
        """Start so many daemons, of different homes."""
        lives: list[Life] = []
        for number in range(count):
            taken = {life.home for life in (*self._asleep, *lives)}  # a process that sleeps still has its home
            free = [home for home in HOMES if home not in taken]
            if not free:
                break
            home, rough = self.chance.choice(free), RoughStore(self.store, self.weather)
            booth = Booth(rough, self.clock, f"{home}:{self.boots}{number or ''}", self._limits)
            lives.append(Life(home, rough, booth, asyncio.ensure_future(booth.manager.run())))
        return lives

    def _doze(self, lives: list[Life]) -> None:
        """Wake those that have slept enough; now and then one falls asleep, in the middle of whatever it does."""
        now_s = self.clock.elapsed()
        for life in lives:
            if life.sleeps_until_s <= now_s:
                life.rough.awake.set()
                if self.chance.random() < 0.01:
                    life.rough.awake.clear()
                    life.sleeps_until_s = now_s + self.chance.choice((0.1, 2.0, 12.0, 40.0))

    async def _end(self, tasks: set[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        wrong = [one for one in found if isinstance(one, BaseException) and not _is_end(one)]
        assert not wrong, wrong

    def _due(self, lives: list[Life], speaker: Speaker) -> Iterable[asyncio.Task[None]]:
        now_ms = round((self.clock.elapsed() - 1000.0) * 1000)
        again = [] if speaker.gives_up else speaker.unsure
        if again and self.chance.random() < 0.5:
            speaker.unsure = []
        else:
            again = []
        due = [one.chunk for one in speaker.to_say if one.at_ms <= now_ms]
        speaker.to_say = [one for one in speaker.to_say if one.at_ms > now_ms]
        if speaker.at is None or speaker.at not in lives or speaker.at.rough.dead:
            speaker.at = self.chance.choice(lives)
        to = [(speaker.at, chunk) for chunk in (*again, *due)]
        # A client that does not wait for the answer: the same chunk goes to another daemon in the same moment.
        to += [(life, chunk) for at, chunk in to for life in lives if life is not at and self.chance.random() < 0.2]
        self.chance.shuffle(to)
        return [asyncio.ensure_future(self._send(life.booth, speaker, chunk)) for life, chunk in to]

    async def _send(self, booth: Booth, speaker: Speaker, chunk: Chunk) -> None:
        try:
            await booth.manager.add_speech_chunk(speaker.thread_id, chunk)
        except SullaError as error:
            if not error.retryable:
                raise
            speaker.failed(chunk)
            speaker.at = None
        except BaseException:
            speaker.failed(chunk)
            raise
        else:
            speaker.acknowledged.append(chunk)

    def _speech(self, number: int) -> list[Heard]:
        found: list[Heard] = []
        start_ms = self.chance.randint(0, 3_000)
        for one in range(self.chance.randint(1, 4)):
            words = [f"{word}.{number}.{one}" for word in sentence(self.chance, 16)]
            if self._gives_up:
                heard = [
                    Heard(start_ms + 150 * seq, Chunk(f"u{one}", seq, "delta", word)) for seq, word in enumerate(words)
                ]
            else:
                heard = disturbed(self.chance, utterance(self.chance, f"u{one}", words, start_ms))
            found += heard
            start_ms = max(one.at_ms for one in heard) + self.chance.randint(0, 5_000)
        return sorted(found, key=lambda one: one.at_ms)

    def _judge(self, speaker: Speaker, texts: list[str]) -> None:
        said = Counter(word for text in texts for word in text.split())
        sure = {word for chunk in speaker.acknowledged for word in chunk.text.split()}
        lost = sure - said.keys()
        assert not lost, f"{sorted(lost)} of {texts}"
        twice = [word for word, times in said.items() if times > 1]
        assert not twice, f"{twice} of {texts}"


def _is_end(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_end, error.exceptions))
    return isinstance(error, Killed | asyncio.CancelledError)
