"""What the journal's tests stand on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from tests.journal.desk import Desk


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """A world without threads, and no journal yet."""
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await store.open()
    yield Desk(tmp_path / "journal", store, clock)
    await store.close()
