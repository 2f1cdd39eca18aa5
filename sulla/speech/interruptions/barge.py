"""When words that are spoken over an answer are meant to end it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern

ENOUGH_WORDS: Final = 2
"""So many words while the assistant speaks end its answer; one alone is too often a cough that was taken for a word."""
REACTION_CHARS: Final = 24
"""People who answer a question in mid-answer do it within about 1.5 s of it; speech has some 16 characters a second."""
MOST_CHARS: Final = 200
"""Of a text that are looked at: no sign of listening is longer."""

_WORD: Final = late_pattern(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff][\w']*")
"""A character counts as a word where a script has no spaces."""
_QUESTION_MARKS: Final = ("?", "\uff1f", "\u061f")
_CLOSING: Final = " \t\r\n\"'*_`~)]}>\u201d\u2019\u00bb\u300d"


@dataclass(frozen=True, slots=True)
class Signs:
    """What people of a language say while they listen, and what they say to be listened to."""

    code: str
    """As in BCP 47."""
    listening: frozenset[tuple[str, ...]]
    """Words, and phrases of two or three, that only say: I am listening, go on."""
    halting: frozenset[str]
    """Words of which one is enough."""


def _phrases(*lines: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for line in lines for phrase in line.split(","))


ENGLISH_SIGNS: Final = Signs(
    "en",
    _phrases(
        "uh,huh,mm,mmm,mhm,hm,hmm,um,umm,er,erm,ah,aha,oh,ooh,wow,ha,haha",
        "yes,yeah,yep,yup,ya,yah,ok,okay,kay,alright,right,sure,fine,good,great,nice,cool,perfect,lovely,super",
        "exactly,absolutely,definitely,totally,indeed,true,correct,really,interesting,amazing,gotcha,understood",
        "all right,got it,i see,of course,go on,for sure,very good,very nice,sounds good,sounds great",
        "makes sense,that makes sense,that's right,that's good,that's great,that's true,that's fine,that's nice",
        "i know,i get it,i understand,i got it,fair enough,good point,you're right,oh my,is that so,oh dear",
    ),
    frozenset("stop wait no nope hold enough quiet cancel pause sorry shush silence".split()),
)


def is_listening(text: str, signs: Signs = ENGLISH_SIGNS) -> bool:
    """Whether a text is nothing but signs of listening.

    Args:
        text: that somebody said.
        signs: of their language.
    """
    return len(text) <= MOST_CHARS and not _left(_words(text), signs)


def is_enough(text: str, signs: Signs = ENGLISH_SIGNS) -> bool:
    """Whether a text that may still go on is enough to end an answer.

    Args:
        text: so far.
        signs: of the language.
    """
    words = _words(text)
    left = _left(words, signs)
    if not signs.halting.isdisjoint(left):
        return True
    # What has only begun ("that makes") may become such a phrase yet.
    return len(words) >= ENOUGH_WORDS and not any(phrase[: len(left)] == left for phrase in signs.listening)


def asks(text: str, heard_chars: int | None = None) -> bool:
    """Whether a text puts a question that somebody answers just now.

    Args:
        text: that the assistant says.
        heard_chars: how much of it was heard; None for all of it.
    """
    if text.rstrip(_CLOSING).endswith(_QUESTION_MARKS):
        return True
    if heard_chars is None:
        return False
    lately = text[max(0, heard_chars - REACTION_CHARS) : heard_chars]
    return any(mark in lately for mark in _QUESTION_MARKS)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text[:MOST_CHARS].replace("\u2019", "'").lower()))


def _left(words: tuple[str, ...], signs: Signs) -> tuple[str, ...]:
    """What is left where signs of listening are taken away at the beginning, the longest first."""
    while words:
        taken = next((size for size in _sizes(words) if words[:size] in signs.listening), 0)
        if not taken:
            return words
        words = words[taken:]
    return words


def _sizes(words: tuple[str, ...]) -> Iterable[int]:
    return range(min(3, len(words)), 0, -1)
