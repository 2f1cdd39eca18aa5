"""Requests to OpenAI's API in both forms."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from sulla.core.errors import InvalidInput
from sulla.core.ids import CallId, MessageId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from sulla.core.words import ours
from sulla.models.base import ChatRequest, PromptSection, ToolSpec, Tuning
from sulla.models.openai.wire import Form, OpenAiOptions, encode_request
from tests.servers.openai_stream import fault_of

TOOL = ToolSpec("read_file", "Reads.", {"type": "object"})
ITEM: JsonObject = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "secret"}
NOTE: JsonObject = {"type": "chat_reasoning", "field": "reasoning", "model": "m"}
CALL = ToolCall(CallId("c1"), "read_file", {"path": "ä"})


def said(role: Role, *parts: Part) -> Message:
    return Message(MessageId("x"), role, parts)


HELLO = said("user", Text("hello"))
RESULT = said("tool", ToolResult(CallId("c1"), "gone", is_error=True))


def body(*messages: Message, options: OpenAiOptions | None = None) -> JsonObject:
    system = (PromptSection("v", ours("V"), stable=False), PromptSection("s", ours("S")))
    request = ChatRequest("m", system, list(messages), (TOOL,), 500)
    found: JsonObject = orjson.loads(encode_request(request, options or OpenAiOptions()))
    return found


def test_a_chat_keeps_its_order() -> None:
    found = body(HELLO, said("assistant", Reasoning("hm", NOTE), Text("let me look"), CALL), RESULT)
    assert found["messages"] == [
        {"role": "system", "content": "S\n\nV"},
        {"role": "user", "content": "hello"},
        {
            "role": "assistant",
            "content": "let me look",
            "reasoning": "hm",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"ä"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "Error: gone"},
    ]
    function = {"name": "read_file", "description": "Reads.", "parameters": {"type": "object"}}
    assert found["tools"] == [{"type": "function", "function": function}]
    assert found["stream_options"] == {"include_usage": True}
    assert found["max_tokens"] == 500


def test_what_stands_beside_a_persons_words_is_set_apart_from_them_and_a_reply_in_pieces_is_whole() -> None:
    beside = said("user", Text("what is this?"), Text("<memory/>", "memory"), Text("<context/>", "operator"))
    found: Any = body(beside, said("assistant", Text("It is "), CALL, Text("a.")), RESULT)
    texts = [message["content"] for message in found["messages"][1:3]]
    assert texts == ["what is this?\n\n<memory/>\n\n<context/>", "It is a."]


def test_responses_keep_the_models_order_and_its_reasoning_verbatim() -> None:
    options = OpenAiOptions("responses", extra={"reasoning": {"effort": "low"}})
    found = body(HELLO, said("assistant", Reasoning("hm", ITEM), Text("let me look"), CALL), RESULT, options=options)
    assert found["instructions"] == "S\n\nV"
    assert found["input"] == [
        {"role": "user", "content": "hello"},
        ITEM,
        {"role": "assistant", "content": "let me look"},
        {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": '{"path":"ä"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "Error: gone"},
    ]
    assert (found["store"], found["max_output_tokens"], found["reasoning"]) == (False, 500, {"effort": "low"})


@pytest.mark.parametrize(
    "thought",
    [
        Reasoning("theirs", {"type": "thinking", "signature": "s"}),
        Reasoning("another model's", {**NOTE, "model": "other"}),
        Reasoning("no note"),
        Reasoning("lost", {**ITEM, "encrypted_content": None}),
    ],
)
def test_reasoning_that_is_not_for_this_model_stays_here(thought: Reasoning) -> None:
    history = (HELLO, said("assistant", thought, Text("hi")), HELLO)
    assert body(*history) == body(HELLO, said("assistant", Text("hi")), HELLO)
    responses = OpenAiOptions("responses")
    assert body(*history, options=responses) == body(HELLO, said("assistant", Text("hi")), HELLO, options=responses)


def test_reasoning_that_nothing_follows_from_is_left_out() -> None:
    history = (HELLO, said("assistant", Reasoning("cut", ITEM)), HELLO)
    options = OpenAiOptions("responses")
    assert body(*history, options=options) == body(HELLO, HELLO, options=options)


@pytest.mark.parametrize(
    "history",
    [
        (),
        (HELLO, said("assistant", Text("hi"))),
        (HELLO, RESULT),
        (HELLO, said("assistant", CALL), HELLO),
        (HELLO, said("assistant", CALL), said("assistant", Text("and")), RESULT),
        (HELLO, said("assistant", CALL), RESULT, RESULT),
        (said("user", Text("\ud800")),),
    ],
)
@pytest.mark.parametrize("form", ["chat", "responses"])
def test_a_history_that_the_service_would_refuse_is_not_sent(history: tuple[Message, ...], form: str) -> None:
    with pytest.raises(InvalidInput):
        body(*history, options=OpenAiOptions("responses" if form == "responses" else "chat"))


OTHER = ToolSpec("choose", "Chooses.", {"type": "object"})


def forced(options: OpenAiOptions, force: str = "choose") -> dict[str, Any]:
    request = ChatRequest("m", (), [HELLO], (TOOL, OTHER), 500, force=force)
    found: dict[str, Any] = orjson.loads(encode_request(request, options))
    assert fault_of(found) is None
    return found


@pytest.mark.parametrize(
    ("form", "choice"),
    [
        ("chat", {"type": "function", "function": {"name": "choose"}}),
        ("responses", {"type": "function", "name": "choose"}),
    ],
)
def test_the_services_own_form_names_the_tool_to_be_called(form: Form, choice: JsonObject) -> None:
    found = forced(OpenAiOptions(form, choice="named", extra={"tool_choice": "none"}))
    assert found["tool_choice"] == choice
    assert "parallel_tool_calls" not in found  # the models that reason refuse it
    assert len(found["tools"]) == 2


@pytest.mark.parametrize("form", ["chat", "responses"])
def test_other_servers_are_offered_that_tool_alone_and_told_that_one_is_required(form: Form) -> None:
    found = forced(OpenAiOptions(form))
    assert (found["tool_choice"], found["parallel_tool_calls"]) == ("required", False)
    (tool,) = found["tools"]
    assert tool.get("function", tool)["name"] == "choose"


def test_nothing_is_said_of_a_choice_where_the_model_chooses() -> None:
    found = forced(OpenAiOptions(), "")
    assert "tool_choice" not in found
    assert "parallel_tool_calls" not in found
    assert len(found["tools"]) == 2


def test_a_tool_that_is_not_offered_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(InvalidInput, match=r"'chose'.*read_file, choose"):
        forced(OpenAiOptions(), "chose")


@pytest.mark.parametrize(
    ("options", "tuning", "expected"),
    [
        (OpenAiOptions(), Tuning(), {}),
        (OpenAiOptions(), Tuning(0.5, True), {"temperature": 0.5, "chat_template_kwargs": {"enable_thinking": True}}),
        (OpenAiOptions(choice="named"), Tuning(thinking=False), {"reasoning_effort": "none"}),
        (OpenAiOptions("responses"), Tuning(thinking=True), {"reasoning": {"effort": "medium"}}),
        (OpenAiOptions(extra={"temperature": 1.0}), Tuning(0.5), {"temperature": 1.0}),
    ],
)
def test_an_agent_says_how_its_model_replies(options: OpenAiOptions, tuning: Tuning, expected: JsonObject) -> None:
    found = orjson.loads(encode_request(ChatRequest("m", (), [HELLO], tuning=tuning), options))
    plain = orjson.loads(encode_request(ChatRequest("m", (), [HELLO]), OpenAiOptions(options.form)))
    assert {key: value for key, value in found.items() if key not in plain} == expected
