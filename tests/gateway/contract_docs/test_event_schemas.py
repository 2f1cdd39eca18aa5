"""The schemas of events allow what facts become, whatever is in them, and nothing that is no such fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from jsonschema_rs import Draft7Validator

from sulla.core.event import Moment, Progress, ReasoningShown, TextShown
from sulla.core.ids import MessageId, RunId
from sulla.core.message import Part, Reasoning, Text, ToolCall, ToolResult
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.gateway.contract_docs.event_schemas import KEPT, LIVE, PARTS, EventSchemas
from sulla.gateway.feed.feed import PROGRESS, REASONING, TEXT
from sulla.threads.bus import live
from sulla.threads.log.records import TextMessageEnd


@cache
def form(type_: str) -> Draft7Validator:
    schemas = EventSchemas("#/shared/")
    return Draft7Validator({**schemas.data((KEPT | LIVE)[type_]), "shared": schemas.shared})


def values(hint: Any) -> Iterator[Any]:
    """Some values of a field's type, one of each kind that there is."""
    origin, args = get_origin(hint), get_args(hint)
    base = getattr(hint, "__supertype__", hint)
    if hint == Part:
        for part in PARTS.values():
            yield from made(part)
    elif origin is tuple:
        yield ()
        yield tuple(values(args[0]))
    elif origin is Literal:
        yield from args
    elif origin in (Union, UnionType):
        for arg in args:
            yield from (None,) if arg is type(None) else values(arg)
    elif origin is dict or (isinstance(origin, type) and issubclass(origin, Mapping)):
        yield {"a": [1, None, {"b": True}]}
    elif is_dataclass(hint):
        yield from made(hint)
    else:
        yield {str: "words", int: 7, bool: True, float: 1.5}[base]


def made(cls: Any) -> list[Any]:
    """Instances: the barest one, and one for each value that each field can have."""
    hints = get_type_hints(cls, localns={"Json": object})
    bare = {
        field.name: next(iter(values(hints[field.name])))
        for field in fields(cls)
        if field.default is MISSING and field.default_factory is MISSING
    }
    return [cls(**bare)] + [
        cls(**{**bare, field.name: value}) for field in fields(cls) for value in values(hints[field.name])
    ]


def test_every_fact_is_described() -> None:
    assert THREAD_SCHEMA.records == KEPT
    assert set(PARTS.values()) == {Text, Reasoning, ToolCall, ToolResult}


@pytest.mark.parametrize("type_", KEPT)
def test_whatever_a_fact_holds_it_becomes_what_the_schema_allows(type_: str) -> None:
    for fact in made(KEPT[type_]):
        wrong = [f"{error.instance_path}: {error.message}" for error in form(type_).iter_errors(fact.data())]
        assert wrong == [], fact


@pytest.mark.parametrize("type_", KEPT)
def test_a_field_of_another_type_is_not_allowed(type_: str) -> None:
    (bare, *_) = made(KEPT[type_])
    hints = get_type_hints(KEPT[type_], localns={"Json": object})
    for field in fields(KEPT[type_]):
        assert not form(type_).is_valid(bare.data() | {field.name: [[]]}), (type_, field.name, hints[field.name])


@pytest.mark.parametrize("type_", KEPT)
def test_a_field_without_a_usual_value_has_to_be_there(type_: str) -> None:
    (bare, *_) = made(KEPT[type_])
    for field in fields(KEPT[type_]):
        if field.default is MISSING and field.default_factory is MISSING:
            data = {name: value for name, value in bare.data().items() if name != field.name}
            assert not form(type_).is_valid(data), field.name


def test_what_is_new_in_a_fact_is_passed_over() -> None:
    (bare, *_) = made(TextMessageEnd)
    assert form(TextMessageEnd.kind).is_valid(bare.data() | {"mood": "good"})


@pytest.mark.parametrize(
    ("moment", "type_"),
    [
        (TextShown(MessageId("m"), 3, "lo"), TEXT),
        (ReasoningShown(MessageId("m"), 0, "why"), REASONING),
        (Progress("c", {"percent": 50}), PROGRESS),
        (Progress("c", None), PROGRESS),
    ],
)
def test_so_does_what_is_shown_live(moment: Moment, type_: str) -> None:
    for shown in live(0, RunId("run_1"), "sulla", 0, moment):
        assert shown.type == type_
        assert form(type_).is_valid(shown.data)
        for name in shown.data:
            assert not form(type_).is_valid({key: value for key, value in shown.data.items() if key != name}), name
