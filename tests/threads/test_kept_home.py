"""What the version before the slices kept is read, written and taken up as it was.

`data/kept-by-72dcc91.db.xz` is a store that commit 72dcc91 wrote as `kept_home.KeptHome`: each of its playbooks, talks
and beats once in peace and several times cut off by a death, with runs at work, runs that wait for an approval, an
answer, a review or a child, and messages that are held. `sqlite3` opens it.
"""

from __future__ import annotations

import lzma
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.ids import ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.store.sqlite.store import SqliteStore
from sulla.store.values import LogInfo
from sulla.testing.clock import ManualClock
from sulla.threads.head import from_head, to_head
from sulla.threads.log.codec import encode
from sulla.threads.log.inputs import Opening
from sulla.threads.recent import RecentEntries
from sulla.threads.tail import load_tail
from tests.simulation.history import History, Kept, ThreadHistory, breaches
from tests.threads.kept_home import KeptHome

OLD = Path(__file__).with_name("data") / "kept-by-72dcc91.db.xz"
LOGS, RECORDS = 104, 848
NEWEST_S = 1_800_002_500.0
"""A little after the newest record; what is waited for has not run out by then."""


@pytest.fixture
def clock() -> ManualClock:
    made = ManualClock()
    made.jump(NEWEST_S - made.now())
    return made


@pytest.fixture
async def store(tmp_path: Path, clock: ManualClock) -> AsyncIterator[SqliteStore]:
    (tmp_path / "sulla.db").write_bytes(lzma.decompress(OLD.read_bytes()))
    numbers = iter(range(10**6))
    made = SqliteStore(tmp_path / "sulla.db", clock, lambda prefix: f"{prefix}_new{next(numbers)}")
    await made.open()
    yield made
    await made.close()


async def logs_of(store: SqliteStore) -> list[LogInfo]:
    found = await store.find(limit=1_000)
    assert len(found) == LOGS
    assert {info.head.status for info in found} == {"idle", "open", "suspended"}
    return found


async def test_every_record_is_written_again_byte_for_byte(store: SqliteStore) -> None:
    count = 0
    for info in await logs_of(store):
        for record in await store.read(info.key, limit=1_000):
            entry = THREAD_SCHEMA.decode(record, info.key)
            assert entry.fact is not None, (info.key, record.kind)
            assert encode(entry.fact, entry.origin).body == record.body, (info.key, record.seq)
            count += 1
    assert count == RECORDS


DROPPED = (b'"had_tool_calls":true,',)
"""What a head of that version holds and nothing has ever read: it is left out when the head is written again."""


async def test_every_head_is_written_again_byte_for_byte_but_for_what_nothing_reads(store: SqliteStore) -> None:
    dropped = 0
    for info in await logs_of(store):
        state, unread = from_head(THREAD_SCHEMA, ThreadId(info.key), info.head)
        await load_tail(store, RecentEntries(THREAD_SCHEMA), state, unread, 0, unread.claimed)
        state.inbox.opening = Opening()  # that version did not keep it
        again = to_head(THREAD_SCHEMA, state, unread.claimed, unread.epoch, info.head.due_ms)
        kept = _unsealed(info.head.body)
        for field in DROPPED:
            dropped += kept.count(field)
            kept = kept.replace(field, b"")
        assert _unsealed(again.body) == kept, info.key
        assert replace(again, body=b"") == replace(info.head, body=b""), info.key
    assert dropped


def _unsealed(body: bytes) -> bytes:
    """A head's text without the mark of its form and the checksum before it."""
    return body.split(b" ", 2)[2]


async def test_what_was_under_way_comes_to_its_end_with_no_promise_broken(
    store: SqliteStore, clock: ManualClock, tmp_path: Path
) -> None:
    before = await logs_of(store)
    home = KeptHome(store, clock, tmp_path, 1_000)
    begun = {state.thread_id for state in await home.states()}
    await home.live()
    threads = []
    for state in await home.states():
        kept = Kept(state.spending.usage, state.spending.day, state.spending.day_tokens)
        threads.append(ThreadHistory(state.thread_id, tuple(await home.log(state.thread_id)), kept=kept))
    assert len(before) == len(begun)
    assert breaches(History(tuple(threads))) == []
    ended = [
        state for state in await home.states() if state.identity.graph == "playbook" and state.identity.birth is None
    ]
    assert len(ended) > 30
    assert {state.newest.outcome.status for state in ended} == {"done"}
    beats = [state.thread_id for state in await home.states() if state.identity.graph == "heartbeat"]
    ends = [entry.data for beat in beats for entry in await home.log(beat) if entry.kind == "BEAT_ENDED"]
    assert [(end["status"], end["summary"], end["cycles"]) for end in ends] == [("done", "cycle 2", 2)] * 5
    keys = [line["key"] for line in home.ledger.read() if line["tool"] == "note_once"]
    assert len(keys) == len(set(keys)) > 10
