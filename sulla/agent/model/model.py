"""Asking a model: within every limit, again where that helps, and accounted for. The one place where retries happen."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import field, replace
from typing import Final

from sulla.agent.limits.ledger import Ledger
from sulla.agent.limits.limits import Charge, RunLimits, check_model_call, check_wall
from sulla.agent.model.attempt import tell_failure, ticket_for
from sulla.agent.model.breaker import Breaker
from sulla.agent.model.request import LEFT_OUT_NOTE, Purpose, ReplyRequest, opening, request_hash, told_to
from sulla.agent.model.retry import MAX_ATTEMPTS, Compress, FailureClass, GiveUp, RetryWait, classify, next_try
from sulla.agent.model.stream_sink import Streamed, StreamSink, nobody
from sulla.agent.model.token_estimator import Fitted, Size, TokenEstimator
from sulla.agent.model.tool_use import PLAIN, ToolUse
from sulla.agent.model.wrapper import Wrapper
from sulla.agent.model.wrappers import Stripper
from sulla.agent.pause import pause
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import (
    ContextTooLong,
    GraphError,
    LimitReached,
    ProviderError,
    ProviderProtocol,
    ProviderTransient,
    SullaError,
    ToolsRefused,
)
from sulla.core.ids import CallId, MessageId, derived_id
from sulla.core.message import Message
from sulla.core.run import Run
from sulla.core.waiting import LEFT_ALONE, why
from sulla.models.base import ChatRequest, Completed, Provider, ReasoningDelta, Stop, TextDelta
from sulla.models.wire.json import shortened
from sulla.threads.log.charging import written_off
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.records import ModelAbandoned, ModelStarted
from sulla.threads.log.state import ThreadState
from sulla.threads.log.usage import Usage
from sulla.threads.log.waits import RunWaiting

log = logging.getLogger(__name__)

CERTAIN_S: Final = 30.0
"""How long a reply may take that has to come from this model at once or not at all (`ReplyRequest.certain`)."""
MOST_AT_ONCE: Final = 4_096
"""Code points of a piece of an answer that are read before others come to their turn: a service may send all in one."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What the model answered."""

    started: ModelStarted
    completed: Completed
    usage: Usage
    """With its cost, where the model has a price."""
    text: str
    """What a person sees of it."""
    wrapper: Wrapper | None
    evicted: int = 0
    """Messages that the model was not shown any more."""
    wrote_call: bool = False
    """Whether it wrote down a call as text although it was given tools; that is no call."""


