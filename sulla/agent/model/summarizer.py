"""Sums up the older part of long conversations, beside the turns and without their leases (seed 004 §2, design §3)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Final

from sulla.agent.limits.limits import RunLimits, check_thread_day
from sulla.agent.model.model import Model
from sulla.agent.model.summary import Batch, Picker, Sizes, sizes_for, summary_request, summary_text
from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, LimitReached, NotFound, ProviderError, ProviderProtocol, SullaError
from sulla.core.ids import MakeId, MessageId, ThreadId
from sulla.core.message import Message
from sulla.models.tokens.estimate import estimate_text
from sulla.threads.conversation import ConversationReader, LogMessage
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.fold_offer import apply_offer
from sulla.threads.log.records import Summary
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore

log = logging.getLogger(__name__)

MOST_ASKED: Final = 1_000
"""Threads that may wait for their summary; one that finds no room asks again with its next message."""


class Summarizer:
    """Makes one summary at a time.

    Nothing of it needs to survive a kill: a thread that is still too long asks again with its next message.

    Args:
        threads: where conversations are.
        model: makes the summaries.
        clock: all time.
        make_id: for the names of its calls.
        limits: a thread's bounds for a day.
    """

    def __init__(self, threads: ThreadStore, model: Model, clock: Clock, make_id: MakeId, limits: RunLimits) -> None:
        self._threads = threads
        self._model = model
        self._clock = clock
        self._make_id = make_id
        self._limits = limits
        self._asked: dict[ThreadId, None] = {}
        self._wake = asyncio.Event()

    def ask(self, thread_id: ThreadId) -> bool:
        """Have a thread summed up soon; whether that was not on its way already."""
        if thread_id in self._asked or len(self._asked) >= MOST_ASKED:
            return False
        self._asked[thread_id] = None
        self._wake.set()
        return True

    async def run(self) -> None:
        """Make the summaries that are asked for, until cancelled; begun anew, it makes those that are left."""
        while True:
            while self._asked:
                thread_id = next(iter(self._asked))
                await self.sum_up(thread_id)
                del self._asked[thread_id]
            await self._wake.wait()
            self._wake.clear()

    async def sum_up(self, thread_id: ThreadId) -> int:
        """Sum up what of a thread lies behind its newest messages.

        Returns:
            How many summaries were made. A failure is said in the log and ends it; what is made so far is kept.
        """
        made = 0
        try:
            state = await self._threads.load(thread_id)
            if state is None:
                return 0
            earlier = state.context.summary.text
            async for batch in self._batches(state):
                earlier = await self._one(state, earlier, batch)
                made += 1
        except NotFound:
            pass  # it was deleted meanwhile
        except LimitReached as limit:
            log.info("no summary of a long conversation: %s", limit.message, extra={"thread_id": thread_id})
        except SullaError as error:
            log.warning("a summary failed; the next message asks again: %s", error, extra={"thread_id": thread_id})
        except Exception:
            # Nobody's turn depends on it, so it must not end the daemon either.
            log.exception("a summary failed in a way that nobody foresaw", extra={"thread_id": thread_id})
        return made

    async def _one(self, state: ThreadState, earlier: str, batch: Batch) -> str:
        model, estimator = self._model, self._model.estimator
        request = summary_request(estimator.info.name.model, earlier, batch, self._sizes, estimate_text)
        charge = estimator.charge(estimator.weigh(request), request.max_tokens)
        check_thread_day(state, charge, self._clock.now(), self._limits)
        call_id = self._make_id("call")
        answered = await model.once(request, call_id, state.identity.agent, self._clock)
        text = summary_text(answered.said) if isinstance(answered.said, Message) else ""
        # What it took is the thread's also where it came to nothing.
        covers = (batch.covers_seq, text, batch.first_kept) if text else (0, "", MessageId(""))
        fact = Summary(*covers, answered.usage, answered.charged_tokens)
        await self._threads.tell(state.thread_id, fact, call_id)
        apply_offer(state, fact, 0, Origin(round(self._clock.now() * 1000)))
        if isinstance(answered.said, ProviderError):
            raise answered.said
        if not text:
            raise ProviderProtocol("the model summed up a conversation in no words at all")
        return text

    async def _batches(self, state: ThreadState) -> AsyncIterator[Batch]:
        picker = Picker(estimate_text, self._sizes)
        async for said in self._said(state.thread_id, state.context.summary.covers_seq):
            for batch in picker.take(said):
                yield batch
        rest = picker.last()
        if rest is not None:
            yield rest

    @property
    def _sizes(self) -> Sizes:
        return sizes_for(self._model.estimator.info.window_tokens, self._limits.history_tokens)

    async def _said(self, thread_id: ThreadId, after: int) -> AsyncIterator[LogMessage]:
        listener, page = ConversationReader(), await self._threads.entries(thread_id, after=after)
        while page:
            for entry in page:
                for seq in listener.missing(entry):
                    for said in listener.hear(await self._entry(thread_id, seq)):
                        yield said
                for said in listener.hear(entry):
                    yield said
            page = await self._threads.entries(thread_id, after=page[-1].seq)
        for said in listener.rest():
            yield said

    async def _entry(self, thread_id: ThreadId, seq: int) -> Entry:
        found = await self._threads.entries(thread_id, after=seq - 1, before=seq + 1, limit=1)
        if not found:
            raise CorruptRecord(f"{thread_id}: record {seq} is missing")
        return found[0]
