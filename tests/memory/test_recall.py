"""Words and meaning are asked together; where meaning cannot be asked, words have to do, and that is said once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from sulla.core.errors import CorruptRecord, LimitReached, ProviderUnreachable, StoreUnavailable, SullaError
from sulla.memory.metrics import BY_WORDS_ALONE
from sulla.memory.note import MemoryHit
from sulla.memory.recall import MEANING_S, Recall
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.vectors.base import NoteVector
from sulla.memory.vectors.search import Meanings
from sulla.memory.vectors.signature import normalised, pack, signature_of
from sulla.telemetry.tally import Tally
from sulla.testing.clock import ManualClock
from tests.kits.memory_kit import make_note
from tests.memory.embedder import place
from tests.memory.world import make_index

DOCTOR, KILN = make_note("our doctor is Halloran"), make_note("the kiln takes six hours")


class Asked:
    """Gives places, unless it is told to fail or to hang."""

    error: SullaError | None = None
    hangs = False

    async def place(self, question: str) -> Sequence[float]:
        if self.hangs:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error
        return place(question)


@pytest.fixture
async def index() -> AsyncIterator[SqliteMemory]:
    backend = make_index()
    await backend.open()
    await backend.vectors.use("m:one")
    await backend.add([DOCTOR, KILN])
    vectors = [(note, normalised(place(note.text))) for note in (DOCTOR, KILN)]
    await backend.vectors.put("m:one", [NoteVector(note, signature_of(one), pack(one)) for note, one in vectors])
    yield backend
    await backend.close()


def _ids(found: list[MemoryHit]) -> list[str]:
    return [hit.note.id for hit in found]


async def test_what_either_finds_is_found(index: SqliteMemory, manual_clock: ManualClock) -> None:
    recall = Recall(index, manual_clock, None, Meanings(index.vectors, Asked().place), 0.5)
    assert _ids(await recall.find(["ada"], "physician", 5)) == [DOCTOR.id]
    assert _ids(await recall.find(["ada"], "kiln", 1)) == [KILN.id]
    assert set(_ids(await recall.find(["ada"], "which physician owns a kiln", 5))) == {DOCTOR.id, KILN.id}
    assert _ids(await recall.best(["ada"], "physician", 5)) == [DOCTOR.id]
    assert await recall.best(["ada"], "opera", 5) == []
    assert await recall.find(["ada"], " ", 5) == []


@pytest.mark.parametrize(
    "error",
    [ProviderUnreachable("away"), LimitReached("limit_day_tokens", "away"), StoreUnavailable("away")],
    ids=lambda error: type(error).__name__,
)
async def test_where_meaning_cannot_be_asked_words_have_to_do(
    index: SqliteMemory, manual_clock: ManualClock, caplog: pytest.LogCaptureFixture, error: SullaError
) -> None:
    caplog.set_level("INFO")
    asked, tally = Asked(), Tally((BY_WORDS_ALONE,), ())
    recall = Recall(index, manual_clock, tally, Meanings(index.vectors, asked.place), 0.5)
    asked.error = error
    for _ in range(3):
        assert _ids(await recall.find(["ada"], "kiln or physician", 5)) == [KILN.id]
    assert dict(tally.counted())[BY_WORDS_ALONE] == {(): 3.0}
    asked.error = None
    assert len(await recall.find(["ada"], "kiln or physician", 5)) == 2
    assert [record.message for record in caplog.records] == [
        "the memory is searched by words alone for now: away",
        "the memory is searched by meaning again",
    ]


async def test_a_service_that_hangs_is_not_waited_for(
    index: SqliteMemory, manual_clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    asked = Asked()
    asked.hangs = True
    recall = Recall(index, manual_clock, None, Meanings(index.vectors, asked.place))
    finding = asyncio.create_task(recall.find(["ada"], "kiln", 5))
    while not finding.done():
        await manual_clock.advance(0.1)
        await asyncio.sleep(0)
    assert _ids(await finding) == [KILN.id]
    assert f"no answer within {MEANING_S:g} s" in caplog.text


async def test_what_is_corrupt_is_said(index: SqliteMemory, manual_clock: ManualClock) -> None:
    asked = Asked()
    asked.error = CorruptRecord("not a note")
    with pytest.raises(CorruptRecord):
        await Recall(index, manual_clock, None, Meanings(index.vectors, asked.place)).find(["ada"], "kiln", 5)


async def test_notes_are_not_looked_for_where_none_can_be_worth_telling(
    index: SqliteMemory, manual_clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    search = index.search

    async def counted(scopes: Sequence[str], question: str, limit: int) -> list[MemoryHit]:
        looked.append(question)
        return await search(scopes, question, limit)

    monkeypatch.setattr(index, "search", counted)
    recall = Recall(index, manual_clock)
    for question in ("thanks, that is all", "the opera in Bombay", "", "of the in and"):
        assert await recall.best(["ada"], question, 5) == []
    assert looked == []
    assert _ids(await recall.best(["ada"], "the kiln", 5)) == [KILN.id]
    assert looked == ["the kiln"]
