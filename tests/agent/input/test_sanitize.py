from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.agent.input.sanitize import Sanitized, sanitize

_DATA = Path(__file__).parents[1] / "data"
HIDDEN: dict[str, list[tuple[str, str]]] = {
    kind: [(text, clean) for text, clean in cases]
    for kind, cases in json.loads((_DATA / "hidden.json").read_text("utf-8")).items()
}
"""By class: a text with something hidden in it, and what has to be left of it."""
BENIGN: dict[str, list[str]] = json.loads((_DATA / "benign.json").read_text("utf-8"))

SHOWN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
"""Formatting characters that people can see: signs above and below numbers."""


def test_the_corpora_are_as_large_as_they_have_to_be() -> None:
    assert len(HIDDEN) >= 12
    assert all(len({text for text, _ in cases}) >= 20 for cases in HIDDEN.values())
    assert len({text for texts in BENIGN.values() for text in texts}) >= 200


@pytest.mark.parametrize("kind", HIDDEN)
def test_what_is_hidden_is_taken_out_and_nothing_else(kind: str) -> None:
    for text, clean in HIDDEN[kind]:
        found = sanitize(text)
        assert found.text == clean, ascii(text)
        assert found.changed
        assert found.removed[kind] > 0, ascii(text)


@pytest.mark.parametrize("kind", BENIGN)
def test_a_benign_text_passes_unchanged(kind: str) -> None:
    for text in BENIGN[kind]:
        assert sanitize(text) == Sanitized(text, False, {}), ascii(text)


def test_no_invisible_character_stays_within_a_word() -> None:
    categories = ("Cc", "Cf", "Cs", "Zl", "Zp")
    invisible = [
        char
        for char in map(chr, (*range(0x20000), *range(0xE0000, 0xE1000)))
        if unicodedata.category(char) in categories and char not in "\n\t" and ord(char) not in SHOWN
    ]
    assert len(invisible) > 2000
    clean = sanitize("|".join(f"ab{char}cd" for char in invisible)).text
    assert [hex(ord(char)) for char in invisible if char in clean] == []


def test_it_counts_what_it_takes_out() -> None:
    found = sanitize("a\u200b\u200bb\r\nc\x00\ud800")
    assert found == Sanitized("ab\nc\ufffd", True, {"joiner": 2, "line_break": 2, "control": 1, "broken": 1})


def test_what_comes_out_can_be_stored() -> None:
    sanitize("".join(map(chr, range(0x3000)))).text.encode()
    sanitize("\ud83d\ude00 \udfff").text.encode()


INGREDIENTS = [
    *"a1 \n.é",
    *"\u0645\u0627\u05e9\u0915\u094d\u0e01\u6f22\u1100\u1161\u1820\u2801",
    *"😀🏴❤\u20e3",
    *"\u200b\u200c\u200d\u034f\u200e\u200f\u061c\ufe0e\ufe0f\ufe00\U000e0100\u180b\u115f\u1160\u2800",
    *"\r\x1b\x00\u202e\u2028\ufeff\u00ad\ue000\U000f0000\U000e0067\U000e007f\ud800\ufffe",
    "\x1b[31m",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
]
texts = st.lists(st.sampled_from(INGREDIENTS), max_size=12).map("".join)


@settings(max_examples=40, deadline=None)
@given(texts)
def test_a_second_time_changes_nothing(text: str) -> None:
    once = sanitize(text)
    assert sanitize(once.text) == Sanitized(once.text, False, {})
    assert once.changed == (once.text != text) == bool(once.removed)


@settings(max_examples=40, deadline=None)
@given(texts)
def test_what_people_can_see_stays_in_order(text: str) -> None:
    def visible(shown: str) -> list[str]:
        """Letters and the like; without those of a terminal's command, and blanks, which may become spaces."""
        others = "31m[\u115f\u1160\u2800"
        return [char for char in shown if unicodedata.category(char)[0] in "LNPS" and char not in others]

    assert [char for char in visible(sanitize(text).text) if char != "\ufffd"] == visible(text)
