"""Clients' notes are kept in the store, for a while."""

from __future__ import annotations

import asyncio

import pytest

from sulla.core.errors import TooLarge
from sulla.daemon.bookmarks import KEPT_S, StoreBookmarks
from sulla.gateway.bookmarks import BOOKMARK_BYTES
from sulla.host.system import random_id
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


async def test_a_note_takes_the_place_of_what_is_known_and_of_nothing_else() -> None:
    clock = ManualClock()
    store = MemoryStore(clock, random_id)
    await store.open()
    one, two = StoreBookmarks(store), StoreBookmarks(store)
    assert await one.swap("a", "grüß", "new") is False
    assert await one.swap("a", None, "grüß 🙂") is True
    assert await one.swap("a", None, "other") is False
    await clock.advance(KEPT_S - 1)
    done = await asyncio.gather(one.swap("a", "grüß 🙂", "one"), two.swap("a", "grüß 🙂", "two"))
    assert sorted(done) == [False, True]
    await clock.advance(KEPT_S - 1)
    assert await one.get("a") == ("one" if done[0] else "two"), "its time began anew"
    await clock.advance(1)
    assert await one.swap("a", None, "three") is True
    await store.close()


async def test_a_note_that_is_too_long_is_refused() -> None:
    store = MemoryStore(ManualClock(), random_id)
    await store.open()
    bookmarks = StoreBookmarks(store)
    with pytest.raises(TooLarge):
        await bookmarks.put("a", "x" * (BOOKMARK_BYTES + 1))
    with pytest.raises(TooLarge):
        await bookmarks.swap("a", None, "x" * (BOOKMARK_BYTES + 1))
    assert await bookmarks.get("a") is None
