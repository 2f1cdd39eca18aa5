"""The published document is current, whole, and says of requests what the daemon does with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from jsonschema_rs import Draft7Validator, meta

from sulla.gateway import rpc
from sulla.gateway.contract_docs.asyncapi import CLOSE_CODES, asyncapi, document, error_codes
from sulla.gateway.contract_docs.event_schemas import KEPT, LIVE, EventSchemas
from sulla.gateway.methods.table import METHODS
from sulla.gateway.websocket import session
from sulla.rpc.form import Params
from tests.gateway.asyncapi_page import PAGE
from tests.gateway.test_rpc import GOOD

DOCUMENT: dict[str, Any] = json.loads(document())


def _inside(part: Any) -> Iterator[dict[str, Any]]:
    """Every object of a document."""
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _inside(inner)


def _at(reference: str) -> object:
    """What a reference points to."""
    found: Any = DOCUMENT
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found


@cache
def _form(method: str) -> Draft7Validator:
    payload = DOCUMENT["components"]["messages"][f"{method}.request"]["payload"]
    return Draft7Validator({**payload, "components": {"schemas": DOCUMENT["components"]["schemas"]}})


def _takes(method: str, params: dict[str, Any]) -> bool:
    """What the document says of a request."""
    return _form(method).is_valid({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def test_the_published_document_is_current() -> None:
    assert PAGE.read_bytes() == document(), "write it anew: python -m tests.gateway.asyncapi_page"


def test_every_reference_leads_somewhere() -> None:
    references = [part["$ref"] for part in _inside(DOCUMENT) if "$ref" in part]
    assert len(references) > 100
    for reference in references:
        assert isinstance(_at(reference), dict), reference


def test_everything_that_is_described_is_referred_to() -> None:
    references = {part["$ref"] for part in _inside(DOCUMENT) if "$ref" in part}
    for kind in ("schemas", "messages"):
        assert {f"#/components/{kind}/{name}" for name in DOCUMENT["components"][kind]} <= references


def test_every_schema_is_a_schema() -> None:
    for name, schema in DOCUMENT["components"]["schemas"].items():
        assert meta.is_valid({"$schema": "http://json-schema.org/draft-07/schema#", **schema}), name
    for name, message in DOCUMENT["components"]["messages"].items():
        assert meta.is_valid({"$schema": "http://json-schema.org/draft-07/schema#", **message["payload"]}), name


def test_every_method_has_its_operation_with_scope_request_and_answers() -> None:
    operations = {name: found for name, found in DOCUMENT["operations"].items() if found["action"] == "receive"}
    assert {name: found["x-scope"] for name, found in operations.items()} == {
        name: method.scope for name, method in METHODS.items()
    }
    for name, operation in operations.items():
        said = [part["$ref"].rpartition("/")[2] for part in operation["messages"] + operation["reply"]["messages"]]
        assert said == [f"{name}.request", f"{name}.result", "error"]


def test_every_notification_has_its_operation() -> None:
    sent = {name: found["messages"] for name, found in DOCUMENT["operations"].items() if found["action"] == "send"}
    watched = {row.watch.name for row in METHODS.values() if row.watch is not None}
    assert set(sent) == {"event", "events.ended", "events.gap", "notice", *watched}
    assert len(sent["event"]) == len(KEPT) + len(LIVE) == 63


def test_codes_are_those_in_use() -> None:
    channel = DOCUMENT["channels"]["ws"]
    ours = {value for name, value in vars(session).items() if name.isupper() and value in range(1001, 5000)}
    assert {int(code) for code in channel["x-close-codes"]} == set(CLOSE_CODES) == ours | {1002, 1007}
    assert channel["x-error-codes"] == error_codes()
    assert error_codes()["unknown_method"] == rpc.METHOD_NOT_FOUND


def test_requests_are_closed_and_answers_are_open() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    for method in METHODS.values():
        assert schemas[method.params.__name__]["additionalProperties"] is False
        assert schemas[method.result.__name__].get("additionalProperties", True) is True


def test_it_says_what_clients_are_there_for_in_words() -> None:
    assert all(message["summary"] for message in DOCUMENT["components"]["messages"].values())


def test_it_is_the_same_each_time() -> None:
    assert json.loads(json.dumps(asyncapi())) == DOCUMENT


# ------------------------------------------------------------------------------------------------- it says what is so


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_smallest_parameters_are_allowed_and_unknown_ones_are_not(method: str) -> None:
    assert _takes(method, GOOD[method])
    assert not _takes(method, GOOD[method] | {"colour": "red"})


_ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**53 + 1,
    2**70,
    1.5,
    "",
    "..",
    "a\n",
    "x" * 129,
    "x" * 600,
    [],
    {},
    [1],
    {"a": 1},
)


def _odd_requests() -> Iterator[tuple[str, str, Any]]:
    """Every parameter of every method with every odd value."""
    for name, method in METHODS.items():
        for field in method.params.model_fields:
            for value in _ODD:
                yield name, field, value


def test_for_every_odd_value_of_every_parameter_it_says_what_the_daemon_does() -> None:
    differ, refused = [], 0
    for name, field, value in _odd_requests():
        params = GOOD[name] | {field: value}
        taken = isinstance(rpc.read_params(rpc.Request(1, name, params)), Params)
        refused += not taken
        if taken != _takes(name, params):
            differ.append((name, field, value))
    assert differ == []
    assert refused > 200, "odd values are odd"


# ------------------------------------------------------------------------------------------------ what events hold


@dataclass(frozen=True)
class _Odd:
    """A fact that JSON has no word for."""

    when: bytes


def test_a_fact_that_cannot_be_described_is_no_silent_hole() -> None:
    with pytest.raises(TypeError, match="bytes"):
        EventSchemas("#/").data(_Odd)


def test_a_field_with_a_usual_value_may_be_left_out() -> None:
    schema = DOCUMENT["components"]["schemas"]["event.INPUT"]["properties"]["data"]
    assert schema["required"] == ["message_id", "text"]
    assert set(schema["properties"]) == {
        "message_id",
        "text",
        "mode",
        "origin",
        "agent",
        "question",
        "tainted",
        "spoken",
        "chain",
        "quoted",
        "flow",
        "said_chars",
    }
