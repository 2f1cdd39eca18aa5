"""Streamed chat completions, as different servers send them."""

from __future__ import annotations

from itertools import count
from typing import Any

import orjson
import pytest

from sulla.core.errors import ContextTooLong, ProviderProtocol, ProviderTransient
from sulla.core.ids import CallId
from sulla.core.message import Reasoning, Text, ToolCall
from sulla.models.base import Completed, Delta, ReasoningDelta, TextDelta, TokenUsage
from sulla.models.openai.chat import ChatReply

DONE = b"data: [DONE]\n\n"


def chunk(reason: str | None = None, **delta: object) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def call(index: object = 0, **rest: object) -> dict[str, Any]:
    function = {name: rest.pop(name) for name in ("name", "arguments") if name in rest}
    return chunk(tool_calls=[{"index": index, "function": function, **rest}])


def read(*chunks: dict[str, Any], end: bytes = DONE) -> list[Delta]:
    numbers = count(1)
    reply = ChatReply("m", lambda prefix: f"{prefix}_{next(numbers)}")
    found = reply.feed(b"".join(b"data: " + orjson.dumps(one) + b"\n\n" for one in chunks) + end)
    reply.end()
    return found


def completed(*chunks: dict[str, Any]) -> Completed:
    last = read(*chunks)[-1]
    assert isinstance(last, Completed)
    return last


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_is_found_in_either_field_and_remembers_which(name: str) -> None:
    found = read(chunk(**{name: "Hm"}), chunk(**{name: "."}), chunk(content="Yes"), chunk("stop"))
    assert found[:2] == [ReasoningDelta("Hm."), TextDelta("Yes")]
    assert isinstance(found[2], Completed)
    thought = Reasoning("Hm.", {"type": "chat_reasoning", "field": name, "model": "m"})
    assert found[2].message.parts == (thought, Text("Yes", "agent"))


def test_a_thought_under_both_names_counts_once() -> None:
    found = read(chunk(reasoning_content="Hm", reasoning="Hm"), chunk("stop", content="Yes"))
    assert [delta.text for delta in found if isinstance(delta, ReasoningDelta)] == ["Hm"]


def test_calls_side_by_side_are_put_together_by_their_index() -> None:
    last = completed(
        call(0, id="a", name="one", arguments=""),
        call(1, id="b", name="two", arguments='{"x"'),
        call(0, name="one", arguments='{"y":'),
        call(1, id="", arguments=": 2}"),
        call(0, id="a", arguments="1}"),
        chunk("tool_calls"),
    )
    assert last.message.calls == (ToolCall(CallId("a"), "one", {"y": 1}), ToolCall(CallId("b"), "two", {"x": 2}))
    assert last.stop == "tool_calls"


def test_a_call_without_id_or_arguments_gets_an_id_and_none() -> None:
    last = completed(call(0, name="now"), chunk("stop"))
    assert last.message.calls == (ToolCall(CallId("call_1"), "now", {}),)
    assert last.stop == "tool_calls"


def test_calls_that_the_token_limit_cut_were_never_made() -> None:
    whole, cut = call(0, id="a", name="one", arguments="{}"), call(1, id="b", name="two", arguments='{"x')
    last = completed(whole, cut, chunk("length"))
    assert [one.name for one in last.message.calls] == ["one"]
    assert last.stop == "max_tokens"
    assert completed(call(0, id="a", name="one", arguments=""), chunk("length")).message.calls == ()


def test_nothing_is_done_for_a_reply_that_was_declined() -> None:
    made = call(0, id="a", name="one", arguments="{}")
    assert completed(made, chunk("content_filter")).message.calls == ()
    last = completed(chunk(refusal="I will"), chunk(refusal=" not."), made, chunk("stop"))
    assert (last.message.text, last.message.calls, last.stop) == ("I will not.", (), "refused")


def test_usage_tells_what_came_from_the_cache() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 60}}
    assert completed(chunk("stop"), {"choices": [], "usage": usage}).usage == TokenUsage(40, 7, 60, 0)
    assert completed(chunk("stop"), {"choices": [], "usage": {"prompt_tokens": True}}).usage == TokenUsage()
    assert completed(chunk("stop"), {"choices": [], "usage": None}).usage == TokenUsage()


@pytest.mark.parametrize(
    "chunks",
    [
        (),
        (chunk(content="x"),),
        (chunk("a_new_reason"),),
        (chunk("tool_calls"),),
        (call(0, id="a", name="n", arguments='{"x'), chunk("tool_calls")),
        (call(0, id="a", name="n", arguments="[]"), chunk("stop")),
        (call(0, id="a", arguments="{}"), chunk("tool_calls")),
        (call(0, id="a", name="n"), call(1, id="a", name="n"), chunk("tool_calls")),
        (call(0, id="a", name="n"), call(0, id="b", name="n"), chunk("tool_calls")),
        (call(0, id="a", name="n"), call(0, name="other"), chunk("tool_calls")),
        (call("0", id="a", name="n"), chunk("tool_calls")),
        (call(None, id="a", name="n"), chunk("tool_calls")),
        (chunk("stop", content=7),),
        (chunk("stop", content=["x"]),),
        (chunk("stop", reasoning=7),),
        (chunk("stop", tool_calls=[7]),),
        ({"choices": [{"index": 1, "delta": {"content": "x"}}]},),
        ({"choices": [{}]},),
        ({"object": "x"},),
        ({"choices": [], "usage": []},),
    ],
)
def test_a_stream_that_breaks_its_own_rules_is_no_reply(chunks: tuple[dict[str, Any], ...]) -> None:
    with pytest.raises(ProviderProtocol, match="'m'"):
        read(*chunks)


@pytest.mark.parametrize("data", [b"not json", b"[1]", b"7", b"null", b'{"choices":[', b"\xff"])
def test_a_chunk_that_makes_no_sense_breaks_the_reply(data: bytes) -> None:
    with pytest.raises(ProviderProtocol, match="makes no sense"):
        read(end=b"data: " + data + b"\n\n")


def test_an_error_in_the_stream_is_the_services_own() -> None:
    with pytest.raises(ProviderTransient, match="no memory"):
        read(chunk(content="x"), {"error": {"message": "no memory", "type": "server_error"}})
    with pytest.raises(ContextTooLong):
        read({"error": "exceeds the available context size"})


def test_what_comes_after_the_end_changes_nothing() -> None:
    assert read(chunk("stop", content="x"), end=DONE + b"data: rubbish\n\n") == read(chunk("stop", content="x"))
