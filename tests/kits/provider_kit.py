"""What the promise of `sulla.models.Provider` means. Each backend's test file has a class that inherits this one."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field

import pytest

from sulla.core.errors import InvalidInput, ProviderError, ProviderTransient
from sulla.core.ids import MessageId
from sulla.core.message import Message, Reasoning, Text
from sulla.core.words import ours
from sulla.models.base import (
    ChatRequest,
    Completed,
    Delta,
    PromptSection,
    Provider,
    ReasoningDelta,
    TextDelta,
    ToolSpec,
)
from sulla.testing.clock import ManualClock

TOOL = ToolSpec(
    "get_time_date",
    "Tells the time.",
    {"type": "object", "properties": {"timezone": {"type": "string"}}, "additionalProperties": False},
)

OTHER = ToolSpec(
    "choose",
    "Chooses.",
    {
        "type": "object",
        "properties": {
            "choice": {"type": "string", "enum": ["sales", "support"], "description": "sales\nsupport: help"}
        },
        "required": ["choice"],
    },
)

STALL = "until told"
"""Where a service's reply stands still (`tests.servers.script.Reply.hold`)."""


def ask(
    text: str,
    *,
    tools: tuple[ToolSpec, ...] = (TOOL,),
    model: str = "fake:1b",
    timeout_s: float = 60.0,
    force: str = "",
) -> ChatRequest:
    """A request with one message."""
    messages = [Message(MessageId("m1"), "user", (Text(text),))]
    return ChatRequest(model, (PromptSection("base", ours("Be brief.")),), messages, tools, 1000, timeout_s, force)


async def collect(stream: AsyncIterator[Delta]) -> tuple[list[Delta], Exception | None]:
    """Everything that came, and the error at its end."""
    found: list[Delta] = []
    try:
        async for delta in stream:
            found.append(delta)  # noqa: PERF401  - what came before an error has to be kept
    except Exception as error:  # noqa: BLE001  - the tests look at it
        return found, error
    return found, None


@dataclass
class Case:
    """What the provider is made to say."""

    text: str = ""
    thinking: str = ""
    tool: tuple[str, dict[str, str]] | None = None
    status: int | None = None
    """A failure with this HTTP status before anything is said."""
    error_in_stream: bool = False
    """A failure once the stream has begun."""
    cut_after: int | None = None
    """Break off after so many bytes of the stream."""
    stall: bool = False
    """Stand still after the first piece, until it is told to go on."""


@dataclass
class Served:
    """A provider at work."""

    provider: Provider
    clock: ManualClock
    left: Callable[[], int] = field(default=lambda: 0)
    """How many requests its service saw end because the client went away."""
    go_on: Callable[[], None] = field(default=lambda: None)
    """Lets a service that stands still say the rest."""


