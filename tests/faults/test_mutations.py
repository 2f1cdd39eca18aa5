"""Ten thousand changed bits in what is kept: each is noticed and named, none is read as something else or as empty."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from sulla.core.errors import CorruptRecord
from sulla.core.ids import ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.store.sqlite.store import SqliteStore
from sulla.store.values import Head, Record
from sulla.testing.clock import ManualClock
from sulla.threads.head import from_head

KEPT = Path(__file__).parents[1] / "threads" / "data" / "kept-by-0.1.0.db"
ROUNDS = 10_000


@pytest.fixture
async def kept(tmp_path: Path) -> dict[str, tuple[Head, list[Record]]]:
    """Every head and record of a store that was really used."""
    copy = tmp_path / "kept.db"
    copy.write_bytes(KEPT.read_bytes())
    store = SqliteStore(copy, ManualClock(), lambda prefix: f"{prefix}_x")
    await store.open()
    found = {info.key: (info.head, await store.read(info.key)) for info in await store.find(kind="thread")}
    await store.close()
    return found


async def test_each_changed_bit_is_noticed(kept: dict[str, tuple[Head, list[Record]]]) -> None:
    chance = random.Random(20261121)
    bodies = [(key, record.kind, record.body) for key, (_, records) in kept.items() for record in records]
    bodies += [(key, "HEAD", head.body) for key, (head, _) in kept.items() if head.body]
    for round_ in range(ROUNDS):
        key, kind, body = chance.choice(bodies)
        changed = bytearray(body)
        place = chance.randrange(len(changed))
        changed[place] ^= 1 << chance.randrange(8)
        assert _noticed(key, kind, bytes(changed)), f"round {round_}: byte {place} of a {kind} of {key}"


async def test_unchanged_they_are_all_read(kept: dict[str, tuple[Head, list[Record]]]) -> None:
    for key, (head, records) in kept.items():
        _read(key, "HEAD", head.body)
        for record in records:
            assert THREAD_SCHEMA.decode(record, key).fact is not None


def _noticed(key: str, kind: str, body: bytes) -> bool:
    try:
        _read(key, kind, body)
    except CorruptRecord:
        return True
    return False


def _read(key: str, kind: str, body: bytes) -> None:
    if kind == "HEAD":
        from_head(THREAD_SCHEMA, ThreadId(key), Head("thread", "idle", body=body))
    else:
        assert THREAD_SCHEMA.decode(Record(1, kind, offered=False, body=body), key).fact is not None
