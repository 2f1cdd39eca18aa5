"""What a request for a completion may say, and how it is refused."""

from __future__ import annotations

import json
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import completion_create_params as params

from sulla.gateway.dialects.conversation import ChatMessage
from sulla.gateway.dialects.openai.form import (
    _KNOWN,
    IGNORED,
    MESSAGES,
    Completion,
    error_body,
    error_headers,
    read_completion,
)
from sulla.gateway.problems import Malformed, Problem

HELLO: list[Any] = [{"role": "user", "content": "Hello"}]
LEAST: dict[str, Any] = {"model": "sulla", "messages": HELLO}


def refused(body: dict[str, Any]) -> Problem:
    with pytest.raises(Malformed) as found:
        read_completion(body)
    problem = found.value.problem
    assert problem.status == 400
    return problem


def test_the_least() -> None:
    asked = read_completion(LEAST)
    assert (asked.model, asked.messages) == ("sulla", (ChatMessage("user", "Hello"),))
    assert (asked.stream, asked.usage, asked.tools, asked.thread, asked.user) == (False, False, False, "", "")


def test_every_parameter_that_openais_own_library_knows_is_known() -> None:
    known = set(get_type_hints(params.CompletionCreateParamsBase)) | {"stream"}
    assert known - _KNOWN == set()


def test_what_only_tunes_a_model_is_ignored() -> None:
    assert read_completion({**LEAST, **dict.fromkeys(IGNORED, 1)}) == read_completion(LEAST)


@pytest.mark.parametrize(
    "body",
    [
        {"n": 1, "logprobs": False, "stop": None, "tool_choice": "auto", "response_format": {"type": "text"}},
        {"n": None, "stop": [], "modalities": ["text"], "tool_choice": "none", "function_call": "auto"},
        {"tools": [{"type": "function", "function": {"name": "x"}}], "stream_options": None},
    ],
)
def test_what_asks_for_nothing_else_than_a_text_is_taken(body: dict[str, Any]) -> None:
    assert read_completion({**LEAST, **body}) == read_completion(LEAST)


@pytest.mark.parametrize(
    ("body", "param", "words"),
    [
        ({"n": 2}, "n", "one answer"),
        ({"n": True}, "n", "one answer"),
        ({"logprobs": True}, "logprobs", "'logprobs'"),
        ({"stop": ["\n"]}, "stop", "'stop'"),
        ({"response_format": {"type": "json_object"}}, "response_format", "text"),
        ({"response_format": "text"}, "response_format", "text"),
        ({"modalities": ["text", "audio"]}, "modalities", "text"),
        ({"tool_choice": "required"}, "tool_choice", "own tools"),
        ({"function_call": {"name": "x"}}, "function_call", "own tools"),
        ({"model": None}, "model", "Missing required parameter: 'model'."),
        ({"model": ""}, "model", "1 to"),
        ({"model": 5}, "model", "got 5"),
        ({"messages": None}, "messages", "Missing required parameter: 'messages'."),
        ({"messages": []}, "messages", "empty array"),
        ({"messages": "Hello"}, "messages", "expected a list"),
        ({"messages": HELLO * (MESSAGES + 1)}, "messages", "at most"),
        ({"messages": ["Hello"]}, "messages.[0]", "expected an object"),
        ({"messages": [{"role": "owner", "content": "x"}]}, "messages.[0].role", "'owner'"),
        ({"messages": [{"role": ["user"], "content": "x"}]}, "messages.[0].role", "a list"),
        ({"messages": [{"role": "user"}]}, "messages.[0].content", "None"),
        ({"messages": [*HELLO, {"role": "assistant", "content": "x"}]}, "messages.[1].role", "'assistant'"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages.[0].role", "own tools"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]}]},
            "messages.[0].content.[0]",
            "no images",
        ),
        ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, "messages.[0].content.[0]", "text"),
        ({"stream": "yes"}, "stream", "true or false"),
        ({"stream_options": {"include_usage": True}}, "stream_options", "only allowed when 'stream'"),
        ({"stream": True, "stream_options": 1}, "stream_options", "an object"),
        ({"thread_id": 7}, "thread_id", "a string"),
        ({"user": "x" * 600}, "user", "at most"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(body: dict[str, Any], param: str, words: str) -> None:
    problem = refused({**LEAST, **body})
    assert problem.param == param
    assert words in problem.message


def test_a_field_that_nobody_knows_is_refused_in_openais_words() -> None:
    assert refused({**LEAST, "threadid": "x"}).message == "Unrecognized request argument supplied: threadid"


def test_messages_are_read_as_texts() -> None:
    messages: list[Any] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "x"}]},
        {"role": "function", "name": "x", "content": "result"},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"role": "user", "content": "Hello", "name": "ann"},
    ]
    assert read_completion({**LEAST, "messages": messages}).messages == (
        ChatMessage("system", "Be brief."),
        ChatMessage("user", "one\ntwo"),
        ChatMessage("assistant", ""),
        ChatMessage("tool", "result"),
        ChatMessage("assistant", "No."),
        ChatMessage("user", "Hello"),
    )


def test_a_picture_of_an_earlier_message_keeps_nobody_from_going_on() -> None:
    seen: dict[str, Any] = {
        "role": "user",
        "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {}}],
    }
    assert read_completion({**LEAST, "messages": [seen, *HELLO]}).messages == (
        ChatMessage("user", "Look\n(Left out: 'image_url'.)"),
        ChatMessage("user", "Hello"),
    )
    assert refused({**LEAST, "messages": [*HELLO, seen]}).param == "messages.[1].content.[1]"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(sorted(_KNOWN)) | st.text(max_size=5), JSON, max_size=6))
def test_whatever_comes_is_read_or_refused(body: dict[str, Any]) -> None:
    found: Completion | Problem
    try:
        found = read_completion({**LEAST, **body})
    except Malformed as error:
        found = error.problem
    assert isinstance(found, Completion) or (found.status, *json.loads(error_body(found))) == (400, "error")


@pytest.mark.parametrize(
    ("status", "code", "kind", "shown"),
    [
        (400, "invalid_input", "invalid_request_error", "invalid_input"),
        (401, "unauthorized", "authentication_error", "invalid_api_key"),
        (403, "forbidden", "permission_error", "forbidden"),
        (404, "not_found", "invalid_request_error", "not_found"),
        (429, "busy", "rate_limit_error", "busy"),
        (503, "store_unavailable", "server_error", "store_unavailable"),
    ],
)
def test_an_error_has_openais_form(status: int, code: str, kind: str, shown: str) -> None:
    error = json.loads(error_body(Problem(status, code, "no", param="x")))["error"]
    assert error == {"message": "no", "type": kind, "param": "x", "code": shown}
    assert json.loads(error_body(Problem(status, code, "no")))["error"]["param"] is None


def test_libraries_are_told_whether_to_try_again() -> None:
    assert dict(error_headers(Problem(409, "conflict", "no"))) == {b"x-should-retry": b"false"}
    assert dict(error_headers(Problem(503, "unavailable", "no", retryable=True))) == {b"x-should-retry": b"true"}
