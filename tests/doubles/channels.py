"""Channels that reach nobody."""

from __future__ import annotations

from sulla.channels import rpc as talked
from sulla.channels.machine.people import ChannelScope, Identity, People
from sulla.core.errors import NotFound
from sulla.notify.rpc import ChannelRow, ChannelRows, Tested

CODE = "K7QM2XPD"
_SINCE_MS = 1_800_000_000_000


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


class MemoryLines:
    """Implements `channels.rpc.ChannelService`: one channel at which ann talks and somebody waits to be let in."""

    def __init__(self) -> None:
        self.make()

    def make(self) -> None:
        """As it was at first."""
        first, _ = People().joined("ann", Identity("home", "5001"), None)
        self.people, _ = first.asking(Identity("home", "5002"), "5002", CODE, 0.0, "Eve")

    async def list_channels(self) -> talked.ChannelAccounts:
        """The one."""
        row = talked.ChannelAccount("home", "telegram", "@ann_bot", "well", _SINCE_MS, "", None, "", 1, 0, 0, None)
        return talked.ChannelAccounts((row,))

    async def test_channel(self, channel: str) -> talked.ChannelTested:
        """It lets the daemon in."""
        if channel != "home":
            raise NotFound(f"there is no channel {channel!r}; there are: home")
        return talked.ChannelTested(channel, "@ann_bot", "")

    async def list_people(self) -> talked.ChannelPersons:
        """Who was let in."""
        rows = (
            talked.ChannelPerson(
                one.name,
                one.scopes,
                tuple(talked.ChannelIdentity(each.channel, each.sender, in_settings=False) for each in one.identities),
            )
            for one in self.people.persons
        )
        return talked.ChannelPersons(tuple(rows), len(self.people.codes))

    async def list_codes(self) -> talked.ChannelWaiting:
        """Who waits."""
        rows = (
            talked.ChannelCode(one.code, one.identity.channel, one.identity.sender, one.called, _SINCE_MS)
            for one in self.people.codes
        )
        return talked.ChannelWaiting(tuple(rows))

    async def refuse(self, code: str) -> talked.ChannelRefused:
        """Nobody waits then."""
        self.people = self.people.refused(code, 0.0)
        return talked.ChannelRefused(code)

    async def pair(
        self, code: str, person: str, scopes: tuple[ChannelScope, ...] | None, *, less: bool = False
    ) -> talked.ChannelPaired:
        """He is let in then."""
        self.people, let_in, good = self.people.confirmed(code, person, scopes, 0.0, less=less)
        if let_in is None or good is None:
            raise NotFound("the code is not good")
        return talked.ChannelPaired(let_in.name, good.identity.channel, let_in.scopes, (), let_in.channels)

    async def forget_person(self, person: str) -> talked.ChannelForgotten:
        """He may write no longer."""
        self.people = self.people.without(person)
        return talked.ChannelForgotten(person)
