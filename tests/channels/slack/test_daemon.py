"""A real daemon and the fake of Slack; see `daemon_kit`. Slack keeps no presses for an app that is not there."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sulla.core.clock import Clock
from sulla.testing.channels.slack import APP_TOKEN, BOT_TOKEN, SlackWire
from sulla.testing.channels.wire import Seen
from tests.channels.daemon_kit import Beside, DaemonKit
from tests.soon import until


class TestSlack(DaemonKit[SlackWire]):
    kind = "slack"
    secrets = MappingProxyType({"bot_token": BOT_TOKEN, "app_token": APP_TOKEN})
    account = "sulla"
    hidden = ("ticket=",)  # of the addresses by which Slack's socket is connected

    def make(self, clock: Clock) -> SlackWire:
        return SlackWire(clock)

    def options(self, wire: SlackWire) -> Mapping[str, str]:
        return {"api": wire.api}

    def meddle(self, fake: Beside[SlackWire], question: Seen) -> None:
        """Each is told what came of it, alone."""
        super().meddle(fake, question)
        until(lambda: len(fake.wire.whispers) == 2)
        assert [user for user, _ in fake.wire.whispers] == [fake.wire.person(2).id, fake.wire.person(1).id]

    def answer(self, fake: Beside[SlackWire], question: Seen) -> None:
        """Nobody would be told of it."""

    def answer_there(self, fake: Beside[SlackWire], question: Seen) -> None:
        super().answer(fake, question)
