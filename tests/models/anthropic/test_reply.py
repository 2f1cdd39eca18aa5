"""A reply's stream: whatever the cut, the same deltas; whatever is missing, nothing final."""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.errors import ContextTooLong, ProviderError, ProviderProtocol, ProviderTransient
from sulla.core.ids import CallId
from sulla.core.message import Reasoning, Text, ToolCall
from sulla.models.anthropic.reply import AnthropicReply
from sulla.models.base import Completed, Delta, TokenUsage
from tests.kits.deltas import joined, refusal_to_end
from tests.servers.anthropic_stream import events
from tests.servers.script import Reply, ToolUse


def sse(*parts: dict[str, Any]) -> bytes:
    """Events as the service sends them."""
    return b"".join(b"event: " + part["type"].encode() + b"\ndata: " + orjson.dumps(part) + b"\n\n" for part in parts)


def start(index: int, **block: object) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **piece: object) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": piece}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


BEGIN: dict[str, Any] = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "usage": {
            "input_tokens": 10,
            "cache_read_input_tokens": 300,
            "cache_creation_input_tokens": None,
            "output_tokens": 1,
        },
    },
}
END: dict[str, Any] = {"type": "message_stop"}
TEXT = (start(0, type="text", text=""), delta(0, type="text_delta", text="Hi"), stop(0))
CALL = (
    start(0, type="tool_use", id="toolu_1", name="read_file", input={}),
    delta(0, type="input_json_delta", partial_json=""),
    delta(0, type="input_json_delta", partial_json='{"path": "a'),
    delta(0, type="input_json_delta", partial_json='.txt"}'),
    stop(0),
)


def ending(reason: str | None, **usage: int) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7, **usage}}


def read(stream: bytes, sizes: list[int] | None = None) -> list[Delta]:
    """All that a stream gives, in pieces of these sizes and the rest as one."""
    reply = AnthropicReply("claude-x")
    found: list[Delta] = []
    begin = 0
    for size in [*(sizes or []), len(stream)]:
        found += reply.feed(stream[begin : begin + size])
        begin += size
    reply.end()
    return found


def completed(*parts: dict[str, Any]) -> Completed:
    last = read(sse(BEGIN, *parts))[-1]
    assert isinstance(last, Completed)
    return last


_REPLIES = [
    Reply("Hello, wörld 🙂!", pieces=6),
    Reply("Let me look.", "First I think.", (ToolUse("read_file", {"path": "ä.txt"}), ToolUse("time", {}))),
    Reply(tools=(ToolUse("write_file", {"path": "x", "content": 'a "quoted" \\ line\n' * 3}),)),
    Reply("", "Only thinking"),
    Reply("Cut short", stop="max_tokens"),
]


@cache
def _stream(place: int, newline: bytes = b"\n") -> bytes:
    chunks = [event.data for event in events(_REPLIES[place], {"model": "claude-x", "messages": []}, "7f")]
    chunks.insert(2, b": a comment\n\n")
    chunks.insert(4, b'event: a_new_kind\ndata: {"type":"a_new_kind"}\n\n')
    return b"".join(chunks).replace(b"\n", newline)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, len(_REPLIES) - 1),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.lists(st.integers(1, 40), max_size=60),
)
def test_any_cut_of_the_bytes_gives_the_same_deltas(place: int, newline: bytes, sizes: list[int]) -> None:
    assert joined(read(_stream(place, newline), sizes)) == read(_stream(place))


@pytest.mark.parametrize("place", range(len(_REPLIES)))
def test_a_stream_that_ends_anywhere_but_after_its_end_is_never_completed(place: int) -> None:
    stream = _stream(place)
    first_whole = len(stream.rstrip(b"\n")) + 2
    reply = AnthropicReply("claude-x")
    for length in range(first_whole):
        found = reply.feed(stream[length - 1 : length] if length else b"")
        assert not any(isinstance(delta, Completed) for delta in found), length
        assert "before it was complete" in refusal_to_end(reply), length
    (last,) = reply.feed(stream[first_whole - 1 :])
    assert isinstance(last, Completed)
    reply.end()


def test_a_reply_has_its_parts_in_the_models_order() -> None:
    last = read(_stream(1))[-1]
    assert isinstance(last, Completed)
    raw = {"type": "thinking", "thinking": "First I think.", "signature": "sig_7f"}
    assert last.message.parts == (
        Reasoning("First I think.", raw),
        Text("Let me look.", "agent"),
        ToolCall(CallId("toolu_7f_0"), "read_file", {"path": "ä.txt"}),
        ToolCall(CallId("toolu_7f_1"), "time", {}),
    )
    assert last.message.role == "assistant"
    assert last.stop == "tool_calls"


