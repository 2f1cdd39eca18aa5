from __future__ import annotations

import math
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sulla.core.jsontypes import Json
from sulla.tools.repair import MAX_NOTES, repaired
from sulla.tools.schema import validate


def schema(*required: str, **properties: Any) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": list(required),
    }


TEXT, NUMBER, WHOLE, FLAG = ({"type": kind} for kind in ("string", "number", "integer", "boolean"))
LIST = {"type": "array", "items": WHOLE}
THING = schema("name", name=TEXT, count=WHOLE)


@pytest.mark.parametrize(
    ("about", "given", "meant", "note"),
    [
        (WHOLE, "5", 5, 'x: "5" was taken as 5'),
        (WHOLE, " -12 ", -12, 'x: " -12 " was taken as -12'),
        (WHOLE, 3.0, 3, "x: 3.0 was taken as 3"),
        (NUMBER, "2.5e3", 2500.0, 'x: "2.5e3" was taken as 2500.0'),
        (FLAG, "True", True, 'x: "True" was taken as true'),
        (TEXT, 12, "12", 'x: 12 was taken as "12"'),
        (TEXT, True, "true", 'x: true was taken as "true"'),
        (LIST, 7, [7], "x: 7 was taken as [7]"),
        (LIST, "[1, 2,]", [1, 2], 'x: "[1, 2,]" was taken as [1, 2]'),
        (LIST, "```json\n[1,\n2]\n```", [1, 2], 'x: "```json\\n[1,\\n2]\\n```" was taken as [1, 2]'),
        ({"type": "array", "items": TEXT}, "a", ["a"], 'x: "a" was taken as ["a"]'),
        (THING, '{"name": "a, }", "count": "3",}', {"name": "a, }", "count": 3}, None),
        ({"type": "string", "enum": ["list", "read"]}, "READ", "read", 'x: "READ" was taken as "read"'),
        ({"type": ["integer", "null"]}, "4", 4, 'x: "4" was taken as 4'),
    ],
)
def test_what_has_one_meaning_is_taken_as_meant(about: dict[str, Json], given: Json, meant: Json, note: str) -> None:
    mended = repaired({"x": given}, schema("x", x=about))
    assert mended.args == {"x": meant}
    assert mended.notes
    if note is not None:
        assert mended.notes == (note,)


@pytest.mark.parametrize(
    ("about", "given"),
    [
        (WHOLE, "5 apples"),
        (WHOLE, "1e3"),
        (WHOLE, 3.5),
        (WHOLE, "9" * 30),
        (WHOLE, True),
        (NUMBER, "nan"),
        (NUMBER, "1e999"),
        (FLAG, "yes"),
        (FLAG, 1),
        (TEXT, {"a": 1}),
        (TEXT, None),
        (LIST, "[1, 2"),
        (LIST, "one"),
        (THING, "[]"),
        (THING, '{"name": 1, "name2": 2}'),
        ({"type": "string", "enum": ["a", "b"]}, "c"),
    ],
)
def test_what_could_mean_anything_is_left_as_it_is(about: dict[str, Json], given: Json) -> None:
    args: dict[str, Json] = {"x": given}
    mended = repaired(args, schema("x", x=about))
    assert mended.args is args
    assert mended.notes == ()


def test_right_arguments_are_not_touched_whatever_they_look_like() -> None:
    args: dict[str, Json] = {"x": '["5",]', "y": 1.0}
    mended = repaired(args, schema("x", x=TEXT, y=NUMBER))
    assert mended.args is args
    assert not mended.notes


def test_a_name_in_another_spelling_is_taken_for_the_one_there_is() -> None:
    mended = repaired({"firstLine": 3, "PATH": "a"}, schema("path", path=TEXT, first_line=WHOLE))
    assert mended.args == {"first_line": 3, "path": "a"}
    assert mended.notes == ("firstLine was taken for first_line", "PATH was taken for path")


def test_a_name_that_is_there_already_or_could_be_two_is_not_guessed() -> None:
    both = schema("path", path=TEXT)
    assert repaired({"path": "a", "Path": "b"}, both).notes == ()
    assert repaired({"AB": "x"}, schema("a_b", a_b=TEXT, ab=TEXT)).notes == ()


def test_null_for_something_that_can_be_left_out_is_left_out() -> None:
    mended = repaired({"path": "a", "lines": None}, schema("path", path=TEXT, lines=WHOLE))
    assert (mended.args, mended.notes) == ({"path": "a"}, ("lines: null was left out",))


@pytest.mark.parametrize("inner", [{"path": "a"}, '{"path": "a"}', '```\n{"path": "a",}\n```'])
def test_arguments_within_arguments_are_taken_out(inner: Json) -> None:
    mended = repaired({"arguments": inner}, schema("path", path=TEXT))
    assert mended.args == {"path": "a"}
    assert "the arguments stood within 'arguments'" in mended.notes


def test_a_half_repair_is_none() -> None:
    args: dict[str, Json] = {"count": "5", "colour": "red"}
    assert repaired(args, schema("count", "name", count=WHOLE, name=TEXT)).args is args


def test_the_notes_are_bounded() -> None:
    mended = repaired({"x": ["1"] * 50}, schema("x", x=LIST))
    assert mended.args == {"x": [1] * 50}
    assert len(mended.notes) == MAX_NOTES


ANY = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=20),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ALL = schema("thing", thing=THING, items=LIST, flag=FLAG, word={"type": "string", "enum": ["a", "b"]}, ratio=NUMBER)


@given(some.dictionaries(some.sampled_from(["thing", "items", "flag", "word", "ratio", "Flag", "args"]), ANY))
def test_whatever_comes_it_ends_right_or_as_it_was(args: dict[str, Json]) -> None:
    mended = repaired(args, ALL)
    assert mended.args is args or validate(mended.args, ALL) == ()
    assert repaired(mended.args, ALL).args == mended.args, "mending twice changes nothing"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "piece",
    ['\\"', '"', " ", "\n \t", ",", ", ", "[", "{", '"\\', "```\n", "``` ", "1", "e9"],
    ids=repr,
)
@pytest.mark.parametrize("around", ["", "[", "```\n"], ids=repr)
def test_no_text_takes_more_time_than_its_length_explains(piece: str, around: str) -> None:
    """It is read on the event loop: all that the daemon does would wait."""

    def took(length: int) -> float:
        text = around + (piece * length)[:length]
        best = math.inf
        for _ in range(3):
            began = process_time()
            repaired({"x": text}, schema("x", x=LIST))
            best = min(best, process_time() - began)
        return best

    took(1_000)
    # Eight times the text: quadratic would be 64 times the time. What is too quick to be measured is quick enough.
    assert took(64_000) <= 30 * max(took(8_000), 0.0005)
