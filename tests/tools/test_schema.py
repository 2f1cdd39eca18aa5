from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.words import ours
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.schema import MAX_PROBLEMS, Bounds, describe, validate


async def example(
    context: ToolContext,
    *,
    path: str,
    count: Annotated[int, Bounds(1, 10)] = 3,
    ratio: float = 0.5,
    deep: bool = False,
    mode: Literal["fast", "slow"] = "fast",
    tags: Annotated[list[str], Bounds(maximum=2)] | None = None,
    limits: dict[str, int] | None = None,
    level: Literal[1, 2] | None = None,
) -> Result:
    """Do something with a file.

    It goes on
    over two lines.

    Args:
        path: Where it is.
        count: How many,
            told on two lines.
        ratio: How much.
        deep: Whether: yes or no.
        mode: How.
        tags: Words.
        limits: Numbers by name.
        level: Which.

    Returns:
        Nothing that a model is told.
    """
    return Done(ours(f"{context.call_id}{path}{count}{ratio}{deep}{mode}{tags}{limits}{level}"))


SCHEMA = describe(example).schema


def test_a_function_says_what_the_model_is_told() -> None:
    described = describe(example)
    assert described.description == "Do something with a file.\n\nIt goes on over two lines."
    assert described.schema == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where it is."},
            "count": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10,
                "description": "How many, told on two lines.",
                "default": 3,
            },
            "ratio": {"type": "number", "description": "How much.", "default": 0.5},
            "deep": {"type": "boolean", "description": "Whether: yes or no.", "default": False},
            "mode": {"type": "string", "enum": ["fast", "slow"], "description": "How.", "default": "fast"},
            "tags": {
                "type": ["array", "null"],
                "items": {"type": "string"},
                "maxItems": 2,
                "description": "Words.",
            },
            "limits": {
                "type": ["object", "null"],
                "additionalProperties": {"type": "integer"},
                "description": "Numbers by name.",
            },
            "level": {"type": ["integer", "null"], "enum": [1, 2, None], "description": "Which."},
        },
        "additionalProperties": False,
        "required": ["path"],
    }


def test_nothing_required_leaves_the_word_out() -> None:
    async def nothing(context: ToolContext) -> Result:
        """Do nothing."""
        return Done(ours(context.call_id))

    assert describe(nothing).schema == {"type": "object", "properties": {}, "additionalProperties": False}


async def undescribed(context: ToolContext, *, x: int) -> Result:
    """Do it."""
    return Done(ours(f"{context.call_id}{x}"))


async def silent(context: ToolContext) -> Result:
    return Done(ours(context.call_id))


async def exotic(context: ToolContext, *, x: set[int]) -> Result:
    """Do it.

    Args:
        x: Numbers.
    """
    return Done(ours(f"{context.call_id}{x}"))


async def bare(context: ToolContext, *, x) -> Result:  # type: ignore[no-untyped-def]  # that is what is looked at
    """Do it.

    Args:
        x: Anything.
    """
    return Done(ours(f"{context.call_id}{x}"))


