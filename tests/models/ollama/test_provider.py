"""The adapter with the real SDK's transport against a fake of the service on a socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

import pytest

from sulla.core.errors import ContextTooLong, ProviderRejected, ProviderTransient, ProviderUnreachable
from sulla.models.base import Completed, Embedder, ModelLister, TokenCounter
from sulla.models.ollama.provider import OllamaProvider
from sulla.models.ollama.wire import OllamaOptions
from sulla.testing.clock import ManualClock
from tests.kits.provider_kit import STALL, Case, ProviderKit, Served, ask, collect
from tests.servers.ollama_server import FakeOllama
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse
from tests.servers.wire import WireRequest, WireResponse, WireServer


def _answer(case: Case) -> Reply | Failure:
    if case.status is not None:
        return Failure(case.status)
    tools = (ToolUse(case.tool[0], dict(case.tool[1])),) if case.tool else ()
    return Reply(
        case.text,
        case.thinking,
        tools,
        hold=STALL if case.stall else "",
        hold_after=1,
        cut_after=case.cut_after,
        broken='{"error":"the model runner has stopped"}\n' if case.error_in_stream else "",
    )


@asynccontextmanager
async def _serve(
    answer: Reply | Failure, options: OllamaOptions | None = None
) -> AsyncIterator[tuple[OllamaProvider, FakeOllama]]:
    clock = ManualClock()
    numbers = count(1)
    async with FakeOllama(Script([Rule(answer)]), clock) as fake:
        provider = OllamaProvider(fake.url, clock, lambda prefix: f"{prefix}_{next(numbers)}", options)
        try:
            yield provider, fake
        finally:
            await provider.close()


class TestKeepsThePromise(ProviderKit):
    @asynccontextmanager
    async def serve(self, case: Case) -> AsyncIterator[Served]:
        clock = ManualClock()
        numbers = count(1)
        async with FakeOllama(Script([Rule(_answer(case))]), clock) as fake:
            provider = OllamaProvider(fake.url, clock, lambda prefix: f"{prefix}_{next(numbers)}")
            try:
                yield Served(provider, clock, lambda: fake.ended.count("left"), lambda: fake.release(STALL))
            finally:
                await provider.close()


async def test_the_window_and_the_time_in_memory_are_always_sent() -> None:
    async with _serve(Reply("x")) as (provider, fake):
        await collect(provider.stream(ask("Hi")))
        (body,) = fake.requests
    assert body["options"] == {"num_ctx": 16384, "num_predict": 1000}
    assert body["keep_alive"] == "30m"
    assert (body["truncate"], body["shift"]) == (False, False), "nothing is dropped in silence"
    assert "think" not in body


async def test_what_the_settings_say_is_sent() -> None:
    async with _serve(Reply("x"), OllamaOptions(num_ctx=4096, keep_alive="5m", think=True)) as (provider, fake):
        await collect(provider.stream(ask("Hi")))
        (body,) = fake.requests
    assert body["options"] == {"num_ctx": 4096, "num_predict": 1000}
    assert (body["keep_alive"], body["think"]) == ("5m", True)


async def test_a_missing_model_names_the_command_that_fetches_it() -> None:
    async with _serve(Reply("x")) as (provider, _):
        _, error = await collect(provider.stream(ask("Hi", model="qwen3:8b")))
    assert type(error) is ProviderRejected
    assert "ollama pull qwen3:8b" in error.message


async def test_a_history_that_does_not_fit_is_told_from_other_failures() -> None:
    said = 'request (351 tokens) exceeds the available context size (256 tokens), "type":"exceed_context_size_error"'
    async with _serve(Failure(500, message=said)) as (provider, _):
        _, error = await collect(provider.stream(ask("Hi")))
    assert type(error) is ContextTooLong
    assert "num_ctx" in error.message


async def test_nobody_at_the_address_says_how_to_start_it() -> None:
    async with FakeOllama(Script([]), ManualClock()) as fake:
        url = fake.url
    provider = OllamaProvider(url, ManualClock(), lambda prefix: prefix)
    _, error = await collect(provider.stream(ask("Hi")))
    await provider.close()
    assert isinstance(error, ProviderTransient)
    assert "ollama serve" in error.message
    assert url in error.message


async def test_a_model_that_takes_too_long_to_load_ends_at_the_deadline() -> None:
    came = asyncio.Event()

    async def loading(request: WireRequest, response: WireResponse) -> None:
        came.set()
        await asyncio.Event().wait()

    clock = ManualClock()
    async with WireServer(loading) as server:
        provider = OllamaProvider(server.url, clock, lambda prefix: prefix)
        reader = asyncio.create_task(collect(provider.stream(ask("Hi", timeout_s=30))))
        await came.wait()
        await clock.advance(30.1)
        _, error = await reader
        await provider.close()
    assert isinstance(error, ProviderTransient)
    assert "longer than 30 s" in error.message


@pytest.mark.parametrize("how", ["close", "end"])
@pytest.mark.parametrize("cut", [0, 150, 300, 450])
async def test_a_stream_cut_anywhere_is_broken(how: str, cut: int) -> None:
    reply = Reply("Some text.", tools=(ToolUse("t", {"a": 1}),), cut_after=cut, cut_how=how)  # type: ignore[arg-type]  # a literal from the list above
    async with _serve(reply) as (provider, fake):
        found, error = await collect(provider.stream(ask("x")))
        assert fake.ended == ["cut"]
    assert not any(isinstance(delta, Completed) for delta in found)
    assert error is not None
    if how == "close":
        assert "in the middle of the reply of the model 'fake:1b' (incomplete chunked read); nothing" in str(error)


async def test_embeddings_come_one_for_each_text() -> None:
    async with _serve(Reply("x")) as (provider, _):
        embedder: Embedder = provider
        found = await embedder.embed("fake:1b", ["aha", "bee"])
        assert await embedder.embed("fake:1b", []) == []
        with pytest.raises(ProviderRejected, match="ollama pull other"):
            await embedder.embed("other", ["aha"])
    assert found == [[2.0, 0.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0, 0.0]]


async def test_the_models_are_listed() -> None:
    async with _serve(Reply("x")) as (provider, _):
        lister: ModelLister = provider
        assert await lister.models() == ("fake:1b",)


async def test_nobody_there_is_told_from_other_failures() -> None:
    async with WireServer(_never) as server:
        url = server.url
    provider = OllamaProvider(url, ManualClock(), lambda prefix: prefix)
    for asked in (provider.models(), provider.embed("m", ["x"])):
        with pytest.raises(ProviderUnreachable, match="ollama serve"):
            await asked
    await provider.close()


async def _never(request: WireRequest, response: WireResponse) -> None:
    raise AssertionError("nobody should come here")


async def test_the_wait_that_a_proxy_asks_for_is_passed_on() -> None:
    async with _serve(Failure(429, retry_after="7")) as (provider, _):
        _, error = await collect(provider.stream(ask("Hi")))
    assert isinstance(error, ProviderTransient)
    assert error.retry_after_s == 7.0


async def test_it_counts_no_tokens_and_does_not_look_as_if_it_did() -> None:
    async with _serve(Reply("x")) as (provider, _):
        assert not isinstance(provider, TokenCounter)
