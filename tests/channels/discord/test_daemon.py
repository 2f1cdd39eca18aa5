"""A real daemon and the fake of Discord; see `daemon_kit`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sulla.core.clock import Clock
from sulla.testing.channels.discord import BOT, TOKEN, DiscordWire
from tests.channels.daemon_kit import DaemonKit


class TestDiscord(DaemonKit[DiscordWire]):
    kind = "discord"
    secrets = MappingProxyType({"token": TOKEN})
    account = str(BOT["username"])

    def make(self, clock: Clock) -> DiscordWire:
        return DiscordWire(clock)

    def options(self, wire: DiscordWire) -> Mapping[str, str]:
        return {"api": wire.api}
