"""An audit names what cannot be read and counts all of it; what can be read it leaves alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.core.ids import MessageId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.store.memory import MemoryStore
from sulla.store.sealing import seal
from sulla.store.values import Draft, Head, LogInfo, Record
from sulla.testing.clock import ManualClock
from sulla.threads.archive.audit import NAMED, Audit, audit_threads
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.records import Input, ThreadCreated
from sulla.threads.store import ThreadStore

DAY_S = 86_400.0


async def _nothing() -> None:
    """Let it be."""


class Scratched:
    """A store whose heads and records are changed on their way out."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.on_record: Callable[[str, Record], Record | None] = lambda key, record: record
        self.on_head: Callable[[LogInfo], LogInfo] = lambda info: info
        self.on_page: Callable[[], Awaitable[None]] = _nothing
        self.deleted = set[str]()

    async def find(self, *, after_key: str = "", limit: int = 100) -> list[LogInfo]:
        await self.on_page()
        return [self.on_head(info) for info in await self._store.find(after_key=after_key, limit=limit)]

    async def head(self, key: str) -> LogInfo | None:
        return None if key in self.deleted else await self._store.head(key)

    async def read(self, key: str, *, after: int = 0, limit: int = 512) -> list[Record]:
        await self.on_page()
        if key in self.deleted:
            return []
        records = [self.on_record(key, record) for record in await self._store.read(key, after=after, limit=limit)]
        return [record for record in records if record is not None]


@pytest.fixture
async def kept() -> AsyncIterator[MemoryStore]:
    """Three threads with three records each."""
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await store.open()
    threads = ThreadStore(store, clock, lambda prefix: prefix, "home:1", THREAD_SCHEMA, ThreadLimits())
    for name in "abc":
        thread_id = await threads.create(ThreadCreated("sulla", name, ""), f"request-{name}")
        for number in (1, 2):
            await threads.send(thread_id, Input(MessageId(f"m{number}"), f"hello {name} {number}"))
    yield store
    await store.close()


@pytest.fixture
def store(kept: MemoryStore) -> Scratched:
    return Scratched(kept)


async def _keys(kept: MemoryStore) -> list[str]:
    return [info.key for info in await kept.find()]


async def look(store: Scratched, clock: ManualClock | None = None) -> Audit:
    return await audit_threads(store, THREAD_SCHEMA, clock or ManualClock(), DAY_S)


async def test_everything_is_counted_and_the_newest_record_is_known(store: Scratched) -> None:
    found = await look(store)
    assert (found.logs, found.records, found.damaged, found.named) == (3, 9, 0, [])
    assert found.newest_ms == round(ManualClock().now() * 1000)
    assert (found.finished, found.broke_off) == (True, "")


async def test_an_empty_store_is_whole() -> None:
    store = MemoryStore(ManualClock(), lambda prefix: prefix)
    await store.open()
    assert await audit_threads(store, THREAD_SCHEMA, ManualClock(), 1.0) == Audit()


async def test_a_record_that_was_changed_is_named_with_its_place_and_the_others_are_read(
    store: Scratched, kept: MemoryStore
) -> None:
    key = (await _keys(kept))[1]
    store.on_record = lambda where, record: (
        replace(record, body=record.body[:-2] + b"x}") if (where, record.seq) == (key, 2) else record
    )
    found = await look(store)
    assert (found.records, found.damaged) == (9, 1)
    assert found.named == [f"{key} record 2 (INPUT): the checksum does not match; the record was changed or cut"]


async def test_a_record_of_another_form_is_named_with_its_place(store: Scratched, kept: MemoryStore) -> None:
    key = (await _keys(kept))[0]
    body = seal("INPUT", b'{"at":1,"data":{"message_id":5,"text":"x"}}')
    store.on_record = lambda where, record: replace(record, body=body) if (where, record.seq) == (key, 3) else record
    found = await look(store)
    assert found.named == [f"{key} record 3 (INPUT): Input.message_id: expected str, found 5"]


