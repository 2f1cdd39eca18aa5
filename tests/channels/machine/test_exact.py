"""What is shown to the letter."""

from __future__ import annotations

from dataclasses import replace

from sulla.agent.approvals.approvals import question
from sulla.agent.approvals.literal import literal
from sulla.channels.machine import asking
from sulla.channels.machine.cutting import letters
from sulla.channels.machine.exact import ROW_COLUMNS, apart, rows
from sulla.channels.machine.values import Shown
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.threads.log.waits import Wait


def test_blocks_go_into_messages_and_nothing_of_them_is_lost() -> None:
    blocks = ("a" * 250, "b" * 30, "", "word " * 60 + "end")
    for most in (20, 64, 100, 1_000):
        found = apart(blocks, "below", most, letters)
        assert all(letters("below", *one) <= most for one in found)
        assert "".join(piece for one in found for piece in one) == "".join(blocks)
        assert not any(piece[0] == " " or piece[-1] == " " for one in found[:-1] for piece in one)
    assert apart((), "below", 64, letters) == []


def test_lines_are_broken_so_that_they_can_be_put_together_again() -> None:
    text = f"{'x' * 200}\n\n{'y' * ROW_COLUMNS}"
    assert max(map(len, rows(text).split("\n"))) == ROW_COLUMNS
    assert rows(text).replace("\n", "") == text.replace("\n", "")
    assert rows("") == ""


def test_nothing_of_a_question_that_somebody_else_has_chosen_is_commonmark() -> None:
    evil = "[](x) **y** `z`\u202e"
    wait = Wait("answer:x", CallId("c"), f"Which {evil}?", choices=(evil, "b\n2. c"))
    for most, chars in ((0, 0), (3, 4), (3, 40)):
        question = asking.question_of(wait, "p", "t", "secret", most)
        shown = asking.shown_of(question, button_chars=chars)
        assert "[](x)" not in shown.text
        assert shown.exact[0] == f"Which {literal(evil)}?"
        assert [one.label for one in question.choices] == [literal(evil), "b 2. c"]
        assert [one.text for one in question.choices] == [evil, "b\n2. c"]
    free = asking.question_of(Wait("answer:x", CallId("c"), evil), "p", "t", "secret", 3)
    assert asking.shown_of(free, button_chars=40) == Shown((literal(evil),), asking.HOW)
    none = asking.question_of(Wait("answer:x", CallId("c"), "\n"), "p", "t", "secret", 3)
    assert asking.shown_of(none, button_chars=40).exact == ("?",)


def test_what_cannot_be_shown_whole_can_only_be_refused() -> None:
    call = ToolCall(CallId("c"), "post", {"body": "x" * 30_000})
    kinds = {"approval:c:d:0": ["Refuse"], "review:c:1": ["Give up"], "human:a": ["Refuse"]}
    long, whole = question(call, "it is outward", "0" * 64)
    for wait_id, labels in kinds.items():
        wait = Wait(wait_id, call.id, long, target="host:h")
        asked = asking.question_of(wait, "p", "t", "secret", 0)
        assert whole == ""
        assert asking.is_too_long(asked, wait, 1)
        only = asking.refusing(asked, wait)
        assert [one.label for one in only.choices] == labels
        assert {one.token for one in only.choices} < {one.token for one in asked.choices}
        said = asking.shown_of(only, button_chars=0, more=asking.TOO_LONG)
        assert said.text.startswith(asking.TOO_LONG)
        assert not any(one.token in said.exact[1] for one in asked.choices if one not in only.choices)
        kept = replace(wait, whole="all of it")
        assert not asking.is_too_long(asked, kept, asking.MOST_PARTS)
        assert asking.is_too_long(asked, kept, asking.MOST_PARTS + 1)
        assert asking.question_of(kept, "p", "t", "secret", 0).prompt == "all of it"
    words = Wait("answer:a", CallId("c"), "x" * 99_000, choices=("a", "b"))
    assert not asking.is_too_long(asking.question_of(words, "p", "t", "secret", 3), words, 99)
