"""The second provider answers for a few reasons only, says so, and never finishes the first one's sentence."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from sulla.core.errors import (
    ContextTooLong,
    InvalidInput,
    ProviderKeyMissing,
    ProviderProtocol,
    ProviderRejected,
    ProviderTransient,
    ProviderUnauthorized,
    ProviderUnreachable,
    SettingsError,
)
from sulla.models.anthropic.provider import AnthropicProvider
from sulla.models.base import ChatRequest, Completed, Delta, StandIn, TextDelta, ToolSpec
from sulla.models.fallback import FallbackProvider
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from tests.kits.provider_kit import Case, ProviderKit, Served, ask, collect
from tests.models.openai.test_provider import ChatKeepsThePromise


class Scripted:
    """Says some pieces and then fails, or completes."""

    def __init__(self, name: str, *pieces: str, error: Exception | None = None) -> None:
        self.name = name
        self.asked: list[ChatRequest] = []
        self.closed = False
        self._pieces = pieces
        self._error = error

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        self.asked.append(request)
        for piece in self._pieces:
            yield TextDelta(piece)
        if self._error is not None:
            raise self._error
        yield Completed(request.messages[0])

    async def close(self) -> None:
        self.closed = True


class TestKeepsThePromise(ProviderKit):
    """With a first provider that has no key, so that the second one answers everything."""

    @asynccontextmanager
    async def serve(self, case: Case) -> AsyncIterator[Served]:
        async with ChatKeepsThePromise().serve(case) as served:
            first = AnthropicProvider("", ManualClock())
            provider = FallbackProvider(first, served.provider, "fake:1b")
            yield Served(provider, served.clock, served.left, served.go_on)
            await first.close()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ProviderKeyMissing("no key"), "key_missing"),
        (ProviderUnauthorized("a wrong key"), "unauthorized"),
        (ProviderUnreachable("nobody there"), "unreachable"),
    ],
)
async def test_what_waiting_does_not_mend_goes_to_the_second_and_says_so(error: Exception, reason: str) -> None:
    first, second, told = Scripted("one", error=error), Scripted("two", "Hi"), list[StandIn]()
    provider = FallbackProvider(first, second, "two:1b", told=told.append)
    found, failed = await collect(provider.stream(ask("x", model="one:1b")))
    stand_in = StandIn("two", "two:1b", "one", reason, str(error))
    assert failed is None
    assert told == [stand_in]
    assert found[0] == TextDelta("Hi")
    assert isinstance(found[1], Completed)
    assert found[1].stand_in == stand_in
    assert [request.model for request in first.asked + second.asked] == ["one:1b", "two:1b"]


@pytest.mark.parametrize(
    "error",
    [
        ProviderTransient("overloaded", retry_after_s=3),
        ProviderProtocol("broke off"),
        ProviderRejected("no such model"),
        ContextTooLong("too long"),
        InvalidInput("nonsense"),
        OSError("disk"),
    ],
)
async def test_any_other_failure_stays_the_first_ones(error: Exception) -> None:
    second = Scripted("two", "Hi")
    found, failed = await collect(FallbackProvider(Scripted("one", error=error), second, "m").stream(ask("x")))
    assert found == []
    assert failed is error
    assert second.asked == []


async def test_what_was_begun_is_not_finished_by_another() -> None:
    error = ProviderUnreachable("gone")
    second = Scripted("two", "Hi")
    provider = FallbackProvider(Scripted("one", "Half a wo", error=error), second, "m")
    found, failed = await collect(provider.stream(ask("x")))
    assert found == [TextDelta("Half a wo")]
    assert failed is error
    assert second.asked == []


async def test_reasons_can_be_left_out() -> None:
    error, second = ProviderUnauthorized("a wrong key"), Scripted("two")
    provider = FallbackProvider(Scripted("one", error=error), second, "m", reasons=["unreachable"])
    assert (await collect(provider.stream(ask("x"))))[1] is error
    for reasons in ([], ["overloaded"]):
        with pytest.raises(SettingsError, match="key_missing, unauthorized, unreachable"):
            FallbackProvider(Scripted("one"), second, "m", reasons=reasons)


async def test_a_tool_that_has_to_be_called_has_to_be_called_by_the_second_too() -> None:
    second = Scripted("two", "Hi")
    provider = FallbackProvider(Scripted("one", error=ProviderUnreachable("off")), second, "m")
    await collect(provider.stream(ask("x", force="get_time_date")))
    assert [request.force for request in second.asked] == ["get_time_date"]


async def test_the_second_is_not_offered_what_the_firsts_service_runs_itself() -> None:
    second = Scripted("two", "Hi")
    provider = FallbackProvider(Scripted("one", error=ProviderKeyMissing("no key")), second, "two:1b")
    tools = (ToolSpec("look", "Looks.", {"type": "object"}), ToolSpec("search", "", {}, {"type": "search_1"}))
    await collect(provider.stream(replace(ask("x", model="one:1b"), tools=tools)))
    assert [tool.name for tool in second.asked[0].tools] == ["look"]


async def test_a_first_one_that_answers_is_no_stand_in() -> None:
    second = Scripted("two")
    found, _ = await collect(FallbackProvider(Scripted("one", "Hi"), second, "m").stream(ask("x")))
    assert isinstance(found[-1], Completed)
    assert found[-1].stand_in is None
    assert second.asked == []


async def test_closing_closes_both() -> None:
    first, second = Scripted("one"), Scripted("two")
    await FallbackProvider(first, second, "m").close()
    assert (first.closed, second.closed) == (True, True)


class _Warm(Scripted):
    """Counts how often it is warmed."""

    def __init__(self) -> None:
        super().__init__("warm", "one")
        self.warmed = 0

    async def warm(self) -> None:
        self.warmed += 1


async def test_the_first_one_is_warmed_and_the_second_is_left_until_it_is_needed() -> None:
    first, second = _Warm(), _Warm()
    await FallbackProvider(first, second, "other").warm()
    assert (first.warmed, second.warmed) == (1, 0)


async def test_nobody_answers_in_the_place_of_a_model_that_has_to_be_asked_itself() -> None:
    error, second = ProviderUnauthorized("a wrong key"), Scripted("two", "Hi")
    provider = FallbackProvider(Scripted("one", error=error), second, "m")
    found, failed = await collect(provider.stream(replace(ask("x"), certain=True)))
    assert (found, failed, second.asked) == ([], error, [])
    with pytest.raises(ProviderUnauthorized):
        await FallbackProvider(CountsWrongly(error), second, "m").count_tokens(replace(ask("x"), certain=True))


class CountsWrongly(Scripted):
    """Cannot count either."""

    def __init__(self, error: Exception) -> None:
        super().__init__("one")
        self._why = error

    async def count_tokens(self, request: ChatRequest) -> int | None:
        raise self._why


class _Places(ScriptedProvider):
    async def embed(self, model: str, texts: Sequence[str], timeout_s: float = 1.0) -> list[list[float]]:
        raise ProviderUnreachable("nobody is there")


async def test_embeddings_are_the_first_ones_alone() -> None:
    with pytest.raises(ProviderUnreachable):
        await FallbackProvider(_Places([]), _Places([]), "second").embed("m", ["a"])
    with pytest.raises(SettingsError, match="has no embedding models"):
        await FallbackProvider(ScriptedProvider([]), _Places([]), "second").embed("m", ["a"])
