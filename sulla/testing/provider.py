"""A provider that says what a test wrote down, and fails when it is asked for more or less than that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from dataclasses import replace

from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.core.ids import MessageId, derived_id
from sulla.core.message import Message, Reasoning, Text, ToolCall
from sulla.models.base import ChatRequest, Completed, Delta, ReasoningDelta, Stop, TextDelta, TokenUsage


class Gate:
    """A place where a reply stands still until the test opens it."""

    def __init__(self) -> None:
        self._opened = asyncio.Event()
        self._reached = asyncio.Event()

    def open(self) -> None:
        """Let the reply go on."""
        self._opened.set()

    async def reached(self) -> None:
        """Return when a reply stands here."""
        await self._reached.wait()

    async def pass_through(self) -> None:
        """Stand here until it is open."""
        self._reached.set()
        await self._opened.wait()


_USAGE = TokenUsage(input_tokens=100, output_tokens=20)


@dataclass(frozen=True, slots=True)
class Say:
    """One scripted reply.

    `text` may be pieces and gates in the order in which they come: ``("Hel", gate, "lo")``; a plain string is one
    piece.
    """

    text: str | tuple[str | Gate, ...] = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    usage: TokenUsage = _USAGE
    stop: Stop | None = None
    """None for what fits."""
    error: SullaError | None = None
    """Raised after the text, in the place of completing."""


Step = Say | str | SullaError
"""A reply, a reply of text alone, or a failure before anything is said."""


class ScriptedProvider:
    """Implements `models.Provider`.

    Args:
        steps: what to answer to the first call, the second, and so on.
        name: the provider's name.
    """

    def __init__(self, steps: Iterable[Step] = (), name: str = "scripted") -> None:
        self.name = name
        self._steps = list(steps)
        self._unexpected = 0
        self.requests: list[ChatRequest] = []
        """Every request, with the messages as they were at the time."""
        self.abandoned = 0
        """How many replies began and were not completed."""

    def add(self, *steps: Step) -> None:
        """Append to the script."""
        self._steps.extend(steps)

    def assert_done(self) -> None:
        """Check that exactly the scripted calls were made.

        Raises:
            AssertionError: a step was not used, or a call came that no step was there for.
        """
        if self._unexpected:
            raise AssertionError(f"{self._unexpected} unexpected calls of {self.name!r}")
        if self._steps:
            raise AssertionError(f"{len(self._steps)} steps of {self.name!r} were not used, first {self._steps[0]!r}")

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`."""
        _ = request.forced  # raises where the tool to be called is not offered, as every backend does
        self.requests.append(replace(request, messages=tuple(request.messages)))
        if not self._steps:
            self._unexpected += 1
            raise AssertionError(f"unexpected call {len(self.requests)} of {self.name!r}: the script is at its end")
        step = self._steps.pop(0)
        if isinstance(step, SullaError):
            raise step
        say = Say(step) if isinstance(step, str) else step
        complete = False
        try:
            if say.reasoning:
                yield ReasoningDelta(say.reasoning)
            pieces: list[str] = []
            for piece in (say.text,) if isinstance(say.text, str) else say.text:
                if isinstance(piece, Gate):
                    await piece.pass_through()
                elif piece:
                    pieces.append(piece)
                    yield TextDelta(piece)
            if say.error is not None:
                raise say.error
            complete = True
            yield self._completed(say, "".join(pieces))
        finally:
            self.abandoned += not complete

    async def close(self) -> None:
        """Nothing to let go of."""

    def _completed(self, say: Say, text: str) -> Completed:
        parts = (
            *((Reasoning(say.reasoning),) if say.reasoning else ()),
            *((Text(text, "agent"),) if text else ()),
            *say.calls,
        )
        message_id = MessageId(derived_id("msg", self.name, str(len(self.requests))))
        stop: Stop = say.stop or ("tool_calls" if say.calls else "end")
        return Completed(Message(message_id, "assistant", parts), say.usage, stop)
