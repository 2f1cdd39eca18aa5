"""A message is heard without what it quotes, and what may be the person's own words is taken for them."""

from __future__ import annotations

import pytest

from sulla.routes.words import MOST_CHARS, hear

LONG_S = 20.0
"""Far more than any message takes, and far less than one would for which the time grows with the square."""


def own(message: str) -> str:
    """What is heard of a message as the person's own."""
    return " ".join(hear(message).own.written)


@pytest.mark.parametrize(
    ("message", "heard"),
    [
        ('he wrote "go away" today', "he wrote _ today"),
        ("he wrote \u201cgo away\u201d today", "he wrote _ today"),
        ("he wrote 'go away' today", "he wrote _ today"),
        ("he wrote \u2018don\u2019t go\u2019 today", "he wrote _ today"),
        ("run `go away` now", "run _ now"),
        ("look:\n```\ngo away\n```\nwhy?", "look _ why"),
        ("> go away\nwhy?", "_ why"),
        ('he wrote "go away', "he wrote go away"),
        ('I am 5\'4" and go "away"', "i am 5'4 and go _"),
        ("'cause I go and the boys' dog", "'cause i go and the boys' dog"),
        ("I'm here, don't go", "i'm here don't go"),
        ('"go away"', "go away"),
        ("> go away", "go away"),
        ("    go away", "go away"),
        ("```\ngo away", "go away"),
        ('one "two\n\nthree" four', "one two three four"),
        ("k\u200bill my\u00adself\u2060 n\ufeffow", "kill myself now"),
        ("go\u3164away", "go away"),
        ("ki\u200dll\u202e \U000e0061it\ufe0f", "kill it"),
        ("run `go\naway` now", "run _ now"),
        ("run <code>go away</code> now", "run _ now"),
        ("<blockquote>go\n\naway</blockquote>\nwhy?", "_ why"),
        ("<code>go away", "code go away"),
        ("- > go away\nwhy?", "_ why"),
        ("i n e e d h e l p now", "ineedhelp now"),
        ("i  n e e d  h e l p", "i need help"),
        ("plan a b c", "plan a b c"),
    ],
)
def test_what_is_the_persons_own(message: str, heard: str) -> None:
    assert own(message) == heard


@pytest.mark.parametrize(
    ("message", "heard"),
    [
        ("go away", "go away"),
        ("why?\n```\ngo away", "why _"),
        ("why?\n~~~\ngo away", "why _"),
        ("why:\n    go away", "why _"),
        ("why `go\naway`", "why _"),
        ("why <code>go away</code>", "why _"),
        ("why <pre>go away", "why _"),
        ("- > go away\nwhy?", "_"),
        ('"go away"', "_"),
        ('he wrote "go away', "he wrote _"),
        ("don't go, it's the boys' dog", "don't go it's the boys' dog"),
    ],
)
def test_what_is_surely_the_persons_own(message: str, heard: str) -> None:
    assert " ".join(hear(message).sure.written) == heard


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("I w\u00e0nt t\u00f6 go", "i want to go"),
        ("I want to d1e, k1ll it", "i want to die kill it"),
        ("mp3 2nd covid19 h2o i5", "mp3 2nd covid19 h2o i5"),
    ],
)
def test_accents_and_digits_for_letters_do_not_count(text: str, folded: str) -> None:
    assert " ".join(hear(text).own.folded) == folded


def test_what_is_quoted_is_still_there_for_whoever_asks_for_it() -> None:
    assert hear('he wrote "go away" today').whole.written == ["he", "wrote", "go", "away", "today"]


def test_the_end_of_a_very_long_message_is_heard() -> None:
    assert own("word " * MOST_CHARS + "help")[-4:] == "help"


@pytest.mark.parametrize(
    "part",
    ['"', "\u201c", "\u201ca", "'a ", "`", "``` ", "```\n", "```x\n", "> ", "~~~\n`````\n", "\u201aa", "\n ", "'"],
)
@pytest.mark.timeout(LONG_S)
def test_no_message_takes_long_to_hear(part: str) -> None:
    assert hear(part * (MOST_CHARS // len(part))).whole is not None
