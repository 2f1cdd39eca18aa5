"""What a language has to bring so that texts in it can be read for whether they are complete. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

MOST_CHARS: Final = 400
"""Of a text that are looked at, from its end: what is missing is missing there."""
MOST_WORDS: Final = 48

_WORD: Final = re.compile(r"[\w']+")

Kind = Literal["plain", "answer", "dictation", "hold"]
"""How the text came to be: as any other, as an answer, letter by letter, or to ask for time."""


@dataclass(frozen=True, slots=True)
class Said:
    """A text as rules look at it."""

    words: tuple[str, ...]
    """Without case and punctuation; the last `MOST_WORDS`. Never empty."""
    end: str
    """The punctuation that it ends with, or nothing. A full stop proves nothing."""
    pauses: int
    """Commas and the like before its end."""
    asked: tuple[str, ...]
    """The words of the question that it may be an answer to; none if nothing was asked."""
    lead: int = 0
    """How many words only lead in."""
    written: bool = False
    """Whether it came with capitals, so that a full stop could be expected at its end."""

    @property
    def body(self) -> tuple[str, ...]:
        """The words behind those that only lead in ("so", "well", "um")."""
        return self.words[self.lead :]

    @property
    def last(self) -> str:
        """The last word."""
        return self.words[-1]

    @property
    def before(self) -> str:
        """The last word but one, or nothing."""
        return self.words[-2] if len(self.words) > 1 else ""


@dataclass(frozen=True, slots=True)
class Reading:
    """How complete a text is."""

    score: float
    """From 0, something has to follow, to 1, nothing is missing."""
    reason: str
    """The rule that decided."""
    kind: Kind = "plain"


Rule = Callable[[Said], Reading | None]
"""Says how complete a text is, or None if it is not for this rule to say."""


@dataclass(frozen=True, slots=True)
class Language:
    """The rules of a language, the first that says something decides."""

    code: str
    """As in BCP 47."""
    openers: frozenset[str]
    """Words that may stand before what is really said."""
    rules: tuple[Rule, ...]
    otherwise: Reading
    """What holds where no rule says anything."""


def look(text: str, question: str | None, openers: frozenset[str] = frozenset()) -> Said | None:
    """A text as rules look at it.

    Args:
        text: so far.
        question: what the speaker had been asked.
        openers: words that only lead in.

    Returns:
        It, or None if there is no word in it.
    """
    text = text.strip()
    tail = text[-MOST_CHARS:].replace("\u2019", "'").lower()
    words = tuple(_WORD.findall(tail)[-MOST_WORDS:])
    if not words:
        return None
    bare = tail.rstrip(".,;:!?-\u2013\u2014\u2026")
    lead = 0
    while lead < len(words) - 1 and words[lead] in openers:
        lead += 1
    end, pauses = tail[len(bare) :], bare.count(",") + bare.count(";")
    is_written = text[0].isupper() and (bool(pauses) or _ALWAYS.match(text) is None) and not text[:MOST_CHARS].isupper()
    return Said(words, end, pauses, _words_of(question[-MOST_CHARS:]) if question else (), lead, is_written)


_ALWAYS: Final = re.compile(r"I\b")
"""Written with a capital by every recognizer."""


@lru_cache(maxsize=256)
def _words_of(question: str) -> tuple[str, ...]:
    """Remembered, because an answer is read at each of its words."""
    return tuple(_WORD.findall(question.replace("\u2019", "'").lower()))
