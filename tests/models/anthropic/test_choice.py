"""A tool that has to be called, as Anthropic's service takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from sulla.core.errors import InvalidInput
from sulla.core.ids import CallId, MessageId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, Reasoning, Text, ToolCall, ToolResult
from sulla.models.anthropic.wire import RequestEncoder
from sulla.models.base import UNTUNED, ChatRequest, Tuning
from tests.kits.provider_kit import OTHER, TOOL
from tests.servers.anthropic_stream import fault_of

HELLO = Message(MessageId("m1"), "user", (Text("hello"),))
ONCE = {"disable_parallel_tool_use": True}


def body(
    force: str = "choose",
    model: str = "claude-opus-5",
    extra: JsonObject | None = None,
    messages: Sequence[Message] = (HELLO,),
    tuning: Tuning = UNTUNED,
) -> dict[str, Any]:
    request = ChatRequest(model, (), list(messages), (TOOL, OTHER), 500, force=force, tuning=tuning)
    found: dict[str, Any] = orjson.loads(RequestEncoder(extra).encode(request))
    return found


@pytest.mark.parametrize(
    "extra",
    [
        None,
        {"thinking": {"type": "adaptive"}},
        {"thinking": {"type": "enabled", "budget_tokens": 2000}, "output_config": {"effort": "xhigh"}},
        {"tool_choice": {"type": "none"}},
    ],
)
def test_thinking_is_off_where_a_tool_has_to_be_called(extra: JsonObject | None) -> None:
    found = body(extra=extra)
    assert found["tool_choice"] == {"type": "tool", "name": "choose", **ONCE}
    assert found["thinking"] == {"type": "disabled"}
    assert "output_config" not in found
    assert [tool["name"] for tool in found["tools"]] == ["get_time_date", "choose"]
    assert fault_of(found) is None


def test_what_else_is_sent_with_every_request_stays() -> None:
    found = body(extra={"output_config": {"effort": "max", "format": "x"}, "service_tier": "auto"})
    assert (found["output_config"], found["service_tier"]) == ({"format": "x"}, "auto")


def test_the_models_own_choice_is_left_alone() -> None:
    found = body("", extra={"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}})
    assert "tool_choice" not in found
    assert (found["thinking"], found["output_config"]) == ({"type": "adaptive"}, {"effort": "max"})


@pytest.mark.parametrize(
    "model",
    ["claude-fable-5", "claude-fable-5-1", "claude-mythos-5", "claude-opus-5-5", "us.anthropic.claude-opus-5-5-v1"],
)
def test_a_model_that_always_thinks_is_offered_the_tool_alone(model: str) -> None:
    found = body(model=model, extra={"output_config": {"effort": "max"}})
    assert found["tool_choice"] == {"type": "auto", **ONCE}
    assert [tool["name"] for tool in found["tools"]] == ["choose"]
    assert "thinking" not in found
    assert found["output_config"] == {"effort": "max"}
    assert fault_of(found) is None


@pytest.mark.parametrize(
    "model", ["claude-opus-5", "claude-opus-5-20260724", "claude-sonnet-5", "claude-haiku-4-5", "x"]
)
def test_other_models_are_held_to_it(model: str) -> None:
    assert body(model=model)["tool_choice"]["type"] == "tool"


def test_a_tool_that_is_not_offered_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(InvalidInput, match=r"'chose'.*get_time_date, choose"):
        body("chose")


def test_a_question_for_the_number_of_tokens_says_the_same() -> None:
    request = ChatRequest("claude-opus-5", (), [HELLO], (OTHER,), 500, force="choose")
    found = orjson.loads(RequestEncoder({"service_tier": "auto"}).encode_count(request))
    assert found["tool_choice"] == {"type": "tool", "name": "choose", **ONCE}
    assert found["thinking"] == {"type": "disabled"}
    assert "service_tier" not in found
    assert "max_tokens" not in found


def test_an_earlier_forced_call_in_the_history_is_like_any_other() -> None:
    call = ToolCall(CallId("c1"), "choose", {"choice": "sales"})
    thought = Reasoning("hm", {"type": "thinking", "thinking": "hm", "signature": "s"})
    said = Message(MessageId("m2"), "assistant", (thought, call))
    result = Message(MessageId("m3"), "tool", (ToolResult(call.id, "noted"),))
    assert fault_of(body(messages=(HELLO, said, result))) is None


@pytest.mark.parametrize(
    ("tuning", "model", "thinking"),
    [
        (UNTUNED, "claude-opus-5", None),
        (Tuning(thinking=True), "claude-opus-5", {"type": "adaptive"}),
        (Tuning(thinking=False), "claude-opus-5", {"type": "disabled"}),
        (Tuning(thinking=False), "claude-opus-5-5", None),
    ],
)
def test_an_agent_says_whether_its_model_thinks(tuning: Tuning, model: str, thinking: JsonObject | None) -> None:
    assert body("", model, tuning=tuning).get("thinking") == thinking


def test_a_tool_that_has_to_be_called_goes_before_thinking() -> None:
    assert body(tuning=Tuning(thinking=True))["thinking"] == {"type": "disabled"}


def test_the_temperature_goes_with_a_request_and_not_with_a_question_for_its_tokens() -> None:
    request = ChatRequest("claude-opus-5", (), [HELLO], tuning=Tuning(0.0))
    encoder = RequestEncoder()
    assert orjson.loads(encoder.encode(request))["temperature"] == 0.0
    assert "temperature" not in orjson.loads(encoder.encode_count(request))
    assert "temperature" not in body("")
