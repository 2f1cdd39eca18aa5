"""One daemon has a channel; whoever lost it keeps nothing more, and the next one finds what was kept."""

from __future__ import annotations

import pytest

from sulla.channels.base import Place
from sulla.channels.machine.book import Book, encode
from sulla.channels.machine.values import GivenUp, Item, Owner, Talk
from sulla.channels.run.shelf import LEASE_S, Shelf
from sulla.core.errors import CorruptRecord, StaleLease, StoreUnavailable
from sulla.host.system import random_id
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft, Head
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Killed, Mortal
from sulla.testing.store import FaultyStore, Phase, Touch

OLD = (
    b'{"owner":{"account":"bot","secret":"s"},"cursor":"7","seen":["0123456789abcdef"],"talks":{"p":{"place":{"id":"p",'
    b'"topic":"","kind":"private","name":"Ann"},"begun":"","agent":"","thread":"thr","told_seq":3,"used_ms":5,'
    b'"left":[["old",2]],"plays":[]}},"items":{"i":{"id":"i","place":"p","text":"hello","kind":"text","buttons":[],'
    b'"ref":"","reply_to":"","status":"sending","tries":1,"due_ms":0,"doubtful":false,"question":""}},"previews":{},'
    b'"questions":{},"given_up":2}'
)
"""A book as it was written before there were journals."""
LEAST_BYTES = 600
"""Of a journal: some steps are in each."""
CHANGES = ("offer", "acquire", "append", "renew", "release", "delete")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> MemoryStore:
    store = MemoryStore(clock, random_id)
    await store.open()
    return store


def _shelf(store: Store, clock: ManualClock, home: str = "one", boot: int = 1) -> Shelf:
    return Shelf(store, clock, f"{home}:boot{boot}", "tg", least_bytes=LEAST_BYTES)


async def _step(shelf: Shelf, number: int) -> None:
    """What belongs together, kept together."""
    shelf.book.cursor = str(number)
    shelf.book.items[f"i{number}"] = Item(f"i{number}", "p")
    shelf.book.items.pop(f"i{number - 5}", None)
    shelf.book.talks["p"] = Talk(Place("p"), told_seq=number)
    shelf.book.seen.add(f"m{number}")
    await shelf.keep()
    await shelf.shorten()


async def _steps(shelf: Shelf, kept: list[int]) -> None:
    """One step after the other, until something fails; each that was kept is noted."""
    for _ in range(1_000):
        await _step(shelf, kept[-1] + 1)
        kept.append(kept[-1] + 1)
    raise AssertionError("nothing failed")


def _last(book: Book) -> int:
    """The last step that was kept, and nothing of another one."""
    if not book.cursor:
        assert encode(book) == encode(Book())
        return -1
    last = int(book.cursor)
    assert list(book.items) == [f"i{number}" for number in range(max(0, last - 4), last + 1)]
    assert book.talks["p"].told_seq == last
    assert all(f"m{number}" in book.seen for number in range(last + 1))
    assert f"m{last + 1}" not in book.seen
    return last


async def test_another_home_takes_over_when_the_lease_is_over(store: MemoryStore, clock: ManualClock) -> None:
    first, second = _shelf(store, clock), _shelf(store, clock, "two")
    assert await first.open()
    first.book.cursor = "7"
    await first.keep()
    assert not await second.open()
    await clock.advance(LEASE_S + 1)
    assert await second.open()
    assert second.book.cursor == "7"
    first.book.cursor = "8"
    with pytest.raises(StaleLease):
        await first.keep()
    second.book.cursor = "9"
    await second.keep()
    await second.close()
    assert await first.open()
    assert first.book.cursor == "9"


async def test_a_channel_that_is_given_back_keeps_nothing(store: MemoryStore, clock: ManualClock) -> None:
    shelf = _shelf(store, clock)
    assert await shelf.open()
    await shelf.close()
    with pytest.raises(StaleLease):
        await shelf.keep()


