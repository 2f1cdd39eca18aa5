"""An English text as the rules look at it: its last words, its punctuation, and the question before it. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.turn_taking.detector import UNKNOWN, Style

MOST_CHARS: Final = 400
"""Of a text that are looked at, from its end: what is missing is missing there."""
MOST_WORDS: Final = 48
SURE_TURNS: Final = 2
"""So many turns without a full stop show that the recognizer writes none."""

_WORD: Final = late_pattern(r"[\w']+")


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


def look(en: Vocabulary, text: str, question: str | None, style: Style = UNKNOWN) -> SpokenText | None:
    """A text as rules look at it.

    Args:
        en: the words of English.
        text: so far.
        question: what the speaker had been asked.
        style: how the recognizer writes, as far as it is known.

    Returns:
        It, or None if there is no word in it.
    """
    text = text.strip()
    tail = text[-MOST_CHARS:].replace("\u2019", "'").lower()
    words = tuple(_WORD.findall(tail)[-MOST_WORDS:])
    if not words:
        return None
    if not en.bare.keys().isdisjoint(words):
        words = _whole(en, words, style)
    bare = tail.rstrip(".,;:!?-\u2013\u2014\u2026")
    lead, openers = 0, en["openers"]
    while lead < len(words) - 1 and words[lead] in openers:
        lead += 1
    end, pauses = tail[len(bare) :], bare.count(",") + bare.count(";")
    is_written = style.bare_turns < SURE_TURNS and _is_written(text, has_pauses=bool(pauses))
    return SpokenText(en, words, end, pauses, _words_of(question[-MOST_CHARS:]) if question else (), lead, is_written)


def learnt(en: Vocabulary, text: str, style: Style) -> Style:
    """What is known of how the recognizer writes after one more turn.

    Args:
        en: the words of English.
        text: of the turn.
        style: what was known before.
    """
    bare_turns, bare_words = style.bare_turns, style.bare_words
    if _STOP.search(text):
        bare_turns = 0
    elif _is_written(text, has_pauses="," in text):
        bare_turns = min(SURE_TURNS, bare_turns + 1)
    if "'" in text or "\u2019" in text:
        bare_words = 0
    elif not en.never_bare.isdisjoint(_WORD.findall(text.lower())):
        bare_words = min(SURE_TURNS, bare_words + 1)
    return Style(bare_turns, bare_words)


def _is_written(text: str, *, has_pauses: bool) -> bool:
    """Whether a text comes with capitals where they belong."""
    return text[0].isupper() and (has_pauses or _ALWAYS.match(text) is None) and not text[:MOST_CHARS].isupper()


def _whole(en: Vocabulary, words: tuple[str, ...], style: Style) -> tuple[str, ...]:
    """The words with the apostrophes that a recognizer has left out. What is a word without one, too ("were"), is taken
    for the other only where a clause begins, and only where the thread has shown that apostrophes are left out.
    """
    found = [en.bare[word] if word in en.never_bare else word for word in words]
    if not style.bare_words:
        return tuple(found)
    begins = True
    for at, word in enumerate(found):
        following = en.class_of.get(found[at + 1]) if at + 1 < len(found) else "subj"
        if begins and word not in en["openers"] and following not in ("subj", "pron", "demo"):
            found[at] = en.bare.get(word, word)
        begins = en.class_of.get(word) in ("wh", "sub", "conj", "whether") or (begins and word in en["openers"])
    return tuple(found)


_STOP: Final = late_pattern(r"[.!?](?:\s|$)")
_ALWAYS: Final = late_pattern(r"I\b")
"""Written with a capital by every recognizer."""


@lru_cache(maxsize=256)
def _words_of(question: str) -> tuple[str, ...]:
    """Remembered, because an answer is read at each of its words."""
    return tuple(_WORD.findall(question.replace("\u2019", "'").lower()))
