"""Requests to Ollama and its replies."""

from __future__ import annotations

from itertools import count
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.errors import (
    ContextTooLong,
    InvalidInput,
    ProviderError,
    ProviderProtocol,
    ProviderRejected,
    ProviderTransient,
    ProviderUnauthorized,
    ToolsRefused,
)
from sulla.core.ids import CallId, MessageId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, Reasoning, Text, ToolCall, ToolResult
from sulla.core.words import ours
from sulla.models.base import (
    ChatRequest,
    Completed,
    Delta,
    PromptSection,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
    ToolSpec,
    Tuning,
)
from sulla.models.ollama.wire import OllamaOptions, OllamaReply, encode_request, service_error
from sulla.models.wire.advice import Advice
from tests.kits.deltas import joined, refusal_to_end

HELLO = Message(MessageId("m1"), "user", (Text("hello"),))


def body(*messages: Message, system: tuple[PromptSection, ...] = (), tools: tuple[ToolSpec, ...] = ()) -> JsonObject:
    found: JsonObject = orjson.loads(
        encode_request(ChatRequest("qwen3:8b", system, list(messages), tools, 500), OllamaOptions())
    )
    return found


def test_a_whole_turn_keeps_its_order() -> None:
    call = ToolCall(CallId("c1"), "read_file", {"path": "a"})
    found = body(
        HELLO,
        Message(MessageId("m2"), "assistant", (Reasoning("hm"), Text("let me look"), call)),
        Message(MessageId("m3"), "tool", (ToolResult(CallId("c1"), "gone", is_error=True),)),
        Message(MessageId("m4"), "assistant", (Reasoning("theirs", {"type": "thinking"}), Text("it is gone"))),
        Message(MessageId("m5"), "user", (Text("and now?"), Text("<memory/>", "memory")), hidden=True),
        system=(PromptSection("v", ours("V"), stable=False), PromptSection("s", ours("S"))),
    )
    assert found["messages"] == [
        {"role": "system", "content": "S\n\nV"},
        {"role": "user", "content": "hello"},
        {
            "role": "assistant",
            "content": "let me look",
            "thinking": "hm",
            "tool_calls": [{"id": "c1", "function": {"name": "read_file", "arguments": {"path": "a"}}}],
        },
        {"role": "tool", "content": "Error: gone", "tool_call_id": "c1", "tool_name": "read_file"},
        {"role": "assistant", "content": "it is gone"},
        {"role": "user", "content": "and now?\n\n<memory/>"},
    ]


def test_tools_are_functions() -> None:
    tool = ToolSpec("t", "does t", {"type": "object"})
    function = {"name": "t", "description": "does t", "parameters": {"type": "object"}}
    assert body(HELLO, tools=(tool,))["tools"] == [{"type": "function", "function": function}]


def test_a_tool_that_has_to_be_called_is_the_only_one_that_is_offered() -> None:
    tools = (ToolSpec("a", "", {"type": "object"}), ToolSpec("b", "", {"type": "object"}))
    request = ChatRequest("qwen3:8b", (), [HELLO], tools, 500, force="b")
    found: dict[str, Any] = orjson.loads(encode_request(request, OllamaOptions()))
    assert [tool["function"]["name"] for tool in found["tools"]] == ["b"]
    assert "tool_choice" not in found  # the service would pass over it in silence


@pytest.mark.parametrize("messages", [(), (HELLO, Message(MessageId("m2"), "assistant", (Text("hi"),)))])
def test_a_history_that_asks_for_nothing_is_refused(messages: tuple[Message, ...]) -> None:
    with pytest.raises(InvalidInput, match=r"qwen3:8b"):
        body(*messages)


def lines(*parts: dict[str, Any]) -> bytes:
    return b"".join(orjson.dumps(part) + b"\n" for part in parts)


def read(stream: bytes, sizes: list[int] | None = None) -> list[Delta]:
    numbers = count(1)
    reply = OllamaReply("qwen3:8b", lambda prefix: f"{prefix}_{next(numbers)}")
    found: list[Delta] = []
    begin = 0
    for size in [*(sizes or []), len(stream)]:
        found += reply.feed(stream[begin : begin + size])
        begin += size
    reply.end()
    return found


DONE = {"message": {"content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 12, "eval_count": 5}
CALLS = {
    "message": {
        "content": "",
        "tool_calls": [
            {"function": {"name": "a", "arguments": {"x": 1}}},
            {"id": "given", "function": {"name": "b", "arguments": {}}},
        ],
    },
    "done": False,
}
STREAM = lines(
    {"message": {"thinking": "hm", "content": ""}},
    {"message": {"content": "Grüß "}},
    {"message": {"content": "🙂"}},
    CALLS,
    DONE,
)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 40), max_size=40))
def test_any_cut_of_the_bytes_gives_the_same_deltas(sizes: list[int]) -> None:
    assert joined(read(STREAM, sizes)) == read(STREAM)


