"""Keeps what people have allowed until further notice: a log of its own in the store, read along by every daemon."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from sulla.agent.approvals import approvals as book
from sulla.agent.approvals.approvals import RuleForgotten, RuleMade
from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, NotFound
from sulla.store.base import Store
from sulla.threads.log.waits import Permit

log = logging.getLogger(__name__)

_PAGE: Final = 512


class Permissions:
    """The driver of the book of rules. If a record cannot be read no rule is good: it may have been the one that took
    another back.

    Args:
        store: where the log is.
        clock: all time.
        always_s: how long a rule is good, in seconds.
    """

    def __init__(self, store: Store, clock: Clock, always_s: float = book.ALWAYS_S) -> None:
        self._store = store
        self._clock = clock
        self._always_s = always_s
        self._book = book.RuleBook()
        self._born_ms = 0
        self._reading = asyncio.Lock()

    async def allows(self, agent: str, tool: str, target: str) -> bool:
        """Whether calls like this one need no question.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        try:
            await self._catch_up()
        except CorruptRecord as error:
            log.error("what is always allowed cannot be read, so people are asked: %s", error.message)
            return False
        return self._book.allows(agent, tool, target, self._now_ms())

    async def allow(self, permit: Permit, agent: str) -> None:
        """Make the rule that a person's `always` asks for; the same answer makes it once."""
        if not permit.target:
            return
        rule = book.rule_of(permit, agent, self._now_ms(), self._always_s)
        digest = rule.id.encode()
        await self._store.offer(
            book.KEY, f"made:{rule.id}", book.encode(rule), digest=digest, create=book.HEAD, wakes=False
        )

    async def list(self) -> Sequence[RuleMade]:
        """The rules that hold now.

        Raises:
            CorruptRecord: a record cannot be read.
        """
        await self._catch_up()
        return self._book.good(self._now_ms())

    async def forget(self, rule_id: str) -> None:
        """Take a rule back: people are asked again.

        Raises:
            NotFound: there is no such rule.
        """
        if rule_id not in {rule.id for rule in await self.list()}:
            raise NotFound(f"no rule {rule_id[:80]!r} holds; `sulla approvals rules` shows all")
        fact = RuleForgotten(rule_id, self._now_ms())
        await self._store.offer(book.KEY, f"forgot:{rule_id}", book.encode(fact), digest=b"forgot", wakes=False)

    async def _catch_up(self) -> None:
        async with self._reading:
            info = await self._store.head(book.KEY)
            last, born_ms = (info.last_seq, info.created_ms) if info is not None else (0, 0)
            if last < self._book.seq or born_ms != self._born_ms:
                self._book = book.RuleBook()  # another log than the one that was read
            self._born_ms = born_ms
            while self._book.seq < last:
                records = await self._store.read(book.KEY, after=self._book.seq, limit=_PAGE)
                if not records:
                    raise CorruptRecord(f"{book.KEY}: nothing follows record {self._book.seq}")
                for record in records:
                    self._book.apply(record.seq, book.decode(record))

    def _now_ms(self) -> int:
        return round(self._clock.now() * 1000)
