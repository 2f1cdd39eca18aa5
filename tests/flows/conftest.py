"""What the tests of flows share."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store that is kept in memory, open."""
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    yield store
    await store.close()