def test_a_stream_that_ends_anywhere_but_after_its_end_is_never_completed() -> None:
    reply = OllamaReply("qwen3:8b", lambda prefix: prefix)
    for place in range(len(STREAM) - 1):
        assert not any(isinstance(delta, Completed) for delta in reply.feed(STREAM[place : place + 1]))
        assert "before it was complete" in refusal_to_end(reply)


def test_a_reply_has_its_parts_and_its_count() -> None:
    last = read(STREAM)[-1]
    assert isinstance(last, Completed)
    assert last.message.parts == (
        Reasoning("hm"),
        Text("Grüß 🙂", "agent"),
        ToolCall(CallId("call_1"), "a", {"x": 1}),
        ToolCall(CallId("given"), "b", {}),
    )
    assert (last.usage, last.stop) == (TokenUsage(12, 5), "tool_calls")


def test_a_thought_that_is_written_before_the_answer_is_one() -> None:
    pieces = [{"message": {"content": piece}} for piece in ("<thi", "nk>inner", " words</th", "ink>\n\n43.")]
    *shown, last = read(lines(*pieces, DONE))
    assert isinstance(last, Completed)
    assert last.message.parts == (Reasoning("inner words"), Text("\n\n43.", "agent"))
    assert joined([*shown, last])[:2] == [ReasoningDelta("inner words"), TextDelta("\n\n43.")]


def test_a_thought_without_an_end_was_the_answer_unless_the_reply_was_cut_off() -> None:
    said = {"message": {"content": "<think> is a tag."}}
    whole, cut = read(lines(said, DONE))[-1], read(lines(said, {**DONE, "done_reason": "length"}))[-1]
    assert isinstance(whole, Completed)
    assert isinstance(cut, Completed)
    assert (whole.message.parts, cut.message.parts) == (
        (Text("<think> is a tag.", "agent"),),
        (Reasoning(" is a tag."),),
    )


@pytest.mark.parametrize(("reason", "stop"), [("stop", "end"), ("length", "max_tokens")])
def test_why_it_stopped(reason: str, stop: str) -> None:
    last = read(lines({"message": {"content": "x"}}, {**DONE, "done_reason": reason}))[-1]
    assert isinstance(last, Completed)
    assert last.stop == stop


@pytest.mark.parametrize(
    "part",
    [
        {"message": {"content": 7}},
        {"message": []},
        {"message": {"tool_calls": [{}]}},
        {"message": {"tool_calls": [{"function": {"name": "a", "arguments": '{"x": 1}'}}]}},
        {"message": {"tool_calls": [{"function": {"name": "", "arguments": {}}}]}},
        {"error": 7},
        {**DONE, "done_reason": "unload"},
    ],
)
def test_a_stream_that_breaks_its_own_rules_is_no_reply(part: dict[str, Any]) -> None:
    with pytest.raises(ProviderProtocol, match=r"qwen3:8b"):
        read(lines(part, DONE))


@pytest.mark.parametrize("raw", [b"not json\n", b"7\n", b"[]\n", b'{"message"\n'])
def test_a_line_that_makes_no_sense_breaks_the_reply(raw: bytes) -> None:
    with pytest.raises(ProviderProtocol, match="makes no sense"):
        read(raw + lines(DONE))


def test_one_id_for_two_calls_breaks_the_reply() -> None:
    call = {"id": "same", "function": {"name": "a", "arguments": {}}}
    with pytest.raises(ProviderProtocol, match="twice"):
        read(lines({"message": {"tool_calls": [call, call]}}, DONE))


def test_an_error_in_the_stream_is_the_services_own() -> None:
    with pytest.raises(ProviderTransient, match="runner has stopped"):
        read(lines({"message": {"content": "x"}}, {"error": "the model runner has stopped"}))


@pytest.mark.parametrize(
    ("status", "said", "expected"),
    [
        (400, "qwen3:8b does not support tools", ToolsRefused),
        (400, "the input length exceeds the context length", ContextTooLong),
        (401, "", ProviderUnauthorized),
        (404, "model not found", ProviderRejected),
        (429, "", ProviderTransient),
        (500, "", ProviderTransient),
        (None, "", ProviderTransient),
    ],
)
def test_a_failure_has_its_class(status: int | None, said: str, expected: type[ProviderError]) -> None:
    assert type(service_error("qwen3:8b", status, said)) is expected


def test_a_model_that_is_not_there_is_said_to_be_named_where_it_is() -> None:
    message = service_error("qwen3:8b", 404, "not found", advice=Advice("", "/srv/agents/x/agent.toml")).message
    assert "Run `ollama pull qwen3:8b`, or check the name in /srv/agents/x/agent.toml" in message


@pytest.mark.parametrize(
    ("tuning", "heat", "think"), [(Tuning(), None, True), (Tuning(0.5), 0.5, True), (Tuning(None, False), None, False)]
)
def test_an_agent_says_how_its_model_replies(tuning: Tuning, heat: float | None, think: bool) -> None:
    request = ChatRequest("m", (), [HELLO], tuning=tuning)
    found = orjson.loads(encode_request(request, OllamaOptions(think=True)))
    assert (found["options"].get("temperature"), found["think"]) == (heat, think)
