"""What the store's kit needs to know of a backend, and the words that its parts share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from itertools import count
from typing import TypeVar

import pytest

from sulla.core.ids import MakeId
from sulla.store.base import Store
from sulla.store.values import Draft, Grant, Head, Lease, Record
from sulla.testing.clock import ManualClock

T = TypeVar("T")

KEY = "thr_1"
ME = "home-a:boot-1"
ME_LATER = "home-a:boot-2"
OTHER = "home-b:boot-1"
TTL_S = 30.0
DIGEST = b"digest"
IDLE = Head("thread", agent="sulla")
OPEN = Head("thread", "open", "sulla")


class StoreWorld(ABC):
    """Where one backend's data lies, and how its time passes."""

    @abstractmethod
    def store(self) -> Store:
        """Another handle on the same data; not open yet."""

    @abstractmethod
    async def pass_time(self, seconds: float) -> None:
        """Let that much time go by for the store."""

    @abstractmethod
    def now_ms(self) -> int:
        """The wall clock, UTC milliseconds."""


class ManualWorld(StoreWorld):
    """A backend that takes a clock: time moves when it is told to."""

    def __init__(self, make: Callable[[ManualClock, MakeId], Store]) -> None:
        self.clock = ManualClock()
        self._make = make
        self._ids = count(1)

    def store(self) -> Store:
        """Another handle on the same data."""
        return self._make(self.clock, self._make_id)

    async def pass_time(self, seconds: float) -> None:
        """Move the clock."""
        await self.clock.advance(seconds)

    def now_ms(self) -> int:
        """The clock's wall time."""
        return int(self.clock.now() * 1000)

    def _make_id(self, prefix: str) -> str:
        return f"{prefix}_{next(self._ids)}"


class InWorld:
    """A part of the kit; who runs it says what world it is in."""

    @pytest.fixture
    def world(self) -> StoreWorld:
        """The backend under test."""
        raise NotImplementedError("a class that runs the kit gives the world")

    @pytest.fixture
    async def store(self, world: StoreWorld) -> AsyncIterator[Store]:
        """An open handle."""
        store = world.store()
        await store.open()
        yield store
        await store.close()

    @pytest.fixture
    async def second(self, world: StoreWorld) -> AsyncIterator[Store]:
        """Another open handle on the same data."""
        store = world.store()
        await store.open()
        yield store
        await store.close()


def draft(kind: str = "INPUT", body: bytes = b"body") -> Draft:
    """A record to be."""
    return Draft(kind, body)


async def make(store: Store, key: str = KEY, head: Head = IDLE) -> None:
    """Make a log with one record that wakes nobody."""
    await store.offer(key, "created", draft("CREATED"), digest=DIGEST, create=head, wakes=False)


async def send(store: Store, dedupe_id: str, key: str = KEY, *, wakes: bool = True) -> int:
    """Offer an input to a log that is there."""
    return (await store.offer(key, dedupe_id, draft(body=dedupe_id.encode()), digest=DIGEST, wakes=wakes)).seq


async def take(store: Store, key: str = KEY, owner: str = ME, *, after: int | None = None) -> Grant:
    """Take a lease that must be free."""
    return present(await store.acquire(key, owner, TTL_S, after=after))


async def write(store: Store, lease: Lease, number: int, *kinds: str, head: Head = IDLE, claimed: int = 0) -> int:
    """Append records of these kinds."""
    return await store.append(lease, number, [draft(kind) for kind in kinds], head, claimed)


async def kinds(store: Store, key: str = KEY) -> list[str]:
    """The kinds of all records."""
    return [record.kind for record in await store.read(key)]


async def snapshot(store: Store, key: str = KEY) -> object:
    """Everything that can be seen of a log."""
    return await store.head(key), await store.read(key, limit=10_000)


def numbers(records: list[Record] | tuple[Record, ...]) -> list[int]:
    """Their sequence numbers."""
    return [record.seq for record in records]


def present(value: T | None) -> T:
    """The value, which must be there."""
    assert value is not None
    return value
