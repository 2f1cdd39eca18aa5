"""What people are told, kept until they have seen it: logs in the store, read along by every daemon."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, NotFound, Refused, StoreUnavailable
from sulla.people import notices
from sulla.people.notices import NoticeFold, NoticeInfo, NoticeKept, NoticeRead, NoticesForgotten
from sulla.store.base import Store
from sulla.store.values import LogInfo

log = logging.getLogger(__name__)

CHANNEL: Final = "notices"
"""The bus channel on which daemons tell each other that there is something new."""
LOOK_S: Final = 5.0
"""How often a daemon looks by itself while somebody waits for notices, in seconds."""
SWEEP_S: Final = 3600.0
"""How often it looks for what is too old, in seconds."""
MOST_NEWS: Final = 100
"""Notices that somebody who comes back is told at once, the newest; the others are in the list."""
LEASE_S: Final = 30.0
_PAGE: Final = 512
_LOGS: Final = 2 * notices.KEPT_DAYS
"""Logs that are looked at: there is one for each day that is kept."""


class NoticeInbox:
    """What people are told: kept for 30 days, with who has seen it, and read along by every daemon on the store.

    It lives as long as the daemon. A record that cannot be read hides what stands behind it in that day's log, and
    nothing else.

    Args:
        store: where the logs are.
        clock: all time.
        owner: who removes logs that are too old: ``<home id>:<boot nonce>``.
    """

    def __init__(self, store: Store, clock: Clock, owner: str) -> None:
        self._store = store
        self._clock = clock
        self._owner = owner
        self._fold = NoticeFold()
        self._born: dict[str, int] = {}
        self._damaged: set[str] = set()
        self._reading = asyncio.Lock()
        self._listeners: dict[Callable[[], None], None] = {}
        self._heard = asyncio.Event()
        self._over = False
        """Whether the bus has ended what was listened to."""

    # -------------------------------------------------------------------------------------------------------- telling

    async def keep(self, fact: NoticeKept) -> bool:
        """Keep a notice until it is seen, and wake those that follow.

        Returns:
            Whether it was not kept before.

        Raises:
            Refused: people were told as much as they may be on one day.
            StoreUnavailable: the store does not answer.
        """
        await self._catch_up()
        if self._fold.get(fact.id) is not None:
            return False
        key = notices.key_of(fact.at_ms)
        if most := self._fold.most(key, fact):
            of = {notices.MOST_A_DAY: "", notices.MOST_OF_PLAYBOOKS: " by playbooks"}.get(most, " that are not urgent")
            raise Refused(
                f"people were told {most} things{of} today, the most that may be: it stands in {fact.thread_id}"
            )
        digest = fact.id.encode()
        offered = await self._store.offer(
            key, f"kept:{fact.id}", notices.encode(fact), digest=digest, create=notices.HEAD, wakes=False
        )
        await self._spread()
        return offered.first

    async def said_before(self, agent: str, text: str, besides: str = "") -> NoticeInfo | None:
        """What an agent told people that says the same and that nobody has seen; None if there is nothing.

        Args:
            agent: its id.
            text: what it wants to say.
            besides: the id that it would get: if it was told under that before, nothing is.
        """
        await self._catch_up()
        if self._fold.get(besides) is not None:
            return None
        wanted = notices.sameness(text)
        found = (one for one in self._fold.unseen() if one.agent == agent)
        return next((one for one in found if notices.sameness(one.text) == wanted), None)

    async def unseen(self, agent: str, limit: int) -> Sequence[NoticeInfo]:
        """What an agent told people and nobody has seen, the newest at most `limit`, oldest first."""
        await self._catch_up()
        return [one for one in self._fold.unseen() if one.agent == agent][-limit:]

    async def forget(self, thread_id: str) -> None:
        """A conversation is gone, and what was told in it is shown no more."""
        await self._catch_up()
        days = dict.fromkeys(one.day for one in self._fold.all() if one.thread_id == thread_id)
        for day in days:
            fact = NoticesForgotten(thread_id, self._now_ms())
            draft, known_as = notices.encode(fact), f"forgotten:{thread_id}"
            await self._store.offer(day, known_as, draft, digest=b"forgotten", wakes=False)
        if days:
            await self._spread()

    # --------------------------------------------------------------------------------------------------- for clients

    async def list(self, after: str, limit: int, unseen_by: str) -> Sequence[NoticeInfo]:
        """Notices, the newest first.

        Args:
            after: only those that stand behind this one in the list; empty for all.
            limit: how many at most.
            unseen_by: only those that this person has not seen; empty for all.

        Raises:
            NotFound: there is no notice `after`.
        """
        await self._catch_up()
        rows = self._fold.all()
        if after:
            known = self._known(after)
            rows = [one for one in rows if (one.at_ms, one.id) < (known.at_ms, known.id)]
        return [one for one in rows if not unseen_by or unseen_by not in one.seen][:limit]

    async def seen(self, ids: Sequence[str], by: str) -> int:
        """A person has seen some.

        Args:
            ids: those.
            by: the name of their token.

        Returns:
            How many they had not seen before.

        Raises:
            NotFound: one of them is not there; none is marked then.
        """
        await self._catch_up()
        new = [one for one in map(self._known, dict.fromkeys(ids)) if by not in one.seen]
        for one in new:
            draft = notices.encode(NoticeRead(one.id, by, self._now_ms()))
            await self._store.offer(one.day, f"seen:{one.id}:{by}", draft, digest=b"seen", wakes=False)
        if new:
            await self._spread()
        return len(new)

    async def waiting(self, person: str) -> int:
        """How many a person has not seen; what `news` tells is up to date then."""
        await self._catch_up()
        return len(self._fold.unseen(person))

    def news(self, person: str, after: int) -> Sequence[NoticeInfo]:
        """What a person has not seen, the oldest first, as far as it is known here.

        Args:
            person: the name of their token.
            after: only those with a higher number; 0 for the newest `MOST_NEWS` of all.
        """
        found = self._fold.unseen(person, after)
        return found if after else found[-MOST_NEWS:]

    def follow(self, changed: Callable[[], None]) -> AbstractContextManager[None]:
        """Have `changed` called whenever there may be news, for as long as the block lasts. It must not wait."""
        return self._follow(changed)

    @contextmanager
    def _follow(self, changed: Callable[[], None]) -> Iterator[None]:
        self._listeners[changed] = None
        try:
            yield
        finally:
            del self._listeners[changed]

    # -------------------------------------------------------------------------------------------------------- reading

    async def run(self) -> None:
        """Wake followers for what other daemons keep, and remove what is too old, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen())
            tasks.create_task(self._sweep())

    async def _listen(self) -> None:
        while True:
            try:
                async with self._store.subscribe(CHANNEL) as wakes:
                    wakes.attach(self._hear)
                    self._over = False
                    while not self._over:
                        await self._wait()
                        await self._look()
            except StoreUnavailable as error:
                log.debug("nobody can listen for notices, so they are only looked for: %s", error)
            await self._clock.sleep(LOOK_S)
            await self._look()

    def _hear(self, payload: bytes | None) -> None:
        """However many wake-ups come while the store is read, it is read once more for all of them."""
        self._over = payload is None
        self._heard.set()

    async def _wait(self) -> None:
        """Until something is heard, but no longer than a lost wake-up may cost."""
        try:
            async with self._clock.timeout(LOOK_S):
                await self._heard.wait()
        except TimeoutError:
            return
        self._heard.clear()

    async def _look(self) -> None:
        """Wake followers if there is something new; nothing is read while nobody follows."""
        if not self._listeners:
            return
        try:
            await self._catch_up()
        except StoreUnavailable as error:
            log.debug("the store does not answer, so notices wait until it does: %s", error)
            return
        self._tell()

    async def _sweep(self) -> None:
        while True:
            try:
                await self._remove_old()
            except StoreUnavailable as error:
                log.debug("the store does not answer, so old notices are removed later: %s", error)
            await self._clock.sleep(SWEEP_S)

    async def _remove_old(self) -> None:
        for info in await self._store.find(kind=notices.KIND, limit=_LOGS):
            if notices.is_over(info.key, self._now_ms()):
                grant = await self._store.acquire(info.key, self._owner, LEASE_S)
                if grant is not None:
                    await self._store.delete(grant.lease)

    async def _spread(self) -> None:
        self._store.publish(CHANNEL, b"")
        await self._catch_up()
        self._tell()

    def _tell(self) -> None:
        for changed in tuple(self._listeners):
            changed()

    async def _catch_up(self) -> None:
        async with self._reading:
            infos = await self._store.find(kind=notices.KIND, limit=_LOGS)
            for key in self._fold.keys - {info.key for info in infos}:
                self._fold.drop(key)
            for info in infos:
                await self._read(info)

    async def _read(self, info: LogInfo) -> None:
        key = info.key
        if self._born.get(key) != info.created_ms or info.last_seq < self._fold.read(key):
            self._fold.drop(key)  # another log than the one that was read
            self._born[key] = info.created_ms
            self._damaged.discard(key)
        while key not in self._damaged and self._fold.read(key) < info.last_seq:
            records = await self._store.read(key, after=self._fold.read(key), limit=_PAGE)
            if not records:
                return  # it was removed meanwhile
            try:
                for record in records:
                    self._fold.apply(key, record.seq, notices.decode(record, key))
            except CorruptRecord as error:
                log.error("notices of a day cannot be read from here on: %s", error.message)
                self._damaged.add(key)

    def _known(self, id_: str) -> NoticeInfo:
        if (found := self._fold.get(id_)) is None:
            raise NotFound(f"no notice {id_[:80]!r}: notice.list has those that there are")
        return found

    def _now_ms(self) -> int:
        return round(self._clock.now() * 1000)