async def ambiguous(context: ToolContext, *, x: int | str) -> Result:
    """Do it.

    Args:
        x: One of them.
    """
    return Done(ours(f"{context.call_id}{x}"))


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (undescribed, "'x' under Args"),
        (silent, "no docstring"),
        (exotic, "'x' of the tool 'exotic'"),
        (ambiguous, "int"),
        (bare, "'x' of the tool 'bare' has no annotation, .* use str, int"),
    ],
)
def test_a_function_that_says_too_little_is_refused(function: Callable[..., object], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        describe(function)


@pytest.mark.parametrize(
    ("args", "problems"),
    [
        ({"path": "a"}, []),
        ({"path": "a", "tags": None, "limits": {"x": 1}, "level": None, "ratio": 1}, []),
        ({}, ["path: missing; expected string: Where it is."]),
        ({"path": 3}, ["path: expected string, got 3 (integer)."]),
        ({"path": None}, ["path: expected string, got None (null). Leave it out to get the default."]),
        ({"path": "a", "count": "3"}, ["count: expected integer, got '3' (string)."]),
        ({"path": "a", "count": 3.0}, ["count: expected integer, got 3.0 (number)."]),
        ({"path": "a", "count": True}, ["count: expected integer, got True (boolean)."]),
        ({"path": "a", "deep": 1}, ["deep: expected boolean, got 1 (integer)."]),
        ({"path": "a", "count": 0}, ["count: expected at least 1, got 0."]),
        ({"path": "a", "count": 11}, ["count: expected at most 10, got 11."]),
        ({"path": "a", "tags": ["x", "y", "z"]}, ["tags: expected at most 2 entries, got 3."]),
        ({"path": "a", "tags": ["x", 1]}, ["tags[1]: expected string, got 1 (integer)."]),
        ({"path": "a", "limits": {"x": "1"}}, ["limits.x: expected integer, got '1' (string)."]),
        ({"path": "a", "level": True}, ["level: expected integer or null, got True (boolean)."]),
        ({"path": "a", "level": 3}, ["level: expected one of 1, 2, None, got 3 (integer)."]),
        (
            {"path": "a", "mode": "fsat"},
            ["mode: expected one of 'fast', 'slow', got 'fsat' (string). Did you mean 'fast'?"],
        ),
        (
            {"paht": "a"},
            [
                "path: missing; expected string: Where it is.",
                "paht: no such field. Did you mean 'path'? Known: path, count, ratio, deep, mode, tags, limits, level.",
            ],
        ),
        ({"path": "a", "ratio": float("nan")}, ["ratio: expected a finite number, got nan."]),
        ({"path": "x" * 100, "count": "y" * 100}, [f"count: expected integer, got '{'y' * 56}… (string)."]),
    ],
)
def test_wrong_arguments_are_told_so_that_a_model_can_mend_them(args: JsonObject, problems: list[str]) -> None:
    assert list(validate(args, SCHEMA)) == problems


def test_only_so_many_problems_are_listed() -> None:
    problems = validate({f"field_{number}": number for number in range(30)}, SCHEMA)
    assert len(problems) == MAX_PROBLEMS + 1
    assert problems[-1] == "… and 21 more."


def test_a_schema_from_elsewhere_may_be_looser() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "a": {"oneOf": [{"type": "string"}]},
            "b": {"type": "string", "minLength": 2},
            "c": {"enum": [1, None]},
        },
    }
    assert validate({"a": 1, "d": {"anything": []}, "b": "xx", "c": 1}, schema) == ()
    assert validate({"c": True}, schema) == ("c: expected one of 1, None, got True (boolean).",)
    assert validate({"b": "x"}, schema) == ("b: expected at least 2 characters, got 1.",)


json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
fields = st.sampled_from(["path", "count", "ratio", "deep", "mode", "tags", "limits", "level", "other"])


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(fields, json_values, max_size=6))
def test_whatever_comes_is_judged_and_never_changed(args: JsonObject) -> None:
    before = repr(args)
    problems = validate(args, SCHEMA)
    assert repr(args) == before
    assert all(problem.endswith((".", "?")) for problem in problems)
    if not problems:
        assert isinstance(args["path"], str)
        assert "other" not in args
        assert 1 <= (args.get("count") or 3) <= 10  # type: ignore[operator]  # an integer, or validate is wrong


def test_a_key_of_great_length_does_not_fill_the_answer() -> None:
    (missing, unknown) = validate({"k" * 100_000: 1}, SCHEMA)
    assert missing.startswith("path")
    assert len(unknown) < 300


@pytest.mark.parametrize(
    ("schema", "value", "problem"),
    [
        ({"const": "yes"}, "yes", ""),
        ({"const": "yes"}, "no", "v: expected 'yes', got 'no' (string)."),
        ({"const": 1}, True, "v: expected 1, got True (boolean)."),
        ({"exclusiveMinimum": 3}, 3, "v: expected more than 3, got 3."),
        ({"exclusiveMinimum": 3}, 3.5, ""),
        ({"exclusiveMaximum": 3}, 3, "v: expected less than 3, got 3."),
        ({"multipleOf": 0.1}, 0.3, ""),
        ({"multipleOf": 7}, 3, "v: expected a multiple of 7, got 3."),
        ({"multipleOf": 7}, 0, ""),
        ({"uniqueItems": True}, [1, "1", {"a": 1, "b": 2}], ""),
        ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"b": 2, "a": 1}], "v: expected entries that all differ, got one"),
        ({"uniqueItems": False}, [1, 1], ""),
        ({"multipleOf": 7, "exclusiveMinimum": 3}, True, ""),
    ],
)
def test_what_else_a_schema_asks_for_is_checked(schema: Any, value: Any, problem: str) -> None:
    found = validate({"v": value}, {"type": "object", "properties": {"v": schema}})
    assert [one[: len(problem)] for one in found] == ([problem] if problem else [])
