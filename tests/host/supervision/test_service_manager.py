from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sulla.core.errors import SettingsError
from sulla.host.supervision.service_manager import show_life, supervised_by
from sulla.host.supervision.supervised import ALIVE, READY, Supervised
from sulla.testing.clock import ManualClock

PID = 4711


@contextmanager
def manager(name: str) -> Iterator[socket.socket]:
    """What a service manager listens with."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(name)
        sock.settimeout(5)
        yield sock


@pytest.mark.parametrize("abstract", [False, True])
def test_what_is_told_reaches_the_manager_at_a_path_or_an_abstract_name(tmp_path: Path, abstract: bool) -> None:
    place = f"@{tmp_path}" if abstract else str(tmp_path / "notify")
    with manager(f"\0{tmp_path}" if abstract else place) as sock:
        supervised_by({"NOTIFY_SOCKET": place}, PID).tell(READY)
        assert sock.recv(100) == b"READY=1"


def test_a_manager_that_is_gone_is_told_of_in_the_log_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        supervised_by({"NOTIFY_SOCKET": str(tmp_path / "gone")}, PID).tell(READY)
    assert "does not take 'READY=1'" in caplog.text


def test_a_process_that_nobody_looks_after_tells_nobody() -> None:
    assert supervised_by({}, PID) == Supervised()


def test_what_is_meant_for_the_parent_is_not_taken() -> None:
    parents = {"WATCHDOG_PID": "1", "WATCHDOG_USEC": "1000000", "LISTEN_PID": "1", "LISTEN_FDS": "1"}
    found = supervised_by(parents, PID)
    assert (found.watchdog_s, found.listening) == (0.0, None)


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"LISTEN_PID": str(PID), "LISTEN_FDS": "2"}, "2 sockets: expected one"),
        ({"LISTEN_PID": str(PID), "LISTEN_FDS": "-1"}, "LISTEN_FDS is '-1': expected a number"),
        ({"WATCHDOG_USEC": "soon"}, "WATCHDOG_USEC is 'soon': expected a number"),
    ],
)
def test_what_cannot_be_used_is_named(environ: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        supervised_by(environ, PID)


async def test_signs_of_life_come_three_times_in_the_time_that_the_manager_waits() -> None:
    clock = ManualClock()
    told: list[str] = []
    living = asyncio.create_task(show_life(Supervised(told.append, watchdog_s=30.0), clock))
    for _ in range(3):
        await clock.advance(10.0)
    living.cancel()
    assert told == [ALIVE] * 4


async def test_without_a_watchdog_nothing_is_shown() -> None:
    told: list[str] = []
    await show_life(Supervised(told.append), ManualClock())
    assert told == []
