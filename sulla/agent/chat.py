"""One model call: asked, streamed to whoever watches, written down."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from sulla.agent.limits import RunLimits, check_model_call, check_wall
from sulla.agent.request import build_request, request_hash, reserved_tokens
from sulla.agent.retry import Compress, FailureClass, GiveUp, Wait, classify, next_try
from sulla.agent.spec import AgentSpec
from sulla.agent.wrappers import Stripper, Wrapper
from sulla.core.errors import ProviderProtocol, SullaError
from sulla.core.event import Emit, Moment, ReasoningShown, TextShown
from sulla.core.ids import CallId, MessageId, derived_id
from sulla.core.message import Message, Part, Text, ToolCall
from sulla.core.run import Run
from sulla.providers import ChatRequest, Completed, Provider, ReasoningDelta, TextDelta, ToolSpec
from sulla.threads import (
    ModelAbandoned,
    ModelStarted,
    OpenRun,
    Outcome,
    TextMessageEnd,
    ThreadState,
    ToolCallStart,
    Usage,
)
from sulla.tools import Effect

Purpose = Literal["reply", "nudge"]


@dataclass(frozen=True, slots=True)
class Chat:
    """A model, and what it is told it can use.

    Raises nothing of its own: a provider's failure is written down as an abandoned call and passed on.
    """

    provider: Provider
    spec: AgentSpec
    tools: tuple[ToolSpec, ...]
    effect_of: Callable[[str], Effect]
    """What repeating a tool would do; `once` for a name that no tool has."""
    limits: RunLimits
    jitter: Callable[[], float]
    """A random number from 0 to 1 at each call."""

    async def reply(self, state: ThreadState, run: Run, open_run: OpenRun) -> None:
        """Ask for a reply, show it as it comes, and note what it said and wants done.

        A reply without tool calls is only *noted*: it becomes durable together with what follows from it. One with
        calls is kept before any of them runs.

        Raises:
            LimitReached: the call does not fit the run's limits; it was not made.
            ProviderError: the model's service failed; nothing of the reply counts.
        """
        started, said = await self._ask(state, run, open_run, "reply")
        parts, text_at = _beside_text(said.completed.message, started.message_id)
        calls = [part for part in parts if isinstance(part, ToolCall)]
        reply = TextMessageEnd(
            started.call_id,
            started.message_id,
            said.text,
            parts,
            text_at,
            _usage(said.completed),
            said.completed.stop,
            None if calls else self._outcome(said.wrapper, run),
        )
        if calls:
            await run.journal.commit(
                reply,
                *(ToolCallStart(c.id, c.name, c.args, started.message_id, self.effect_of(c.name)) for c in calls),
            )
        else:
            run.journal.note(reply)

    async def nudge(self, state: ThreadState, run: Run, open_run: OpenRun) -> None:
        """Ask for the wrapper alone; the answer is not shown and any tool call in it is not made.

        Raises:
            LimitReached: the call does not fit the run's limits.
            ProviderError: the model's service failed.
        """
        started, said = await self._ask(state, run, open_run, "nudge")
        run.journal.note(
            TextMessageEnd(
                started.call_id,
                started.message_id,
                said.text if said.wrapper is None else "",
                usage=_usage(said.completed),
                stop=said.completed.stop,
                outcome=self._outcome(said.wrapper, run),
                hidden=True,
            )
        )

    async def _ask(
        self, state: ThreadState, run: Run, open_run: OpenRun, purpose: Purpose
    ) -> tuple[ModelStarted, _Said]:
        """Make a model call, and make it again as its failures allow: the one place where that is decided."""
        limits = self.limits
        max_tokens = limits.reply_tokens if purpose == "reply" else limits.nudge_tokens
        failures: list[FailureClass] = []
        while True:
            request = build_request(state, self.spec, self.tools, limits, max_tokens=max_tokens)
            started = await self._start(state, run, open_run, request, purpose)
            screen = _Screen(started.message_id, run.emit if purpose == "reply" else _nobody)
            try:
                return started, await self._stream(request, screen)
            except SullaError as error:
                failures.append(classify(error))
                after = next_try(
                    failures,
                    remaining_s=limits.wall_s - (run.clock.now() - open_run.started_ms / 1000),
                    jitter=self.jitter(),
                    retry_after_s=error.retry_after_s,
                    shown_text=purpose == "reply" and bool(screen.text),
                )
                retry_in_s = None if isinstance(after, GiveUp) else after.seconds if isinstance(after, Wait) else 0.0
                abandoned = ModelAbandoned(started.call_id, started.message_id, error.code, retry_in_s)
                if isinstance(after, GiveUp):
                    run.journal.note(abandoned)
                    raise
                # Kept before the wait, so that whoever watches sees why nothing comes.
                await run.journal.commit(abandoned)
            if isinstance(after, Compress):
                state.transcript.fit(state.transcript.tokens // 2)
            else:
                await run.clock.sleep(after.seconds)

    async def _start(
        self, state: ThreadState, run: Run, open_run: OpenRun, request: ChatRequest, purpose: Purpose
    ) -> ModelStarted:
        """Write down that the call is about to be made and what it may cost."""
        run.control.check()
        check_wall(open_run, run.clock.now(), self.limits)
        reserved = reserved_tokens(state, request, self.limits)
        check_model_call(open_run, reserved, self.limits)
        number = str(open_run.model_calls + 1)
        started = ModelStarted(
            CallId(derived_id("call", open_run.id, number)),
            MessageId(derived_id("msg", open_run.id, number)),
            open_run.attempts + 1,
            request_hash(request),
            reserved,
            purpose,
        )
        await run.journal.commit(started)
        return started

    async def _stream(self, request: ChatRequest, screen: _Screen) -> _Said:
        stripper = Stripper()
        async with aclosing(self.provider.stream(request)) as stream:
            async for delta in stream:
                match delta:
                    case TextDelta(text):
                        screen.show(stripper.feed(text))
                    case ReasoningDelta(text):
                        screen.think(text)
                    case Completed():
                        rest, wrapper = stripper.finish()
                        screen.show(rest)
                        return _Said(delta, screen.text, wrapper)
        raise ProviderProtocol(f"{self.provider.name} ended its reply without completing it")

    def _outcome(self, wrapper: Wrapper | None, run: Run) -> Outcome:
        now_ms = round(run.clock.now() * 1000)
        if wrapper is None:
            done = self.spec.completion == "plain"
            return Outcome("done" if done else "in_progress", updated_at_ms=now_ms)
        return Outcome(
            wrapper.status,
            wrapper.status_report or "",
            wrapper.response or "",
            wrapper.blocker_reason or "",
            wrapper.unblock_requirements or "",
            updated_at_ms=now_ms,
        )


@dataclass(frozen=True, slots=True)
class _Said:
    completed: Completed
    text: str
    """What a person sees of it."""
    wrapper: Wrapper | None


class _Screen:
    """Shows a reply as it comes and remembers what was shown."""

    def __init__(self, message_id: MessageId, emit: Emit) -> None:
        self._message_id = message_id
        self._emit = emit
        self._pieces: list[str] = []
        self._shown = 0
        self._thought = 0

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def show(self, text: str) -> None:
        if text:
            self._emit(TextShown(self._message_id, self._shown, text))
            self._pieces.append(text)
            self._shown += len(text)

    def think(self, text: str) -> None:
        if text:
            self._emit(ReasoningShown(self._message_id, self._thought, text))
            self._thought += len(text)


def _nobody(moment: Moment) -> None:
    """The answer to a nudge is not for people."""


def _beside_text(message: Message, message_id: MessageId) -> tuple[tuple[Part, ...], int]:
    """What a reply holds beside its text, in its order, and how much of that comes before the text."""
    parts: list[Part] = []
    text_at: int | None = None
    for part in message.parts:
        match part:
            case Text():
                text_at = len(parts) if text_at is None else text_at
            case ToolCall():
                # The provider's own ids may come twice in a thread; these cannot.
                call_id = CallId(derived_id("tool", message_id, str(len(parts))))
                parts.append(ToolCall(call_id, part.name, part.args))
            case _:
                parts.append(part)
    return tuple(parts), text_at or 0


def _usage(completed: Completed) -> Usage:
    usage = completed.usage
    return Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
