"""Streamed replies of the Responses API."""

from __future__ import annotations

from itertools import count
from typing import Any

import orjson
import pytest

from sulla.core.errors import ProviderProtocol, ProviderTransient
from sulla.core.ids import CallId
from sulla.core.message import Reasoning, Text, ToolCall
from sulla.models.base import Completed, Delta, ReasoningDelta, TextDelta, TokenUsage
from sulla.models.openai.responses import ResponsesReply


def event(kind: str, **rest: object) -> dict[str, Any]:
    return {"type": kind, **rest}


def added(index: int, kind: str) -> dict[str, Any]:
    return event("response.output_item.added", output_index=index, item={"type": kind})


def done(index: int, kind: str, **rest: object) -> dict[str, Any]:
    return event("response.output_item.done", output_index=index, item={"type": kind, **rest})


def text(index: int, delta: object) -> dict[str, Any]:
    return event("response.output_text.delta", output_index=index, delta=delta)


def message(index: int, whole: str) -> dict[str, Any]:
    return done(index, "message", content=[{"type": "output_text", "text": whole}])


def call(index: int, **rest: object) -> dict[str, Any]:
    item: dict[str, object] = {"call_id": "c1", "name": "one", "arguments": '{"x":1}', "status": "completed"}
    return done(index, "function_call", **(item | rest))


USAGE = {
    "input_tokens": 100,
    "output_tokens": 7,
    "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 9},
}
END = event("response.completed", response={"usage": USAGE})
HI = (added(0, "message"), text(0, "Hi"), message(0, "Hi"))


def cut(reason: str) -> dict[str, Any]:
    return event("response.incomplete", response={"incomplete_details": {"reason": reason}})


def read(*events: dict[str, Any]) -> list[Delta]:
    numbers = count(1)
    reply = ResponsesReply("m", lambda prefix: f"{prefix}_{next(numbers)}")
    found = reply.feed(b"".join(b"data: " + orjson.dumps(one) + b"\n\n" for one in events))
    reply.end()
    return found


def completed(*events: dict[str, Any]) -> Completed:
    last = read(*events)[-1]
    assert isinstance(last, Completed)
    return last


def test_items_keep_the_models_order_and_reasoning_is_kept_verbatim() -> None:
    item: dict[str, Any] = {
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "A"}],
        "encrypted_content": "secret",
    }
    part = event("response.reasoning_summary_part.added", output_index=0)
    thought = "response.reasoning_summary_text.delta"
    found = read(
        event("response.created", response={}),
        added(0, "reasoning"),
        part,
        event(thought, output_index=0, delta="A"),
        part,
        event(thought, output_index=0, delta="B"),
        done(0, "reasoning", **item),
        added(1, "message"),
        text(1, "Hi"),
        message(1, "Hi"),
        added(2, "function_call"),
        event("response.function_call_arguments.delta", output_index=2, delta='{"x'),
        call(2),
        END,
    )
    last = found[-1]
    assert isinstance(last, Completed)
    assert last.message.parts == (
        Reasoning("A\n\nB", {"type": "reasoning", **item}),
        Text("Hi", "agent"),
        ToolCall(CallId("c1"), "one", {"x": 1}),
    )
    assert (last.stop, last.usage) == ("tool_calls", TokenUsage(31, 7, 60, 9))
    assert "".join(delta.text for delta in found if isinstance(delta, ReasoningDelta)) == "A\n\nB"


def test_text_that_was_not_streamed_is_passed_on_at_its_end() -> None:
    found = read(added(0, "message"), text(0, "Good "), message(0, "Good morning"), END)
    assert [delta.text for delta in found if isinstance(delta, TextDelta)] == ["Good morning"]


def test_what_the_token_limit_cut_keeps_its_text_and_whole_calls_only() -> None:
    last = completed(added(0, "message"), text(0, "Go"), cut("max_output_tokens"))
    assert (last.message.text, last.stop) == ("Go", "max_tokens")
    broken = call(2, call_id="c2", arguments='{"x', status="incomplete")
    last = completed(
        *HI, added(1, "function_call"), call(1), added(2, "function_call"), broken, cut("max_output_tokens")
    )
    assert [one.id for one in last.message.calls] == ["c1"]
    assert completed(*HI, added(1, "function_call"), cut("max_output_tokens")).message.calls == ()


def test_nothing_is_done_for_a_reply_that_was_declined() -> None:
    last = completed(*HI, added(1, "function_call"), call(1), cut("content_filter"))
    assert (last.message.calls, last.stop) == ((), "refused")
    refusal = (
        added(0, "message"),
        event("response.refusal.delta", output_index=0, delta="No."),
        done(0, "message", content=[{"type": "refusal", "refusal": "No."}]),
    )
    last = completed(*refusal, added(1, "function_call"), call(1), END)
    assert (last.message.text, last.message.calls, last.stop) == ("No.", (), "refused")


@pytest.mark.parametrize(
    "events",
    [
        (HI[0],),
        (HI[0], HI[1], END),
        (HI[0], HI[1], message(0, "Ho"), END),
        (*HI, HI[2], END),
        (*HI, cut("steered")),
        (text(0, "x"),),
        (added(1, "message"),),
        (added(0, "web_search_call"),),
        (HI[0], text(0, 7)),
        (HI[0], text(0, None)),
        (HI[0], done(0, "function_call")),
        (HI[0], done(0, "message", content=[{"type": "image"}])),
        (HI[0], done(0, "message", content="Hi")),
        (added(0, "function_call"), END),
        (added(0, "function_call"), call(0, arguments='{"x'), END),
        (added(0, "function_call"), call(0, arguments="[]"), END),
        (added(0, "function_call"), call(0, name=""), END),
        (added(0, "function_call"), call(0, call_id=None), END),
        (added(0, "function_call"), call(0), added(1, "function_call"), call(1), END),
        ({"no": "type"},),
    ],
)
def test_a_stream_that_breaks_its_own_rules_is_no_reply(events: tuple[dict[str, Any], ...]) -> None:
    with pytest.raises(ProviderProtocol, match="'m'"):
        read(*events)


@pytest.mark.parametrize(
    "error",
    [
        event("error", code="server_error", message="no memory"),
        event("error", error={"type": "server_error", "message": "no memory"}),
        event("response.failed", response={"error": {"code": "server_error", "message": "no memory"}}),
    ],
)
def test_an_error_in_the_stream_is_the_services_own(error: dict[str, Any]) -> None:
    with pytest.raises(ProviderTransient, match="no memory"):
        read(*HI, error)
    with pytest.raises(ProviderProtocol):
        read(event("response.failed", response={}))


def test_what_comes_after_the_end_changes_nothing() -> None:
    assert read(*HI, END, text(0, "more")) == read(*HI, END)