async def _with_head(store: MemoryStore, body: bytes) -> None:
    """Have the head of a book say something."""
    await store.offer("channel:tg", "made", Draft("CHANNEL", b"{}"), digest=b"made" * 4, create=Head("channel"))
    grant = await store.acquire("channel:tg", "old:boot", LEASE_S)
    assert grant is not None
    await store.append(grant.lease, 1, (), Head("channel", body=body), grant.last_seq)
    await store.release(grant.lease)


async def test_a_book_of_before_there_were_journals_is_read_and_goes_on(store: MemoryStore, clock: ManualClock) -> None:
    await _with_head(store, OLD)
    for boot in (1, 2, 3):
        shelf = _shelf(store, clock, boot=boot)
        assert await shelf.open()
        assert shelf.book.owner == Owner("bot", "s")
        assert shelf.book.cursor == str(6 + boot)
        assert shelf.book.talks["p"] == Talk(Place("p", name="Ann"), "", "", "thr", 3, 5, (("old", 2),))
        assert shelf.book.talks.held_at("old") == "p"
        assert shelf.book.items["i"] == Item("i", "p", "hello", status="sending", tries=1)
        assert (shelf.book.seen.digests, shelf.book.given_up) == (["0123456789abcdef"], GivenUp(2))
        shelf.book.cursor = str(7 + boot)
        await shelf.keep()
        await shelf.close()


@pytest.mark.parametrize("body", [b"c\n" + OLD, b"a\n" + OLD, OLD[:-9], b"\xff\n{}"])
async def test_a_book_that_cannot_be_read_or_whose_journal_is_gone_is_refused(
    body: bytes, store: MemoryStore, clock: ManualClock
) -> None:
    await _with_head(store, body)
    shelf = _shelf(store, clock)
    with pytest.raises(CorruptRecord):
        await shelf.open()
    await shelf.close()


async def test_nothing_is_written_where_nothing_was_changed(store: MemoryStore, clock: ManualClock) -> None:
    for boot in (1, 2):
        shelf = _shelf(store, clock, boot=boot)
        assert await shelf.open()
        await shelf.keep()
        (journal,) = await store.find(kind="channel_changes")
        assert journal.last_seq == boot
        await _step(shelf, boot)
        await shelf.close()


async def test_what_is_kept_of_a_step_is_what_it_changed_and_all_of_it_is_bounded(
    store: MemoryStore, clock: ManualClock
) -> None:
    shelf = _shelf(store, clock)
    assert await shelf.open()
    heads = set[bytes]()
    for number in range(1_000):
        await _step(shelf, number)
        head = await store.head("channel:tg")
        (journal,) = await store.find(kind="channel_changes")
        assert head is not None
        heads.add(head.head.body)
        sizes = [len(record.body) for record in await store.read(journal.key, limit=5_000)]
        assert max(sizes) < 500
        assert sum(sizes) <= max(LEAST_BYTES, len(head.head.body)) + 500
    assert 10 < len(heads) < 200  # it was written whole now and then, and not at each step


async def _lived(shelf: Shelf, kept: list[int]) -> None:
    """A boot: it finds what was kept, and the step within which the one before died or not, and goes on."""
    assert await shelf.open()
    assert _last(shelf.book) in (kept[-1], kept[-1] + 1)
    kept.append(_last(shelf.book))
    await _steps(shelf, kept)


@pytest.mark.parametrize("after", [False, True])
async def test_a_kill_at_any_change_loses_and_doubles_nothing(
    after: bool, store: MemoryStore, clock: ManualClock
) -> None:
    kept = [-1]
    for at in range(1, 60):
        mortal = Mortal(store, at, after=after, changes=CHANGES)
        with pytest.raises(Killed):
            await _lived(_shelf(mortal, clock, boot=at), kept)  # type: ignore[arg-type]  # it passes on all
        assert len(await store.find(kind="channel_changes")) <= 2
    shelf = _shelf(store, clock, boot=100)
    assert await shelf.open()
    assert _last(shelf.book) in (kept[-1], kept[-1] + 1)
    assert kept[-1] > 500


