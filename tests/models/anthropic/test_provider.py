"""The adapter with the real SDK against a fake of the service on a socket."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sulla.core.errors import (
    ContextTooLong,
    InvalidInput,
    ProviderError,
    ProviderKeyMissing,
    ProviderProtocol,
    ProviderRejected,
    ProviderTransient,
    ProviderUnauthorized,
    ProviderUnreachable,
    SettingsError,
)
from sulla.models.anthropic.provider import AnthropicProvider
from sulla.models.base import Completed, TokenCounter
from sulla.models.wire.failures import HERE_S
from sulla.testing.clock import ManualClock
from tests.kits.provider_kit import STALL, Case, ProviderKit, Served, ask, collect
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.anthropic_stream import events
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse
from tests.servers.wire import WireRequest, WireResponse, WireServer

KEY = "sk-test-not-a-real-key"


def _answer(case: Case) -> Reply | Failure:
    if case.status is not None:
        return Failure(case.status)
    tools = (ToolUse(case.tool[0], dict(case.tool[1])),) if case.tool else ()
    broken = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    return Reply(
        case.text,
        case.thinking,
        tools,
        hold=STALL if case.stall else "",
        hold_after=1,
        cut_after=case.cut_after,
        broken=broken if case.error_in_stream else "",
    )


@asynccontextmanager
async def _serve(*answers: Reply | Failure, key: str = KEY) -> AsyncIterator[tuple[AnthropicProvider, FakeAnthropic]]:
    """A provider and the fake behind it; each answer but the last is given once."""
    clock = ManualClock()
    rules = [Rule(answer, times=1) for answer in answers[:-1]] + [Rule(answers[-1])]
    async with FakeAnthropic(Script(rules), clock, key=KEY) as fake:
        provider = AnthropicProvider(key, clock, base_url=fake.url)
        try:
            yield provider, fake
        finally:
            await provider.close()


class TestKeepsThePromise(ProviderKit):
    @asynccontextmanager
    async def serve(self, case: Case) -> AsyncIterator[Served]:
        clock = ManualClock()
        async with FakeAnthropic(Script([Rule(_answer(case))]), clock) as fake:
            provider = AnthropicProvider(KEY, clock, base_url=fake.url)
            try:
                yield Served(provider, clock, lambda: _left(fake), lambda: fake.release(STALL))
            finally:
                await provider.close()


def _left(fake: FakeAnthropic) -> int:
    return sum(how == "left" for _, how in fake.ended)


async def _failure(answer: Failure, key: str = KEY) -> ProviderError:
    async with _serve(answer, key=key) as (provider, fake):
        found, error = await collect(provider.stream(ask("x")))
        assert len(fake.requests) <= 1, "it does not retry"
    assert found == []
    assert isinstance(error, ProviderError)
    return error


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
async def test_what_may_pass_is_transient(status: int) -> None:
    error = await _failure(Failure(status, message="try later"))
    assert type(error) is ProviderTransient
    assert error.retry_after_s == (HERE_S if status == 500 else None), "the service is on this machine"
    assert "'fake:1b'" in error.message
    assert "try later" in error.message


@pytest.mark.parametrize(("header", "wait_s"), [("7", 7.0), ("0.5", 0.5), ("Fri, 15 Jan 2027 08:00:30 GMT", 30.0)])
async def test_the_wait_that_the_service_asks_for_is_passed_on(header: str, wait_s: float) -> None:
    error = await _failure(Failure(429, retry_after=header))
    assert error.retry_after_s == wait_s


async def test_a_wrong_key_says_which_setting_to_check_and_never_the_key() -> None:
    error = await _failure(Failure(500), key="sk-wrong-one")
    assert type(error) is ProviderUnauthorized
    assert "ANTHROPIC_API_KEY" in error.message
    assert "sk-wrong-one" not in error.message


async def test_a_key_that_the_service_repeats_is_struck_out() -> None:
    error = await _failure(Failure(400, message=f"what is {KEY} supposed to be"))
    assert "what is *** supposed to be" in error.message


async def test_no_key_at_all_asks_nobody() -> None:
    async with _serve(Reply("x")) as (_, fake):
        provider = AnthropicProvider("", ManualClock(), base_url=fake.url)
        _, error = await collect(provider.stream(ask("x")))
        await provider.close()
        assert fake.requests == []
    assert isinstance(error, ProviderUnauthorized)
    assert "ANTHROPIC_API_KEY" in error.message


@pytest.mark.parametrize("key", ["sk-with\nnewline", "sk with blank", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused(key: str) -> None:
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY") as caught:
        AnthropicProvider(key, ManualClock())
    assert key not in caught.value.message


async def test_a_history_that_is_too_long_is_told_from_other_refusals() -> None:
    too_long = Failure(400, message="prompt is too long: 210000 tokens > 200000 maximum")
    assert type(await _failure(too_long)) is ContextTooLong
    assert type(await _failure(Failure(413))) is ContextTooLong
    assert type(await _failure(Failure(400, message="tools.0: bad schema"))) is ProviderRejected
    unknown = await _failure(Failure(404, message="model: fake:1b"))
    assert type(unknown) is ProviderRejected
    assert "SULLA_MODEL" in unknown.message


async def test_a_page_of_html_is_cut() -> None:
    async def gateway(request: WireRequest, response: WireResponse) -> None:
        await response.whole(502, b"<html>" + b"x" * 5000, {"content-type": "text/html"})

    async with WireServer(gateway) as server:
        provider = AnthropicProvider(KEY, ManualClock(), base_url=server.url)
        _, error = await collect(provider.stream(ask("x")))
        await provider.close()
    assert isinstance(error, ProviderTransient)
    assert len(error.message) < 500


async def test_an_answer_that_is_no_event_stream_points_at_the_address() -> None:
    async def portal(request: WireRequest, response: WireResponse) -> None:
        await response.whole(200, b"<html>please log in", {"content-type": "text/html"})

    async with WireServer(portal) as server:
        provider = AnthropicProvider(KEY, ManualClock(), base_url=server.url)
        _, error = await collect(provider.stream(ask("x")))
        await provider.close()
    assert isinstance(error, ProviderProtocol)
    assert "ANTHROPIC_BASE_URL" in error.message


async def test_nobody_at_the_address_is_transient_and_names_it() -> None:
    async with WireServer(_never) as server:
        url = server.url
    provider = AnthropicProvider(KEY, ManualClock(), base_url=url)
    _, error = await collect(provider.stream(ask("x")))
    await provider.close()
    assert type(error) is ProviderUnreachable
    assert url in error.message
    assert "ANTHROPIC_BASE_URL" in error.message


async def _never(request: WireRequest, response: WireResponse) -> None:
    raise AssertionError("nobody should come here")


async def test_a_service_that_never_answers_ends_at_the_deadline() -> None:
    came = asyncio.Event()

    async def silent(request: WireRequest, response: WireResponse) -> None:
        came.set()
        await asyncio.Event().wait()

    clock = ManualClock()
    async with WireServer(silent) as server:
        provider = AnthropicProvider(KEY, clock, base_url=server.url)
        reader = asyncio.create_task(collect(provider.stream(ask("x", timeout_s=30))))
        await came.wait()
        await clock.advance(30.1)
        _, error = await reader
        await provider.close()
    assert isinstance(error, ProviderTransient)
    assert "longer than 30 s" in error.message


@pytest.mark.parametrize("how", ["close", "end"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.99])
async def test_a_stream_cut_anywhere_is_broken(how: str, share: float) -> None:
    whole = Reply("Some text to say.", "Some thought.", (ToolUse("t", {"a": 1}),))
    async with _serve(whole) as (provider, fake):
        found, _ = await collect(provider.stream(ask("x")))
        assert isinstance(found[-1], Completed)
        length = _stream_length(whole, fake)
    cut = Reply(whole.text, whole.thinking, whole.tools, cut_after=int(length * share), cut_how=how)  # type: ignore[arg-type]  # a literal from the list above
    async with _serve(cut) as (provider, fake):
        found, error = await collect(provider.stream(ask("x")))
        assert fake.ended == [(1, "cut")]
    assert not any(isinstance(delta, Completed) for delta in found)
    assert type(error) is ProviderProtocol


def _stream_length(reply: Reply, fake: FakeAnthropic) -> int:
    return sum(len(event.data) for event in events(reply, fake.requests[0].body, "0" * 16))


async def test_an_error_inside_a_good_stream_keeps_its_class() -> None:
    async with _serve(Failure(529, "overloaded_error", "Overloaded", in_stream=True)) as (provider, _):
        _, error = await collect(provider.stream(ask("x")))
    assert type(error) is ProviderTransient


async def test_finished_replies_share_a_connection() -> None:
    connections: set[str] = set()
    async with _serve(Reply("x")) as (provider, fake):
        for _ in range(3):
            found, _ = await collect(provider.stream(ask("x")))
            assert isinstance(found[-1], Completed)
        connections = {seen.peer for seen in fake.requests}
    assert len(connections) == 1


async def test_a_service_that_does_not_hang_up_after_its_reply_holds_nobody_up() -> None:
    ending = asyncio.Event()
    reply = Reply("All said.")

    async def lingering(request: WireRequest, response: WireResponse) -> None:
        await response.start(200, {"content-type": "text/event-stream"})
        for event in events(reply, {}, "x"):
            await response.send(event.data)
        ending.set()
        await asyncio.Event().wait()

    clock = ManualClock()
    async with WireServer(lingering) as server:
        provider = AnthropicProvider(KEY, clock, base_url=server.url)
        reader = asyncio.create_task(collect(provider.stream(ask("x"))))
        await ending.wait()
        while not clock.sleepers > 1:
            await asyncio.sleep(0)
        await clock.advance(0.3)
        found, error = await reader
        await provider.close()
    assert error is None
    assert isinstance(found[-1], Completed)


async def test_a_history_that_cannot_be_sent_is_not_sent() -> None:
    async with _serve(Reply("x")) as (provider, fake):
        request = ask("x")
        _, error = await collect(provider.stream(type(request)(request.model, (), [])))
        assert fake.requests == []
    assert isinstance(error, InvalidInput)


async def test_the_request_is_what_the_service_expects() -> None:
    async with _serve(Reply("x")) as (provider, fake):
        await collect(provider.stream(ask("Hi")))
        (seen,) = fake.requests
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["anthropic-version"]
    assert (seen.body["model"], seen.body["max_tokens"], seen.body["stream"]) == ("fake:1b", 1000, True)


async def test_tokens_are_counted_by_the_service_over_what_would_be_sent() -> None:
    async with _serve(Reply("x")) as (provider, fake):
        counter: TokenCounter = provider
        assert isinstance(provider, TokenCounter), "as whoever wants a count will ask"
        short = await counter.count_tokens(ask("Hi"))
        long = await counter.count_tokens(ask("Hi" * 401))
        assert fake.requests == []
    assert short is not None
    assert long == short + 200


async def test_a_count_that_fails_is_classified_like_a_reply() -> None:
    async with _serve(Reply("x"), key="sk-wrong-one") as (provider, _):
        with pytest.raises(ProviderUnauthorized):
            await provider.count_tokens(ask("Hi"))

    async def nonsense(request: WireRequest, response: WireResponse) -> None:
        await response.whole(200, b'{"input_tokens": "many"}')

    async with WireServer(nonsense) as server:
        provider = AnthropicProvider(KEY, ManualClock(), base_url=server.url)
        with pytest.raises(ProviderProtocol, match="makes no sense"):
            await provider.count_tokens(ask("Hi"))
        await provider.close()
    without = AnthropicProvider("", ManualClock())
    with pytest.raises(ProviderKeyMissing):
        await without.count_tokens(ask("Hi"))
    await without.close()


@pytest.mark.parametrize("raw", ['{"path": "a', "[1]", "nonsense"])
async def test_arguments_that_are_no_json_object_break_the_reply(raw: str) -> None:
    async with _serve(Reply(tools=(ToolUse("t", {}, raw),))) as (provider, _):
        found, error = await collect(provider.stream(ask("x")))
    assert found == []
    assert type(error) is ProviderProtocol


async def test_slow_bytes_come_to_the_same_reply() -> None:
    async with _serve(Reply("Grüße an alle 🙂.", "Hm.", lump_bytes=7)) as (provider, _):
        found, error = await collect(provider.stream(ask("x")))
    assert error is None
    assert isinstance(found[-1], Completed)
    assert found[-1].message.text == "Grüße an alle 🙂."


async def test_an_answer_that_is_compressed_all_the_same_is_read() -> None:
    said = b"".join(event.data for event in events(Reply("Grüße an alle 🙂."), {}, "x"))

    async def eager(request: WireRequest, response: WireResponse) -> None:
        await response.start(200, {"content-type": "text/event-stream", "content-encoding": "gzip"})
        await response.send(gzip.compress(said))
        await response.end()

    async with WireServer(eager) as server:
        provider = AnthropicProvider(KEY, ManualClock(), base_url=server.url)
        found, error = await collect(provider.stream(ask("x")))
        await provider.close()
    assert error is None
    assert isinstance(found[-1], Completed)
    assert found[-1].message.text == "Grüße an alle 🙂."
