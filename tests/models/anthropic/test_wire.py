"""Requests to Anthropic, judged by the rules by which the service refuses them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput
from sulla.core.ids import CallId, MessageId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from sulla.core.words import ours
from sulla.models.anthropic.wire import RequestEncoder
from sulla.models.base import ChatRequest, PromptSection, ToolSpec
from tests.servers.anthropic_stream import fault_of

MARK: JsonObject = {"type": "ephemeral"}


def message(number: int, role: Role, *parts: Part, hidden: bool = False) -> Message:
    return Message(MessageId(f"m{number}"), role, parts, hidden)


def request(*messages: Message, system: Sequence[PromptSection] = (), tools: tuple[ToolSpec, ...] = ()) -> ChatRequest:
    return ChatRequest("claude-x", tuple(system), list(messages), tools, 500)


def body(asked: ChatRequest, encoder: RequestEncoder | None = None) -> JsonObject:
    found: JsonObject = orjson.loads((encoder or RequestEncoder()).encode(asked))
    return found


def call(number: int) -> ToolCall:
    return ToolCall(CallId(f"c{number}"), "read_file", {"path": "ä.txt"})


def result(number: int, text: str = "done", is_error: bool = False) -> ToolResult:
    return ToolResult(CallId(f"c{number}"), text, is_error)


HELLO = message(1, "user", Text("hello"))


def test_the_head_says_what_is_asked_of_whom() -> None:
    found = body(request(HELLO))
    assert found == {
        "model": "claude-x",
        "max_tokens": 500,
        "stream": True,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello", "cache_control": MARK}]}],
    }


def test_the_stable_part_of_the_prompt_comes_first_and_is_marked() -> None:
    sections = [
        PromptSection("a", ours("A")),
        PromptSection("b", ours("B"), stable=False),
        PromptSection("c", ours("C")),
        PromptSection("d", ours(" \n")),
    ]
    assert body(request(HELLO, system=sections))["system"] == [
        {"type": "text", "text": "A"},
        {"type": "text", "text": "C", "cache_control": MARK},
        {"type": "text", "text": "B"},
    ]


def test_a_prompt_without_a_stable_part_is_not_marked() -> None:
    assert body(request(HELLO, system=[PromptSection("b", ours("B"), stable=False)]))["system"] == [
        {"type": "text", "text": "B"}
    ]


def test_the_last_tool_is_marked() -> None:
    schema = MappingProxyType[str, Json]({"type": "object", "properties": {}})
    tools = (ToolSpec("a", "does a", schema), ToolSpec("b", "does b", schema))
    assert body(request(HELLO, tools=tools))["tools"] == [
        {"name": "a", "description": "does a", "input_schema": {"type": "object", "properties": {}}},
        {
            "name": "b",
            "description": "does b",
            "input_schema": {"type": "object", "properties": {}},
            "cache_control": MARK,
        },
    ]


def test_fields_for_every_request_are_sent_with_it() -> None:
    encoder = RequestEncoder({"thinking": {"type": "adaptive"}, "service_tier": "auto"})
    found = body(request(HELLO), encoder)
    assert (found["thinking"], found["service_tier"]) == ({"type": "adaptive"}, "auto")


def test_a_whole_turn_keeps_its_order_and_alternates() -> None:
    thought = Reasoning("hm", {"type": "thinking", "thinking": "hm", "signature": "s"})
    hidden_thought = Reasoning("", {"type": "redacted_thinking", "data": "x"})
    found = body(
        request(
            HELLO,
            message(2, "assistant", thought, hidden_thought, Text("let me look"), call(1), call(2)),
            message(3, "tool", result(1), result(2, "no such file", is_error=True)),
            message(4, "user", Text("and hurry")),
            message(5, "assistant", Text("here")),
            message(6, "user", Text("Continue."), hidden=True),
        )
    )
    assert found["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "hello"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "redacted_thinking", "data": "x"},
                {"type": "text", "text": "let me look"},
                {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "ä.txt"}},
                {"type": "tool_use", "id": "c2", "name": "read_file", "input": {"path": "ä.txt"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "done"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "no such file", "is_error": True},
                {"type": "text", "text": "and hurry"},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "here"}]},
        {"role": "user", "content": [{"type": "text", "text": "Continue.", "cache_control": MARK}]},
    ]


def test_what_the_service_would_refuse_or_not_understand_is_left_out() -> None:
    others = Reasoning("plain"), Reasoning("theirs", {"type": "reasoning", "id": "rs_1"})
    found = body(
        request(
            HELLO,
            message(2, "assistant", *others, Text("  \n")),
            message(3, "user", Text(""), Text("still there?")),
        )
    )
    texts: Json = [{"type": "text", "text": "hello"}, {"type": "text", "text": "still there?", "cache_control": MARK}]
    assert found["messages"] == [{"role": "user", "content": texts}]


def test_a_result_without_words_is_still_a_result() -> None:
    found = body(request(HELLO, message(2, "assistant", call(1)), message(3, "tool", result(1, ""))))
    messages = found["messages"]
    assert isinstance(messages, list)
    assert messages[-1] == {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "cache_control": MARK}],
    }


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([], "is empty"),
        ([message(1, "user", Text(" "))], "is empty"),
        ([HELLO, message(2, "assistant", Text("hi"))], "ends with the model's own text"),
        ([message(1, "assistant", Text("hi")), HELLO], "begins with the model's own text"),
        (
            [HELLO, message(2, "assistant", call(1)), message(3, "user", Text("so?"))],
            "no result for the tool call 'c1'",
        ),
        ([HELLO, message(2, "assistant", call(1))], "ends with the model's own text"),
        ([HELLO, message(2, "tool", result(1))], "result for 'c1' that does not follow"),
        (
            [HELLO, message(2, "assistant", call(1)), message(3, "tool", result(1)), message(4, "tool", result(1))],
            "result for 'c1' that does not follow",
        ),
        (
            [HELLO, message(2, "assistant", call(1)), message(3, "user", Text("x")), message(4, "tool", result(1))],
            "text before the result for 'c1'",
        ),
        (
            [HELLO, message(2, "assistant", call(1)), message(3, "tool", Text("x"), result(1))],
            "text before the result for 'c1'",
        ),
        (
            [
                HELLO,
                message(2, "assistant", call(1), call(2)),
                message(3, "tool", result(1)),
                message(4, "assistant", Text("hm")),
                message(5, "tool", result(2)),
            ],
            "no result for the tool call 'c2'",
        ),
        ([HELLO, message(2, "assistant", call(1), call(1)), message(3, "tool", result(1))], "'c1' twice"),
        ([message(1, "user", call(1))], "what only a model says"),
        ([HELLO, message(2, "assistant", result(1)), HELLO], "of the model holds a tool result"),
        ([message(1, "user", Text("half a pair \ud83d"))], "message 'm1' cannot be sent"),
    ],
)
def test_a_history_that_makes_no_sense_is_refused(messages: list[Message], complaint: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        RequestEncoder().encode(request(*messages))
    assert complaint in caught.value.message


_texts = st.lists(st.sampled_from(["a", "", " ", "ü"]).map(Text), max_size=2)
_thought = Reasoning("hm", {"type": "thinking", "thinking": "hm", "signature": "s"})


@st.composite
def _rounds(draw: st.DrawFn) -> list[tuple[Role, tuple[Part, ...]]]:
    """A reply, the results of its calls, and what the user says then: usually valid, sometimes not quite."""
    calls = draw(st.lists(st.integers(1, 3), max_size=2, unique=draw(st.integers(0, 9)) > 0))
    results = draw(st.permutations(calls)) if draw(st.integers(0, 4)) else draw(st.lists(st.integers(1, 3), max_size=2))
    thoughts = [_thought] if draw(st.booleans()) else []
    return [
        ("assistant", (*thoughts, *draw(_texts), *map(call, calls))),
        ("tool", tuple(map(result, results))),
        ("user", tuple(draw(_texts))),
    ]


_messages = st.lists(_rounds(), max_size=3).map(
    lambda rounds: [("user", (Text("hello"),)), *(message for one in rounds for message in one)]
)


@settings(max_examples=30, deadline=None)
@given(_messages)
def test_whatever_is_sent_the_service_takes(drawn: list[tuple[Role, tuple[Part, ...]]]) -> None:
    messages = [Message(MessageId(f"m{place}"), role, parts) for place, (role, parts) in enumerate(drawn)]
    try:
        found = body(request(*messages))
    except InvalidInput:
        return
    assert fault_of(found) is None


def test_at_most_four_marks_are_set() -> None:
    schema = {"type": "object"}
    found = RequestEncoder().encode(
        request(
            HELLO,
            system=[PromptSection("a", ours("A")), PromptSection("b", ours("B"))],
            tools=(ToolSpec("a", "", schema),) * 3,
        )
    )
    assert found.count(b"cache_control") == 3


@settings(max_examples=15, deadline=None)
@given(
    st.lists(_rounds(), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 40)), max_size=6),
)
def test_what_was_sent_before_changes_nothing(
    rounds: list[list[tuple[Role, tuple[Part, ...]]]], windows: list[tuple[int, int]]
) -> None:
    drawn = [("user", (Text("hello"),)), *(one for group in rounds for one in group)]
    messages = [Message(MessageId(f"m{place}"), role, parts) for place, (role, parts) in enumerate(drawn)]
    encoder = RequestEncoder(cache_bytes=2000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sulla.models.anthropic.wire.ends_segment", lambda message: int(message.id[1:]) % 3 != 0)
        for start, length in [*windows, (0, len(messages)), (0, len(messages))]:
            asked = request(*messages[start : start + length])
            assert _outcome(encoder, asked) == _outcome(RequestEncoder(), asked)


def _outcome(encoder: RequestEncoder, asked: ChatRequest) -> bytes | str:
    try:
        return encoder.encode(asked)
    except InvalidInput as error:
        return error.message


def test_a_message_that_changed_under_its_id_is_sent_as_it_is_now() -> None:
    encoder = RequestEncoder()
    history = [message(place, ("user", "assistant")[place % 2], Text("x")) for place in range(100)]
    encoder.encode(request(*history, message(100, "user", Text("a"))))
    changed = [replace(one, parts=(Text("y"),)) if place == 7 else one for place, one in enumerate(history)]
    longer = request(*changed, message(100, "user", Text("a")))
    assert encoder.encode(longer) == RequestEncoder().encode(longer)


@pytest.mark.parametrize("trimmed", [0, 5])
def test_little_more_than_what_is_new_is_encoded(trimmed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[str] = []
    original = Text.__getattribute__

    def watched(self: Text, name: str) -> object:
        if name == "text":
            encoded.append(original(self, "origin"))
        return original(self, name)

    encoder = RequestEncoder()
    history = [message(place, ("user", "assistant")[place % 2], Text("x" * 500)) for place in range(800)]
    encoder.encode(request(*history, message(800, "user", Text("a"))))
    text = Text("b")
    monkeypatch.setattr(Text, "__getattribute__", watched)
    encoder.encode(request(*history[2 * trimmed :], message(800, "user", Text("a")), message(801, "user", text)))
    assert 0 < len(encoded) < 100


def test_a_count_asks_about_the_same_request_without_what_only_a_reply_needs() -> None:
    thinking: JsonObject = {"type": "adaptive"}
    encoder = RequestEncoder({"thinking": thinking, "service_tier": "auto"})
    request = ChatRequest(
        "claude-x", (PromptSection("s", ours("S")),), [Message(MessageId("m1"), "user", (Text("hi"),))]
    )
    whole, count = orjson.loads(encoder.encode(request)), orjson.loads(encoder.encode_count(request))
    for name in ("max_tokens", "stream", "service_tier"):
        del whole[name]
    assert count == whole
    assert count["thinking"] == thinking