class ProviderKit(ABC):
    """The tests. A backend that cannot be made to do something says so with a flag."""

    can_fail = True
    """Whether failures can be scripted."""
    can_think = True
    asks_service = True
    """Whether what it takes counts."""
    has_wire = True
    """Whether there is a service that can stall, hang up and see its client leave."""
    says_its_own = False
    """Whether it ignores the script and answers by itself."""

    @abstractmethod
    def serve(self, case: Case) -> AbstractAsyncContextManager[Served]:
        """A provider that answers every request with `case`."""

    async def test_text_comes_in_pieces_and_whole_at_the_end(self) -> None:
        case = Case(text="Good morning to you all.", stall=self.has_wire)
        async with self.serve(case) as served, aclosing(served.provider.stream(ask("help"))) as stream:
            first = await anext(stream)  # before there is a second piece
            served.go_on()
            found, error = await collect(stream)
        assert error is None
        *before, last = first, *found
        assert isinstance(last, Completed)
        assert not any(isinstance(delta, Completed) for delta in before)
        shown = "".join(delta.text for delta in before if isinstance(delta, TextDelta))
        assert sum(isinstance(delta, TextDelta) for delta in before) > 1
        assert shown == last.message.text
        assert self.says_its_own or shown == "Good morning to you all."
        assert (last.message.role, last.stop) == ("assistant", "end")
        used = (last.usage.input_tokens > 0, last.usage.output_tokens > 0)
        assert used == (self.asks_service, self.asks_service)

    async def test_a_tool_call_comes_whole_and_parsed(self) -> None:
        async with self.serve(Case(tool=("get_time_date", {"timezone": "Europe/Berlin"}))) as served:
            found, error = await collect(served.provider.stream(ask("what time is it in Europe/Berlin")))
        assert error is None
        last = found[-1]
        assert isinstance(last, Completed)
        (call,) = last.message.calls
        assert (call.name, dict(call.args)) == ("get_time_date", {"timezone": "Europe/Berlin"})
        assert call.id
        assert last.stop == "tool_calls"

    async def test_a_tool_that_has_to_be_called_is_called(self) -> None:
        async with self.serve(Case(tool=("choose", {"choice": "support"}))) as served:
            request = ask("I need help, what time is it?", tools=(TOOL, OTHER), force="choose")
            found, error = await collect(served.provider.stream(request))
        assert error is None
        last = found[-1]
        assert isinstance(last, Completed)
        (call,) = last.message.calls
        assert (call.name, dict(call.args), last.stop) == ("choose", {"choice": "support"}, "tool_calls")

    async def test_a_model_that_does_not_call_the_tool_it_has_to_call_is_not_made_to_look_as_if(self) -> None:
        async with self.serve(Case(text="I would rather talk.")) as served:
            request = ask("Good morning.", tools=(TOOL, OTHER), force="choose")
            found, error = await collect(served.provider.stream(request))
        assert error is None
        last = found[-1]
        assert isinstance(last, Completed)
        assert (last.message.calls, last.stop) == ((), "end")
        assert last.message.text

    async def test_a_tool_that_is_not_offered_cannot_be_forced_and_nothing_is_asked(self) -> None:
        async with self.serve(Case(text="Asked all the same.")) as served:
            found, error = await collect(served.provider.stream(ask("help", tools=(TOOL,), force="choose")))
        assert found == []
        assert isinstance(error, InvalidInput)
        assert "'choose'" in error.message
        assert "get_time_date" in error.message

    async def test_reasoning_is_no_text(self) -> None:
        if not self.can_think:
            pytest.skip("it does not reason")
        async with self.serve(Case(text="Yes.", thinking="Is it so? It is.")) as served:
            found, error = await collect(served.provider.stream(ask("help")))
        assert error is None
        assert "".join(delta.text for delta in found if isinstance(delta, ReasoningDelta)) == "Is it so? It is."
        last = found[-1]
        assert isinstance(last, Completed)
        assert last.message.text == "Yes."
        assert [part.text for part in last.message.parts if isinstance(part, Reasoning)] == ["Is it so? It is."]

    async def test_asking_again_works_and_changes_no_request(self) -> None:
        async with self.serve(Case(text="Once more.")) as served:
            request = ask("help")
            before = list(request.messages)
            first, _ = await collect(served.provider.stream(request))
            second, _ = await collect(served.provider.stream(request))
        assert request.messages == before
        assert isinstance(first[-1], Completed)
        assert isinstance(second[-1], Completed)
        assert first[-1].message.text == second[-1].message.text

    async def test_nothing_waits_when_a_reply_is_over(self) -> None:
        async with self.serve(Case(text="That is all.")) as served:
            await collect(served.provider.stream(ask("help")))
            await served.clock.settle()
            assert served.clock.sleepers == 0

    async def test_replies_side_by_side_do_not_mix(self) -> None:
        async with self.serve(Case(text="One voice only.")) as served:
            replies = await asyncio.gather(*(collect(served.provider.stream(ask("help"))) for _ in range(5)))
        texts = {found[-1].message.text for found, _ in replies if isinstance(found[-1], Completed)}
        assert len(replies) == 5
        assert len(texts) == 1
        for found, error in replies:
            assert error is None
            assert "".join(delta.text for delta in found if isinstance(delta, TextDelta)) in texts

    async def test_a_failure_is_classified_and_shows_nothing(self) -> None:
        if not self.can_fail:
            pytest.skip("it cannot fail")
        async with self.serve(Case(status=500)) as served:
            found, error = await collect(served.provider.stream(ask("help")))
        assert found == []
        assert isinstance(error, ProviderTransient)
        assert error.retryable

    async def test_a_failure_in_the_middle_completes_nothing(self) -> None:
        if not self.can_fail:
            pytest.skip("it cannot fail")
        async with self.serve(Case(text="Half a wo", error_in_stream=True)) as served:
            found, error = await collect(served.provider.stream(ask("help")))
        assert not any(isinstance(delta, Completed) for delta in found)
        assert isinstance(error, ProviderError)

    async def test_a_reply_that_breaks_off_is_never_completed(self) -> None:
        if not self.has_wire:
            pytest.skip("it has no wire")
        case = Case(text="A text of some length.", tool=("get_time_date", {"timezone": "Asia/Tokyo"}), cut_after=400)
        async with self.serve(case) as served:
            found, error = await collect(served.provider.stream(ask("help")))
        assert not any(isinstance(delta, Completed) for delta in found)
        assert isinstance(error, ProviderError)
        assert error.retryable

    async def test_closing_ends_the_request_at_once_and_the_next_one_works(self) -> None:
        async with self.serve(Case(text="Too long to wait for.", stall=self.has_wire)) as served:
            async with aclosing(served.provider.stream(ask("help"))) as stream:
                first = await anext(stream)
            assert isinstance(first, TextDelta)
            await _until(lambda: served.left() == self.has_wire)
            async with aclosing(served.provider.stream(ask("help"))) as stream:
                assert isinstance(await anext(stream), TextDelta)

    async def test_cancelling_whoever_reads_ends_the_request(self) -> None:
        if not self.has_wire:
            pytest.skip("it has no wire")
        async with self.serve(Case(text="Too long to wait for.", stall=True)) as served:
            reader = asyncio.create_task(_read(served.provider, reached := asyncio.Event()))
            await reached.wait()
            reader.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reader
            await _until(lambda: served.left() == 1)

    async def test_a_reply_that_stalls_ends_at_its_deadline(self) -> None:
        if not self.has_wire:
            pytest.skip("it has no wire")
        async with self.serve(Case(text="Too long to wait for.", stall=True)) as served:
            reached = asyncio.Event()
            reader = asyncio.create_task(_read(served.provider, reached))
            await reached.wait()
            await served.clock.advance(59.9)
            assert not reader.done()
            await served.clock.advance(0.2)
            with pytest.raises(ProviderTransient, match="longer than 60 s"):
                await reader
            await _until(lambda: served.left() == 1)

    async def test_its_name_is_one_word(self) -> None:
        async with self.serve(Case(text="x")) as served:
            assert served.provider.name.isalpha()
            assert served.provider.name.islower()


async def _read(provider: Provider, reached: asyncio.Event) -> None:
    async with aclosing(provider.stream(ask("help"))) as stream:
        async for _ in stream:
            reached.set()


async def _until(ready: Callable[[], bool]) -> None:
    """Let the loop run until `ready`; the suite's time limit ends a wait in vain."""
    while not ready():
        await asyncio.sleep(0)
