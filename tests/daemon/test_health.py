"""What is wrong is told with its reason and its beginning, for as long as it is wrong."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, cast

import pytest

from sulla.agent import Breaker
from sulla.core.errors import StoreReplaced, StoreUnavailable, SullaError
from sulla.core.redact import MARK, Redactor
from sulla.daemon.access import Access
from sulla.daemon.health import EVERY_S, Health, look_after
from sulla.daemon.service import Service
from sulla.daemon.watch import StoreWatch
from sulla.host.health import Trouble
from sulla.testing.clock import ManualClock
from sulla.threads import LogFollower


async def test_a_trouble_keeps_its_beginning_until_it_is_over(manual_clock: ManualClock) -> None:
    wrong = ""
    health = Health(manual_clock, Redactor(["a password"]))
    health.watch("log", lambda: wrong, blocks=False)
    assert list(health.troubles()) == []
    async with asyncio.TaskGroup() as group:
        running = group.create_task(health.run())
        wrong = "the disk is full"
        await manual_clock.advance(EVERY_S)
        began_ms = round(manual_clock.now() * 1000)
        await manual_clock.advance(60.0)
        assert list(health.troubles()) == [Trouble("log", "the disk is full", began_ms, blocks=False)]
        wrong = ""
        await manual_clock.advance(EVERY_S)
        wrong = "again"
        (again,) = health.troubles()
        assert again.since_ms > began_ms
        running.cancel()


def test_no_reason_shows_a_secret(manual_clock: ManualClock) -> None:
    health = Health(manual_clock, Redactor(["a password"]))
    health.watch("store", lambda: "no answer from me:a password@host", blocks=True)
    assert [trouble.why for trouble in health.troubles()] == [f"no answer from me:{MARK}@host"]


def test_what_blocks_is_told_first(manual_clock: ManualClock) -> None:
    health = Health(manual_clock, Redactor(["a password"]))
    for what, blocks in (("a", False), ("b", True), ("c", False)):
        health.watch(what, lambda: "wrong", blocks=blocks)
    assert [trouble.what for trouble in health.troubles()] == ["b", "a", "c"]


@dataclass
class _Watch:
    trouble: SullaError | None = None


@dataclass
class _Service:
    stopping: bool = False


@dataclass
class _Journal:
    error: str | None = None

    def status(self) -> dict[str, Any]:
        return {"journal_error": self.error}


@dataclass
class _Audit:
    failing: bool = False


@dataclass
class _Tokens:
    damage: str | None = None


@dataclass
class _Access:
    audit: _Audit
    tokens: _Tokens


@dataclass
class _Parts:
    watch: _Watch
    service: _Service
    breaker: Breaker
    journal: _Journal
    access: _Access


@pytest.fixture
def parts() -> _Parts:
    return _Parts(_Watch(), _Service(), Breaker(), _Journal(), _Access(_Audit(), _Tokens()))


def _told(parts: _Parts) -> list[tuple[str, bool]]:
    health = Health(ManualClock(), Redactor())
    look_after(
        health,
        cast(StoreWatch, parts.watch),
        cast(Service, parts.service),
        parts.breaker,
        cast(LogFollower, parts.journal),
        cast(Access, parts.access),
    )
    return [(trouble.what, trouble.blocks) for trouble in health.troubles()]


def test_a_daemon_that_does_well_has_no_trouble(parts: _Parts) -> None:
    assert _told(parts) == []


@pytest.mark.parametrize("error", [StoreUnavailable("away"), StoreReplaced("another one")])
def test_without_its_store_no_turn_can_be_taken(parts: _Parts, error: SullaError) -> None:
    parts.watch.trouble = error
    assert _told(parts) == [(error.code, True)]


def test_a_daemon_that_stops_takes_no_turn(parts: _Parts) -> None:
    parts.service.stopping = True
    assert _told(parts) == [("stopping", True)]


def test_what_turns_can_do_without_is_no_reason_to_refuse_them(parts: _Parts) -> None:
    for step in range(5):
        admitted: Any = parts.breaker.admit(step)
        parts.breaker.failed(admitted.ticket, step)
    parts.journal.error, parts.access.audit.failing = "no space left", True
    parts.access.tokens.damage = "a record is damaged"
    assert _told(parts) == [("model_service", False), ("journal", False), ("tokens", False), ("audit", False)]
