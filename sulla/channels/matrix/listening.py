"""Hears what happens in an account's rooms: one sync after the other, and what a sync left out."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mautrix.api import Method, Path

from sulla.channels.base import UNREADABLE, Arrived, Batch
from sulla.channels.matrix.homeserver import FAILURES, Homeserver, raised, refused_for_good
from sulla.channels.matrix.reading import Me, arrived_of, at_ms, is_meant, known_of, target_of
from sulla.channels.matrix.rooms import Known, Recent, Rooms, events_of, mapping, own_join
from sulla.core.clock import Clock

log = logging.getLogger(__name__)

MOST_ROOMS: Final = 1_000
"""The account is in no more: further invitations are declined."""
MOST_INVITES: Final = 100
"""Invitations that wait to be answered; the homeserver tells those beyond again after a restart."""
AT_ONCE: Final = 5
"""Invitations that are answered between two looks."""
REACH_BACK_MS: Final = 60_000
"""So long before it is first read an account's messages count: people write while it is being set up."""
_AT: Final = "at:"
_MOST_PLACE_CHARS: Final = 2_000
"""Of where a sync begins: some homeservers name each of their workers there."""
PORTION: Final = 100
"""Events of a room that are read before others come to their turn: a homeserver may tell more than it was asked for."""
QUIET: Final = 50
"""After so many looks that brought nothing for the daemon it is kept how far they were."""

Page = tuple[Arrived, ...]


