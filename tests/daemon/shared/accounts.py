"""Homes that keep the day's account over one store, driven by hand."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from sulla.agent.limits.ledger import DayLimits, Ledger
from sulla.agent.limits.limits import Charge
from sulla.daemon.day_account import EVERY_S, KEY, Account
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock

LIMIT_TOKENS = 1_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def memory(clock: ManualClock) -> AsyncIterator[MemoryStore]:
    made = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


@dataclass
class Home:
    """One daemon's account and its ledger."""

    name: str
    clock: ManualClock
    ledger: Ledger
    account: Account
    calls: int = 0

    def settle(self, tokens: int, call_id: str = "") -> None:
        self.calls += 1
        self.ledger.settle(call_id or f"{self.name}{self.calls}", "sulla", Charge(tokens), self.clock.now())

    def reserve(self, call_id: str, tokens: int) -> None:
        self.ledger.reserve(call_id, "sulla", Charge(tokens), self.clock.now())

    @property
    def used(self) -> int:
        return self.ledger.used(self.clock.now()).tokens


async def opened(name: str, store: Store, clock: ManualClock, boot: str = "1") -> Home:
    ledger = Ledger(DayLimits(tokens=LIMIT_TOKENS))
    home = Home(f"{name}:{boot}:", clock, ledger, Account(ledger, store, clock, f"{name}:{boot}"))
    await home.account.open()
    return home


async def pass_time(clock: ManualClock, *homes: Home, seconds: float = EVERY_S) -> None:
    """Time goes on, and each home has its turn."""
    await clock.advance(seconds)
    for home in homes:
        await home.account.tick()


@dataclass
class Counting:
    """A store that notes what is asked of it."""

    inner: Store
    asked: list[str] = field(default_factory=list)
    before_swap: Callable[[], Awaitable[None]] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def get(self, key: str) -> bytes | None:
        self.asked.append("get")
        return await self.inner.get(key)

    async def swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None = None) -> bool:
        self.asked.append("swap")
        if self.before_swap is not None:
            await self.before_swap()
        return await self.inner.swap(key, old, new, ttl_s)


def counting(store: Store) -> Any:
    return Counting(store)


async def kept_in(store: Store) -> dict[str, Any]:
    value = await store.get(KEY)
    assert value is not None
    return dict(json.loads(value)["homes"])
