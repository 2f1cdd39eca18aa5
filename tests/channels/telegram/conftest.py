"""Telegram's fake, and a time that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def wire(clock: ManualClock) -> AsyncIterator[TelegramWire]:
    wire = TelegramWire(clock)
    await wire.start()
    yield wire
    await wire.stop()
