"""What is shown to the letter."""

from __future__ import annotations

import json

from sulla.channels.machine import asking
from sulla.channels.machine.cutting import letters
from sulla.channels.machine.exact import ROW_COLUMNS, apart, in_line, literal, rows
from sulla.channels.machine.values import Shown
from sulla.core.ids import CallId
from sulla.testing.channels.exact_kit import HOSTILE
from sulla.threads.log.waits import Wait


def test_a_text_of_json_says_the_same_and_nothing_of_it_is_unseen() -> None:
    for row in HOSTILE:
        ascii_ = json.dumps({"body": row})
        assert literal(ascii_) == ascii_
        wide = literal(json.dumps({"body": row}, ensure_ascii=False))
        assert json.loads(wide) == {"body": row}
        assert all(char == "\n" or char.isprintable() or char in "\u200c\u200d" for char in literal(row)), repr(row)


def test_what_nobody_sees_is_spelled_and_what_scripts_need_is_not() -> None:
    shown = {
        "a\u202eb": r"a\u202eb",
        "a\u200bb": r"a\u200bb",
        "a\tb\r\nc\rd": "a\\tb\nc\\rd",
        "\n\na\n": "a",
        "a\u00a0b": r"a\u00a0b",
        "a\ufe0f": r"a\ufe0f",
        "\u3164": r"\u3164",
        "\U000e0041": r"\udb40\udc41",
        "\u0645\u06cc\u200c\u062e": "\u0645\u06cc\u200c\u062e",
        "pay\u200cpal": r"pay\u200cpal",
        "e\u0301\u0301\u0301": "e\u0301\u0301\\u0301",
        "Größe 大": "Größe 大",
    }
    assert {text: literal(text) for text in shown} == shown
    assert in_line("a\n1. Refuse\u202e") == r"a 1. Refuse\u202e"


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
