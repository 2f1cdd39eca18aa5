"""What the tests of agents stand on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store in memory, open."""
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()