@pytest.mark.parametrize("phase", ["before", "after"])
async def test_what_the_store_did_not_answer_to_is_kept_with_the_next(
    phase: Phase, store: MemoryStore, clock: ManualClock
) -> None:
    away = False

    async def plan(touch: Touch) -> None:
        if away and (touch.phase, touch.method) == (phase, "append"):
            raise StoreUnavailable("away")

    shelf = Shelf(FaultyStore(store, plan), clock, "one:boot1", "tg")  # its journal never ends here
    assert await shelf.open()
    await _step(shelf, 0)
    away = True
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await _step(shelf, 1)
    away = False
    await _step(shelf, 2)
    await shelf.close()
    again = _shelf(store, clock)
    assert await again.open()
    assert _last(again.book) == 2


@pytest.mark.parametrize("phase", ["before", "after"])
async def test_where_nobody_knows_which_journal_counts_nothing_is_kept_until_it_is_opened_anew(
    phase: Phase, store: MemoryStore, clock: ManualClock
) -> None:
    away = False

    async def plan(touch: Touch) -> None:
        if away and touch == Touch(phase, "append", "channel:tg"):
            raise StoreUnavailable("away")

    shelf, kept = _shelf(FaultyStore(store, plan), clock), [-1]
    assert await shelf.open()
    away = True
    with pytest.raises(StoreUnavailable):
        await _steps(shelf, kept)
    away = False
    with pytest.raises(StoreUnavailable):
        await _step(shelf, kept[-1] + 2)
    await shelf.close()
    await clock.advance(LEASE_S + 1)
    again = _shelf(store, clock)
    assert await again.open()
    assert _last(again.book) == kept[-1] + 1


@pytest.mark.parametrize("phase", ["before", "after"])
async def test_who_slept_while_he_made_a_journal_takes_none_from_whoever_has_the_channel_now(
    phase: Phase, store: MemoryStore, clock: ManualClock
) -> None:
    """A kill left a journal behind; while it is removed, another home takes over and makes its own of that name."""
    second = _shelf(store, clock, "two")
    named = b""

    async def plan(touch: Touch) -> None:
        nonlocal named
        if touch == Touch(phase, "renew", "channel:tg") and not named:
            await clock.advance(LEASE_S + 1)
            assert await second.open()
            await _step(second, _last(second.book) + 1)
            head = await store.head("channel:tg")
            assert head is not None
            named = head.head.body[:2]
            await clock.advance(LEASE_S + 1)  # now that one sleeps

    first = _shelf(FaultyStore(store, plan), clock)
    assert await first.open()
    left = Draft("MADE", b"{}")
    await store.offer("channel_changes:tg:b", "made", left, digest=b"left" * 4, create=Head("channel_changes"))
    with pytest.raises(StaleLease):
        await _steps(first, [-1])
    assert named == b"b\n"
    kept = _last(second.book)
    await _step(second, kept + 1)
    await second.close()
    third = _shelf(store, clock, "three")
    assert await third.open()
    assert _last(third.book) == kept + 1


async def test_the_book_of_another_account_is_another_one(store: MemoryStore, clock: ManualClock) -> None:
    shelf = _shelf(store, clock)
    assert await shelf.open()
    await _step(shelf, 0)
    shelf.book = Book(Owner("another", "s"), "first")
    await shelf.keep()
    shelf.book.talks["q"] = Talk(Place("q"))
    await shelf.keep()
    await shelf.close()
    assert await shelf.open()
    expected = Book(Owner("another", "s"), "first")
    expected.talks["q"] = Talk(Place("q"))
    assert encode(shelf.book) == encode(expected)
