"""The channels of a home, as clients ask for them."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.core.jsontypes import JsonObject
from sulla.notify.dispatcher import Dispatcher
from sulla.notify.rpc import ChannelRow, ChannelRows, Tested
from sulla.notify.settings import ChannelSettings


class HomeChannels:
    """Implements `notify.rpc.NotifyService`. It lives as long as the daemon.

    Args:
        channels: as the settings have them.
        dispatcher: sends.
    """

    def __init__(self, channels: Sequence[ChannelSettings], dispatcher: Dispatcher) -> None:
        self._channels = channels
        self._dispatcher = dispatcher

    async def list_channels(self) -> ChannelRows:
        """See `rpc.NotifyService`."""
        self._dispatcher.look_at_ways()
        return ChannelRows(tuple(map(self._row, self._channels)))

    async def test_channel(self, channel: str) -> Tested:
        """See `rpc.NotifyService`."""
        return Tested(channel, await self._dispatcher.test(channel))

    def trouble(self) -> str:
        """What is wrong with channels; empty for nothing."""
        self._dispatcher.look_at_ways()
        broken = {name: state.why for name, state in self._dispatcher.outbox.broken().items()}
        every = {**broken, **self._dispatcher.unusable}
        return "; ".join(f"the channel {name} takes no messages: {why}" for name, why in every.items())[:1_000]

    async def status(self) -> JsonObject:
        """What `sulla status --json` says of it."""
        rows = map(self._row, self._channels)
        return {"notify": [{"channel": row.channel, "waiting": row.waiting, "why": row.why} for row in rows]}

    def _row(self, one: ChannelSettings) -> ChannelRow:
        outbox = self._dispatcher.outbox
        state = outbox.states.get(one.name)
        waiting = sum(message.channel == one.name for message in outbox.waiting.values())
        failures, why = (state.failures, state.why) if state is not None else (0, "")
        why = self._dispatcher.unusable.get(one.name) or why
        return ChannelRow(one.name, tuple(one.kinds), one.level, waiting, failures, why)
