"""All channels of a home, as clients ask for them and the daemon looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from sulla.agent.approvals.literal import literal
from sulla.channels.addresses import no_channel, nobody_there, split
from sulla.channels.machine.people import ChannelScope, Identity, People, Person
from sulla.channels.machine.values import GivenUp
from sulla.channels.opened import tried
from sulla.channels.rpc import (
    ChannelAccount,
    ChannelAccounts,
    ChannelCode,
    ChannelForgotten,
    ChannelGivenUp,
    ChannelIdentity,
    ChannelPaired,
    ChannelPerson,
    ChannelPersons,
    ChannelRefused,
    ChannelTested,
    ChannelWaiting,
)
from sulla.channels.run.asked_at import asked_at
from sulla.channels.run.doubled import is_said
from sulla.channels.run.line import Line
from sulla.channels.run.people_book import PeopleBook
from sulla.channels.run.unasked import ask_others
from sulla.core.errors import Conflict, NotFound
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.notify.sources import thread_asking


class Lines:
    """The channels of the settings. Keeps `rpc.ChannelService`, and lives as long as the daemon.

    Args:
        every: by name.
        people: who may write.
    """

    def __init__(self, every: Mapping[str, Line], people: PeopleBook) -> None:
        self.every = every
        self._people = people

    # ------------------------------------------------------------------------------------------------ for the daemon

    def wake(self, thread_id: ThreadId) -> None:
        """See `host.Follower`."""
        for line in self.every.values():
            line.wake(thread_id)

    def trouble(self) -> str:
        """What is wrong with channels; empty for nothing."""
        broken = [one for one in self.every.values() if one.state in ("failing", "refused")]
        return "; ".join(f"the channel {one.said.name} does not work: {one.why}" for one in broken)[:1_000]

    async def status(self) -> JsonObject:
        """What `sulla status --json` says of them."""
        rows = (_row(one, People()) for one in self.every.values())
        return {"channels": [{"channel": one.channel, "state": one.state, "waiting": one.waiting} for one in rows]}

    async def send_file(self, thread_id: ThreadId, path: str, caption: str, key: str, size: int) -> str:
        """See `tools.SendFile`."""
        for line in self.every.values():
            if (why := await line.send_file(thread_id, path, caption, key, size)) is not None:
                return why
        return "this conversation is held on no channel that this daemon has"

    async def notify(self, address: str, title: str, text: str, key: str, matter: str) -> str:
        """See `notify.ways.WaySend`: the address is ``channel://NAME/PLACE``, a place where somebody has written. What
        is said there anyway is not said twice.
        """
        if why := self.notice_fault(address):
            return why
        name, place = split(address)
        line = self.every[name]
        if line.held is not None and await is_said(line.held, place, matter):
            return ""
        said, exact = f"**{title}**\n\n{text}", tuple[str, ...]()
        if asks := thread_asking(matter):  # somebody answers by what he reads
            where = await asked_at((one.held for one in self.every.values() if one.held is not None), asks)
            said, exact = "\n\n".join(filter(None, (f"**{title}**", where))), (literal(text),)
        if await line.tell(place, said, key, exact):
            return ""
        return f"this daemon does not have the channel {name!r} now ({line.standing.said})"

    def notice_fault(self, address: str) -> str:
        """See `notify.ways.WayFault`. Who has written where is known while this daemon has the channel."""
        if why := no_channel(address, self.every):
            return why
        name, place = split(address)
        held = self.every[name].held
        return nobody_there(address) if held is not None and not held.key_of(place) else ""

    # ------------------------------------------------------------------------------------------------- for clients

    async def list_channels(self) -> ChannelAccounts:
        """See `rpc.ChannelService`."""
        people = await self._people.read()
        return ChannelAccounts(tuple(_row(one, people) for one in self.every.values()))

    async def test_channel(self, channel: str) -> ChannelTested:
        """See `rpc.ChannelService`."""
        line = self.every.get(channel)
        if line is None:
            raise NotFound(f"there is no channel {channel[:60]!r}; there are: {', '.join(self.every) or 'none'}")
        account, why, _ = await tried(line.make, line.redact)
        if not why and line.state in ("failing", "refused"):
            why = f"its service lets the daemon in, but here it is {line.state}: {line.why}"
        return ChannelTested(channel, account, why)

    async def list_people(self) -> ChannelPersons:
        """See `rpc.ChannelService`."""
        known = await self._people.read()
        named = dict(self._named(known))
        persons = {one.name: one for one in known.persons}
        for identity, name in named.items():
            person = persons.get(name, Person(name))
            persons[name] = replace(person, identities=(*person.identities, identity))
        rows = (
            ChannelPerson(
                one.name,
                one.scopes,
                tuple(ChannelIdentity(each.channel, each.sender, each in named) for each in one.identities),
            )
            for one in persons.values()
        )
        return ChannelPersons(tuple(rows), len(known.codes))

    async def list_codes(self) -> ChannelWaiting:
        """See `rpc.ChannelService`."""
        rows = (
            ChannelCode(one.code, one.identity.channel, one.identity.sender, one.called, round(one.until_s * 1_000))
            for one in (await self._people.read()).codes
        )
        return ChannelWaiting(tuple(rows))

    async def refuse(self, code: str) -> ChannelRefused:
        """See `rpc.ChannelService`."""
        await self._people.refuse(code)
        return ChannelRefused(code)

    async def pair(
        self, code: str, person: str, scopes: tuple[ChannelScope, ...] | None, *, less: bool = False
    ) -> ChannelPaired:
        """See `rpc.ChannelService`; who was let in is told so."""
        let_in, confirmed, before = await self._people.confirm(code, person, scopes, less=less)
        channel = confirmed.identity.channel
        if (line := self.every.get(channel)) is not None:
            await line.tell(confirmed.place, f"You are known here now, as {let_in.name}. Write something, or /help.")
        return ChannelPaired(let_in.name, channel, let_in.scopes, before, let_in.channels)

    async def forget_person(self, person: str) -> ChannelForgotten:
        """See `rpc.ChannelService`; whom the settings let in would still be, with what is usual."""
        for line in self.every.values():
            if person in line.said.rules.people.values():
                where = f"`people` of the channel {line.said.name!r} in sulla.toml"
                raise Conflict(f"{person!r} is let in by {where}: take that out, restart the daemon, and forget then")
        await self._people.forget(person)
        for line in self.every.values():
            if line.held is not None:
                await ask_others(line.held)
        return ChannelForgotten(person)

    def _named(self, known: People) -> Iterator[tuple[Identity, str]]:
        """Whom the settings let in, and as whom."""
        for line in self.every.values():
            for sender, name in line.said.rules.people.items():
                identity = Identity(line.said.name, sender)
                if known.of(identity) is None:  # else the code that was confirmed says who that is
                    yield identity, name


def _row(one: Line, people: People) -> ChannelAccount:
    book = one.held.book if one.held is not None else None
    given_up = book.given_up if book is not None else GivenUp()
    counts = (len(book.talks), len(book.items), given_up.count) if book is not None else (0, 0, 0)
    last = ChannelGivenUp(given_up.at_ms, given_up.place, given_up.called, given_up.why) if given_up.at_ms else None
    stands = one.standing
    failed = stands.failed_ms or None, stands.failed_why
    account, why = one.account.name, stands.why
    if not why and (until_s := people.without_codes_until(one.said.name)) is not None:
        until = datetime.fromtimestamp(until_s, UTC)
        why = f"all its codes are given: no further stranger is answered until {until:%H:%M} UTC"
    return ChannelAccount(
        one.said.name, one.said.kind, account, stands.state, stands.since_ms, why, *failed, *counts, last
    )
