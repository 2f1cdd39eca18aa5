"""People who speak to the product: a recognizer's frames through a session of ``/voice``, the manager and the buffers.

The clock stands still but for what the bench lets pass, so hundreds of people speak at once, and the figures do not
depend on the machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import orjson

from bench.turns.recognizers import Timed
from sulla.access.principal import ALL_SCOPES, Principal
from sulla.core.errors import SullaError
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.gateway import wire
from sulla.gateway.voice.session import VoiceRequest, VoiceSession
from sulla.gateway.websocket.machine import CallMethod, Effect
from sulla.rpc.caller import Caller, Context
from sulla.rpc.limits import Limits
from sulla.speech.late_detector import LateDetector, english_detector
from sulla.speech.limits import SpeechLimits
from sulla.speech.recognizer.frames import Turns
from sulla.speech.rpc import METHODS
from sulla.speech.sessions.manager import StreamBufferManager
from sulla.speech.turn_taking.profile import ADAPTIVE
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.records import (
    Input,
    ModelStarted,
    Outcome,
    RunFinished,
    RunStarted,
    TextMessageEnd,
    ThreadCreated,
)
from sulla.threads.store import ThreadStore

STEP_S = 0.025
"""How far time goes between two looks: what falls due is done as of when it was due."""
PATIENCE_S = 12.0
"""How long nobody speaks at the end, until every turn has ended: who asked for time has 10 s."""
_PEOPLE = 10_000
_ROWS = {row.params: row for row in METHODS.rows}
_SPEAKER = Principal("bench", ALL_SCOPES)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that reached the thread."""

    text: str
    reason: str
    waited_ms: int


@dataclass(slots=True)
class Person:
    """Somebody who speaks, and what came of it."""

    frames: Sequence[Timed]
    """What their recognizer sends, in the order of its times."""
    question: str | None = None
    """What the agent has asked them."""
    turns: Turns = "auto"
    heard: list[Turn] = field(default_factory=list)


def listen(people: Sequence[Person], away: tuple[float, float] | None = None) -> None:
    """Have people speak, all at once, and note the turns that the product makes of it.

    Args:
        people: who speaks; `heard` of each is filled.
        away: from when to when there is no daemon, in seconds; frames of that time are lost.
    """
    asyncio.run(_listen(people, away))


async def _listen(people: Sequence[Person], away: tuple[float, float] | None) -> None:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    threads = await _begun(clock, store, people)
    if away is None:
        await _through(clock, store, threads, people, "bench:1", (0.0, None))
    else:
        await _through(clock, store, threads, people, "bench:1", (0.0, away[0]))
        await clock.advance(away[1] - away[0])
        await _through(clock, store, threads, people, "bench:2", (away[1], None))


async def _begun(clock: ManualClock, store: MemoryStore, people: Sequence[Person]) -> list[ThreadId]:
    """A thread for each, in which the agent has asked them what it has."""
    threads = _threads(clock, store, "bench:0")
    found = [await threads.create(ThreadCreated("sulla"), f"t{number}") for number in range(len(people))]
    for thread_id, person in zip(found, people, strict=True):
        if person.question is not None:
            await _asks(threads, thread_id, person.question)
    return found


def _threads(clock: ManualClock, store: MemoryStore, owner: str) -> ThreadStore:
    return ThreadStore(store, clock, lambda prefix: prefix, owner, THREAD_SCHEMA, ThreadLimits())


async def _through(
    clock: ManualClock,
    store: MemoryStore,
    thread_ids: Sequence[ThreadId],
    people: Sequence[Person],
    owner: str,
    span: tuple[float, float | None],
) -> None:
    """One daemon, for a part of the time."""
    begins_s, ends_s = span
    threads = _threads(clock, store, owner)
    limits = SpeechLimits(ADAPTIVE, _PEOPLE, turn_burst=_PEOPLE, token_burst=_PEOPLE)
    detector = LateDetector(english_detector)
    await detector.load()
    manager = StreamBufferManager(store, threads, clock, owner, lambda _: None, limits, detector=detector)
    async with _running(manager, clock):
        lines: list[_Line] = []
        for thread_id, person in zip(thread_ids, people, strict=True):
            lines.append(_Line(manager, thread_id, person, begins_s))
        last_s = max(person.frames[-1].at_s for person in people) + PATIENCE_S
        now_s = begins_s
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(line.run()) for line in lines]
            while now_s < (last_s if ends_s is None else ends_s):
                for line in lines:
                    line.due(now_s)
                await clock.advance(STEP_S)
                now_s += STEP_S
            for task in tasks:
                task.cancel()
        if ends_s is None:
            for thread_id, person in zip(thread_ids, people, strict=True):
                person.heard = [
                    Turn(entry.fact.text, entry.fact.spoken.reason, entry.fact.spoken.waited_ms)
                    for entry in await threads.entries(thread_id)
                    if isinstance(entry.fact, Input) and entry.fact.spoken is not None
                ]


@asynccontextmanager
async def _running(manager: StreamBufferManager, clock: ManualClock) -> AsyncIterator[None]:
    """The manager at work; cancelled in the end, as one whose daemon is killed."""
    task = asyncio.ensure_future(manager.run())
    await clock.settle()
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _asks(threads: ThreadStore, thread_id: ThreadId, question: str) -> None:
    """The agent says something."""
    sent = await threads.send(thread_id, Input(MessageId("typed"), "hello"))
    session = await threads.attend(thread_id)
    assert session is not None
    await session.commit(
        RunStarted(sent.seq, MessageId("typed")),
        ModelStarted(CallId("c"), MessageId("m")),
        TextMessageEnd(CallId("c"), MessageId("m"), question),
        RunFinished(sent.run_id, Outcome("done")),
    )
    await session.release()


class _Line:
    """The connection of one person: their recognizer's frames into a session, its calls into the manager."""

    def __init__(self, manager: StreamBufferManager, thread_id: ThreadId, person: Person, begins_s: float) -> None:
        self._manager = manager
        self._session = VoiceSession(
            f"ses_{thread_id}_{begins_s:.0f}", Limits(), VoiceRequest(turns=person.turns), _SPEAKER
        )
        self._frames = [one for one in person.frames if one.at_s >= begins_s]
        self._thread_id = thread_id
        self._next = 0
        self._calls: asyncio.Queue[CallMethod] = asyncio.Queue()
        for effect in self._session.begin():
            self._enter(effect)

    def due(self, now_s: float) -> None:
        """Send what the recognizer has said by now."""
        while self._next < len(self._frames) and self._frames[self._next].at_s <= now_s:
            frame = orjson.dumps(self._frames[self._next].frame).decode()
            self._next += 1
            for effect in self._session.hear(frame):
                assert isinstance(effect, CallMethod), effect
                self._calls.put_nowait(effect)

    async def run(self) -> None:
        """Make the session's calls in their order, until cancelled."""
        context = Context(Caller(_SPEAKER, "", "voice", "bench"), 0, 1 << 20, lambda prefix: prefix)
        while True:
            call = await self._calls.get()
            row = _ROWS[type(call.params)]
            try:
                self._session.answered(call.id, await row.answer(self._manager, call.params, context))
            except SullaError as error:
                raise AssertionError(f"refused: {error.message}") from error

    def _enter(self, effect: Effect) -> None:
        assert isinstance(effect, CallMethod), effect
        match effect.params:
            case wire.ThreadCreate():
                answer: JsonObject = {"thread_id": self._thread_id}
            case _:
                answer = {"seq": 1}
        for further in self._session.answered(effect.id, answer):
            if isinstance(further, CallMethod):
                self._enter(further)
