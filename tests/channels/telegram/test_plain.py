"""A service that has neither buttons nor changes of what was sent: Telegram's wire, as one that can do less."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from sulla.channels.base import Channel, Outcome, Place, Said
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.asking_kit import AskingKit
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock


class Plain:
    """Keeps `base.Channel` by another one; whoever wants to change a message has not read its manners."""

    def __init__(self, inner: Channel) -> None:
        self._inner = inner
        self.manners = replace(inner.manners, most_buttons=0, edits=False, edits_per_s=0, deletes=False)

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    async def edit(self, place: Place, ref: str, said: Said) -> Outcome:
        raise AssertionError("nothing can be changed here")


class PlainWire(TelegramWire):
    def channel(self, *, secret: str | None = None) -> Channel:
        return Plain(super().channel(secret=secret))  # type: ignore[return-value]  # it passes on the rest


class TestPlain(AskingKit):
    @pytest.fixture
    async def wire(self, clock: ManualClock) -> AsyncIterator[TelegramWire]:
        wire = PlainWire(clock)
        await wire.start()
        yield wire
        await wire.stop()

    @pytest.fixture
    def store(self, clock: ManualClock) -> MemoryStore:
        return MemoryStore(clock, random_id)

    @pytest.fixture
    def clock(self) -> ManualClock:
        return ManualClock()
