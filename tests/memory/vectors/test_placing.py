"""Notes get their vectors behind the turns: all of them, each once, over failures and kills and whatever is refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from sulla.core.errors import ContextTooLong, InvalidInput, LimitReached, ProviderUnreachable
from sulla.memory.metrics import BY_WORDS_ALONE, PLACED
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.vectors import placing as module
from sulla.memory.vectors.placing import BATCH, Placing, text_of
from sulla.telemetry.tally import Tally
from sulla.testing.clock import ManualClock
from tests.kits.memory_kit import make_note
from tests.memory.embedder import embed
from tests.memory.world import make_index

TALLY = (PLACED, BY_WORDS_ALONE)


class Service:
    """Embeds, unless it is told to fail."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.fails: Callable[[Sequence[str]], Exception | None] = lambda texts: None

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.append(list(texts))
        if (error := self.fails(texts)) is not None:
            raise error
        return await embed(texts)


class Home:
    """An index whose notes are embedded when `round` is called."""

    def __init__(self, index: SqliteMemory, clock: ManualClock) -> None:
        self.index = index
        self.clock = clock
        self.service = Service()
        self.tally = Tally(TALLY, ())
        self.boot()

    def boot(self, model: str = "m:one") -> None:
        self.placing = Placing(self.index.vectors, model, self.service.embed, self.clock, self.tally)

    async def round(self) -> bool:
        working = asyncio.create_task(self.placing.catch_up())
        while not working.done():
            await self.clock.advance(0.1)
        return await working

    async def placed(self) -> int:
        return len(await self.index.vectors.signed("ada", 0, 1000))


@pytest.fixture
async def home(manual_clock: ManualClock) -> AsyncIterator[Home]:
    index = make_index()
    await index.open()
    yield Home(index, manual_clock)
    await index.close()


async def test_what_is_missing_is_embedded_in_batches_the_newest_first_and_each_note_once(home: Home) -> None:
    notes = [make_note(f"number {n}", at_ms=n + 1) for n in range(2 * BATCH + 3)]
    await home.index.add(notes)
    assert await home.round()
    assert [len(texts) for texts in home.service.asked] == [BATCH, BATCH, 3]
    assert home.service.asked[0][0] == text_of(notes[-1])
    assert await home.placed() == len(notes)
    for _ in range(2):
        home.boot()  # a restart
        await home.round()
    assert len(home.service.asked) == 3
    await home.index.add([make_note("one more")])
    await home.round()
    assert [len(texts) for texts in home.service.asked] == [BATCH, BATCH, 3, 1]
    assert await home.placed() == len(notes) + 1
    assert dict(home.tally.counted())[PLACED] == {(): float(len(notes) + 1)}


async def test_a_cut_after_any_call_costs_no_more_than_that_call(home: Home) -> None:
    await home.index.add([make_note(f"number {n}") for n in range(3 * BATCH)])
    for cut in range(3):
        calls = len(home.service.asked)

        def fails(texts: Sequence[str], calls: int = calls) -> Exception | None:
            return asyncio.CancelledError() if len(home.service.asked) == calls + 2 else None  # type: ignore[return-value]  # the fake's failures are exceptions of any kind

        home.service.fails = fails
        with pytest.raises(asyncio.CancelledError):
            await home.round()
        assert await home.placed() == (cut + 1) * BATCH
        home.boot()
        if cut == 1:
            break
    home.service.fails = lambda texts: None
    await home.round()
    assert await home.placed() == 3 * BATCH


@pytest.mark.parametrize(
    "error",
    [
        ProviderUnreachable("no Ollama"),
        LimitReached("limit_day_tokens", "the day's tokens are used up"),
    ],
    ids=["away", "limit"],
)
async def test_while_it_cannot_be_asked_it_is_said_once_and_caught_up_later(
    home: Home, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    caplog.set_level("INFO")
    await home.index.add([make_note("waits")])
    home.service.fails = lambda texts: error
    for _ in range(3):
        assert not await home.round()
    assert home.placing.state == "failing"
    assert home.placing.pending.pause().wait_s == 30.0
    home.service.fails = lambda texts: None
    assert await home.round()
    assert await home.placed() == 1
    said = [record.message for record in caplog.records]
    assert [line.split(":")[0] for line in said] == ["notes get no vectors", "notes get vectors again"]


async def test_another_model_has_all_embedded_anew_and_leaves_nothing_of_the_old_one(home: Home) -> None:
    await home.index.add([make_note(f"number {n}") for n in range(5)])
    await home.round()
    before = {one.seq for one in await home.index.vectors.signed("ada", 0, 100)}
    home.boot("m:two")
    await home.round()
    after = {one.seq for one in await home.index.vectors.signed("ada", 0, 100)}
    assert len(after) == 5
    assert not before & after


async def test_two_daemons_with_two_models_do_not_embed_for_ever(home: Home) -> None:
    await home.index.add([make_note("one")])
    await home.round()
    other = Placing(home.index.vectors, "m:two", home.service.embed, home.clock, home.tally)
    working = asyncio.create_task(other.catch_up())
    while not working.done():
        await home.clock.advance(0.1)
    await home.index.add([make_note("two")])
    assert not await home.round()
    assert "have to name the same memory.embed" in home.placing.pending.error
    assert len(await home.index.vectors.missing(9)) == 1


async def test_a_text_that_is_too_long_for_the_model_is_shortened_and_one_that_is_refused_stands_in_no_way(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    long, bad = make_note("x" * 900), make_note("cursed")
    await home.index.add([make_note("before"), long, bad, make_note("behind")])

    def fails(texts: Sequence[str]) -> Exception | None:
        if any("cursed" in text for text in texts):
            return InvalidInput("cannot be written as JSON")
        return ContextTooLong("too long") if any(len(text) > 300 for text in texts) else None

    home.service.fails = fails
    assert await home.round()
    assert await home.placed() == 3
    assert [note.id for note in await home.index.vectors.missing(9)] == [bad.id]
    assert "is found by words alone: cannot be written as JSON" in caplog.text
    calls = len(home.service.asked)
    assert await home.round()
    assert len(home.service.asked) == calls  # it is not asked again before the next start


async def test_of_very_many_refused_notes_no_round_is_endless(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_REFUSED", 2)
    await home.index.add([make_note(f"number {n}") for n in range(5)])
    home.service.fails = lambda texts: InvalidInput("no")
    assert await home.round()


async def test_it_runs_when_notes_were_added_and_ends_when_it_is_told_to(home: Home) -> None:
    running = asyncio.create_task(home.placing.run())
    while home.placing.state != "up to date":
        await home.clock.advance(0.1)
    await home.index.add([make_note("fresh")])
    home.placing.added()
    while not await home.placed():
        await home.clock.advance(0.1)
    stopping = asyncio.create_task(home.placing.stop(5.0))
    while not running.done():
        await home.clock.advance(0.1)
    await asyncio.gather(running, stopping)
