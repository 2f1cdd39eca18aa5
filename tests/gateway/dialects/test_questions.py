"""Questions are answered by plain words, and nothing is guessed."""

from __future__ import annotations

import json

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sulla.gateway.dialects.questions import ROW_COLUMNS, fenced, question_words, takes_anything, verdict_of
from sulla.gateway.dialects.steps import StepQuestion
from sulla.testing.channels.exact_kit import HOSTILE

QUOTED = (
    "> yes",
    '"yes"',
    "'yes'",
    "`yes`",
    "“yes”",
    "„yes“",
    "«yes»",
    "```\nyes\n```",
    "> always",
    '"always"',
    '"no"',
)


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("approval:t", "yes", ("approve", "")),
        ("approval:t", " **Yes!** ", ("approve", "")),
        ("approval:t", "NO.", ("reject", "")),
        ("approval:t", "always", ("always", "")),
        ("approval:t", "give up", None),
        ("approval:t", "yes please", None),
        ("approval:t", "yes\nno", None),
        ("approval:t", "yesno", None),
        ("approval:t", "", None),
        ("approval:t", "I said no, then yes", None),
        *((f"{kind}:t", quoted, None) for kind in ("approval", "human") for quoted in QUOTED),
        ("human:t", "y", ("approve", "")),
        ("human:t", "n", ("reject", "")),
        ("human:t", "Give  up", ("give_up", "")),
        ("human:t", "always", None),
        ("review:t", "run again", ("run_again", "")),
        ("review:t", "give up", ("give_up", "")),
        ("review:t", "Result: sent at 9:14", ("result", "sent at 9:14")),
        ("review:t", "**result:** sent", ("result", "sent")),
        ("review:t", "result:", None),
        ("review:t", "yes", None),
        ("answer:t", "the blue one", ("result", "the blue one")),
        ("answer:t", "give up", ("give_up", "")),
    ],
)
def test_a_plain_word_is_an_answer_and_nothing_is_guessed(
    question: str, text: str, verdict: tuple[str, str] | None
) -> None:
    assert verdict_of(question, (), text) == verdict


def test_a_choice_is_one_of_those_that_there_are() -> None:
    choices = ("Send it", "Wait")
    assert verdict_of("answer:t", choices, "send  IT.") == ("result", "Send it")
    assert verdict_of("answer:t", choices, "send") is None
    assert verdict_of("answer:t", choices, "give up") == ("give_up", "")


@pytest.mark.parametrize("kind", ["approval", "review", "human", "answer"])
def test_every_word_that_a_question_offers_is_understood(kind: str) -> None:
    ask = StepQuestion(f"{kind}:t", "May I?", "t", "post", "host:x", (), None)
    words = question_words(ask, may_answer=True)
    assert words.startswith("```\nMay I?\n```\n\n")
    for word in ("yes", "no", "always", "run again", "give up"):
        assert (f"**{word}**" in words) == (verdict_of(ask.id, (), word) not in (None, ("result", word)))


def test_choices_are_named() -> None:
    ask = StepQuestion("answer:t", "Which?", "", "", "", ("Send it", "Wait"), None)
    assert "`Send it`, `Wait`" in question_words(ask, may_answer=True)


def test_who_may_not_answer_is_told_who_may() -> None:
    words = question_words(StepQuestion("approval:t", "May I?", "t", "", "", (), None), may_answer=False)
    assert "`sulla approvals`" in words
    assert "**yes**" not in words


@pytest.mark.parametrize(
    ("question", "choices", "anything"),
    [("answer:t", (), True), ("answer:t", ("Send it",), False), ("approval:t", (), False), ("review:t", (), False)],
)
def test_only_an_open_question_takes_any_words(question: str, choices: tuple[str, ...], *, anything: bool) -> None:
    assert takes_anything(question, choices) is anything


def test_nothing_that_is_asked_is_markdown() -> None:
    for row in HOSTILE:
        prompt = f"May post be called with {json.dumps({'body': row})}? Asked because it is outward. (call 1)"
        words = question_words(StepQuestion("approval:t", prompt, "t", "post", "", (), None), may_answer=True)
        fence, *rest = _markdown(words)
        assert fence.type == "fence"
        assert fence.content.replace("\n", "") == prompt
        assert max(map(len, fence.content.split("\n"))) <= ROW_COLUMNS
        assert [one.type for one in rest] == ["paragraph_open", "inline", "paragraph_close"]
        prose = fenced(row)
        assert not prose or [one.type for one in _markdown(prose)] == ["fence"], repr(row)


def test_choices_are_words_whatever_marks_they_have() -> None:
    choices = ("[](x)Send it", "`Wait`", "**no**", "``")
    words = question_words(StepQuestion("answer:t", "Which?", "", "", "", choices, None), may_answer=True)
    pieces = _markdown(words)[2].children or []
    assert [one.content for one in pieces if one.type == "code_inline"] == [*choices]
    assert verdict_of("answer:t", choices, choices[0]) == ("result", choices[0])


def _markdown(text: str) -> list[Token]:
    return MarkdownIt("commonmark").parse(text)
