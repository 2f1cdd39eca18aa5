"""A person reads in words what an answer has to be, and the schema itself only where there are no words for it."""

from __future__ import annotations

import json

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.playbooks.machine.form_words import how_to_answer


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "integer"}, "Answer with a whole number."),
        ({"type": "integer", "minimum": 1, "maximum": 10}, "Answer with a whole number from 1 to 10."),
        ({"type": "number", "minimum": 0, "title": "Weight"}, "Answer with a number of at least 0."),
        ({"type": "boolean"}, "Answer with true or false."),
        ({"enum": ["red", "green", 3]}, "Answer with one of red, green, 3."),
        ({"type": "string", "maxLength": 200}, "Answer with some words of at most 200 characters."),
        ({"type": "string", "minLength": 3, "maxLength": 9}, "Answer with some words of 3 to 9 characters."),
        ({"type": "string", "description": "Where to go."}, "Answer with some words (Where to go)."),
        (
            {"type": "array", "items": {"type": "integer"}, "minItems": 2},
            "Answer, as JSON, with a list of at least 2 entries, each entry a whole number.",
        ),
        (
            {
                "type": "object",
                "properties": {"to": {"enum": ["a", "b"]}, "copies": {"type": "integer", "description": "How many"}},
                "required": ["to"],
                "additionalProperties": False,
            },
            (
                'Answer, as JSON, with an object with "to": one of a, b; '
                '"copies": a whole number (may be left out; How many).'
            ),
        ),
    ],
)
def test_what_is_asked_for_is_said_in_words(schema: JsonObject, said: str) -> None:
    assert how_to_answer(schema) == said


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": ["string", "null"]},
        {"type": "string", "pattern": "[a-z]+"},
        {"type": "integer", "multipleOf": 5},
        {"type": "array"},
        {"type": "array", "items": {"type": "integer", "exclusiveMinimum": 0}},
        {"type": "object"},
        {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}]}}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}},
    ],
)
def test_what_has_no_words_is_shown_as_it_is(schema: JsonObject) -> None:
    how = "text" if schema.get("type") == "string" else "JSON"
    assert how_to_answer(schema) == f"As {how} that fits {json.dumps(schema)}"
