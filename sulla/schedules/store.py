"""All schedules of a store, read along by every daemon on it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import Busy, Conflict, MessageIdReused, NotFound, StoreUnavailable
from sulla.schedules import records as f
from sulla.schedules.log import ScheduleLog
from sulla.schedules.stored_state import HEAD, KIND, key_of, parse_key
from sulla.store.base import Store
from sulla.store.values import LogInfo

log = logging.getLogger(__name__)

CHANNEL: Final = "schedules"
"""Where the ids of changed schedules are told; lossy, so the sweep looks too."""
SWEEP_S: Final = 2.0
"""How often a page of logs is looked at for records that nobody told of."""
PAGE: Final = 500
MOST_SCHEDULES: Final = 20_000
_READERS: Final = 16
"""Logs that are read at once."""


class ScheduleStore:
    """Every schedule of a store, kept up to date with what other daemons write. It lives as long as the daemon.

    Args:
        store: where the logs are.
        clock: for the sweep.
        owner: ``<home id>:<boot nonce>``.
    """

    def __init__(self, store: Store, clock: Clock, owner: str) -> None:
        self._store = store
        self._clock = clock
        self._owner = owner
        self._logs: dict[str, ScheduleLog] = {}
        self._changed: Callable[[str], None] = lambda schedule_id: None
        self._after = ""
        self._seen: set[str] = set()
        """Schedules that the sweep has come across since it began anew."""
        self._away = False

    def __len__(self) -> int:
        return len(self._logs)

    def on_change(self, changed: Callable[[str], None]) -> None:
        """From now on, have `changed` called with the id of each schedule that somebody else changed."""
        self._changed = changed

    async def get(self, schedule_id: str) -> ScheduleLog:
        """One schedule as it is now, also if nobody has told this daemon of it yet.

        Raises:
            NotFound: there is none of that id.
            StoreUnavailable: the store does not answer.
        """
        found = await self.look_up(schedule_id)
        if found is None or (found.state is not None and found.state.removed):
            raise NotFound(f"no schedule {schedule_id[:80]!r}; `sulla schedule list` shows all")
        return found

    async def look_up(self, schedule_id: str) -> ScheduleLog | None:
        """One schedule as it is now, removed ones included; None if there is none.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        infos = await self._store.find(kind=KIND, after_key=key_of(schedule_id, 1)[:-1], limit=2)
        await self._take(info for info in infos if (parse_key(info.key) or ("", 0))[0] == schedule_id)
        return self._logs.get(schedule_id)

    def find(self, schedule_id: str) -> ScheduleLog | None:
        """One schedule as it is known here, removed ones included; None if there is none."""
        return self._logs.get(schedule_id)

    def page(self, after: str, limit: int) -> Sequence[ScheduleLog]:
        """Schedules by id, those behind `after` only."""
        there = (self._logs[name] for name in sorted(self._logs) if name > after)
        return list(islice((one for one in there if one.state is None or not one.state.removed), limit))

    def troubles(self) -> Sequence[str]:
        """Why some cannot be read."""
        return [one.trouble for one in self._logs.values() if one.trouble]

    async def open(self) -> None:
        """Read all there are, a page at a time.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        while await self._sweep():
            pass

    async def run(self) -> None:
        """Follow what other daemons do, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._poll())
            tasks.create_task(self._listen())

    def announce(self, schedule_id: str) -> None:
        """Tell other daemons that somebody changed a schedule."""
        self._store.publish(CHANNEL, schedule_id.encode())

    async def create(self, schedule_id: str, fact: f.ScheduleSet, digest: bytes) -> ScheduleLog:
        """Make a schedule; the same id and content make it once.

        Raises:
            Conflict: there is another one of that id.
            Busy: there are as many as there may be.
        """
        known = await self.look_up(schedule_id)
        if known is None and len(self._logs) >= MOST_SCHEDULES:
            raise Busy(f"there are {len(self._logs)} schedules, the most that there may be: remove some first")
        number = 1
        if known is not None:
            over = known.state is not None and known.state.removed
            number = known.number + over  # the log of a removed one is of no more use
            if over:
                del self._logs[schedule_id]
        try:
            await self._store.offer(
                key_of(schedule_id, number), "created", f.encode(fact), digest=digest, create=HEAD, wakes=False
            )
        except MessageIdReused:
            raise Conflict(
                f"there is a schedule {schedule_id!r} already, and another one: choose another id, or remove it first"
            ) from None
        made = self._logs.setdefault(schedule_id, ScheduleLog(self._store, self._owner, schedule_id, number))
        await made.read()
        self.announce(schedule_id)
        return made

    # ----------------------------------------------------------------------------------------------------- following

    async def _sweep(self) -> bool:
        """Look at the next page of logs; whether there are more."""
        infos = await self._store.find(kind=KIND, after_key=self._after, limit=PAGE)
        await self._take(infos)
        self._seen |= {place[0] for info in infos if (place := parse_key(info.key))}
        if len(infos) == PAGE:
            self._after = infos[-1].key
            return True
        for gone in [name for name in self._logs if name not in self._seen]:
            await self._missing(gone)
        self._after, self._seen = "", set()
        return False

    async def _missing(self, schedule_id: str) -> None:
        """It was not among all: it is gone, unless it was made while the sweep went on."""
        one = self._logs[schedule_id]
        if await self._store.head(one.key) is None and self._logs.get(schedule_id) is one:
            del self._logs[schedule_id]
            self._changed(schedule_id)

    async def _take(self, infos: Iterable[LogInfo]) -> None:
        """Read those logs of which not all is known."""
        gate = asyncio.Semaphore(_READERS)

        async def read(one: ScheduleLog, number: int) -> None:
            async with gate:
                await one.read_next(number)
                if one.state is not None and one.state.removed:
                    await one.tidy()
            if one.trouble:
                log.error("a schedule cannot be read, so it does not fire: %s", one.trouble)
            self._changed(one.id)

        try:
            async with asyncio.TaskGroup() as tasks:
                for info in infos:
                    if (place := parse_key(info.key)) and (one := self._outdated(info, *place)) is not None:
                        tasks.create_task(read(one, place[1]))
        except* StoreUnavailable as outage:
            raise StoreUnavailable(str(outage.exceptions[0])) from None

    def _outdated(self, info: LogInfo, schedule_id: str, number: int) -> ScheduleLog | None:
        """Who is to read a log of which not all is known."""
        known = self._logs.get(schedule_id)
        over = known is not None and known.state is not None and known.state.removed
        if known is None or (over and number > known.number) or (known.number == number and _reborn(known, info)):
            known = self._logs[schedule_id] = ScheduleLog(self._store, self._owner, schedule_id, number)
        if number < known.number:  # a later one has taken its place: what is left of it goes
            return ScheduleLog(self._store, self._owner, schedule_id, number)
        if number == known.number:
            known.born_ms = info.created_ms
            if known.trouble or (known.seq == info.last_seq and not (known.state is not None and known.state.moved)):
                return None
        return known

    async def _poll(self) -> None:
        while True:
            await self._clock.sleep(SWEEP_S)
            try:
                await self._sweep()
            except StoreUnavailable as error:
                if not self._away:
                    log.warning("the store does not answer; schedules stay as they were until it does: %s", error)
                self._away = True
            else:
                self._away = False

    async def _listen(self) -> None:
        while True:
            try:
                async with self._store.subscribe(CHANNEL) as heard:
                    async for told in heard:
                        await self.look_up(told.decode(errors="replace"))
            except StoreUnavailable as error:
                log.debug("nobody can listen for changes of schedules, so they are only swept: %s", error)
            await self._clock.sleep(SWEEP_S)


def _reborn(known: ScheduleLog, info: LogInfo) -> bool:
    """Whether the log of that number is another one than the one that was read."""
    return known.born_ms not in (0, info.created_ms)
