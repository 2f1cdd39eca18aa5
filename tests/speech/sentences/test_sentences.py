from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.speech.sentences.sentences import CLAUSE_CHARS, LIMIT_CHARS, WORD_CHARS, Piece, Sentences
from tests.speech.sentences.cases import CASES


def pieces(*deltas: str) -> list[Piece]:
    sentences = Sentences()
    found = [piece for delta in deltas for piece in sentences.feed(delta)]
    return found + sentences.finish()


def raw(text: str, found: Iterable[Piece]) -> list[str]:
    return [text[piece.offset : piece.end] for piece in found]


def spoken(*deltas: str) -> list[str]:
    return [piece.text for piece in pieces(*deltas)]


def check_spans(text: str, found: list[Piece]) -> None:
    """They come in order, and what is in none of them is white space."""
    at = 0
    for index, piece in enumerate(found):
        assert piece.index == index
        assert not text[at : piece.offset].strip()
        assert text[piece.offset : piece.end].strip() == text[piece.offset : piece.end] != ""
        at = piece.end
    assert not text[at:].strip()


def test_there_are_many_cases() -> None:
    assert len(set(CASES)) == len(CASES) >= 150


@pytest.mark.parametrize("case", CASES)
def test_sentences_are_told_apart(case: str) -> None:
    text = case.replace("¦", "")
    expected = [part.strip() for part in case.split("¦")]
    found = pieces(text)
    assert raw(text, found) == expected
    check_spans(text, found)
    assert pieces(*text) == found


# ------------------------------------------------------------------------------------------------------ when they come


@pytest.mark.parametrize(
    ("before", "decides"),
    [
        ("Hello there.", " "),
        ("Hello there!", " "),
        ("Hello there?", "\n"),
        ("It costs 3.50.", " "),
        ("No capital letter", "\n"),
        ("你好。", "我"),
        ("We met on Main St.", " The "),
        ("Bring pens, etc.", " W"),
        ("“Go home.”", " H"),
        ("A note.[1]", " "),
    ],
)
def test_a_sentence_comes_with_the_character_that_shows_its_end(before: str, decides: str) -> None:
    sentences = Sentences()
    assert sentences.feed(before) == []
    assert [piece for char in decides[:-1] for piece in sentences.feed(char)] == []
    (piece,) = sentences.feed(decides[-1])
    assert (piece.offset, piece.end, piece.text) == (0, len(before), before.replace("[1]", ""))


def test_what_is_left_comes_at_the_end() -> None:
    sentences = Sentences()
    assert [piece.text for piece in sentences.feed("One. Two, and Dr.")] == ["One."]
    assert sentences.finish() == [Piece(1, 5, 17, "Two, and Dr.")]


@pytest.mark.parametrize("text", ["", " ", "\n\n \t"])
def test_nothing_gives_nothing(text: str) -> None:
    assert pieces(text) == []


# ---------------------------------------------------------------------------------------------------------- long ones

WORDS = "and so it goes on and on "


def test_a_long_sentence_comes_clause_by_clause() -> None:
    first = (WORDS * 3).strip() + ","
    text = f"{first} {WORDS * 4}, {WORDS}."
    found = pieces(text)
    assert raw(text, found)[0] == first
    sentences = Sentences()
    assert sentences.feed(text[: CLAUSE_CHARS - 1]) == []
    assert sentences.feed(text[CLAUSE_CHARS - 1]) == found[:1]


@pytest.mark.parametrize("mark", [",", ";", ":", " –", " —", " -", "—", "...", "，", "、", "；"])
def test_a_clause_ends_at(mark: str) -> None:
    head = "x" * 20 + " " + "y" * 40 + mark
    text = head + " " + "and on " * 30 + "it goes."
    assert raw(text, pieces(text))[0] == head


def test_of_several_clauses_the_last_one_in_the_bound_counts() -> None:
    text = "one two three four five six seven, " * 3 + "eight " * 20
    assert raw(text, pieces(text))[0] == ("one two three four five six seven, " * 3).strip()


def test_a_short_beginning_is_no_piece() -> None:
    text = "Well, " + WORDS * 5 + ", and on. "
    assert raw(text, pieces(text))[0] == text[: text.index(" ,") + 2].strip()


def test_without_a_clause_it_ends_between_two_words() -> None:
    text = WORDS * 20
    found = pieces(text)
    check_spans(text, found)
    assert all(WORD_CHARS - 10 < len(part) <= WORD_CHARS for part in raw(text, found)[:-1])


