"""A tool that has to be called, by fixed rules: words are found or they are not, and nothing is understood."""

from __future__ import annotations

import pytest

from sulla.core.jsontypes import Json, JsonObject
from sulla.models.base import ToolSpec
from sulla.models.offline.forced import TEXT_CHARS, forced_args

NAMES: list[Json] = ["sales", "tech-support", "yes", "no"]
EXPLAINED = "sales: wants to buy\ntech-support: needs  help\nyes\nno: "


def tool(required: list[str] | None = None, **properties: JsonObject) -> ToolSpec:
    names: list[Json] = [*(properties if required is None else required)]
    return ToolSpec("t", "", {"type": "object", "properties": {**properties}, "required": names})


CHOOSE = tool(choice={"type": "string", "enum": NAMES, "description": EXPLAINED})


@pytest.mark.parametrize(
    ("said", "choice"),
    [
        ("A sales request", "sales"),
        ("SALES!", "sales"),
        ("Somebody wants to buy a car.", "sales"),
        ("Is it tech-support?", "tech-support"),
        ("tech-support or sales", "sales"),
        ("Say no more.", "no"),
        ("Not yesterday; yes, today", "yes"),
    ],
)
def test_the_first_name_that_stands_in_the_question_is_chosen(said: str, choice: str) -> None:
    assert forced_args(CHOOSE, said) == {"choice": choice}


@pytest.mark.parametrize("said", ["", "wholesales", "support", "I know nothing of yesterday", "sales_1"])
def test_without_such_a_word_there_is_no_answer(said: str) -> None:
    assert forced_args(CHOOSE, said) is None


def test_a_text_gets_the_questions_first_line_and_what_is_not_required_nothing() -> None:
    text: JsonObject = {"type": "string"}
    assert forced_args(tool(["note"], note=text, more=text), "\n  Call back. \nSoon.") == {"note": "Call back."}
    assert forced_args(tool(note=text), "x" * 9_999) == {"note": "x" * TEXT_CHARS}
    assert forced_args(tool(note=text), " \n") is None


@pytest.mark.parametrize("form", [{"type": "integer"}, {"type": "boolean"}, {}, {"type": ["string", "null"]}])
def test_what_is_no_text_cannot_be_filled_in(form: JsonObject) -> None:
    assert forced_args(tool(count=form), "three") is None


def test_an_argument_that_is_required_and_not_described_cannot_be_filled_in() -> None:
    assert forced_args(tool(["missing"]), "hello") is None
    assert forced_args(ToolSpec("t", "", {"type": "object", "required": ["a"]}), "hello") is None


def test_a_tool_that_needs_nothing_is_called_with_nothing() -> None:
    assert forced_args(ToolSpec("t", "", {}), "hello") == {}
    assert forced_args(tool([], choice={"enum": NAMES}), "hello") == {}
