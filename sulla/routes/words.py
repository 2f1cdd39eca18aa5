"""A message as gates look at it: its words, each with its sentence, and without what it quotes. Pure.

What must not be missed, such as an incident, is looked for in all that may be the person's own words: a quotation that
nobody ends, a line below a quoted one and an indented line are, and so is a message that is nothing but a quotation.
All else is looked for in what surely is; see `agent.input.quoted`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from sulla.agent.input import characters as chars
from sulla.agent.input.quoted import may_quote, without_quoted, without_surely_quoted
from sulla.agent.input.said import plain
from sulla.core.pattern import late_pattern

MOST_CHARS: Final = 100_000
"""Of a message that are looked at; of a longer one the first and the last half of them."""

_WORD: Final = late_pattern(r"[\w']+")
_END: Final = late_pattern(r"[.!?;\n\u2026\u3002]+")
"""The end of a sentence, over which no gap of a phrase reaches. An abbreviation and a line end one too."""
_UNSEEN: Final = late_pattern(
    f"[{chars.JOINERS}{chars.SOFT_HYPHENS}{chars.BYTE_ORDER_MARK}{chars.BIDI_MARKS}{chars.BIDI_ORDERS}"
    f"{chars.VARIANTS}{chars.OLD_VARIANTS}{chars.IGNORABLE}{chars.TAGS}{chars.SCRIPT_FORMATS}]"
)
"""A zero-width space among them: it parts no words for whoever reads."""
_SEEN_AS_BLANK: Final = late_pattern(f"[{chars.BLANKS}]")
_NO_WORD: Final = late_pattern(r"[\W_]*")
_LETTERS_IN_A_ROW: Final = 6
_SPACED: Final = late_pattern(rf"(?<![\w'])(?:[^\W\d_] {{1,3}}){{{_LETTERS_IN_A_ROW - 1},}}[^\W\d_](?![\w'])")
"""Letters that stand one by one, such as ``h e l p  m e``."""
_BETWEEN_WORDS: Final = late_pattern(r" {2,}")
_DIGIT_IN_WORD: Final = late_pattern(r"[013457](?<=[^\W\d_][013457])(?=[^\W\d_])")
_LETTERS: Final = str.maketrans("013457", "oieast")
"""What digits are read as that stand between two letters: ``d1e`` is "die"; ``mp3`` and ``2nd`` stay as they are."""


class Words(NamedTuple):
    """What a message says, word by word."""

    written: list[str]
    """In lower case, with their apostrophes."""
    folded: list[str]
    """The same without them, without accents, and with letters for digits between letters: `dont` is `don't`."""
    sentences: list[int]
    """In which sentence each stands."""

    def said(self, first: int, last: int) -> str:
        """Some of the words, as they were written.

        Args:
            first: the place of the first one, from 0.
            last: of the last one.
        """
        return " ".join(self.written[first : last + 1])


class Heard(NamedTuple):
    """A message, read."""

    own: Words
    """What may be the person's own words."""
    whole: Words
    """The same with what is quoted; it is `own` itself where nothing is."""
    sure: Words
    """What surely is the person's own; it is `own` itself where nothing looks as if it were quoted."""


def hear(message: str) -> Heard:
    """Read a message.

    Args:
        message: what a person wrote.
    """
    if len(message) > MOST_CHARS:
        message = f"{message[: MOST_CHARS // 2]}\n{message[-MOST_CHARS // 2 :]}"
    text = plain(seen(message))
    whole = words_of(text)
    if _LETTERS_IN_A_ROW * "." in "".join(["." if len(word) == 1 else " " for word in whole.folded]):
        text = _SPACED.sub(_joined, text)
        whole = words_of(text)
    if not may_quote(text):
        return Heard(whole, whole, whole)
    careful, sure = without_surely_quoted(text), without_quoted(text)
    own = whole if careful == text or _NO_WORD.fullmatch(careful) else words_of(careful)
    return Heard(own, whole, whole if sure == text else words_of(sure))


def _joined(found: re.Match[str]) -> str:
    """One word for letters that stand one by one."""
    return " ".join(one.replace(" ", "") for one in _BETWEEN_WORDS.split(found[0]))


def seen(text: str) -> str:
    """A text without the characters that nobody sees, which would part words that are read as one.

    Args:
        text: as it was written.
    """
    return text if text.isascii() else _SEEN_AS_BLANK.sub(" ", _UNSEEN.sub("", text))


def words_of(text: str) -> Words:
    """The words of a text, in its plain form.

    Args:
        text: as `agent.input.said.plain` gives it.
    """
    written, sentences = list[str](), list[int]()
    text = text.casefold().replace("\u2019", "'")
    for number, sentence in enumerate(_END.split(text)):
        found = _WORD.findall(sentence)
        written += found
        sentences += [number] * len(found)
    plain_letters = text.isascii() and _DIGIT_IN_WORD.search(text) is None
    if plain_letters and "'" not in text:
        return Words(written, written, sentences)
    folded = [word.replace("'", "") for word in written] if plain_letters else [_folded(word) for word in written]
    if all(folded):
        return Words(written, folded, sentences)
    kept = [at for at, word in enumerate(folded) if word]
    return Words([written[at] for at in kept], [folded[at] for at in kept], [sentences[at] for at in kept])


def _folded(word: str) -> str:
    word = word.replace("'", "")
    if not word.isascii():
        parts = unicodedata.normalize("NFD", word)
        word = "".join(one for one in parts if unicodedata.category(one) != "Mn") or word
    return word if word.isalpha() else _DIGIT_IN_WORD.sub(lambda found: found[0].translate(_LETTERS), word)
