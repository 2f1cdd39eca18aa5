"""What is wrong with what every daemon has, and whether turns can be taken all the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from sulla.agent.model.breaker import Breaker
from sulla.core.errors import StoreReplaced, StoreUnavailable, SullaError
from sulla.core.redact import Redactor
from sulla.daemon.access.access import Access
from sulla.daemon.health import look_after
from sulla.daemon.models.choice import Choice
from sulla.daemon.models.pool import ModelPool
from sulla.daemon.service import Service
from sulla.daemon.store_watch import StoreWatch
from sulla.host.health import Health
from sulla.models.catalog import ModelName
from sulla.testing.clock import ManualClock


@dataclass
class _Watch:
    trouble: SullaError | None = None
    failing: str = ""


@dataclass
class _Service:
    stopping: bool = False


@dataclass
class _Model:
    breaker: Breaker = field(default_factory=Breaker)


@dataclass
class _Models:
    home: _Model = field(default_factory=_Model)
    other: _Model = field(default_factory=_Model)
    choice: Choice = field(default_factory=lambda: Choice(ModelName("ollama", "tiny"), "the home says so"))
    clock: ManualClock = field(default_factory=ManualClock)

    @property
    def breakers(self) -> dict[str, Breaker]:
        return {"home": self.home.breaker, "other": self.other.breaker}


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
    models: _Models
    access: _Access


@pytest.fixture
def parts() -> _Parts:
    return _Parts(_Watch(), _Service(), _Models(), _Access(_Audit(), _Tokens()))


def _told(parts: _Parts) -> list[tuple[str, bool]]:
    return [(trouble.what, trouble.blocks) for trouble in _health(parts).troubles()]


def _why(parts: _Parts) -> list[str]:
    return [trouble.why for trouble in _health(parts).troubles()]


def _health(parts: _Parts) -> Health:
    health = Health(ManualClock(), Redactor())
    look_after(
        health,
        cast(StoreWatch, parts.watch),
        cast(Service, parts.service),
        cast(ModelPool, parts.models),
        cast(Access, parts.access),
    )
    return health


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
        for breaker in parts.models.breakers.values():
            admitted: Any = breaker.admit(step)
            breaker.failed(admitted.ticket, step)
    assert _why(parts)[0].startswith("the service of the model ollama:tiny failed several times in a row")
    for breaker in parts.models.breakers.values():
        breaker.admit(parts.models.clock.elapsed() + 100)
    assert all("one call has been trying since 20" in why for why in _why(parts))
    parts.access.audit.failing = True
    parts.access.tokens.damage = "a record is damaged"
    troubles = ("model_service", "agent_models", "tokens", "audit")
    assert _told(parts) == [(what, False) for what in troubles]
