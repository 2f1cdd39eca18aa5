"""The characters at which the pieces of a text are decided. Pure."""

from __future__ import annotations

import unicodedata

from sulla.core.pattern import late_pattern

ENDS = ".!?…。！？｡؟۔।॥"
MARK = late_pattern(rf"[{ENDS},;:،؛，；：、—–\-|\n<\[\]`]")
"""Wherever something may be decided."""
TAG_CHARS = 200
"""A longer one is text."""
_VALUE = r"(?:\"[^\"<>\n]*\"|'[^'<>\n]*'|[^\s\"'<>=`]+)"
_NAME = r"[A-Za-z][\w:.-]*"
TAG = late_pattern(rf"<(?:/{_NAME}[ \t]*|{_NAME}(?:[ \t]+{_NAME}[ \t]*=[ \t]*{_VALUE})*[ \t]*/?)>")
"""HTML, SSML and the like. An attribute without a value is none: ``x <y and z> w`` is text."""
_TAG_BEGUN = late_pattern(
    rf"<(?:/?(?:{_NAME})?|/{_NAME}[ \t]*|{_NAME}(?:[ \t]+{_NAME}[ \t]*=[ \t]*{_VALUE})*"
    rf"(?:[ \t]*/?|[ \t]+{_NAME}(?:[ \t]*|[ \t]*=[ \t]*(?:\"[^\"<>\n]*|'[^'<>\n]*)?)))"
)
_CODE_RUN = late_pattern(r"`{1,16}")
_BORDER = late_pattern(r"(?:[,;:،؛]|(?<=\s)[–-](?=\s))[\"'”’»)\]*_]{0,4}")
_ENTITY_CHARS = 10
_ENTITY = late_pattern(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]\w{1,8})$")
"""The beginning of ``&amp;``: its semicolon parts nothing."""
_ALONE = frozenset("，；：、—")
"""These need no white space behind them."""

_JOINERS = "\u200d\ufe0e\ufe0f"
"""They make one sign of several characters."""


def tag_at(text: str, at: int) -> int | None:
    """Up to where the tag at `at` goes; `at` if there is none, None while that is open."""
    found = TAG.match(text, at, at + TAG_CHARS)
    if found is not None:
        return found.end()
    return None if len(text) - at < TAG_CHARS and _TAG_BEGUN.fullmatch(text, at) else at


def code_run(text: str, at: int) -> int | None:
    """How many backticks stand at `at`; None while there may come more."""
    found = _CODE_RUN.match(text, at)
    length = 0 if found is None else found.end() - at
    return None if at + length == len(text) and length < 16 else length


def border_at(text: str, at: int) -> int | None:
    """Where a clause ends whose mark is at `at`; 0 if it is no such mark, None while that is open."""
    char = text[at]
    if char in _ALONE:
        return at + 1
    if char == ";" and _ENTITY.search(text, max(0, at - _ENTITY_CHARS), at):
        return 0
    if at + 1 == len(text):
        return None
    found = _BORDER.match(text, at)
    if found is None:
        return 0
    end = found.end()
    if end == len(text):
        return None
    return end if text[end].isspace() else 0


def parting(text: str, at: int) -> int:
    """The place at `at`, or a little before, that does not part what is read as one character."""
    for place in range(at, at - 16, -1):
        if not (unicodedata.combining(text[place]) or text[place] in _JOINERS or text[place - 1] in _JOINERS):
            return place
    return at
