"""Calls that overlap: in which order they are taken and answered, how many there may be, and what ends them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.gateway.server.server import Server
from sulla.gateway.websocket.pipeline import MOST_UNDER_WAY, CallPipeline, Taken
from sulla.speech.service import Flushed, Playing, SpeechService
from sulla.speech.service import Taken as TurnNow
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.status import Status
from sulla.testing.clock import ManualClock
from sulla.testing.store import FaultyStore, Touch
from tests.doubles.commands import MemoryCommands
from tests.gateway.conftest import Start
from tests.gateway.peer import Peer, until
from tests.gateway.voices import Voice
from tests.speech.booth import Booth, memory_store, open_booth

Connect = Callable[..., Awaitable[Peer]]
STORE_S = 0.025
"""What one write takes."""


# --------------------------------------------------------------------------------------------------- the calls alone


class Desk:
    """Calls by name: each is taken, and done, when the test says so."""

    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        self.overlap = CallPipeline(tasks)
        self.begun: list[str] = []
        self.answers: list[str] = []
        self.taken: dict[str, Taken] = {}
        self.done: dict[str, asyncio.Future[str]] = {}

    async def begin(self, name: str) -> None:
        async def work(taken: Taken) -> str:
            self.begun.append(name)
            self.taken[name] = taken
            self.done[name] = asyncio.get_running_loop().create_future()
            return await self.done[name]

        async def answer(came: str) -> None:
            self.answers.append(came)

        await self.overlap.begin(work, answer)


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_the_next_one_is_begun_when_the_one_before_is_taken_and_not_a_moment_sooner() -> None:
    async with asyncio.TaskGroup() as tasks:
        context = Desk(tasks)
        first = asyncio.ensure_future(context.begin("first"))
        await settle()
        assert (context.begun, first.done()) == (["first"], False)
        context.taken["first"]()
        await first
        second = asyncio.ensure_future(context.begin("second"))
        await settle()
        assert context.begun == ["first", "second"]
        context.done["second"].set_result("second")  # refused, perhaps, before it was taken
        await second
        context.done["first"].set_result("first")


async def test_answers_come_in_the_order_of_the_calls() -> None:
    async with asyncio.TaskGroup() as tasks:
        context = Desk(tasks)
        for name in ("first", "second", "third"):
            beginning = asyncio.ensure_future(context.begin(name))
            await settle()
            context.taken[name]()
            await beginning
        context.done["third"].set_result("third")
        context.done["second"].set_result("second")
        await settle()
        assert context.answers == []
        answered = asyncio.ensure_future(context.overlap.answered())
        await settle()
        assert not answered.done()
        context.done["first"].set_result("first")
        await answered
        assert context.answers == ["first", "second", "third"]


async def test_there_are_only_so_many_at_once() -> None:
    async with asyncio.TaskGroup() as tasks:
        context = Desk(tasks)
        for number in range(MOST_UNDER_WAY):
            beginning = asyncio.ensure_future(context.begin(str(number)))
            await settle()
            context.taken[str(number)]()
            await beginning
        late = asyncio.ensure_future(context.begin("late"))
        await settle()
        assert "late" not in context.begun
        context.done["0"].set_result("0")
        await settle()
        assert context.begun[-1] == "late"
        for name, future in context.done.items():
            if not future.done():
                future.set_result(name)
        await late
        await context.overlap.answered()
        assert context.answers == [*map(str, range(MOST_UNDER_WAY)), "late"]


async def test_a_defect_in_one_ends_them_all_and_nobody_waits_for_ever() -> None:
    async def fail() -> None:
        async with asyncio.TaskGroup() as tasks:
            context = Desk(tasks)
            for name in ("first", "second"):
                beginning = asyncio.ensure_future(context.begin(name))
                await settle()
                context.taken[name]()
                await beginning
            context.done["second"].set_exception(KeyError("defect"))
            await context.overlap.answered()

    with pytest.raises(ExceptionGroup) as caught:
        await fail()
    assert [type(error) for error in caught.value.exceptions] == [KeyError]


# ------------------------------------------------------------------------------------------- speech over real sockets


class Counting:
    """Keeps `SpeechService`: a manager, and how many chunks it was given."""

    def __init__(self, office: SpeechService) -> None:
        self._office = office
        self.begun = 0
        self.kept = 0

    async def add_speech_chunk(
        self,
        thread_id: ThreadId,
        chunk: Chunk,
        playing: Playing | None = None,
        caller: str = "",
        taken: Callable[[], None] | None = None,
    ) -> TurnNow:
        self.begun += 1
        try:
            return await self._office.add_speech_chunk(thread_id, chunk, playing, caller, taken)
        finally:
            self.kept += 1

    async def force_flush_buffer(self, thread_id: ThreadId) -> Flushed:
        return await self._office.force_flush_buffer(thread_id)

    async def drop_speech(self, thread_id: ThreadId) -> str:
        return await self._office.drop_speech(thread_id)

    async def get_buffer_status(self, thread_id: ThreadId) -> Status:
        return await self._office.get_buffer_status(thread_id)


class Stage:
    """A gateway, a manager of speech behind it, and a store whose writes take their time, which the test lets pass."""

    def __init__(self, server: Server, booth: Booth, office: Counting, clock: ManualClock, thread: ThreadId) -> None:
        self.server = server
        self.booth = booth
        self.office = office
        self.clock = clock
        self.thread = thread
        self.writes = 0
        self.failing = 0
        """Which write fails; 0 for none."""
        self.sent = 0
        self.stops: set[int] = set()
        """After so many chunks comes something that waits for their answers."""

    def chunk(self, number: int, **other: object) -> dict[str, Any]:
        """A word, as a request whose id says which."""
        said = {"utterance_id": "u", "seq": number, "kind": "delta", "text": f"w{number}"}
        return self.request("speech.chunk", number, **(said | other))

    def request(self, method: str, id_: int, **params: object) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": id_, "method": method, "params": {"thread_id": self.thread, **params}}

    def _is_full(self) -> bool:
        under_way = self.office.begun - self.office.kept
        return under_way >= min(MOST_UNDER_WAY, self.sent - self.office.kept) or self.office.begun in self.stops

    async def pass_time(self, done: Callable[[], bool]) -> None:
        """Let time pass, each time when as many chunks are under way as can be, until something is done."""
        while not done():
            await until(lambda: self._is_full() or done())
            await self.clock.advance(STORE_S)


@pytest.fixture
async def stage(start: Start, commands: MemoryCommands) -> AsyncIterator[Stage]:
    async with _stage(start, commands) as found:
        yield found


@asynccontextmanager
async def _stage(start: Start, commands: MemoryCommands) -> AsyncIterator[Stage]:
    clock = ManualClock()
    found: Stage | None = None

    async def slowly(touch: Touch) -> None:
        if touch.method == "append" and touch.phase == "before" and "SPEECH" in touch.kinds:
            if found is not None:
                found.writes += 1
                if found.writes == found.failing:
                    raise StoreUnavailable("away for a moment")
            await clock.sleep(STORE_S)

    async with open_booth(FaultyStore(await memory_store(clock), slowly), clock) as booth:
        office = Counting(booth.manager)
        commands.speech = office  # type: ignore[assignment]  # the real one
        thread = await booth.thread()
        commands.make(thread)
        found = Stage(await start(clock=clock), booth, office, clock, thread)
        yield found


async def answers_of(peer: Peer, count: int) -> list[dict[str, Any]]:
    return [await peer.frame() for _ in range(count)]


MANY = 1_000


async def test_a_thousand_chunks_at_once_are_kept_many_in_a_write_and_answered_in_order(
    stage: Stage, connect: Connect
) -> None:
    peer = await connect(stage.server)
    wrong = 500
    stage.sent, stage.stops = MANY - 1, {wrong}
    answering = asyncio.ensure_future(answers_of(peer, MANY + 2))
    for number in range(MANY):
        await peer.say(stage.chunk(number, seq="x") if number == wrong else stage.chunk(number))
    await peer.say(stage.request("speech.status", MANY))
    await peer.say(stage.request("speech.flush", MANY + 1))
    await stage.pass_time(answering.done)
    answers = answering.result()
    assert [answer["id"] for answer in answers] == list(range(MANY + 2))
    words = [f"w{number}" for number in range(MANY) if number != wrong]
    assert [answer["id"] for answer in answers if "error" in answer] == [wrong]
    assert answers[wrong]["error"]["data"]["code"] == "invalid_input"
    assert answers[0]["result"] == {"turn_id": "u", "state": "speaking", "late": False}
    assert answers[MANY]["result"]["content"].split() == words  # whoever asks behind them sees them
    assert answers[MANY + 1]["result"]["text"].split() == words
    assert await stage.booth.texts(stage.thread) == [" ".join(words)]
    assert stage.writes <= 2 * MANY / MOST_UNDER_WAY


async def test_what_was_not_answered_when_the_connection_broke_is_sent_again_and_each_word_comes_once(
    stage: Stage, connect: Connect
) -> None:
    first = await connect(stage.server)
    stage.sent = MANY
    answered: list[int] = []

    async def listen() -> None:
        while len(answered) < MANY // 3:
            answered.append((await first.frame())["id"])

    listening = asyncio.ensure_future(listen())
    for number in range(MANY):
        await first.say(stage.chunk(number))
    await stage.pass_time(listening.done)
    first.socket.transport.abort()
    assert answered == list(range(len(answered)))
    second = await connect(stage.server)
    left = range(len(answered), MANY)
    stage.sent = 0  # of the first ones nobody knows how many still come
    answering = asyncio.ensure_future(answers_of(second, len(left) + 1))
    for number in left:
        await second.say(stage.chunk(number))
    await second.say(stage.request("speech.flush", MANY))
    await stage.pass_time(answering.done)
    answers = answering.result()
    assert [answer["id"] for answer in answers] == [*left, MANY]
    assert all("result" in answer for answer in answers)
    assert await stage.booth.texts(stage.thread) == [" ".join(f"w{number}" for number in range(MANY))]


async def test_while_the_store_keeps_nothing_no_more_than_so_many_are_read(stage: Stage, connect: Connect) -> None:
    speaker, other = await connect(stage.server), await connect(stage.server)
    stage.sent = 3 * MOST_UNDER_WAY
    for number in range(stage.sent):
        await speaker.say(stage.chunk(number))
    await until(lambda: stage.office.begun >= MOST_UNDER_WAY)
    for _ in range(5):  # whoever else is here is served, and time enough for more to be read
        await other.call("thread.list")
    assert (stage.office.begun, stage.office.kept) == (MOST_UNDER_WAY, 0)
    answering = asyncio.ensure_future(answers_of(speaker, stage.sent))
    await stage.pass_time(answering.done)
    assert [answer["id"] for answer in answering.result()] == list(range(stage.sent))


async def test_a_turn_is_dropped_with_all_that_was_said_before(stage: Stage, connect: Connect) -> None:
    peer = await connect(stage.server)
    stage.sent = 10
    for number in range(10):
        await peer.say(stage.chunk(number))
    await peer.say(stage.request("speech.cancel", 10))
    await peer.say(stage.request("speech.status", 11))
    answering = asyncio.ensure_future(answers_of(peer, 12))
    await stage.pass_time(answering.done)
    answers = answering.result()
    assert [answer["id"] for answer in answers] == list(range(12))
    assert (answers[10]["result"]["turn_id"], answers[11]["result"]["content"]) == ("u", "")


async def test_what_is_no_request_is_answered_and_closed_on_behind_what_was_said_before(
    stage: Stage, connect: Connect
) -> None:
    peer = await connect(stage.server)
    stage.sent = 10
    for number in range(10):
        await peer.say(stage.chunk(number))
    await peer.say("{")
    await peer.say(b"sound")
    answering = asyncio.ensure_future(answers_of(peer, 11))
    await stage.pass_time(answering.done)
    assert [answer["id"] for answer in answering.result()] == [*range(10), None]
    assert (await peer.closed())[0] == 1003


async def test_of_somebody_whose_token_is_revoked_no_more_is_taken_than_was_under_way(
    connect: Connect, stage: Stage
) -> None:
    owner = await connect(stage.server)
    made = await owner.call("token.create", name="microphone", scopes=["write"])
    peer = await connect(stage.server, made["token"])
    stage.sent = MOST_UNDER_WAY + 8
    for number in range(stage.sent):
        await peer.say(stage.chunk(number))
    await until(lambda: stage.office.begun == MOST_UNDER_WAY)
    assert await owner.call("token.revoke", name="microphone") == {"revoked": True}
    assert (await peer.closed())[0] == 4401
    await stage.clock.advance(2 * STORE_S)
    flushed = await stage.booth.done(stage.booth.manager.force_flush_buffer(stage.thread))
    assert flushed.text.split() == [f"w{number}" for number in range(MOST_UNDER_WAY)]
    assert stage.office.begun == MOST_UNDER_WAY


async def test_what_is_under_way_when_a_client_leaves_is_kept_all_the_same(stage: Stage, connect: Connect) -> None:
    peer = await connect(stage.server)
    stage.sent = 10
    for number in range(10):
        await peer.say(stage.chunk(number))
    await until(lambda: stage.office.begun == 10)
    await peer.socket.close()
    await stage.pass_time(lambda: stage.office.kept == 10)
    flushed = await stage.booth.done(stage.booth.manager.force_flush_buffer(stage.thread))
    assert flushed.text.split() == [f"w{number}" for number in range(10)]


async def test_frames_of_a_recognizer_overlap_too(stage: Stage) -> None:
    count = 300
    words = [f"w{number}" for number in range(count)]
    async with Voice.connect(stage.server, query=f"thread_id={stage.thread}") as voice:
        await voice.ready()
        stage.sent = count
        for number in range(count):
            await voice.say({"partial": " ".join(words[: number + 1])})
        await voice.say({"partial": 5}, {"type": "Finalize"})
        error = asyncio.ensure_future(voice.until("error"))
        await stage.pass_time(error.done)
        assert stage.office.kept == count  # the mistake is told in its turn
        assert stage.writes <= 2 * count / MOST_UNDER_WAY + 2
        message: asyncio.Future[list[str]] = asyncio.ensure_future(_first_text(stage))
        await stage.pass_time(message.done)
    assert message.result() == [" ".join(words)]


async def test_what_could_not_be_kept_is_offered_again_beside_what_follows(stage: Stage) -> None:
    count = 100
    words = [f"w{number}" for number in range(count)]
    stage.failing = 2
    async with Voice.connect(stage.server, query=f"thread_id={stage.thread}") as voice:
        await voice.ready()
        for number in range(count):
            await voice.say({"partial": " ".join(words[: number + 1])})
        await voice.say({"type": "Finalize"})
        message: asyncio.Future[list[str]] = asyncio.ensure_future(_first_text(stage))
        await stage.pass_time(message.done)
    assert message.result() == [" ".join(words)]
    assert stage.writes > stage.failing
    assert stage.office.begun > count


async def _first_text(stage: Stage) -> list[str]:
    while not (texts := await stage.booth.texts(stage.thread)):
        await asyncio.sleep(0)
    return texts
