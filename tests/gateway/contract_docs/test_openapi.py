"""The document says what is so, and what it says holds for requests that nobody thought of."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation, BaseSchema
from schemathesis.specs.openapi.checks import positive_data_acceptance

from sulla.access.principal import ALL_SCOPES
from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.contract_docs.openapi import openapi, result_of
from sulla.gateway.rest.read import RequestParts, read
from sulla.gateway.rest.routes import ROUTES, RestRoute
from sulla.host.system import SystemClock, random_id
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.forms import check_form
from tests.kits.in_turn import in_turn
from tests.kits.points import some

pytestmark = in_turn(3)

DOCUMENT: dict[str, Any] = json.loads(json.dumps(openapi("1.2.3")))
OWNER = {"Authorization": "Bearer owner"}
NEGATIVE = GenerationMode.NEGATIVE
EXAMPLES_EACH, MORE_EXAMPLES_EACH = 12, 250


def label(route: RestRoute) -> str:
    return f"{route.verb} {route.path}"


def test_every_route_is_in_it_and_nothing_else() -> None:
    written = {
        f"{verb.upper()} {path}": operation["operationId"]
        for path, operations in DOCUMENT["paths"].items()
        for verb, operation in operations.items()
    }
    assert written == {label(route): route.name for route in ROUTES}
    assert all(route.example.answered for route in ROUTES)


def test_it_asks_for_a_token_everywhere() -> None:
    assert DOCUMENT["security"] == [{"token": []}]
    assert all("security" not in operation for path in DOCUMENT["paths"].values() for operation in path.values())


def test_every_reference_leads_somewhere_and_everything_is_referred_to() -> None:
    text = json.dumps(DOCUMENT)
    parts = DOCUMENT["components"]
    named = {f"#/components/{kind}/{name}" for kind in ("schemas", "responses") for name in parts[kind]}
    assert set(_references(DOCUMENT)) == named
    assert "$defs" not in text


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "$ref":
                yield item
            else:
                yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)


@pytest.mark.parametrize("route", ROUTES, ids=label)
def test_every_example_is_true(route: RestRoute) -> None:
    example = route.example
    check_form(result_of(route), example.answered)
    body = json.dumps(example.asked).encode() if example.asked else b""
    names = dict.fromkeys(route.in_path, "thr_9b2d") | ({"id": "review:tool_5c"} if "id" in route.in_path else {})
    asked = tuple(("words", "trains") for name in route.elsewhere if name == "words" and not body)
    said = RequestParts(names, asked, {"content-type": "application/json"}, body)
    assert isinstance(read(route, said, lambda: "m-1"), route.method.params)


# ------------------------------------------------------------------------------------------------ whatever can be asked


class Api:
    """The application with a thread in it, and its document as a machine reads it."""

    def __init__(self) -> None:
        self.commands = MemoryCommands()
        self.commands.notices.add("Tea is ready.")
        books = self.commands.playbooks.listed
        books["lead-triage"] = books["brew"]
        config = GatewayConfig("1.2.3", ("testserver",))
        tokens = MemoryTokens({"owner": ALL_SCOPES})
        app = build_app(self.commands, tokens, config, SystemClock(), make_id=random_id)
        self.schema: BaseSchema = schemathesis.openapi.from_asgi("/openapi.json", app)
        self.schema.config.checks.negative_data_rejection.expected_statuses.append("413")
        self.operations = {operation.label: operation for operation in self._operations()}

    def _operations(self) -> Iterator[APIOperation[Any, Any, Any, Any]]:
        for found in self.schema.get_all_operations():
            assert isinstance(found, Ok), found
            yield found.ok()

    def ask(self, route: RestRoute, mode: GenerationMode, examples: int) -> set[int]:
        """Ask whatever the document allows, or forbids; the status of each answer, which is as the document says."""
        seen: set[int] = set()
        turns = count()
        operation = self.operations[label(route)]

        @settings(
            max_examples=examples,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def one(case: Case[Any]) -> None:
            self.commands.make("thr_1")
            self.commands.schedules.make("sch_1")
            self.commands.playbooks.make("run_1", "paused")
            self.commands.talks.make()
            known = {name: value for name, value in there_is(route).items() if name in case.path_parameters}
            if mode is GenerationMode.POSITIVE and known and next(turns) % 2:
                case.path_parameters.update(known)
            if route.name == "notice.seen" and mode is GenerationMode.POSITIVE and next(turns) % 2:
                case.body = {"ids": ["ntc_1"]}
            if route.name == "channel.pair" and isinstance(case.body, dict) and next(turns) % 2:
                case.body = case.body | {"code": KNOWN["code"]}
            if route.name in BY_MEANING and mode is GenerationMode.POSITIVE:
                case.body = dict(route.example.asked)
            # A body that is left out stays so: some methods need none.
            if route.name in WITH_NUMBERS and mode is GenerationMode.POSITIVE and isinstance(case.body, dict):
                case.body = _within(_whole(case.body))
            answer = case.call(headers=OWNER)
            seen.add(answer.status_code)
            sent = parse_qsl(urlsplit(str(answer.request.url)).query, keep_blank_values=True)
            if {name for name, _ in sent} == set(
                case.query or ()
            ):  # else what was wrong was never sent: a list of nothing
                # Some of what it makes up to be forbidden is a body left out, which the document allows.
                spared: list[Any] = [positive_data_acceptance] if route.name in BY_MEANING and mode is NEGATIVE else []
                case.validate_response(answer, headers=OWNER, excluded_checks=spared)

        one()
        return seen


def _within(body: Any) -> Any:
    """No document says that one field fits another: what was said of a text is at most all of it."""
    if isinstance(body, dict) and isinstance(body.get("said_chars"), int) and isinstance(body.get("text"), str):
        return {**body, "said_chars": min(body["said_chars"], len(body["text"]))}
    return body


def _whole(value: Any) -> Any:
    """To JSON Schema 2.0 is an integer, to us it is none: guess nothing."""
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


KNOWN = {
    "thread_id": "thr_1",
    "begins": "thr_1",
    "project": "garden",
    "rule": "rule_1",
    "schedule": "sch_1",
    "playbook": "brew",
    "run": "run_1",
    "channel": "mail",
    "code": "K7QM2XPD",
    "person": "ann",
}
"""What there is, so that not every answer says that there is no such thing."""


def there_is(route: RestRoute) -> dict[str, str]:
    """The same for a route: channels by which people are told of things, and at which they talk, have names of their
    own.
    """
    return KNOWN | ({"channel": "home"} if route.name == "channel.test" else {})


WITH_NUMBERS = {
    *("project.work", "project.task.move", "route.purge", "speech.chunk", "turn.send", "schedule.preview"),
    *("thread.fork", "memory.search", "approval.answer"),
}
"""Whose bodies hold whole numbers."""
BY_MEANING = {"approval.answer", "schedule.add", "schedule.update", "workflow.start"}
"""Where a document cannot forbid all that is wrong: two of the ways to say when, a cron expression that is none, a time
for what has none."""


@pytest.fixture(scope="module")
def api() -> Api:
    return Api()


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Thousands of refusals say nothing here."""
    caplog.set_level(logging.CRITICAL)


@pytest.mark.parametrize("route", some(ROUTES, len(ROUTES) // 4, "allowed"), ids=label)
def test_what_the_document_allows_is_answered_as_it_says(api: Api, route: RestRoute) -> None:
    seen = api.ask(route, GenerationMode.POSITIVE, EXAMPLES_EACH)
    assert seen <= {route.status, 404, 409}
    assert route.status in seen


@pytest.mark.parametrize("route", some(ROUTES, len(ROUTES) // 4, "forbidden"), ids=label)
def test_what_the_document_forbids_is_refused_and_breaks_nothing(api: Api, route: RestRoute) -> None:
    seen = api.ask(route, GenerationMode.NEGATIVE, EXAMPLES_EACH)
    assert seen & {400, 401, 404}
    assert max(seen) < 500


@pytest.mark.faults
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["allowed", "forbidden"])
@pytest.mark.parametrize("route", ROUTES, ids=label)
def test_it_holds_for_many_more(api: Api, route: RestRoute, mode: GenerationMode) -> None:
    assert max(api.ask(route, mode, MORE_EXAMPLES_EACH)) < 500
