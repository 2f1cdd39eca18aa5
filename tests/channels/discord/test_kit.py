"""Discord, by its real library, against a fake of its HTTP interface and its gateway."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.channels.kinds import KINDS
from sulla.channels.run.quiet import hush
from sulla.host.system import random_id
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.testing.channels.discord import DiscordWire
from sulla.testing.channels.kit import ChannelKit
from sulla.testing.channels.line_kit import LineKit
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.wire import Wire
from sulla.testing.clock import ManualClock
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)


class TestDiscord(ChannelKit, LineKit):
    @pytest.fixture
    async def wire(self, clock: ManualClock) -> AsyncIterator[DiscordWire]:
        hush(next(one for one in KINDS if one.name == "discord"))
        wire = DiscordWire(clock)
        await wire.start()
        yield wire
        await wire.stop()

    async def test_a_kill_at_any_write_loses_and_doubles_nothing(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        """The account is known already: what is said to a bot before it was there at all, Discord tells nobody."""
        async with Scene(wire, tmp_path / "ws", store=store, clock=clock) as scene:
            await wire.say(wire.place(5), wire.person(5), "hello")
            await scene.until(lambda: scene.texts(5), "a code")
        await super().test_a_kill_at_any_write_loses_and_doubles_nothing(wire, clock, store, tmp_path)

    @pytest.fixture
    def store(self, clock: ManualClock) -> MemoryStore:
        return MemoryStore(clock, random_id)

    @pytest.fixture
    def clock(self) -> ManualClock:
        return ManualClock()