@dataclass(frozen=True, slots=True)
class SideReply:
    """What a call beside all runs came to."""

    said: Message | ProviderError
    usage: Usage
    charged_tokens: int
    """What it counts for; what was set aside for it where the service did not say."""
    stop: Stop = "end"
    """Why the reply ended: one that was cut is not all that was to be said."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model that can be asked.

    One instance serves all agents that use it: they share what is known of its sizes, and its breaker.
    """

    provider: Provider
    estimator: TokenEstimator
    ledger: Ledger
    breaker: Breaker
    jitter: Callable[[], float]
    """A random number from 0 to 1 at each call."""
    tool_use: ToolUse = field(default_factory=ToolUse)
    """Whether its service takes tools."""

    async def fit(
        self, state: ThreadState, ask: ReplyRequest, limits: RunLimits, ceiling_tokens: int | None = None
    ) -> Fitted:
        """Forget what of the conversation does not fit into a request.

        Raises:
            LimitReached: not even the newest message fits.
        """
        question = state.run.message.id if state.run is not None else None
        ceiling_tokens = ceiling_tokens or limits.history_tokens
        evicted = 0
        while True:
            # Weighed with the note that something is left out, because it may be needed then.
            summary = state.context.summary.seq
            told = (*opening(state)[:1], LEFT_OUT_NOTE)
            head = ChatRequest(self._name, ask.prompt, told, ask.tools, ask.max_tokens, limits.model_timeout_s)
            fitted = await self.estimator.fit(state.context.transcript, head, ceiling_tokens, question)
            evicted += fitted.evicted
            if state.context.summary.seq == summary:  # else one came meanwhile, and it has not been weighed
                return replace(fitted, evicted=evicted)

    @property
    def _name(self) -> str:
        """The service's own name for it: a run that waited while the model was changed asks the new one."""
        return self.estimator.info.name.model

    async def ask(self, state: ThreadState, run: Run, ask: ReplyRequest, limits: RunLimits) -> ModelReply | None:
        """Make a model call, and make it again as its failures allow.

        Each attempt is written down before it is made, and each failure before the wait that follows it. An attempt
        that succeeded is not: the caller writes it down together with what follows from it.

        Args:
            state: the thread, with the run open.
            run: the run.
            ask: what for.
            limits: the run's bounds.

        Returns:
            None if the daemon is to stop, and waiting for another attempt would keep it: whoever takes the run up again
            makes that attempt.

        Raises:
            LimitReached: the call does not fit a limit; it was not made.
            ProviderError: the model's service failed, or takes no tools; nothing of the reply counts.
        """
        open_run = _open(state)
        # Attempts of an earlier life of this run count too.
        failures: list[FailureClass] = ["transient"] * min(open_run.model.attempts, MAX_ATTEMPTS)
        if len(failures) == MAX_ATTEMPTS:
            raise ProviderTransient(f"{MAX_ATTEMPTS} attempts at one model call came to nothing")
        ceiling_tokens, evicted = limits.history_tokens, 0
        while True:
            sink, size, ask = StreamSink(MessageId(""), nobody), None, self._askable(ask)
            try:
                fitted = await self._fitted(state, ask, limits, ceiling_tokens)
                size, evicted = fitted.size, evicted + fitted.evicted
                ticket = self._admitted(run.clock)
                request = self._request(state, ask, limits)
                try:
                    started = await self._start(state, run, request, ask.purpose, size, limits)
                except BaseException:
                    self.breaker.unknown(ticket)  # the call was not made: if it was to be the trial, another one is
                    raise
                shown = run.emit if ask.purpose == "reply" else nobody
                sink = StreamSink(started.message_id, shown, pictures=not (state.context.tainted or request.native))
                completed, wrapper, wrote = await self._answer(request, sink, ticket, run.clock)
                reserved = Charge(started.reserved_tokens, started.reserved_micro)
                usage = self._account(completed, size)
                self.ledger.settle(started.call_id, open_run.agent, _charge(usage, reserved), run.clock.now())
                return ModelReply(started, completed, usage, sink.text, wrapper, evicted, wrote and bool(ask.tools))
            except SullaError as error:
                failures.append(classify(error))
                shown_text = ask.purpose == "reply" and bool(sink.text)
                after = next_try(
                    failures,
                    remaining_s=run.deadline_s - run.clock.elapsed(),
                    jitter=self.jitter(),
                    retry_after_s=error.retry_after_s,
                    shown_text=shown_text,
                )
                if ask.certain and isinstance(after, RetryWait):
                    after = GiveUp("exhausted")
                left_alone = open_run.model.open_call is None
                reason, said = (LEFT_ALONE, self._last_said()) if left_alone else (error.code, shortened(error.message))
                if ask.tools and not shown_text and self.tool_use.refuse(self._name, error):
                    after = RetryWait(0.0)
                if not await self._put_down(run, open_run, error, after):
                    raise
            if isinstance(after, Compress):
                ceiling_tokens = (size.at_most if size is not None else ceiling_tokens) // 2
            elif isinstance(after, RetryWait) and not await pause(run, RunWaiting(reason, after.seconds, said=said)):
                return None

    async def check_room(
        self, state: ThreadState, run: Run, ask: ReplyRequest, limits: RunLimits, more: Sequence[str]
    ) -> None:
        """See whether a call could be made now, without making it.

        Args:
            state: the thread, with the run open.
            run: the run.
            ask: what the call would be for.
            limits: the run's bounds.
            more: texts that would be said before it.

        Raises:
            LimitReached: it could not.
        """
        check_wall(run, limits)
        ask = self._askable(ask)
        size = (await self.fit(state, ask, limits)).size
        charge = self.estimator.charge(size, ask.max_tokens)
        charge = replace(charge, tokens=charge.tokens + sum(self.estimator.at_most(text) for text in more))
        check_model_call(state, charge, run.clock.now(), limits)
        self.ledger.check("", _open(state).agent, charge, run.clock.now())

    async def once(self, request: ChatRequest, call_id: str, agent: str, clock: Clock) -> SideReply:
        """Make a model call beside all runs: within the day's limits, and not again if it fails.

        Args:
            request: the whole of it.
            call_id: a name for it that no other call has.
            agent: on whose account.
            clock: all time.

        Returns:
            What it came to; a failure of the service too, because it may have cost something.

        Raises:
            LimitReached: it does not fit the day's limits; it was not made.
            ProviderTransient: the service is left alone for now; it was not made.
        """
        if self.tool_use.refused:
            request = replace(request, tools=(), force="")
        size = self.estimator.weigh(request)
        charge = self.estimator.charge(size, request.max_tokens)
        ticket = self._admitted(clock)
        try:
            self.ledger.reserve(call_id, agent, charge, clock.now())
        except LimitReached:
            self.breaker.unknown(ticket)
            raise
        said: Message | ProviderError
        usage = Usage()
        stop: Stop = "end"
        try:
            try:
                completed, *_ = await self._answer(request, StreamSink(MessageId(""), nobody), ticket, clock)
            except ToolsRefused as error:
                if not (request.tools and self.tool_use.refuse(self._name, error)):
                    raise
                request = replace(request, tools=(), force="")
                completed, *_ = await self._answer(request, StreamSink(MessageId(""), nobody), ticket, clock)
            said, stop, usage = completed.message, completed.stop, self._account(completed, size)
            charge = _charge(usage, charge)
        except ProviderError as error:
            said, charge = error, charge if error.asked else Charge(0)
        finally:
            self.ledger.settle(call_id, agent, charge, clock.now())
        return SideReply(said, usage, charge.tokens, stop)

    def _askable(self, ask: ReplyRequest) -> ReplyRequest:
        """The same without tools, where the service takes none; what has to be a call cannot be asked then."""
        self.tool_use.check(self._name, ask.force)
        plain = self.tool_use.refused and ask.tools
        return replace(ask, prompt=(*ask.prompt, PLAIN), tools=()) if plain else ask

    async def _fitted(self, state: ThreadState, ask: ReplyRequest, limits: RunLimits, ceiling_tokens: int) -> Fitted:
        try:
            return await self.fit(state, ask, limits, ceiling_tokens)
        except LimitReached as limit:
            if ceiling_tokens >= limits.history_tokens:
                raise
            raise ContextTooLong(f"the model's window is too small for the newest message: {limit.message}") from None

    def _request(self, state: ThreadState, ask: ReplyRequest, limits: RunLimits) -> ChatRequest:
        speaks = (state.run.agent if state.run is not None else "") or state.identity.agent
        told = [*opening(state), *told_to(speaks, state.context.transcript)]
        timeout_s = min(limits.model_timeout_s, CERTAIN_S) if ask.certain else limits.model_timeout_s
        beside = (timeout_s, ask.force, ask.tuning, ask.certain)
        return ChatRequest(self._name, ask.prompt, told, ask.tools, ask.max_tokens, *beside)

    def _admitted(self, clock: Clock) -> int:
        return ticket_for(self.breaker, self.provider.name, clock)

    async def _start(
        self, state: ThreadState, run: Run, request: ChatRequest, purpose: Purpose, size: Size, limits: RunLimits
    ) -> ModelStarted:
        """Write down that the call is about to be made and what it may take."""
        run.control.check()
        open_run, now_s = _open(state), run.clock.now()
        check_wall(run, limits)
        charge = self.estimator.charge(size, request.max_tokens)
        check_model_call(state, charge, now_s, limits)
        number = str(open_run.model.begun + 1)
        started = ModelStarted(
            CallId(derived_id("call", open_run.id, number)),
            MessageId(derived_id("msg", open_run.id, number)),
            open_run.model.attempts + 1,
            request_hash(request),
            charge.tokens,
            charge.cost_micro,
            purpose,
            request.native,
            min(request.max_tokens, charge.tokens),
        )
        self.ledger.reserve(started.call_id, open_run.agent, charge, now_s)
        await run.journal.commit(started)
        run.control.check()  # the write may have taken longer than the lease lasts
        return started

    def _last_said(self) -> str:
        """Why the service is left alone, in its own last words."""
        return f"{why(LEFT_ALONE)}; it said last: {self.breaker.said}" if self.breaker.said else ""

    async def _answer(self, request: ChatRequest, sink: StreamSink, ticket: int, clock: Clock) -> Streamed:
        """The answer to one attempt, and to the breaker how the service did."""
        try:
            answer = await self._stream(request, sink, lambda: self.breaker.heard(ticket), clock)
        except BaseException as error:
            tell_failure(self.breaker, error, ticket, clock)
            raise
        self.breaker.succeeded(ticket)
        return answer

    async def _stream(
        self, request: ChatRequest, sink: StreamSink, heard: Callable[[], None], clock: Clock
    ) -> Streamed:
        stripper = Stripper([tool.name for tool in request.tools])
        async with aclosing(self.provider.stream(request)) as stream:
            async for delta in stream:
                heard()
                match delta:
                    case TextDelta(text):
                        sink.show(stripper.feed(text[:MOST_AT_ONCE]))
                        for at in range(MOST_AT_ONCE, len(text), MOST_AT_ONCE):
                            await clock.sleep(0)  # others come to their turn in between
                            sink.show(stripper.feed(text[at : at + MOST_AT_ONCE]))
                    case ReasoningDelta(text):
                        sink.think(text)
                    case Completed():
                        rest, wrapper = stripper.finish()
                        sink.show(rest)
                        sink.finish()
                        if stripper.cut_calls:
                            log.info(
                                "%s wrote down calls of tools as text; they were cut out of its reply",
                                request.model,
                                extra={"calls": stripper.cut_calls, "characters": stripper.cut_characters},
                            )
                        return Streamed(delta, wrapper, stripper.wrote_call)
        raise ProviderProtocol(f"{self.provider.name} ended its reply without completing it")

    def _account(self, completed: Completed, size: Size) -> Usage:
        """What an answered call took and cost; and learn from it."""
        told = completed.usage
        usage = Usage(told.input_tokens, told.output_tokens, told.cache_read_tokens, told.cache_write_tokens)
        if not usage.total:
            return usage
        if completed.stand_in is None:
            self.estimator.observe(size, usage)
        return replace(usage, cost_micro=self.estimator.cost_micro(usage, completed.stand_in))

    async def _put_down(
        self, run: Run, open_run: OpenRun, error: SullaError, after: RetryWait | Compress | GiveUp
    ) -> bool:
        """Write down that an attempt came to nothing; whether another one follows."""
        retry_in_s = None if isinstance(after, GiveUp) else after.seconds if isinstance(after, RetryWait) else 0.0
        if (call := open_run.model.open_call) is not None:
            asked = not isinstance(error, ProviderError) or error.asked
            charge = Charge(call.reserved_tokens, call.reserved_micro) if asked else Charge(0)
            self.ledger.settle(call.call_id, open_run.agent, charge, run.clock.now())
            abandoned = ModelAbandoned(
                call.call_id, call.message_id, error.code, retry_in_s, asked, written_off(call) if asked else None
            )
            if retry_in_s is None:
                run.journal.note(abandoned)
            else:
                await run.journal.commit(abandoned)
        elif retry_in_s is not None:
            log.warning("%s; the next look is in %.0f s", error.message, retry_in_s, extra={"run_id": run.id})
        return retry_in_s is not None


def _charge(usage: Usage, reserved: Charge) -> Charge:
    """What a call took; what was set aside for it where the service does not say."""
    return Charge(usage.total, usage.cost_micro) if usage.total else reserved


def _open(state: ThreadState) -> OpenRun:
    if state.run is None:
        raise GraphError(f"{state.thread_id}: a model call without an open run")
    return state.run