class Listening:
    """Hears one account's rooms. It lives as long as its channel is open.

    Args:
        home: is asked.
        me: as whom the daemon is there.
        invites: whose invitations are taken; see `MatrixOptions.invites`.
        clock: all time.
    """

    def __init__(self, home: Homeserver, me: Me, invites: Sequence[str], clock: Clock) -> None:
        self._home = home
        self._me = me
        self._clock = clock
        self._invites = frozenset(invites or (me.id.partition(":")[2],))
        self._asked: dict[str, str] = {}
        """Rooms that the account was invited to, and why it does not come; empty where it does."""
        self._unreadable: set[str] = set()
        """Encrypted rooms of which the log has told."""
        self._unread = 0
        """Events that could not be read, of which no batch has told."""
        self.rooms = Rooms()
        self.recent = Recent()

    async def batches(self, cursor: str) -> AsyncGenerator[Batch, None]:
        """What arrives behind a cursor.

        Args:
            cursor: the `next_batch` of a sync, or what `cursor_at` said.

        Raises:
            Unauthorized, Unavailable: the homeserver does not tell.
        """
        quiet, begun_ms, kept = 0, _time_of(cursor), cursor
        answered = begun_ms is None
        if answered:
            await self._look()
            yield Batch((), cursor)
        while True:
            arrived: list[Arrived] = []
            try:
                await self._answer_invites()
                found = await self._home.sync(cursor if begun_ms is None else "")
                after = _next(found)
                self._heed_rooms(found)
                for room_id, told in _rooms(found, "join"):
                    self.rooms.take(room_id, told)
                    events = list(events_of(told.get("timeline")))
                    if begun_ms is None:
                        async for page in self._missed(room_id, told, cursor):
                            kept = cursor
                            yield Batch(page, cursor, self._take_unread())
                    else:
                        events = [one for one in events if at_ms(one) >= begun_ms]
                    arrived += await self._read_each(room_id, events)
            except (*FAILURES, KeyError) as error:
                raise raised(error) from None
            quiet = 0 if arrived else quiet + (after != cursor)
            if arrived or self._unread or quiet >= QUIET or not answered:
                quiet, answered, kept = 0, True, after
                yield Batch(tuple(arrived), after, self._take_unread())
            else:
                yield Batch((), kept)
            cursor, begun_ms = after, None

    async def _look(self) -> None:
        """See how the rooms are now."""
        try:
            found = await self._home.sync("", events=False)
        except FAILURES as error:
            raise raised(error) from None
        self._heed_rooms(found)
        for room_id, told in _rooms(found, "join"):
            self.rooms.take(room_id, told)

    async def _missed(
        self, room_id: str, told: Mapping[str, Any], since: str
    ) -> AsyncGenerator[tuple[Arrived, ...], None]:
        """What a sync left out of a room's events, a page at a time."""
        timeline = mapping(told.get("timeline"))
        if timeline.get("limited") is not True or not isinstance(end := timeline.get("prev_batch"), str):
            return
        if "summary" not in told:
            found = await self._home.ask(Method.GET, Path.v3.rooms[room_id].joined_members)
            self.rooms.count(room_id, len(mapping(found.get("joined"))))
        there = {one.get("event_id") for one in events_of(timeline)}
        start = since
        while True:
            page = await self._home.page(room_id, start, end)
            events = [one for one in events_of({"events": page.get("chunk")}) if one.get("event_id") not in there]
            if arrived := await self._read_each(room_id, events):
                yield tuple(arrived)
            after = page.get("end")
            if not page.get("chunk") or not isinstance(after, str) or after in (start, end):
                return
            start = after

    async def _read_each(self, room_id: str, events: list[Mapping[str, Any]]) -> list[Arrived]:
        """What some events of a room mean, in their order. In a group, what was said before the daemon came is not
        said to it.
        """
        came = own_join(events, self._me.id)
        if came and self.rooms.place(room_id).kind == "group":
            events = events[[one.get("event_id") for one in events].index(came) :]
        found: list[Arrived] = []
        for number, event in enumerate(events, 1):
            if number % PORTION == 0:
                await self._clock.sleep(0)  # others come to their turn in between
            try:
                if (one := await self._read(room_id, event)) is not None:
                    found.append(one)
            except UNREADABLE as error:
                log.warning("an event of Matrix's could not be read: %s", type(error).__name__)
                self._unread += 1
        return found

    async def _read(self, room_id: str, event: Mapping[str, Any]) -> Arrived | None:
        """What an event of a room means."""
        if event.get("type") == "m.room.encrypted":
            self._say_unreadable(room_id)
        one = arrived_of(event, room_id, self.rooms, self._me, await self._target(room_id, event))
        if isinstance(event_id := event.get("event_id"), str) and "state_key" not in event:
            self.recent.note(room_id, event_id, replace(known_of(event), content=None))
        return one

    def _take_unread(self) -> int:
        unread, self._unread = self._unread, 0
        return unread

    async def _target(self, room_id: str, event: Mapping[str, Any]) -> Known | None:
        """What is to be known of the event that another one names."""
        target = target_of(event)
        if not target or event.get("sender") == self._me.id:
            return None
        known = self.recent.get(room_id, target)
        if known is not None and event.get("type") == "m.room.redaction" and known.sender == self._me.id:
            self.recent.note(room_id, target, Known("", known.topic))
        if known is not None and not self._wants_words(room_id, event, known):
            return known
        found = await self._home.event(room_id, target)
        if found is None:
            return known
        self.recent.note(room_id, target, known_of(found))
        return known_of(found)

    def _wants_words(self, room_id: str, event: Mapping[str, Any], known: Known) -> bool:
        """Whether it matters what an event says: of a message of ours with buttons, or of one that is cited to us."""
        if event.get("type") == "m.reaction":
            return known.sender == self._me.id
        relates = mapping(mapping(event.get("content")).get("m.relates_to"))
        if event.get("type") != "m.room.message" or relates.get("rel_type") == "m.replace":
            return False
        if known.sender == self._me.id:
            return False
        return self.rooms.place(room_id).kind == "private" or is_meant(event, self._me)

    def _say_unreadable(self, room_id: str) -> None:
        if room_id not in self._unreadable and len(self._unreadable) < MOST_ROOMS:
            self._unreadable.add(room_id)
            log.warning("the room %.80r is encrypted: nothing is read there", room_id)

    # ------------------------------------------------------------------------------------------------------ invitations

    def _heed_rooms(self, found: Mapping[str, Any]) -> None:
        """Rooms that the account left, or is invited to."""
        for room_id, _ in _rooms(found, "leave"):
            self.rooms.forget(room_id)
            self._asked.pop(room_id, None)
        for room_id, told in _rooms(found, "invite"):
            if len(self._asked) < MOST_INVITES:
                self._asked[room_id] = self._why_not(list(events_of(told.get("invite_state"))))

    def _why_not(self, state: list[Mapping[str, Any]]) -> str:
        """Why an invitation is not taken; empty where it is."""
        who = next((str(one.get("sender")) for one in state if one.get("state_key") == self._me.id), "")
        if not self._invites & {"*", who, who.partition(":")[2]}:
            return "I do not come to everybody: the owner of this account says to whom."
        if any(one.get("type") == "m.room.encryption" for one in state):
            return "I cannot read encrypted rooms: please make one without encryption, and invite me there."
        if len(self.rooms) >= MOST_ROOMS:
            return "I am in as many rooms as I can be."
        return ""

    async def _answer_invites(self) -> None:
        """Come, or say why not. One that cannot be answered now waits, and holds up nothing."""
        for room_id, why in list(self._asked.items())[:AT_ONCE]:
            deed, words = ("leave", {"reason": why}) if why else ("join", {})
            try:
                await self._home.ask(Method.POST, Path.v3.rooms[room_id][deed], words)
            except FAILURES as error:
                if not refused_for_good(error):
                    return
                log.info("an invitation to %.80r came to nothing", room_id)
            del self._asked[room_id]


def cursor_at(now_ms: int) -> str:
    """Where an account that is new here is read from.

    Args:
        now_ms: UTC milliseconds.
    """
    return f"{_AT}{now_ms - REACH_BACK_MS}"


def _time_of(cursor: str) -> int | None:
    """From when on is read; None where a sync says it."""
    said = cursor.removeprefix(_AT)
    return int(said) if said != cursor and said.isdecimal() else None


def _next(found: Mapping[str, Any]) -> str:
    """Where the next sync begins.

    Raises:
        ValueError: the homeserver does not say it.
    """
    after = found.get("next_batch")
    if not isinstance(after, str) or not 0 < len(after) <= _MOST_PLACE_CHARS or after.startswith(_AT):
        raise ValueError("next_batch is no place to go on at")
    return after


def _rooms(found: Mapping[str, Any], how: str) -> list[tuple[str, Mapping[str, Any]]]:
    part = mapping(mapping(found.get("rooms")).get(how))
    return [(str(room_id), mapping(told)) for room_id, told in part.items()]
