"""The tables of a cluster are made once, whoever comes first and however many come at the same moment."""

from __future__ import annotations

import asyncio
import logging
import signal
from pathlib import Path

import psycopg
import pytest

from sulla.core.errors import StoreUnavailable
from sulla.testing.clock import ManualClock
from sulla.work.dbos.members import LOCK, MAKE_S, WAITS
from tests.daemon.running import Place
from tests.kits.work_kit import CLOCK
from tests.soon import PATIENCE_S
from tests.work.dbos.conftest import cluster


@pytest.mark.parametrize("many", [2, 4])
async def test_daemons_that_start_at_once_on_an_empty_database_all_start(url: str, many: int) -> None:
    clusters = [cluster(url, f"one-{number}") for number in range(many)]
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(one.make(CLOCK) for one in clusters))
    for one in clusters:
        await one.close()


async def test_who_waits_for_another_one_that_makes_the_tables_says_so_and_holds_nothing_up(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="sulla")
    made = cluster(url)
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        waiting = asyncio.create_task(made.make(CLOCK))
        async with asyncio.timeout(PATIENCE_S):
            while WAITS not in caplog.text:
                await CLOCK.sleep(0.01)
        other.execute("CREATE TABLE t (a int)")
        other.execute("CREATE INDEX CONCURRENTLY ON t (a)")  # it waits for all that anybody has begun
        other.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))
        await waiting
    await made.close()
    assert caplog.text.count(WAITS) == 1


async def test_who_waits_for_too_long_says_what_for(url: str) -> None:
    clock, made = ManualClock(), cluster(url)
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        waiting = asyncio.create_task(made.make(clock))
        async with asyncio.timeout(PATIENCE_S):
            while not waiting.done():
                await clock.advance(MAKE_S / 10)
                await CLOCK.sleep(0.01)
        with pytest.raises(StoreUnavailable, match=r"another process .* for 120 s"):
            await waiting
    await made.close()


def test_a_daemon_that_waits_for_them_ends_when_it_is_told_to(url: str, tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline", SULLA_STORE=url, SULLA_WORK__ENGINE="dbos")
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        with place.begin("up", "--port", "0") as command:
            command.complains(WAITS)
            assert command.ended(signal.SIGTERM) == 0
            assert "stopped before it was ready" in command.complaints
