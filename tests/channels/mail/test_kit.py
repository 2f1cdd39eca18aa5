"""Mail, by its real libraries, against a fake provider."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.channels.kinds import KINDS
from sulla.channels.run.quiet import hush
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.kit import ChannelKit
from sulla.testing.channels.line_kit import LineKit
from sulla.testing.channels.mail.wire import MailWire
from sulla.testing.clock import ManualClock
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)


class TestMail(ChannelKit, LineKit):
    @pytest.fixture
    async def wire(self, clock: ManualClock) -> AsyncIterator[MailWire]:
        hush(next(one for one in KINDS if one.name == "mail"))
        wire = MailWire(clock)
        await wire.start()
        yield wire
        await wire.stop()

    @pytest.fixture
    def store(self, clock: ManualClock) -> MemoryStore:
        return MemoryStore(clock, random_id)

    @pytest.fixture
    def clock(self) -> ManualClock:
        return ManualClock()