def test_usage_holds_the_last_count_of_each_kind() -> None:
    last = completed(*TEXT, ending("end_turn", cache_creation_input_tokens=40), END)
    assert last.usage == TokenUsage(10, 7, 300, 40)


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("pause_turn", "max_tokens"),
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "max_tokens"),
        ("refusal", "refused"),
    ],
)
def test_why_it_stopped(reason: str, expected: str) -> None:
    assert completed(*TEXT, ending(reason), END).stop == expected


@pytest.mark.parametrize("reason", ["tool_use", "end_turn"])
def test_a_reply_with_a_call_stops_to_use_it(reason: str) -> None:
    last = completed(*CALL, ending(reason), END)
    assert last.stop == "tool_calls"
    assert last.message.calls == (ToolCall(CallId("toolu_1"), "read_file", {"path": "a.txt"}),)


def test_a_call_that_the_token_limit_cut_off_was_never_made() -> None:
    cut = (*TEXT, start(1, type="tool_use", id="t", name="n"), delta(1, type="input_json_delta", partial_json='{"a'))
    last = completed(*cut, stop(1), ending("max_tokens"), END)
    assert (last.stop, last.message.calls, last.message.text) == ("max_tokens", (), "Hi")
    unborn = (start(0, type="tool_use", id="t", name="n"), stop(0), ending("max_tokens"), END)
    assert completed(*unborn).message.calls == ()


def test_nothing_is_done_for_a_reply_that_is_taken_back() -> None:
    assert completed(*CALL, ending("refusal"), END).message.calls == ()


def test_a_window_that_is_full_before_the_first_word_is_a_history_that_is_too_long() -> None:
    with pytest.raises(ContextTooLong, match="claude-x"):
        completed(ending("model_context_window_exceeded"), END)


@pytest.mark.parametrize(
    "parts",
    [
        (*CALL[:3], stop(0), ending("tool_use"), END),
        (*CALL[:3], stop(0), ending("end_turn"), END),
        (start(0, type="tool_use", id="t", name="n"), delta(0, type="input_json_delta", partial_json="[]"), stop(0),
         ending("tool_use"), END),
    ],
)  # fmt: skip
def test_a_call_with_arguments_that_are_no_object_breaks_the_reply(parts: tuple[dict[str, Any], ...]) -> None:
    with pytest.raises(ProviderProtocol, match="arguments"):
        completed(*parts)


@pytest.mark.parametrize(
    "parts",
    [
        (BEGIN,),
        (*TEXT, END),
        (*TEXT, ending(None), END),
        (*TEXT, ending("some_new_reason"), END),
        (*TEXT, ending("tool_use"), END),
        (*TEXT[:2], ending("end_turn"), END),
        (*TEXT, TEXT[1], ending("end_turn"), END),
        (*TEXT, stop(0), END),
        (TEXT[0], TEXT[0]),
        (start(1, type="text", text=""),),
        (start(0, type="server_tool_use", id="s", name="web_search"),),
        (start(0, type="text", text=7),),
        (TEXT[0], delta(0, type="text_delta", text=None)),
        (TEXT[0], delta(0, type="text_delta")),
        (TEXT[0], delta(0, type="input_json_delta", partial_json="")),
        (TEXT[0], delta(1, type="text_delta", text="x")),
        (TEXT[0], {"type": "content_block_delta", "index": [], "delta": {}}),
        (*CALL, start(1, type="tool_use", id="toolu_1", name="n"), stop(1), ending("tool_use"), END),
        (start(0, type="tool_use", name="n"),),
        ({"type": []},),
        ({"type": "message_delta", "delta": {"stop_reason": 3}},),
        ({"type": "message_delta", "delta": {}, "usage": [1]},),
    ],
)
def test_a_stream_that_breaks_its_own_rules_is_no_reply(parts: tuple[dict[str, Any], ...]) -> None:
    stream = b"".join(b"data: " + orjson.dumps(part) + b"\n\n" for part in (BEGIN, *parts))
    with pytest.raises(ProviderProtocol, match="'claude-x'"):
        read(stream)


@pytest.mark.parametrize("data", [b"not json", b"[1]", b"7", b"null", b'{"type":"ping"', b"\xff", b'{"no":"type"}'])
def test_an_event_that_makes_no_sense_breaks_the_reply(data: bytes) -> None:
    with pytest.raises(ProviderProtocol, match="makes no sense"):
        read(sse(BEGIN) + b"data: " + data + b"\n\n")


def test_a_reply_begins_before_its_blocks() -> None:
    with pytest.raises(ProviderProtocol, match="out of turn"):
        read(sse(*TEXT))


def test_an_error_in_the_stream_is_the_services_own() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with pytest.raises(ProviderTransient, match="Overloaded"):
        completed(*TEXT, error)
    with pytest.raises(ProviderError, match="claude-x"):
        completed({"type": "error", "error": {}})


def test_what_comes_after_the_end_changes_nothing() -> None:
    stream = sse(BEGIN, *TEXT, ending("end_turn"), END)
    assert read(stream + sse(TEXT[1]) + b"data: rubbish\n\n") == read(stream)