def test_nothing_is_longer_than_the_bound() -> None:
    for text in ("x" * 5000, "`" + "code and more " * 100, "[" + "text and more " * 100, "https://" + "a." * 1000):
        found = pieces(text)
        check_spans(text, found)
        assert max(piece.end - piece.offset for piece in found) <= LIMIT_CHARS


def test_code_and_links_are_not_cut_where_they_could_be_kept() -> None:
    text = "word " * 30 + "`" + "code, code " * 12 + "` end."
    first, *_ = raw(text, pieces(text))
    assert first == ("word " * 30).strip()
    text = "word " * 32 + "[a link, with words, of its own and more of them](https://example.com) end of it."
    first, second = raw(text, pieces(text))
    assert (first, second[0]) == (("word " * 32).strip(), "[")


def test_a_letter_is_not_parted_from_its_accent() -> None:
    text = "e\u0301" * 400
    assert all(not part.startswith("\u0301") for part in raw(text, pieces(text)))


# ------------------------------------------------------------------------------------------------------- what is said


def test_a_block_of_code_has_its_place_and_nothing_to_say() -> None:
    text = "Try it:\n\n```python\nprint(1)\n```\n\nThat is all."
    assert pieces(text) == [
        Piece(0, 0, 7, "Try it:"),
        Piece(1, 9, 31, ""),
        Piece(2, 33, 45, "That is all."),
    ]


def test_a_block_of_code_is_passed_over_and_not_kept() -> None:
    sentences = Sentences()
    sentences.feed("```\n")
    for _ in range(500):
        assert sentences.feed("a line. Of code\n") == []
    assert len(sentences._text) < 1000
    (piece,) = sentences.finish()
    assert (piece.offset, piece.text) == (0, "")


# ------------------------------------------------------------------------------------------------- however it is split

_MARKS = '. . ! ? … ` `` ``` ~~~ < </ b> [ ] ( ) " ” * ** _ | 1. , ; — - : 。 ！ 」 a= / [1]'
_WORDS = "a B The no U.S etc 5 12 你 Dr p.m Monday It It's I"
_BLANKS = (" ", " ", " ", "\n", "\n", "\n\n", "# ", "- ", "> ", " - ", "\t", " " * 17)
_ODD = ("x" * 50, '="x y"', "e\u0301", "\u200d", "word " * 9)
BITS = [*_MARKS.split(), *_WORDS.split(), *_BLANKS, *_ODD]


@settings(max_examples=300, deadline=None)
@given(bits=st.lists(st.sampled_from(BITS), max_size=120), seed=st.integers(0, 2**32))
def test_the_pieces_do_not_depend_on_the_deltas(bits: list[str], seed: int) -> None:
    text, chance = "".join(bits), random.Random(seed)
    found = pieces(text)
    check_spans(text, found)
    assert pieces(*text) == found
    deltas, at = [], 0
    while at < len(text):
        size = chance.choice((1, 2, 3, 5, 8, 40, 600))
        deltas.append(text[at : at + size])
        at += size
    assert pieces(*deltas) == found


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=600))
def test_any_text_is_covered(text: str) -> None:
    found = pieces(text)
    check_spans(text, found)
    assert pieces(*text) == found


HARD = [
    "a",
    ".",
    "!",
    "`",
    "<a b=",
    "[",
    '."',
    "' ",
    "U.S.  ",
    "```\n",
    "> ",
    "<" + "a" * 150,
    "\n",
    " ",
    "1. ",
    "~",
    '."[1]',
    "</a",
]


def steps(text: str, size: int) -> int:
    """How much the interpreter does for a text that comes in deltas of `size`, in lines."""
    count = 0

    def trace(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    deltas = [text[at : at + size] for at in range(0, len(text), size)]
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        pieces(*deltas)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.thorough
@pytest.mark.parametrize("bit", HARD)
@pytest.mark.parametrize("size", [1, 100_000])
def test_twice_the_text_takes_no_more_than_twice_the_steps(bit: str, size: int) -> None:
    text = (bit * 300)[:300]
    assert steps(text * 2, size) < 2.3 * steps(text, size) + 500


@pytest.mark.parametrize("bit", HARD)
def test_what_is_kept_is_bounded(bit: str) -> None:
    sentences = Sentences()
    for delta in [bit] * (2500 // len(bit)):
        sentences.feed(delta)
        assert len(sentences._text) < 1200
