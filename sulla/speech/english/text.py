"""An English text as the rules look at it: its last words, its punctuation, and the question before it. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.speech.english.vocabulary import Vocabulary

MOST_CHARS: Final = 400
"""Of a text that are looked at, from its end: what is missing is missing there."""
MOST_WORDS: Final = 48

_WORD: Final = re.compile(r"[\w']+")


@dataclass(frozen=True, slots=True)
class SpokenText:
    """A text as rules look at it."""

    en: Vocabulary
    """The words that rules look for."""
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


def look(en: Vocabulary, text: str, question: str | None) -> SpokenText | None:
    """A text as rules look at it.

    Args:
        en: the words of English.
        text: so far.
        question: what the speaker had been asked.

    Returns:
        It, or None if there is no word in it.
    """
    text = text.strip()
    tail = text[-MOST_CHARS:].replace("\u2019", "'").lower()
    words = tuple(_WORD.findall(tail)[-MOST_WORDS:])
    if not words:
        return None
    bare = tail.rstrip(".,;:!?-\u2013\u2014\u2026")
    lead, openers = 0, en["openers"]
    while lead < len(words) - 1 and words[lead] in openers:
        lead += 1
    end, pauses = tail[len(bare) :], bare.count(",") + bare.count(";")
    is_written = text[0].isupper() and (bool(pauses) or _ALWAYS.match(text) is None) and not text[:MOST_CHARS].isupper()
    return SpokenText(en, words, end, pauses, _words_of(question[-MOST_CHARS:]) if question else (), lead, is_written)


_ALWAYS: Final = re.compile(r"I\b")
"""Written with a capital by every recognizer."""


@lru_cache(maxsize=256)
def _words_of(question: str) -> tuple[str, ...]:
    """Remembered, because an answer is read at each of its words."""
    return tuple(_WORD.findall(question.replace("\u2019", "'").lower()))
