"""Clients' notes are kept in the store, for a while."""

from __future__ import annotations

import pytest

from sulla.core.errors import TooLarge
from sulla.daemon.bookmarks import KEPT_S, StoreBookmarks
from sulla.daemon.system import random_id
from sulla.gateway import BOOKMARK_BYTES
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock


async def test_a_note_is_had_until_it_is_old_or_another_is_in_its_place() -> None:
    clock = ManualClock()
    store = MemoryStore(clock, random_id)
    await store.open()
    bookmarks = StoreBookmarks(store)
    assert await bookmarks.get("a") is None
    await bookmarks.put("a", "one")
    await bookmarks.put("b", "grüß 🙂")
    await bookmarks.put("a", "two")
    assert [await bookmarks.get(key) for key in ("a", "b")] == ["two", "grüß 🙂"]
    await clock.advance(KEPT_S + 1)
    assert await bookmarks.get("a") is None
    await store.close()


async def test_a_note_that_is_too_long_is_refused() -> None:
    store = MemoryStore(ManualClock(), random_id)
    await store.open()
    bookmarks = StoreBookmarks(store)
    with pytest.raises(TooLarge):
        await bookmarks.put("a", "x" * (BOOKMARK_BYTES + 1))
    assert await bookmarks.get("a") is None