async def test_a_record_whose_bytes_have_become_text_is_damage(store: Scratched, kept: MemoryStore) -> None:
    key = (await _keys(kept))[0]
    text: Any = "1 00000000 {}"
    store.on_record = lambda where, record: replace(record, body=text) if (where, record.seq) == (key, 1) else record
    found = await look(store)
    assert (found.records, found.damaged) == (9, 1)
    assert found.named[0].startswith(f"{key} record 1 (THREAD_CREATED): ")


async def test_a_head_that_cannot_be_read_is_named_and_its_records_are_looked_at_all_the_same(
    store: Scratched, kept: MemoryStore
) -> None:
    key = (await _keys(kept))[2]
    store.on_head = lambda info: (
        replace(info, head=replace(info.head, body=info.head.body[:-1])) if info.key == key else info
    )
    found = await look(store)
    assert (found.records, found.damaged) == (9, 1)
    assert found.named == [f"{key} head: the checksum does not match; the record was changed or cut"]


async def test_a_hole_and_a_missing_end_are_damage(store: Scratched, kept: MemoryStore) -> None:
    first, second, _ = await _keys(kept)
    gone = {(first, 2), (second, 3)}
    store.on_record = lambda where, record: None if (where, record.seq) in gone else record
    found = await look(store)
    assert found.named == [
        f"{first}: record 3 follows record 1; what was between them is missing",
        f"{second}: the log ends with record 2, expected 3",
    ]


async def test_a_thread_that_is_deleted_meanwhile_is_no_damage(store: Scratched, kept: MemoryStore) -> None:
    store.deleted = {(await _keys(kept))[1]}
    found = await look(store)
    assert (found.records, found.damaged) == (6, 0)


async def test_all_damage_is_counted_and_only_the_first_pieces_are_named(kept: MemoryStore) -> None:
    for number in range(NAMED):
        await kept.offer(f"more{number:02}", "m", Draft("INPUT", b"rubbish"), digest=b"d", create=Head("thread"))
    store = Scratched(kept)
    store.on_record = lambda where, record: replace(record, body=b"9 0 {}")
    found = await look(store)
    assert found.damaged == NAMED + 9
    assert len(found.named) == NAMED


async def test_a_log_of_another_capability_is_left_to_it(kept: MemoryStore) -> None:
    await kept.offer("beat", "x", Draft("ANY", b"not ours"), digest=b"d", create=Head("beat", body=b"not ours"))
    found = await audit_threads(kept, THREAD_SCHEMA, ManualClock(), 1.0)
    assert (found.logs, found.records, found.damaged) == (4, 9, 0)


async def test_it_ends_at_its_deadline_and_says_so(store: Scratched) -> None:
    clock = ManualClock()
    store.on_page = lambda: clock.advance(0.6)
    found = await audit_threads(store, THREAD_SCHEMA, clock, 1.0)
    assert (found.finished, found.broke_off) == (False, "")
    assert 0 < found.records < 9


async def test_a_store_that_breaks_off_keeps_what_was_found(store: Scratched, kept: MemoryStore) -> None:
    keys = await _keys(kept)

    def fail(where: str, record: Record) -> Record:
        if where == keys[1]:
            raise StoreUnavailable("the file is damaged")
        return record

    store.on_record = fail
    found = await look(store)
    assert (found.records, found.finished, found.broke_off) == (3, False, "the file is damaged")


async def test_a_list_that_cannot_be_read_is_damage_and_the_end(store: Scratched) -> None:
    async def fail() -> None:
        raise CorruptRecord("the row of log number 1 is damaged: its status is 'x'")

    store.on_page = fail
    found = await look(store)
    assert (found.damaged, found.finished) == (1, False)
    assert found.named == ["the row of log number 1 is damaged: its status is 'x'"]
    assert found.broke_off == "the list of logs cannot be read on behind ''"


async def test_looking_changes_nothing(kept: MemoryStore) -> None:
    before = [(info, await kept.read(info.key)) for info in await kept.find()]
    await audit_threads(kept, THREAD_SCHEMA, ManualClock(), 1.0)
    assert [(info, await kept.read(info.key)) for info in await kept.find()] == before
