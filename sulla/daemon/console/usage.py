"""Keeps what agents and playbooks use, by day, and tells it."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, NotFound, StoreUnavailable
from sulla.core.event import Moment
from sulla.core.ids import RunId, ThreadId
from sulla.core.units import DAY_S
from sulla.daemon.console.usage_book import Use, UseDay, most_first, read_day, use_of
from sulla.gateway.methods.usage import MOST_DAYS, AgentUse, PlaybookUse, UsageDay, UsageDaysRows
from sulla.playbooks.records import Played
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.store.base import Store
from sulla.store.swapping import try_swaps
from sulla.threads.log.records import ModelAbandoned, Summary, TextMessageEnd
from sulla.threads.log.usage import Usage
from sulla.threads.store import ThreadStore
from sulla.threads.watching import CommittedFact

log = logging.getLogger(__name__)

KEY: Final = "sulla:usage:"
EVERY_S: Final = 2.0
"""A kill may forget what was used within so many seconds: it is told here, and bounds nothing."""
TTL_S: Final = (MOST_DAYS + 2) * float(DAY_S)
MOST_WAITING: Final = 2_000
"""Threads whose use waits to be kept; what comes of further ones is counted without their playbook."""
MOST_KNOWN: Final = 2_000
"""Threads of which it is known for which playbook they work."""
MOST_ABOVE: Final = 16
"""Threads above one that are looked at for a playbook."""
Limits = Callable[[], tuple[int | None, float | None]]
"""What all agents together may use on a day, in tokens and in money."""
_Waiting = dict[tuple[str, ThreadId, str], Use]


class UsageAccount:
    """Implements `threads.Watcher`, and does `gateway.methods.usage`. It lives as long as the daemon.

    Args:
        store: where the sums are kept, by day, for all homes on it.
        threads: say for which playbook a thread works.
        clock: all time.
        owner: ``<home id>:<boot nonce>``.
        zone: the name of the home's time zone.
        limits: what may be used on a day.
    """

    def __init__(self, store: Store, threads: ThreadStore, clock: Clock, owner: str, zone: str, limits: Limits) -> None:
        self._store = store
        self._threads = threads
        self._clock = clock
        self._owner = owner
        self._zone = ZoneInfo(zone)
        self._limits = limits
        self._waiting: _Waiting = {}
        self._sending: dict[str, tuple[str, UseDay]] = {}
        """What is added to each day, under its mark, until it is certain that it was."""
        self._keeping = asyncio.Lock()
        self._number = 0
        self._plays: OrderedDict[ThreadId, str] = OrderedDict()

    # ----------------------------------------------------------------------------------------------------- hearing

    def kept(self, thread_id: ThreadId, kept: Sequence[CommittedFact]) -> None:
        """These facts are in the log now: what models were asked is added up."""
        for one in kept:
            match one.fact:
                case TextMessageEnd(usage=usage) | Summary(usage=usage) if usage.total:
                    self._add(one, thread_id, use_of(usage))
                case ModelAbandoned(asked=True, usage=Usage() as usage):
                    self._add(one, thread_id, use_of(usage))  # it counts for the limits, and may be paid for
                case Summary(charged_tokens=tokens) if tokens:
                    self._add(one, thread_id, Use(0, 0, tokens))
                case Played(tokens=tokens, cost_micro=cost_micro) if tokens:
                    self._add(one, thread_id, Use(0, 0, tokens, cost_micro))
                case _:
                    pass

    def shown(self, run_id: RunId, moment: Moment) -> None:
        """Nothing is counted by what is shown."""

    def _add(self, one: CommittedFact, thread_id: ThreadId, use: Use) -> None:
        key = self._day(one.origin.at_ms), thread_id, one.origin.agent
        if key not in self._waiting and len(self._waiting) >= MOST_WAITING:
            key = key[0], ThreadId(""), key[2] if len(self._waiting) < 2 * MOST_WAITING else ""
        self._waiting.setdefault(key, Use()).add(use)

    # ----------------------------------------------------------------------------------------------------- keeping

    async def run(self) -> None:
        """Keep what was used, until cancelled."""
        while True:
            await self._clock.sleep(EVERY_S)
            try:
                await self.keep()
            except StoreUnavailable as error:
                log.debug("what was used is kept when the store answers again: %s", error)

    async def close(self) -> None:
        """Keep it a last time; a store that is away by then costs the last seconds."""
        try:
            await self.keep()
        except StoreUnavailable as error:
            log.warning("what was used in the last seconds is missing from the days: %s", error)

    async def keep(self) -> None:
        """Add what was used to the sums of its days.

        Raises:
            StoreUnavailable: the store does not answer; it is added the next time.
        """
        async with self._keeping:
            await self._gather()
            for day, (mark, more) in list(self._sending.items()):
                done = await try_swaps(
                    KEY + day,
                    partial(self._merged, day, more, mark),
                    self._clock,
                    get=self._store.get,
                    swap=partial(self._store.swap, ttl_s=TTL_S),
                )
                if done is not None:  # else others come in between all the time
                    del self._sending[day]

    async def _gather(self) -> None:
        """Make additions of what waits, for days of which none is on its way: nobody may know yet whether that one was
        kept.
        """
        fresh: dict[str, UseDay] = {}
        for key in [key for key in self._waiting if key[0] not in self._sending]:
            day, thread_id, agent = key
            playbook = await self._playbook_of(thread_id)
            fresh.setdefault(day, UseDay()).put(agent, playbook, self._waiting.pop(key))
        for day, more in fresh.items():
            self._number += 1
            self._sending[day] = f"{self._owner}:{self._number}", more

    def _merged(self, day: str, more: UseDay, mark: str, value: bytes | None) -> bytes | None:
        try:
            kept = read_day(value)
        except CorruptRecord as error:
            log.error("what was used on %s is not known, and its counting begins anew: %s", day, error)
            kept = UseDay()
        return kept.to_bytes() if kept.merge(more, self._owner.partition(":")[0], mark) else None

    async def _playbook_of(self, thread_id: ThreadId) -> str:
        """The playbook that a thread works for; empty for none."""
        seen: list[ThreadId] = []
        found, at = "", thread_id
        while at and len(seen) < MOST_ABOVE:
            if (known := self._plays.get(at)) is not None:
                found = known
                break
            seen.append(at)
            try:
                _, state = await self._threads.get(at)
            except NotFound:
                break
            play = PLAYBOOK_RUN.of(state) if state is not None else None
            if play is not None:
                found = play.name
                break
            birth = state.identity.birth if state is not None else None
            at = birth.parent if birth is not None else ThreadId("")
        self._plays.update(dict.fromkeys(seen, found))
        while len(self._plays) > MOST_KNOWN:
            self._plays.popitem(last=False)
        return found

    # ----------------------------------------------------------------------------------------------------- telling

    async def days(self, days: int) -> UsageDaysRows:
        """See `gateway.methods.usage.UsageService`."""
        await self.keep()
        today = date.fromisoformat(self._day(round(self._clock.now() * 1000)))
        names = [(today - timedelta(days=ago)).isoformat() for ago in range(days - 1, -1, -1)]
        return UsageDaysRows(tuple([await self._row(name) for name in names]))

    async def _row(self, name: str) -> UsageDay:
        try:
            day = read_day(await self._store.get(KEY + name))
        except CorruptRecord as error:
            log.error("what was used on %s cannot be read: %s", name, error)
            day = UseDay()
        agents = tuple(AgentUse(one, *_figures(use)) for one, use in most_first(day.agents))
        plays = tuple(PlaybookUse(one, *_figures(use)) for one, use in most_first(day.playbooks))
        return UsageDay(name, *_figures(day.total), *self._limits(), agents, plays)

    def _day(self, at_ms: int) -> str:
        return datetime.fromtimestamp(at_ms / 1000, self._zone).date().isoformat()


def _figures(use: Use) -> tuple[int, int, int, int | None]:
    return use.tokens_in, use.tokens_out, use.tokens, use.cost_micro
