"""A mail server, and the clock by which it and the channel go."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.testing.channels.mail.wire import MailWire
from sulla.testing.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def wire(clock: ManualClock) -> AsyncIterator[MailWire]:
    wire = MailWire(clock)
    await wire.start()
    yield wire
    await wire.stop()
