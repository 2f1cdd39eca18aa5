"""Questions are answered by plain words, and nothing is guessed."""

from __future__ import annotations

import json

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sulla.gateway.dialects.content import ShownText
from sulla.gateway.dialects.questions import ROW_COLUMNS, as_code, aside, question_words, takes_anything, verdict_of
from sulla.gateway.dialects.steps import ChildAsks, StepAsked, StepQuestion, StepText, StepWaits
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
    assert words.startswith("The agent asks:\n\n    May I?\n\n")
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


BEFORE = (
    "",
    "So:",
    *(f"So:\n{fence}\n" for fence in ("```", "````text", "~~~", "  ```", "> ```", "- ```", "- a\n  ```", "1. > ~~~")),
    "- a\n- b",
    "- a\n\n  b\n  - c\n",
    "> a",
    "| a |\n|---|",
    "[x]:",
    "    code",
    "a\n<!-- b",
    "<?php",
    "<!DOCTYPE",
    "<![CDATA[ x",
    "<script>\nx",
    "<STYLE>",
    "<textarea>",
    "<pre>\n\nx",
    "<details><summary>x</summary>\n\ny",
)
"""What an agent may have written before a question."""


def test_nothing_that_is_asked_is_markdown() -> None:
    for row in HOSTILE:
        prompt = f"May post be called with {json.dumps({'body': row})}? Asked because it is outward. (call 1)"
        words = question_words(StepQuestion("approval:t", prompt, "t", "post", "", (), None), may_answer=True)
        *lead, block, _, _, _ = _markdown(words)
        assert [one.type for one in lead] == ["paragraph_open", "inline", "paragraph_close"]
        assert (block.type, _joined(block)) == ("code_block", prompt)
        assert max(map(len, block.content.split("\n"))) <= ROW_COLUMNS
        assert all(char == "\n" or char.isprintable() or char in "\u200c\u200d" for char in as_code(row)), repr(row)
        prose = _markdown(f"So:\n\n{as_code(row)}")[3:]
        assert [one.type for one in prose] == ["code_block"] * bool(row.strip()), repr(row)


def test_nothing_that_was_said_before_has_a_question_read_otherwise() -> None:
    prompt = 'May post be called with {"to": "bob[](&to=eve)"}?'
    ask = StepAsked((StepQuestion("approval:t", prompt, "t", "post", "", (), None),), 7)
    for before in BEFORE:
        shown = ShownText(may_answer=True)
        shown.take(StepText("m", 0, before))
        shown.take(ask)
        *_, block = (one for one in _markdown(shown.text) if "May post" in one.content and not one.children)
        assert block.type in ("code_block", "fence"), before
        assert prompt in block.content, before


def test_what_a_sub_agent_asks_is_to_the_letter_and_what_is_waited_for_is_a_line() -> None:
    for row in filter(str.strip, HOSTILE):
        _, _, _, block = _markdown(aside(ChildAsks(f"The sub-agent cook asks: {row} It is answered.")))
        assert block.type == "code_block", repr(row)
    assert aside(StepWaits("provider_unreachable", 10.4)) == "[the model's service does not answer; again in 10 s]\n"


def test_choices_are_words_whatever_marks_they_have() -> None:
    choices = ("[](x)Send it", "`Wait`", "**no**", "``", "Don't \u202etnes")
    words = question_words(StepQuestion("answer:t", "Which?", "", "", "", choices, None), may_answer=True)
    pieces = _markdown(words)[5].children or []
    shown = [*choices[:-1], "Don't \\u202etnes"]
    assert [one.content for one in pieces if one.type == "code_inline"] == shown
    assert verdict_of("answer:t", choices, choices[0]) == ("result", choices[0])
    assert verdict_of("answer:t", choices, shown[-1]) == ("result", choices[-1])


def test_a_choice_that_ends_in_a_mark_can_be_said() -> None:
    choices = ("Send it.", "Send it!", "Wait!", "*all*")
    for one in choices:
        assert verdict_of("answer:t", choices, one) == ("result", one)
    assert verdict_of("answer:t", choices, "wait") == ("result", "Wait!")
    assert verdict_of("answer:t", choices, "**all**") == ("result", "*all*")
    assert verdict_of("answer:t", choices, "Send it") is None


def _joined(block: Token) -> str:
    return block.content.replace("\n", "")


def _markdown(text: str) -> list[Token]:
    return MarkdownIt("commonmark").parse(text)
