"""What tests of speech get."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store in memory, open."""
    opened = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await opened.open()
    yield opened
    await opened.close()
