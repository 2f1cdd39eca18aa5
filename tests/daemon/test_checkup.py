"""Looking at a store from end to end, whatever state it is in."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from pathlib import Path

import pytest

from sulla.core.errors import Busy
from sulla.daemon.checkup import Checkup, StoreReport, check_store, report_from_json
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.host.system import SystemClock
from sulla.store.memory import MemoryStore
from sulla.store.sqlite.reader import SqliteReader
from sulla.store.sqlite.store import SqliteStore
from sulla.testing.clock import ManualClock
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.records import ThreadCreated
from sulla.threads.store import ThreadStore

DAY_S = 86_400.0


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A store with twenty threads whose titles fill pages."""
    path = tmp_path / "sulla.db"
    store = SqliteStore(path, ManualClock(), lambda prefix: f"{prefix}_1")
    await store.open()
    threads = ThreadStore(store, ManualClock(), lambda prefix: prefix, "home:1", THREAD_SCHEMA, ThreadLimits())
    for number in range(20):
        await threads.create(ThreadCreated("sulla", "x" * 3000, ""), f"r{number}")
    await store.close()
    return path


async def _check(path: Path) -> StoreReport:
    return await check_store(SqliteReader(path, SystemClock(), quiet=True), None, SystemClock(), DAY_S)


async def test_a_whole_store_has_nothing_to_complain_of(path: Path) -> None:
    found = await _check(path)
    assert found == StoreReport(logs=20, records=20, newest_ms=round(ManualClock().now() * 1000))


async def test_a_store_without_a_file_is_read_as_it_is() -> None:
    store = MemoryStore(ManualClock(), lambda prefix: prefix)
    await store.open()
    threads = ThreadStore(store, ManualClock(), lambda prefix: prefix, "home:1", THREAD_SCHEMA, ThreadLimits())
    await threads.create(ThreadCreated("sulla", "", ""))
    found = await check_store(None, store, ManualClock(), DAY_S)
    assert (found.logs, found.records, found.damaged) == (1, 1, 0)


async def test_a_damaged_file_is_reported_by_both_of_its_parts(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 // 4096 * 4096)
        file.write(os.urandom(16384))
    found = await _check(path)
    assert found.structure
    assert found.damaged or found.broke_off
    assert not found.unusable


async def test_a_file_that_cannot_be_opened_says_why(path: Path) -> None:
    path.write_bytes(b"rubbish" * 1000)
    found = await _check(path)
    assert "this is no SQLite file" in found.unusable
    assert (found.logs, found.records) == (0, 0)


async def test_an_earlier_versions_records_are_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 0")
    connection.close()
    found = await _check(path)
    assert found == StoreReport(outdated=True)


def test_a_report_travels_and_what_a_later_daemon_adds_is_passed_over() -> None:
    report = StoreReport("", False, ("a", "b"), True, 3, 4, 1, ("c",), 5, False, "why")
    assert report_from_json(report.to_json() | {"later": {}}) == report


@pytest.mark.parametrize("value", [{"logs": "3"}, {"logs": True}, {"named": "x"}, {"finished": 1}])
def test_what_is_no_report_is_refused(value: dict[str, str | bool | int]) -> None:
    with pytest.raises(TypeError, match=next(iter(value))):
        report_from_json(dict(value))


async def test_one_look_at_a_time_and_after_a_failure_the_next_one_may_begin() -> None:
    gate = asyncio.Event()
    results: list[StoreReport | RuntimeError] = [RuntimeError("broke"), StoreReport(logs=1)]

    async def look() -> StoreReport:
        await gate.wait()
        match results.pop(0):
            case RuntimeError() as error:
                raise error
            case StoreReport() as report:
                return report

    checkup = Checkup(look)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(_failing(checkup))
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="is being looked at already") as raised:
            await checkup.run()
        assert raised.value.retry_after_s
        gate.set()
    assert first.result() == "broke"
    assert (await checkup.run())["logs"] == 1


async def _failing(checkup: Checkup) -> str:
    with pytest.raises(RuntimeError) as raised:
        await checkup.run()
    return str(raised.value)
