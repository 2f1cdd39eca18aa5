"""What the fake of Anthropic's service says and refuses."""

from __future__ import annotations

import orjson
import pytest

from sulla.core.jsontypes import Json, JsonObject
from tests.servers.anthropic_stream import asked_of, count_tokens, error_body, events, fault_of
from tests.servers.script import Asked, Failure, Reply, ToolUse


def text(value: str) -> JsonObject:
    return {"type": "text", "text": value}


def user(*blocks: JsonObject | str) -> JsonObject:
    content: list[Json] = [text(block) if isinstance(block, str) else block for block in blocks]
    return {"role": "user", "content": content}


def assistant(*blocks: JsonObject | str) -> JsonObject:
    return {**user(*blocks), "role": "assistant"}


def use(call: str) -> JsonObject:
    return {"type": "tool_use", "id": call, "name": "t", "input": {}}


def result(call: str) -> JsonObject:
    return {"type": "tool_result", "tool_use_id": call, "content": "x"}


def body(*messages: JsonObject) -> JsonObject:
    return {"model": "m", "max_tokens": 9, "messages": list(messages)}


@pytest.mark.parametrize(
    ("messages", "asked"),
    [
        ((user("a", "b"),), Asked("a\nb", 0)),
        (({"role": "user", "content": "plain"},), Asked("plain", 0)),
        ((user("a"), assistant(use("1"), use("2")), user(result("1"), result("2"))), Asked("a", 2)),
        ((user("a"), assistant(use("1")), user(result("1")), assistant(use("2")), user(result("2"))), Asked("a", 2)),
        ((user("a"), assistant(use("1")), user(result("1"), "b")), Asked("b", 0)),
        ((), Asked("", 0)),
    ],
)
def test_what_was_asked(messages: tuple[JsonObject, ...], asked: Asked) -> None:
    assert asked_of(body(*messages)) == asked


def test_a_reply_comes_as_the_service_sends_it() -> None:
    reply = Reply("Hi there", "hm", (ToolUse("t", {"a": 1}),), pieces=2)
    sent = [event.data for event in events(reply, body(user("a")), "7f")]
    kinds = [data.split(b"\n")[0].removeprefix(b"event: ").decode() for data in sent]
    pieces = ["content_block_delta"] * 3
    block = ("content_block_start", "content_block_stop")
    assert (
        kinds
        == [
            *("message_start", "ping"),
            *(block[0], *pieces, block[1]),  # two of thinking and its signature
            *(block[0], *pieces[:2], block[1]),
            *(block[0], *pieces, pieces[0], block[1]),  # arguments begin with an empty piece
            *("message_delta", "message_stop"),
        ]
    )
    assert all(data.endswith(b"\n\n") for data in sent)
    args = [orjson.loads(data.partition(b"data: ")[2])["delta"] for data in sent if b"input_json_delta" in data]
    assert orjson.loads("".join(piece["partial_json"] for piece in args)) == {"a": 1}


def test_the_same_request_gets_the_same_bytes() -> None:
    asked = body(user("a"))
    reply = Reply("Hi", tools=(ToolUse("t", {}),))
    assert [*events(reply, asked, "7f")] == [*events(reply, asked, "7f")]


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ((user("a"),), None),
        ((user("a"), assistant("b"), user("c")), None),
        ((user("a"), assistant(use("1")), user(result("1"), "c")), None),
        ((), "at least one message"),
        ((assistant("a"), user("b")), "first message must use the user role"),
        ((user("a"), assistant("b")), "prefill"),
        ((user("a"), assistant(use("1")), user("b")), "without `tool_result`"),
        ((user("a"), assistant(use("1")), user("b", result("1"))), "must come first"),
        ((user("a", result("1")),), "unexpected `tool_use_id`"),
        ((user("a"), assistant(use("1"), use("1")), user(result("1"))), "must be unique"),
        ((user(" "),), "non-whitespace"),
        ((user(),), "non-empty"),
        ((user("a"), {"role": "tool", "content": "x"}, user("b")), "unexpected role"),
        ((user(*[{**text("x"), "cache_control": {}}] * 5),), "maximum of 4 blocks"),
    ],
)
def test_what_the_service_refuses(messages: tuple[JsonObject, ...], fault: str | None) -> None:
    found = fault_of(body(*messages))
    assert (fault in found) if fault is not None and found is not None else found == fault


@pytest.mark.parametrize("missing", ["model", "max_tokens", "messages"])
def test_what_must_be_there(missing: str) -> None:
    asked = body(user("a"))
    del asked[missing]
    assert fault_of(asked) == f"{missing}: Field required"


def test_tokens_are_counted_by_bytes() -> None:
    assert count_tokens(body(user("x" * 4000))) > count_tokens(body(user("x" * 400))) > 100


@pytest.mark.parametrize(
    ("status", "kind"), [(529, "overloaded_error"), (429, "rate_limit_error"), (400, "invalid_request_error")]
)
def test_a_failure_is_worded_like_the_services(status: int, kind: str) -> None:
    assert orjson.loads(error_body(Failure(status, message="no"))) == {
        "type": "error",
        "error": {"type": kind, "message": "no"},
    }


FORCED: JsonObject = {"type": "tool", "name": "t"}
OFF: JsonObject = {"type": "disabled"}


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"tool_choice": {"type": "auto"}}, None),
        ({"tool_choice": FORCED, "thinking": OFF, "tools": [{"name": "t"}]}, None),
        ({"tool_choice": FORCED, "tools": [{"name": "t"}]}, "Thinking may not"),
        ({"tool_choice": FORCED, "thinking": {"type": "adaptive"}, "tools": [{"name": "t"}]}, "Thinking may not"),
        ({"tool_choice": {"type": "any"}, "tools": [{"name": "t"}]}, "Thinking may not"),
        ({"tool_choice": FORCED, "thinking": OFF, "tools": [{"name": "u"}]}, "'t' not found"),
        ({"tool_choice": FORCED, "thinking": OFF, "model": "claude-fable-5-1"}, "not supported on this model"),
        ({"tool_choice": FORCED, "thinking": OFF, "output_config": {"effort": "max"}}, "effort"),
    ],
)
def test_a_forced_tool_goes_with_no_thinking(more: JsonObject, fault: str | None) -> None:
    found = fault_of({**body(user("a")), **more})
    assert (fault is None) == (found is None)
    assert (fault or "") in (found or "")
