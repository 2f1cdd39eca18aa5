"""One thread for one file: in order, whole, and never the end of the process."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.store.sqlite.thread import MAX_QUEUED, SqliteThread


@pytest.fixture
async def thread(tmp_path: Path) -> AsyncIterator[SqliteThread]:
    thread = SqliteThread(tmp_path / "sulla.db", 0.0)
    await thread.start()
    yield thread
    await thread.stop()


def _names(db: sqlite3.Connection) -> list[str]:
    return [name for (name,) in db.execute("SELECT name FROM meta ORDER BY name")]


def _insert(db: sqlite3.Connection, name: str) -> None:
    db.execute("INSERT INTO meta VALUES (?, '')", (name,))


async def test_work_is_done_in_the_order_of_asking_on_one_thread(thread: SqliteThread) -> None:
    done: list[tuple[int, int]] = []

    def work(number: int) -> None:
        done.append((number, threading.get_ident()))

    await asyncio.gather(*(thread.read(lambda _, n=n: work(n)) for n in range(50)))  # type: ignore[misc]  # mypy cannot infer a lambda with a default
    assert [number for number, _ in done] == list(range(50))
    assert {ident for _, ident in done}.isdisjoint({threading.get_ident()})
    assert len({ident for _, ident in done}) == 1


async def test_work_that_fails_is_undone_and_its_error_is_the_askers(thread: SqliteThread) -> None:
    def work(db: sqlite3.Connection) -> None:
        _insert(db, "a")
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await thread.write(work)
    assert await thread.read(_names) == []


async def test_a_mistake_in_a_statement_is_not_taken_for_an_outage(thread: SqliteThread) -> None:
    await thread.write(lambda db: _insert(db, "a"))
    with pytest.raises(sqlite3.IntegrityError):
        await thread.write(lambda db: _insert(db, "a"))
    assert await thread.read(_names) == ["a"]


async def test_work_goes_on_to_its_end_when_its_asker_is_cancelled(thread: SqliteThread) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(db: sqlite3.Connection) -> None:
        begun.set()
        go_on.wait(10)
        _insert(db, "a")

    asked = thread.write(work)
    await asyncio.to_thread(begun.wait, 10)
    asked.cancel()
    go_on.set()
    assert await thread.read(_names) == ["a"]
    assert asked.cancelled()


async def test_stopping_finishes_what_was_asked(tmp_path: Path) -> None:
    thread = SqliteThread(tmp_path / "sulla.db", 0.0)
    await thread.start()
    asked = [thread.write(lambda db, n=n: _insert(db, f"{n:02}")) for n in range(20)]  # type: ignore[misc]  # as above
    await thread.stop()
    await asyncio.gather(*asked)
    with pytest.raises(StoreUnavailable, match=r"sulla\.db' is not open"):
        await thread.read(_names)
    await thread.stop()
    await thread.start()
    assert len(await thread.read(_names)) == 20
    await thread.stop()


async def test_no_thread_is_left_behind(tmp_path: Path) -> None:
    before = threading.active_count()
    thread = SqliteThread(tmp_path / "sulla.db", 0.0)
    await thread.start()
    assert threading.active_count() == before + 1
    await thread.stop()
    assert threading.active_count() == before
    hopeless = SqliteThread(tmp_path / "no folder" / "sulla.db", 0.0)
    with pytest.raises(StoreUnavailable, match="no folder"):
        await hopeless.start()
    assert threading.active_count() == before


async def test_more_than_may_wait_is_refused_at_once(thread: SqliteThread) -> None:
    go_on = threading.Event()
    first = thread.read(lambda _: go_on.wait(60))
    asked = []
    with pytest.raises(StoreUnavailable, match=f"{MAX_QUEUED} calls wait") as refused:
        asked += [thread.read(lambda _: None) for _ in range(MAX_QUEUED + 2)]
    assert refused.value.retry_after_s is not None
    closing = asyncio.ensure_future(thread.stop())
    await asyncio.sleep(0)
    go_on.set()
    await closing
    assert await first is True


def test_an_asker_whose_loop_is_gone_does_no_harm(tmp_path: Path) -> None:
    thread, go_on = SqliteThread(tmp_path / "sulla.db", 0.0), threading.Event()
    asked: list[asyncio.Future[bool]] = []

    async def ask_and_leave() -> None:
        await thread.start()
        asked.append(thread.read(lambda _: go_on.wait(10)))

    async def look() -> list[str]:
        names = await thread.read(_names)
        await thread.stop()
        return names

    asyncio.run(ask_and_leave())
    go_on.set()
    assert asyncio.run(look()) == []
