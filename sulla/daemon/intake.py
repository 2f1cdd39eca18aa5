"""Takes people's messages in, at the speed that the limits allow (design §6)."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Final, get_args

from sulla.agent.approvals.open_questions import OpenQuestions
from sulla.agent.input.sanitize import sanitize
from sulla.agent.limits.rate import RateAllowed, RateLimits, RateReason, Rates, TooFast
from sulla.core.clock import Clock
from sulla.core.errors import AlreadyAnswered, NotFound, QueueFull, RateLimited
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.threads.log.records import Answer, Input
from sulla.threads.readable import ReadableThreads
from sulla.threads.store import Sent, ThreadStore

MOST_BELOW: Final = 1_000
"""Questions of sub-agents that are looked at."""


class Intake:
    """The door for what people say. What the daemon offers by itself (answers, beats, children) does not come by here.

    A refused message leaves nothing behind but a count: its sender is told, and nobody else has to know.

    Args:
        threads: where messages are kept.
        readable: tells threads that can be worked on from those that cannot.
        limits: how fast they may come.
        clock: by which that is judged.
    """

    def __init__(self, threads: ThreadStore, readable: ReadableThreads, limits: RateLimits, clock: Clock) -> None:
        self._threads = threads
        self._readable = readable
        self._limits = limits
        self._rates = Rates(limits)
        self._clock = clock
        self._refused: Counter[RateReason] = Counter()
        self._asked = OpenQuestions(threads, clock)

    def made(self, thread_id: ThreadId) -> None:
        """A thread was made just now: nobody has to look whether it can be read."""
        self._readable.remember(thread_id)

    async def send(self, thread_id: ThreadId, fact: Input, caller: str) -> Sent:
        """Keep a message, unless it comes too fast; what is passed on with it without what nobody sees of it.

        A message that the thread has is answered as at first, however fast it comes, and does not count: neither a
        full window nor a restart of the daemon can take back what was acknowledged.

        Args:
            thread_id: where it goes.
            fact: the message.
            caller: the name of the token that it came with.

        Raises:
            RateLimited: it comes too fast; nothing was kept.
            NotFound: there is no such thread.
            CorruptRecord: the thread cannot be read, so nobody could answer.
            MessageIdReused: the message id came before with other content.
            QueueFull: too many messages wait.
        """
        await self._readable.check(thread_id)
        if fact.quoted:  # what is said is screened when its turn begins; what came with it has nobody else to do so
            fact = replace(fact, quoted=sanitize(fact.quoted).text)
        match self._rates.take(thread_id, caller, fact.message_id, self._clock.elapsed()):
            case RateAllowed(counted):
                sent = await self._threads.send(thread_id, fact)
                if counted and not sent.first:
                    self._rates.uncount(thread_id, caller, fact.message_id)
                return sent
            case TooFast() as refusal:
                return await self._sent_before(thread_id, fact, refusal)

    async def answer(self, thread_id: ThreadId, given: Answer) -> tuple[int, tuple[ThreadId, ...]]:
        """Keep an answer. `always` answers all that is asked at the moment about calls like this one, too: what a rule
        allows from now on waits for nobody.

        Args:
            thread_id: where the question is.
            given: the answer.

        Returns:
            The number of its record, and the threads in which something was answered.

        Raises:
            AlreadyAnswered: another answer came first.
            NotFound: there is no such thread, or nothing in it asks that.
            StoreUnavailable: the store does not answer; the same answer may be given again.
        """
        if not await self._asks(thread_id, given.wait_id):
            try:  # one that was answered is answered as at first
                return await self._threads.answer(thread_id, given, max_waiting=0), (thread_id,)
            except QueueFull:
                raise NotFound(await self._elsewhere(thread_id, given.wait_id)) from None
        alike = await self._asked.alike(thread_id, given.wait_id) if given.verdict == "always" else ()
        seq = await self._threads.answer(thread_id, given)
        for other in alike:
            with suppress(AlreadyAnswered, NotFound):  # by somebody else meanwhile, or its thread was deleted
                await self._threads.answer(other.thread_id, Answer(other.wait.wait_id, "", "approve", by=given.by))
        return seq, tuple(dict.fromkeys((thread_id, *(other.thread_id for other in alike))))

    async def _asks(self, thread_id: ThreadId, wait_id: str) -> bool:
        """Whether a thread waits for an answer; one that cannot be read is asked no such thing."""
        _, state = await self._threads.get(thread_id)
        return state is None or (state.run is not None and wait_id in state.run.waits)

    async def _elsewhere(self, thread_id: ThreadId, wait_id: str) -> str:
        """Why an answer answers nothing, and where its question is asked."""
        said = f"{thread_id!r} has no open question {wait_id!r}"
        for one in await self._asked.of_root(thread_id, MOST_BELOW):
            if one.wait.wait_id == wait_id:
                return (
                    f"{said}: it is asked in {one.thread_id!r}, by {one.agent!r}, which works for it; answer it there"
                )
        return f"{said}: approval.list has those that are open"

    def refused(self) -> JsonObject:
        """How many messages were refused since the start, by reason."""
        return {reason: self._refused[reason] for reason in get_args(RateReason)}

    async def _sent_before(self, thread_id: ThreadId, fact: Input, refusal: TooFast) -> Sent:
        try:
            return await self._threads.send(thread_id, fact, max_waiting=0)
        except QueueFull:  # there is no room for anything new, so it is new
            self._refused[refusal.reason] += 1
            words = refusal.words(self._limits)
            raise RateLimited(words, retry_after_s=refusal.retry_after_s) from None
