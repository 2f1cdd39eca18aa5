"""A long answer is cut where people would cut it, and nothing of it is missing."""

from __future__ import annotations

import random
import re

import pytest

from sulla.channels.machine.cutting import LEAST_CHARS, beginning, cut_up


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"\s+", re.sub(r"^(```|~~~).*$", "", text, flags=re.MULTILINE)) if word]


def test_what_fits_is_one_message() -> None:
    assert cut_up("Hello.\n\nHow are you?", 64) == ["Hello.\n\nHow are you?"]


@pytest.mark.parametrize("text", ["", "\n", "  \n\n "])
def test_nothing_is_no_message(text: str) -> None:
    assert cut_up(text, 64) == []


def test_it_is_cut_at_a_paragraph() -> None:
    first, second = "a" * 40, "b" * 50
    assert cut_up(f"{first}\n\n{second}", 64) == [first, second]


def test_else_at_a_line_a_sentence_a_word() -> None:
    assert cut_up("a" * 40 + "\n" + "b" * 50, 64) == ["a" * 40, "b" * 50]
    assert cut_up("One thing is so. " * 6, 64)[0] == "One thing is so. One thing is so. One thing is so."
    assert cut_up("word " * 30, 64)[0].endswith("word")


def test_a_code_block_is_closed_and_opened_again() -> None:
    code = "\n".join(f"line {number}" for number in range(30))
    parts = cut_up(f"See:\n\n```python\n{code}\n```\n\nDone.", 100)
    assert len(parts) > 2
    for part in parts:
        assert part.count("```") % 2 == 0, part
        assert len(part) <= 100
    assert all(part.startswith("```python\n") for part in parts[1:-1])
    assert _words("\n".join(parts)) == _words(f"See:\n\n```python\n{code}\n```\n\nDone.")


def test_one_line_of_code_that_is_too_long_is_cut_all_the_same() -> None:
    parts = cut_up("```\n" + "x" * 500 + "\n```", 64)
    assert "".join(re.sub(r"[`\n]", "", part) for part in parts) == "x" * 500
    assert all(len(part) <= 64 for part in parts)


def test_a_joined_picture_is_not_cut_apart() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    for part in cut_up("x" * 60 + family * 20, 64):
        assert not part.startswith("\u200d")
        assert not part.endswith("\u200d")


def test_it_is_measured_as_the_service_does() -> None:
    parts = cut_up("&" * 200, 64, lambda text: 5 * len(text))
    assert all(5 * len(part) <= 64 for part in parts)
    assert "".join(parts) == "&" * 200


def test_too_little_room_is_refused() -> None:
    with pytest.raises(ValueError, match="takes 64 or more"):
        cut_up("a", LEAST_CHARS - 1)


def test_the_beginning_is_the_first_part() -> None:
    text = ("word " * 40 + "\n\n") * 3
    assert beginning(text, 100) == cut_up(text, 100)[0]
    assert beginning("short", 100) == "short"


def test_whatever_comes_is_said_whole_and_fits() -> None:
    chance = random.Random(11)
    pieces = ["word ", "a. ", "\n", "\n\n", "\n```\n", "\n```py\n", "\n~~~\n", "xxxxxxxxxxxxxxxxxx", "é", "`x", "~x"]
    for _ in range(400):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(1, 120)))
        most = chance.randrange(64, 200)
        parts = cut_up(text, most)
        assert all(len(part) <= most for part in parts), (text, most)
        left = re.sub(r"[\s`~]|py", "", "".join(parts))
        assert left == re.sub(r"[\s`~]|py", "", text), (text, parts)


@pytest.mark.parametrize("mark", ["`", "~"])
@pytest.mark.parametrize("before", ["", "hello\n" * 20])
def test_a_row_of_marks_that_fills_messages_is_cut_like_any_other(mark: str, before: str) -> None:
    text = before + mark * 3_000
    parts = cut_up(text, 200)
    assert all(len(part) <= 200 for part in parts)
    assert "".join(parts).count(mark) == 3_000
