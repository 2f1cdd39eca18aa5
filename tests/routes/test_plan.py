"""A route is as its kind has it in all that is not said of it, and a plan goes into a log and comes back."""

from __future__ import annotations

import json

import pytest

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import JsonObject
from sulla.routes.plan import KINDS, Gate, Route, RoutePlan, RouteTable, RouteTools, default_of, plan_from, route_from


@pytest.mark.parametrize("kind", KINDS)
def test_a_plan_reads_as_it_was_written(kind: str) -> None:
    more: JsonObject = {"require": "x", "args": {"q": ["{message}"]}, "text_only": False, "fallback": True}
    for said in (JsonObject(), more):
        route = route_from({"name": "r", "kind": kind, "agent": "a", "without": ["t"], "audit": "none", **said})
        plan = RoutePlan(route, "help me", "gate", ("help",))
        assert plan_from(json.loads(json.dumps(plan.to_json()))) == plan


def test_what_is_not_said_is_as_the_kind_has_it() -> None:
    assert not default_of("incident").fallback
    assert default_of("grounded").tools == RouteTools("grounded_lookup", {"question": "{message}"}, True)
    assert default_of("default") == Route("", "default")


def test_another_tool_does_not_get_the_arguments_of_the_kinds_own() -> None:
    assert route_from({"name": "r", "kind": "grounded", "require": "other"}).tools.args == {}


def test_the_message_stands_in_the_texts_of_the_arguments_and_is_not_read_itself() -> None:
    route = route_from({"name": "r", "kind": "grounded", "args": {"question": "about {message}", "deep": {"n": 3}}})
    assert RoutePlan(route, "{message}?").args == {"question": "about {message}?", "deep": {"n": 3}}


def test_a_table_asks_the_gates_of_incidents_first_and_the_others_as_they_stand() -> None:
    routes = {"a": default_of("memory", "a"), "b": default_of("incident", "b")}
    table = RouteTable(routes, [Gate("1", "a", ("x",)), Gate("2", "b", ("y",)), Gate("3", "a", ("z",))])
    assert [gate.name for gate in table.gates] == ["2", "1", "3"]
    assert table.default is None
    assert table.of_kind("incident") is routes["b"]


@pytest.mark.parametrize(
    ("gates", "said"),
    [
        ([Gate("1", "b", ("x",))], "leads to no route: there is no 'b'"),
        ([Gate("1", "a", ("x",)), Gate("1", "a", ("y",))], "two gates have the same name"),
        ([Gate("1", "a", ("...",))], "no words"),
    ],
)
def test_a_table_that_cannot_be_asked_is_refused(gates: list[Gate], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        RouteTable({"a": default_of("memory", "a")}, gates)
