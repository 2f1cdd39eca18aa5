"""Channels that reach nobody."""

from __future__ import annotations

from sulla.core.errors import NotFound
from sulla.notify.rpc import ChannelRow, ChannelRows, Tested


class MemoryChannels:
    """Implements `notify.rpc.NotifyService`: one channel, that takes everything."""

    async def list_channels(self) -> ChannelRows:
        """The one."""
        return ChannelRows((ChannelRow("mail", ("notice",), "normal", 0, 0, ""),))

    async def test_channel(self, channel: str) -> Tested:
        """It takes it."""
        if channel != "mail":
            raise NotFound(f"there is no channel {channel!r}; there are: mail")
        return Tested(channel, "")
