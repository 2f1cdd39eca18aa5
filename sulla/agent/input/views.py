"""Other ways to read a text: folded, put together, decoded. For looking only: nobody gets to see or send them. Pure.

One layer is undone and no more, and all views together are a few times as long as the text at the most.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern

_LOOKALIKES: Final = {
    "a": "\u0430\u03b1\u1d00",
    "b": "\u0432\u03b2\u0299",
    "c": "\u0441\u1d04",
    "d": "\u0501\u1d05",
    "e": "\u0435\u03b5\u1d07",
    "g": "\u0261\u0581\u0262",
    "h": "\u043d\u04bb\u029c",
    "i": "\u0456\u03b9\u0131\u026a",
    "j": "\u0458",
    "k": "\u043a\u03ba\u1d0b",
    "l": "\u04cf\u0142\u029f",
    "m": "\u043c\u1d0d",
    "n": "\u03b7\u0578\u0274",
    "o": "\u043e\u03bf\u00f8\u1d0f",
    "p": "\u0440\u03c1\u1d18",
    "q": "\u051b",
    "r": "\u0433\u0280",
    "s": "\u0455\ua731",
    "t": "\u0442\u03c4\u1d1b",
    "u": "\u03c5\u057d\u1d1c\u03bc",
    "v": "\u03bd\u1d20",
    "w": "\u051d\u03c9\u1d21",
    "x": "\u0445\u03c7",
    "y": "\u0443\u03b3\u028f",
    "z": "\u1d22",
}
"""Letters of other scripts that look like Latin ones, by the letter they look like."""

_FOLDS: Final = {ord(char): letter for letter, chars in _LOOKALIKES.items() for char in chars} | {
    ord(char): None for char in "'\u2018\u2019\u02bc"
}
_LEET: Final = str.maketrans("013457@$", "oieastas")
_IS_LEET = late_pattern("[a-z][013457@$][a-z]")

MAX_EXPANSION: Final = 4
"""One character becomes so many at the most; some ligatures stand for a whole sentence."""

SPELLED: Final = 5
"""So many single letters in a row are taken for a word that was pulled apart."""

MAX_DECODED: Final = 64
"""Encoded pieces that are looked into, at the most."""

_WORD = late_pattern(r"\w{1,64}")
_BASE64 = late_pattern(r"[A-Za-z0-9+/_-]{24,8192}={0,2}")
_HEX = late_pattern(r"[0-9A-Fa-f]{32,8192}")
_ENTITY = late_pattern(r"&(?:#[0-9]{1,12}|#[xX][0-9A-Fa-f]{1,12}|[A-Za-z]{2,31});?")
"""Bounded, because a number of thousands of digits is an error to `html.unescape`."""
_PERCENT = late_pattern(r"%([0-9A-Fa-f]{2})")
_ESCAPE = late_pattern(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))")
_FEW: Final = 3
_PULLED_APART = late_pattern(r"\w\W" * (SPELLED - 1) + r"\w")
"""What every word that was pulled apart has in it: `_spelled` looks at words only where this is found."""


class Word(NamedTuple):
    """A word and where it begins."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class TextView:
    """One reading of a text."""

    name: str
    """How it came about: ``text``, ``folded``, ``leet``, ``spelled``, or what was decoded, e.g. ``base64, folded``."""
    text: str
    offset: int | None = None
    """Where in the text it was found, if it is a piece of it."""


def views(text: str) -> Iterator[TextView]:
    """All readings of a text, itself first."""
    yield TextView("text", text)
    yield from _plain(text, None, "")
    for decoded in _decoded(text):
        yield decoded
        yield from _plain(decoded.text, decoded.offset, f"{decoded.name}, ")


def decoded_views(text: str) -> Iterator[str]:
    """What is encoded in a text, decoded once."""
    return (view.text for view in _decoded(text))


def words(text: str) -> list[str]:
    """The words of a text, in lower case."""
    if text.isascii():  # else small letters may be more characters, and other words
        return _WORD.findall(text.lower())
    return [word.lower() for word in _WORD.findall(text)]


def placed_words(text: str) -> list[Word]:
    """The same words, with their places: ten times as much work, so for where something was found."""
    return [Word(match[0].lower(), match.start()) for match in _WORD.finditer(text)]


def fold(text: str) -> str:
    """Small Latin letters for whatever looks like them; without accents and apostrophes."""
    if text.isascii():
        return text.lower().replace("'", "")
    return "".join(map(_fold_one, text.casefold())).translate(_FOLDS)


def _fold_one(char: str) -> str:
    if char.isascii():
        return char
    folded = "".join(piece for piece in unicodedata.normalize("NFKD", char) if not unicodedata.combining(piece))
    return folded.lower() if len(folded) <= MAX_EXPANSION else char


def _plain(text: str, offset: int | None, before: str) -> Iterator[TextView]:
    folded = fold(text)
    if folded != text:
        yield TextView(f"{before}folded", folded, offset)
    if _IS_LEET.search(folded):
        yield TextView(f"{before}leet", folded.translate(_LEET), offset)
    spelled = _spelled(folded)
    if spelled:
        yield TextView(f"{before}spelled", spelled, offset)


def _spelled(folded: str) -> str:
    """The words that are written with something between their letters, put together; empty if there are none."""
    if not _PULLED_APART.search(folded):
        return ""
    out: list[str] = []
    run: list[str] = []
    found = False
    ends = [*placed_words(folded), Word("", len(folded) + 2)]
    for word, after in pairwise(ends):
        run.append(word.text)
        if len(word.text) == 1 and len(after.text) == 1 and after.at - word.at == 2:
            continue
        found = found or len(run) >= SPELLED
        out.append("".join(run) if len(run) >= SPELLED else " ".join(run))
        run = []
    return " ".join(out) if found else ""


def _decoded(text: str) -> Iterator[TextView]:
    left = MAX_DECODED
    for name, pattern in (("base64", _BASE64), ("hex", _HEX)):
        for match in pattern.finditer(text):
            if left == 0:
                break
            left -= 1
            piece = _as_text(_bytes_of(name, match[0]))
            if piece:
                yield TextView(name, piece, match.start())
    if text.count("%") >= _FEW and (unquoted := _unquoted(text)) != text:
        yield TextView("url", unquoted)
    if "&" in text and (unescaped := _ENTITY.sub(lambda match: html.unescape(match[0]), text)) != text:
        yield TextView("html", unescaped)
    if text.count("\\") >= _FEW and (plain := _ESCAPE.sub(_escape, text)) != text:
        yield TextView("escapes", plain)


def _bytes_of(name: str, piece: str) -> bytes:
    try:
        if name == "hex":
            return bytes.fromhex(piece[: len(piece) & ~1])
        bare = piece.rstrip("=").replace("-", "+").replace("_", "/")
        # A last character alone says nothing: what is left over from a word that the pattern took along.
        bare = bare[:-1] if len(bare) % 4 == 1 else bare
        return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _as_text(data: bytes) -> str:
    """The text that the bytes are; empty if they are none, as with keys, hashes and pictures."""
    text = data.decode("utf-8", "replace")
    readable = sum(char.isprintable() or char in "\n\t" for char in text) - text.count("\ufffd")
    return text if text and readable >= 0.9 * len(text) else ""


def _unquoted(text: str) -> str:
    plain = _PERCENT.sub(lambda match: chr(int(match[1], 16)), text)
    return plain.replace("+", " ")


def _escape(match: re.Match[str]) -> str:
    return chr(int(match[1] or match[2], 16))
