"""Who is there: kept in the store as long as somebody says so, so that every daemon on it knows."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import StoreUnavailable
from sulla.people import presence
from sulla.people.presence import MOST_ACTIVITY, Attendance, PersonInfo, PresenceTable
from sulla.store.base import Store

log = logging.getLogger(__name__)

TELL_S: Final = 10.0
"""How often a daemon says again who is there, in seconds."""
LULL_S: Final = 1.0
"""How long it waits between two changes, in seconds."""

_KEY: Final = "presence"


@dataclass(slots=True)
class _ConnectedPerson:
    """One connection, and what is known of its person."""

    person: str
    client: str
    active_ms: int = 0
    available: bool = True
    activity: str = ""


class PresenceRegistry:
    """Knows which people are there, by what the clients of all daemons on the store say.

    It lives as long as the daemon. What does not await never waits nor raises.

    Nothing of it is acknowledged as kept: what a daemon says holds for `presence.HERE_S`, and of two that say something
    at the same moment one may have to say it again. Each does so as long as somebody is connected to it.

    Args:
        store: keeps it.
        clock: all time.
        daemon: whose clients these are: ``<home id>:<boot nonce>``.
    """

    def __init__(self, store: Store, clock: Clock, daemon: str) -> None:
        self._store = store
        self._clock = clock
        self._daemon = daemon
        self._seats: dict[str, _ConnectedPerson] = {}
        self._before: dict[str, Attendance] = {}
        self._changed = asyncio.Event()
        self._away = False

    def connected(self, session: str, person: str, client: str) -> None:
        """A client is connected.

        Args:
            session: the connection.
            person: the name of its token.
            client: what it calls itself.
        """
        self._seats[session] = _ConnectedPerson(person, " ".join(client.split())[:MOST_ACTIVITY])
        self._changed.set()

    def disconnected(self, session: str) -> None:
        """It is connected no more."""
        if (seat := self._seats.pop(session, None)) is not None:
            self._remember(seat.person, seat.client, seat.active_ms)
            self._changed.set()

    def active(self, session: str, person: str, way: str, ago_s: float = 0.0) -> None:
        """A person did something.

        Args:
            session: the connection.
            person: the name of their token.
            way: what is told in the place of a client that is not connected, e.g. ``rest``.
            ago_s: how long ago, in seconds.
        """
        at_ms = self._now_ms() - round(ago_s * 1000)
        if (seat := self._seats.get(session)) is not None:
            seat.active_ms = max(seat.active_ms, at_ms)
        else:
            self._remember(person, way, at_ms)
        self._changed.set()

    def report(self, session: str, available: bool | None, activity: str | None) -> None:
        """A client says how its person is.

        Args:
            session: the connection.
            available: whether they may be disturbed; None for as before.
            activity: what they do; None for as before.
        """
        if (seat := self._seats.get(session)) is not None:
            seat.available = seat.available if available is None else available
            seat.activity = seat.activity if activity is None else " ".join(activity.split())[:MOST_ACTIVITY]
            self._changed.set()

    async def look(self) -> Sequence[PersonInfo]:
        """Everybody who is there or was, in all daemons on the store, who was active last first.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        now_ms = self._now_ms()
        return presence.people(presence.merged(await self._known(), self._daemon, self._rows(), now_ms), now_ms)

    async def run(self) -> None:
        """Tell other daemons who is there, until cancelled; nothing is written while nobody is."""
        while True:
            try:
                async with self._clock.timeout(TELL_S):
                    await self._changed.wait()
            except TimeoutError:
                if not self._seats:
                    continue
            self._changed.clear()
            await self._tell()
            await self._clock.sleep(LULL_S)

    async def _tell(self) -> None:
        before = dict(self._before)
        try:
            said = presence.merged(await self._known(), self._daemon, self._rows(), self._now_ms())
            await self._store.put(_KEY, presence.encode(said), presence.KEPT_S)
        except StoreUnavailable as error:
            if not self._away:
                log.warning("other daemons are not told who is here until the store answers: %s", error.message)
            self._away = True
        else:
            self._away = False
            for person, row in before.items():  # it is in the store now
                if self._before.get(person) == row:
                    del self._before[person]

    async def _known(self) -> PresenceTable:
        value = await self._store.get(_KEY)
        try:
            return presence.decode(value) if value is not None else PresenceTable()
        except ValueError as error:
            log.warning("who is there cannot be read, and is found out anew: %s", error)
            return PresenceTable()

    def _rows(self) -> list[Attendance]:
        """Who is connected here, and who was active here."""
        rows: dict[tuple[str, str], Attendance] = {}
        for seat in sorted(self._seats.values(), key=lambda one: one.active_ms):
            known = rows.get((seat.person, seat.client))
            connected = known.connected + 1 if known is not None else 1
            rows[seat.person, seat.client] = Attendance(
                seat.person, seat.client, connected, seat.active_ms, seat.available, seat.activity
            )
        return [*rows.values(), *self._before.values()]

    def _remember(self, person: str, client: str, at_ms: int) -> None:
        known = self._before.get(person)
        if at_ms and (known is None or known.active_ms < at_ms):
            self._before[person] = Attendance(person, client, 0, at_ms)

    def _now_ms(self) -> int:
        return round(self._clock.now() * 1000)
