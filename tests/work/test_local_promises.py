"""The worker in the process keeps the promises of every worker."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.store.memory import MemoryStore
from sulla.work.local import LocalWork
from tests.kits.work_kit import CLOCK, MakeWork, WorkKit


@pytest.fixture
def make() -> MakeWork:
    return lambda store, handler, group_of, caps: LocalWork(store, handler, group_of, CLOCK, caps)


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    kept = MemoryStore(CLOCK, lambda prefix: f"{prefix}_mem")
    await kept.open()
    yield kept
    await kept.close()


class TestLocalWork(WorkKit):
    pass
