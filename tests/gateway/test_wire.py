"""The protocol's table of methods is whole, and its models guess nothing."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from sulla.gateway import rpc
from sulla.gateway.methods.table import METHOD_OF, METHODS
from tests.gateway.test_rpc import GOOD

DESIGNED = """
thread.create thread.list thread.history thread.delete
turn.send turn.stop turn.continue
events.subscribe events.unsubscribe
speech.chunk speech.flush speech.status
heartbeat.status heartbeat.trigger heartbeat.pause heartbeat.resume heartbeat.log
workflow.list workflow.check workflow.start workflow.status workflow.cancel workflow.resume
approval.list approval.answer approval.rules approval.forget
agent.list skill.list project.list project.get tool.list
system.status system.pause system.resume
"""
"""The methods of design §12, beside `hello`."""


def test_every_method_of_the_design_is_offered() -> None:
    assert set(DESIGNED.split()) <= METHODS.keys()


def test_each_method_has_parameters_of_its_own() -> None:
    assert len(METHOD_OF) == len(METHODS)


def _numbers() -> list[tuple[str, str]]:
    """Every parameter that takes a number."""
    return [
        (name, field)
        for name, method in METHODS.items()
        for field, shape in method.params.model_json_schema().get("properties", {}).items()
        if "const" in shape or shape.get("anyOf", [shape])[0].get("type") == "integer"
    ]


def test_numbers_are_found() -> None:
    assert {("hello", "protocol"), ("thread.history", "before"), ("events.subscribe", "after")} <= set(_numbers())


@pytest.mark.parametrize("value", ["1.0", "1e0", "true", '"1"', "-1", str(2**53 + 1), str(2**64), "[1]", "NaN"])
@pytest.mark.parametrize(("method", "field"), _numbers())
def test_a_number_is_a_whole_number_and_nothing_else(method: str, field: str, value: str) -> None:
    params = orjson.dumps(GOOD[method] | {field: 0}).decode().replace(f'"{field}":0', f'"{field}":{value}')
    request = rpc.parse(f'{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}')
    assert isinstance(request, rpc.Fault) or isinstance(rpc.read_params(request), rpc.Fault)


def test_null_stands_for_absent_only_where_there_is_no_usual_value() -> None:
    for name, method in METHODS.items():
        for field, about in method.params.model_fields.items():
            given: dict[str, Any] = GOOD[name] | {field: None}
            taken = not isinstance(rpc.read_params(rpc.Request(1, name, given)), rpc.Fault)
            assert taken == (about.default is None), f"{name}: {field}"
