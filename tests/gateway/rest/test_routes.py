"""The table of routes fits the table of methods."""

from __future__ import annotations

import json

import pytest

from sulla.gateway.methods.table import METHODS
from sulla.gateway.rest.routes import ROUTES, RestRoute, by_path
from sulla.rpc.method import ROOT

WITHOUT = {
    "hello": "the token is in a header",
    "events.subscribe": "a stream of thread.history's path",
    "events.unsubscribe": "a client leaves",
    "live.unwatch": "nothing stays connected",
    "approval.watch": "nothing stays connected; approval.list has them",
    "approval.unwatch": "goes with it",
    "notice.subscribe": "nothing stays connected; notice.list has them",
    "system.check": "takes minutes: `sulla doctor` shows how far it is",
    "system.stop": "is for whoever has the machine: `sulla stop` waits for the end",
    "system.reload": "goes with it",
    "token.create": "answers with a secret",
    "token.list": "goes with it",
    "token.revoke": "goes with it",
    "token.ticket": "goes with it",
}
"""Methods that have no path, and why."""


def test_every_method_has_a_path_or_a_reason() -> None:
    assert {route.name for route in ROUTES} | WITHOUT.keys() == METHODS.keys()
    assert {route.name for route in ROUTES} & WITHOUT.keys() == set()


def test_each_verb_of_a_path_is_there_once() -> None:
    assert sum(len(routes) for routes in by_path().values()) == len(ROUTES)
    assert all(path.startswith(f"{ROOT}/") for path in by_path())


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.verb} {route.path}")
def test_what_it_names_are_fields_of_its_method(route: RestRoute) -> None:
    fields = route.method.params.model_fields
    assert set(route.in_path) <= set(fields)
    assert sorted([*route.in_path, *route.elsewhere]) == sorted(fields)
    assert route.key is None or route.key in route.elsewhere
    assert all(fields[name].is_required() for name in route.in_path)
    shapes = route.method.params.model_json_schema().get("properties", {})
    numbers = {name for name in route.elsewhere if '"integer"' in json.dumps(shapes[name])}
    assert route.verb != "GET" or numbers == set(route.numbers) & set(fields)
    assert route.verb != "DELETE" or route.elsewhere == ()
