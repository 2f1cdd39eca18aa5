"""The adapter with the real SDK against a fake of the service on a socket, in both forms."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

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
from sulla.core.ids import MakeId, MessageId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, Reasoning, Text, ToolResult
from sulla.models.base import ChatRequest, Completed, Embedder, TextDelta
from sulla.models.openai.provider import OpenAiProvider
from sulla.models.openai.wire import Form, OpenAiOptions
from sulla.models.wire.failures import HERE_S
from sulla.testing.clock import ManualClock
from tests.kits.provider_kit import OTHER, STALL, TOOL, Case, ProviderKit, Served, ask, collect
from tests.servers.openai_server import FakeOpenAi
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse
from tests.servers.wire import WireRequest, WireResponse, WireServer

KEY = "sk-test-not-a-real-key"
FORMS: tuple[Form, ...] = ("chat", "responses")


def numbered() -> MakeId:
    numbers = count(1)
    return lambda prefix: f"{prefix}_{next(numbers)}"


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
        broken='data: {"error":{"message":"no memory","type":"server_error"}}\n\n' if case.error_in_stream else "",
    )


@asynccontextmanager
async def serving(
    *answers: Reply | Failure, form: Form = "chat", key: str = KEY
) -> AsyncIterator[tuple[OpenAiProvider, FakeOpenAi]]:
    """A provider and the fake behind it; each answer but the last is given once."""
    clock = ManualClock()
    rules = [Rule(answer, times=1) for answer in answers[:-1]] + [Rule(answers[-1])]
    async with FakeOpenAi(Script(rules), clock, key=KEY) as fake:
        provider = OpenAiProvider(key, clock, numbered(), base_url=fake.url, options=OpenAiOptions(form))
        try:
            yield provider, fake
        finally:
            await provider.close()


class ChatKeepsThePromise(ProviderKit):
    form: Form = "chat"

    @asynccontextmanager
    async def serve(self, case: Case) -> AsyncIterator[Served]:
        clock = ManualClock()
        async with FakeOpenAi(Script([Rule(_answer(case))]), clock) as fake:
            provider = OpenAiProvider("", clock, numbered(), base_url=fake.url, options=OpenAiOptions(self.form))
            try:
                yield Served(provider, clock, lambda: fake.ended.count("left"), lambda: fake.release(STALL))
            finally:
                await provider.close()


class TestChatKeepsThePromise(ChatKeepsThePromise):
    pass


class TestResponsesKeepThePromise(ChatKeepsThePromise):
    form: Form = "responses"


async def _failure(answer: Failure, form: Form = "chat", key: str = KEY) -> ProviderError:
    async with serving(answer, form=form, key=key) as (provider, fake):
        found, error = await collect(provider.stream(ask("x")))
        assert len(fake.requests) <= 1, "it does not retry"
    assert found == []
    assert isinstance(error, ProviderError)
    return error


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("status", [408, 429, 500, 503, 529])
async def test_what_may_pass_is_transient(status: int, form: Form) -> None:
    error = await _failure(Failure(status, message="try later"), form)
    assert type(error) is ProviderTransient
    assert error.retry_after_s == (HERE_S if status == 500 else None), "the service is on this machine"
    assert "'fake:1b'" in error.message
    assert "try later" in error.message


@pytest.mark.parametrize("status", [429, 500, 529])
@pytest.mark.parametrize(("header", "wait_s"), [("7", 7.0), ("Fri, 15 Jan 2027 08:00:30 GMT", 30.0)])
async def test_the_wait_that_the_service_asks_for_is_passed_on(header: str, wait_s: float, status: int) -> None:
    error = await _failure(Failure(status, retry_after=header))
    assert error.retry_after_s == wait_s


async def test_a_wrong_key_says_which_setting_to_check_and_never_the_key() -> None:
    error = await _failure(Failure(500), key="sk-wrong-one")
    assert type(error) is ProviderUnauthorized
    assert "OPENAI_API_KEY" in error.message
    assert "sk-wrong-one" not in error.message


async def test_a_key_that_the_service_repeats_is_struck_out() -> None:
    error = await _failure(Failure(400, message=f"what is {KEY} supposed to be"))
    assert "what is *** supposed to be" in error.message


async def test_no_key_for_the_services_own_address_asks_nobody() -> None:
    provider = OpenAiProvider("", ManualClock(), numbered())
    _, error = await collect(provider.stream(ask("x")))
    await provider.close()
    assert type(error) is ProviderKeyMissing
    assert "OPENAI_API_KEY" in error.message


@pytest.mark.parametrize("key", ["sk-with\nnewline", "sk with blank", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused(key: str) -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY") as caught:
        OpenAiProvider(key, ManualClock(), numbered())
    assert key not in caught.value.message


async def test_a_history_that_is_too_long_is_told_from_other_refusals() -> None:
    too_long = Failure(400, message="This model's maximum context length is 8192 tokens")
    assert type(await _failure(too_long)) is ContextTooLong
    assert type(await _failure(Failure(400, "exceed_context_size_error", "too big"))) is ContextTooLong
    assert type(await _failure(Failure(400, message="tools.0: bad schema"))) is ProviderRejected
    unknown = await _failure(Failure(404, message="no such model"))
    assert type(unknown) is ProviderRejected
    assert "SULLA_MODEL" in unknown.message


@pytest.mark.parametrize(("body", "said"), [(b"<html>" + b"x" * 5000, "<html>"), (b'{"error":"loading"}', "loading")])
async def test_a_failure_in_another_form_is_told_in_its_own_words(body: bytes, said: str) -> None:
    async def gateway(request: WireRequest, response: WireResponse) -> None:
        await response.whole(502, body, {"content-type": "text/html"})

    async with WireServer(gateway) as server:
        provider = OpenAiProvider(KEY, ManualClock(), numbered(), base_url=server.url)
        _, error = await collect(provider.stream(ask("x")))
        await provider.close()
    assert isinstance(error, ProviderTransient)
    assert said in error.message
    assert len(error.message) < 500


async def test_an_answer_that_is_no_event_stream_points_at_the_address() -> None:
    async def portal(request: WireRequest, response: WireResponse) -> None:
        await response.whole(200, b"<html>please log in", {"content-type": "text/html"})

    async with WireServer(portal) as server:
        provider = OpenAiProvider(KEY, ManualClock(), numbered(), base_url=server.url)
        _, error = await collect(provider.stream(ask("x")))
        await provider.close()
    assert isinstance(error, ProviderProtocol)
    assert "OPENAI_BASE_URL" in error.message


async def _never(request: WireRequest, response: WireResponse) -> None:
    raise AssertionError("nobody should come here")


async def test_nobody_at_the_address_is_told_from_other_failures() -> None:
    async with WireServer(_never) as server:
        url = server.url
    provider = OpenAiProvider(KEY, ManualClock(), numbered(), base_url=url)
    _, error = await collect(provider.stream(ask("x")))
    await provider.close()
    assert type(error) is ProviderUnreachable
    assert url in error.message
    assert "OPENAI_BASE_URL" in error.message


async def test_a_service_that_never_answers_ends_at_the_deadline() -> None:
    came = asyncio.Event()

    async def silent(request: WireRequest, response: WireResponse) -> None:
        came.set()
        await asyncio.Event().wait()

    clock = ManualClock()
    async with WireServer(silent) as server:
        provider = OpenAiProvider(KEY, clock, numbered(), base_url=server.url)
        reader = asyncio.create_task(collect(provider.stream(ask("x", timeout_s=30))))
        await came.wait()
        await clock.advance(30.1)
        _, error = await reader
        await provider.close()
    assert type(error) is ProviderTransient
    assert "longer than 30 s" in error.message


@pytest.mark.parametrize("form", FORMS)
async def test_slow_bytes_come_to_the_same_reply(form: Form) -> None:
    whole = Reply("Grüße an alle 🙂.", "Hm.", (ToolUse("t", {"a": "ä"}),))
    slow = Reply(whole.text, whole.thinking, whole.tools, lump_bytes=7)
    async with serving(slow, form=form) as (provider, _):
        found, error = await collect(provider.stream(ask("x")))
    assert error is None
    last = found[-1]
    assert isinstance(last, Completed)
    assert last.message.text == whole.text
    assert dict(last.message.calls[0].args) == {"a": "ä"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("raw", ['{"path": "a', "[1]", "nonsense"])
async def test_arguments_that_are_no_json_object_break_the_reply(raw: str, form: Form) -> None:
    async with serving(Reply(tools=(ToolUse("t", {}, raw),)), form=form) as (provider, _):
        found, error = await collect(provider.stream(ask("x")))
    assert found == []
    assert type(error) is ProviderProtocol
    assert "arguments" in error.message


@pytest.mark.parametrize("how", ["close", "end"])
@pytest.mark.parametrize("form", FORMS)
async def test_a_stream_that_is_cut_is_broken(how: str, form: Form) -> None:
    cut = Reply("Some text to say.", cut_after=500, cut_how=how)  # type: ignore[arg-type]  # a literal from the list above
    async with serving(cut, form=form) as (provider, fake):
        found, error = await collect(provider.stream(ask("x")))
        assert fake.ended == ["cut"]
    assert not any(isinstance(delta, Completed) for delta in found)
    assert type(error) is ProviderProtocol
    assert "\n" not in error.message
    if how == "close":
        assert "in the middle of the reply of the model 'fake:1b' (Not enough data" in error.message
        assert "message" not in error.message


async def test_finished_replies_share_a_connection_and_the_deadline_stops() -> None:
    async with serving(Reply("x")) as (provider, fake):
        for _ in range(3):
            found, _ = await collect(provider.stream(ask("x")))
            assert isinstance(found[-1], Completed)
        assert fake.ended == ["done"] * 3


async def test_a_history_that_cannot_be_sent_is_not_sent() -> None:
    async with serving(Reply("x")) as (provider, fake):
        _, error = await collect(provider.stream(ChatRequest("m", (), [])))
        assert fake.requests == []
    assert isinstance(error, InvalidInput)


async def test_the_request_is_what_the_service_expects() -> None:
    async with serving(Reply("x")) as (provider, fake):
        await collect(provider.stream(ask("Hi")))
    (headers,), (body,) = fake.headers, fake.requests
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["content-type"] == "application/json"
    assert (body["model"], body["max_tokens"], body["stream"]) == ("fake:1b", 1000, True)


@pytest.mark.parametrize("form", FORMS)
async def test_reasoning_and_calls_go_back_with_their_results(form: Form) -> None:
    first = Reply("Let me look.", "I need the time.", (ToolUse("get_time_date", {}),))
    async with serving(first, Reply("Noon."), form=form) as (provider, fake):
        request = ask("What time is it?")
        found, _ = await collect(provider.stream(request))
        last = found[-1]
        assert isinstance(last, Completed)
        (call,) = last.message.calls
        result = Message(MessageId("r"), "tool", (ToolResult(call.id, "12:00"),))
        again = ChatRequest(request.model, request.system, [*request.messages, last.message, result], request.tools)
        answer, error = await collect(provider.stream(again))
        sent = fake.requests[1]
    assert error is None
    assert "".join(delta.text for delta in answer if isinstance(delta, TextDelta)) == "Noon."
    (thought,) = (part for part in last.message.parts if isinstance(part, Reasoning))
    if form == "responses":
        assert isinstance(sent["input"], list)
        assert sent["input"][1] == thought.raw
    else:
        assert isinstance(sent["messages"], list)
        assert isinstance(sent["messages"][2], dict)
        assert sent["messages"][2]["reasoning_content"] == "I need the time."
    assert any(isinstance(part, Text) for part in last.message.parts)


@pytest.mark.parametrize(
    ("own", "choice"), [(True, {"type": "function", "function": {"name": "choose"}}), (False, "required")]
)
async def test_only_the_services_own_address_is_told_the_name_of_a_tool_to_be_called(
    own: bool, choice: str | JsonObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Reply(tools=(ToolUse("choose", {"choice": "sales"}),))
    clock = ManualClock()
    async with FakeOpenAi(Script([Rule(answer)]), clock, key=KEY) as fake:
        if own:
            monkeypatch.setattr("sulla.models.openai.provider.BASE_URL", fake.url)
        provider = OpenAiProvider(KEY, clock, numbered(), base_url=fake.url)
        found, error = await collect(provider.stream(ask("x", tools=(TOOL, OTHER), force="choose")))
        await provider.close()
    assert error is None
    assert isinstance(found[-1], Completed)
    assert fake.requests[0]["tool_choice"] == choice


async def test_embeddings_come_one_for_each_text_in_their_order() -> None:
    async with FakeOpenAi(Script([]), ManualClock(), key=KEY) as fake:
        provider = OpenAiProvider(KEY, ManualClock(), numbered(), base_url=fake.url)
        embedder: Embedder = provider
        assert await embedder.embed("fake:1b", []) == []
        found = await embedder.embed("fake:1b", ["aha", "bee", "x"])
        with pytest.raises(ProviderRejected, match="no model 'other'"):
            await embedder.embed("other", ["aha"])
        other = OpenAiProvider("sk-wrong", ManualClock(), numbered(), base_url=fake.url)
        with pytest.raises(ProviderUnauthorized):
            await other.embed("fake:1b", ["aha"])
        await other.close()
        await provider.close()
    assert found == [[2.0, 0.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0, 0.0], [0.0] * 5]
    with pytest.raises(ProviderKeyMissing, match="OPENAI_API_KEY"):
        await OpenAiProvider("", ManualClock(), numbered()).embed("text-embedding-3-small", ["aha"])


async def test_a_server_that_is_not_there_gives_no_embeddings() -> None:
    async def never(request: WireRequest, response: WireResponse) -> None:
        raise AssertionError("nobody asks")

    async with WireServer(never) as server:
        url = server.url
    provider = OpenAiProvider(KEY, ManualClock(), numbered(), base_url=f"{url}/v1")
    with pytest.raises(ProviderUnreachable):
        await provider.embed("m", ["x"])
    await provider.close()
