"""The beginning of a call that is written down: up to its first bracket, and whether that may be one. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from sulla.agent.model.written import values as v

_MOST_BLANKS: Final = 64
_MOST_WORD: Final = 64
"""Code points of a name; that of a tool has no more."""
_BEFORE: Final = (*v.BEFORE, "print")
_KEYS: Final = (*v.NAME_KEYS, *v.ARGUMENT_KEYS, *v.OTHER_KEYS)
_BLANKS: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[A-Za-z_][\w-]*")


class More(Exception):
    """The text ends before something is clear."""


class Cursor:
    """A place in a text that may go on.

    Args:
        text: the text.
        at: the place.
    """

    __slots__ = ("at", "text")

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    @property
    def is_at_end(self) -> bool:
        """Whether no more of the text is there."""
        return self.at >= len(self.text)

    @property
    def char(self) -> str:
        """What stands there.

        Raises:
            More: nothing yet.
        """
        if self.is_at_end:
            raise More
        return self.text[self.at]

    def takes(self, what: str, *, at_end: bool = False) -> bool:
        """Pass `what`, if it stands there.

        Args:
            what: the characters.
            at_end: whether no more of the text will come.

        Raises:
            More: the text ends within it.
        """
        found = self.text[self.at : self.at + len(what)]
        if found == what:
            self.at += len(what)
            return True
        if not at_end and self.at + len(found) == len(self.text) and what.startswith(found):
            raise More
        return False

    def found(self, pattern: re.Pattern[str]) -> str:
        """Pass what a pattern finds there; the pattern may find nothing."""
        match = pattern.match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]

    def blanks(self) -> bool:
        """Pass white space; False if that is more than a call has."""
        return len(self.found(_BLANKS)) <= _MOST_BLANKS

    def word(self, known: Collection[str] | None) -> str:
        """Pass a word.

        Args:
            known: the words that it may be; None for any.

        Returns:
            The word; empty for another one.

        Raises:
            More: the text ends within it.
        """
        word = self.found(_WORD) if self.char else ""
        if len(word) > _MOST_WORD or not word:
            return ""
        if self.is_at_end and (known is None or any(one.startswith(word) for one in known)):
            raise More
        return word if known is None or word in known else ""


def take_head(cursor: Cursor, names: Collection[str]) -> bool:
    """Pass the beginning of a call, and stop before its first bracket.

    Args:
        cursor: the place.
        names: of the tools.

    Returns:
        Whether it may be one.

    Raises:
        More: the text ends before that is clear.
    """
    if not cursor.blanks():
        return False
    marked = any(cursor.takes(one) for one in v.MARKERS)
    if not cursor.blanks():
        return False
    begin = cursor.at
    if cursor.takes("["):
        may_be = cursor.blanks() and _object_or_name(cursor, names, marked=marked) is not None
        cursor.at = begin
        return may_be
    found = _object_or_name(cursor, names, marked=marked)
    cursor.at = begin if found is None else found
    return found is not None


def _object_or_name(cursor: Cursor, names: Collection[str], *, marked: bool) -> int | None:
    """Where the first bracket stands of what may be a call; None if it is none."""
    begin = cursor.at
    if cursor.takes("{"):
        return begin if _has_key(cursor, _KEYS) else None
    if cursor.takes(v.FUNCTION[0]):
        if not (cursor.word(names) and cursor.takes(v.FUNCTION[1]) and cursor.blanks()):
            return None
        return cursor.at if cursor.char == "{" else None
    return _name(cursor, names, marked=marked)


def _name(cursor: Cursor, names: Collection[str], *, marked: bool, printed: bool = False) -> int | None:
    """Where the first bracket stands behind a tool's name, or behind ``print``."""
    known = None if marked else (*names, *_BEFORE)
    word = cursor.word(known)
    if word == "print" and word not in names and not printed:
        if not (cursor.blanks() and cursor.char == "("):
            return None
        begin = cursor.at
        cursor.at += 1
        inner = cursor.blanks() and _name(cursor, names, marked=marked, printed=True)
        return None if inner is False or inner is None else begin
    while word in v.BEFORE and cursor.takes("."):
        word = cursor.word(known)
    return _bracket(cursor, marked=marked) if word and (marked or word in names) else None


def _bracket(cursor: Cursor, *, marked: bool) -> int | None:
    """Where the first bracket stands behind a name, and passes it."""
    if marked and cursor.takes(v.ARGS):
        return cursor.at if cursor.blanks() and cursor.char == "{" else None
    if cursor.char == "." and not cursor.takes(".call"):
        return None
    if not cursor.blanks() or cursor.char not in ("({" if marked else "("):
        return None
    begin = cursor.at
    if cursor.char == "{":
        return begin
    cursor.at += 1
    return begin if _has_argument(cursor) else None


def _has_argument(cursor: Cursor) -> bool:
    """Whether what stands behind a ``(`` may be a call's arguments."""
    if not cursor.blanks():
        return False
    if cursor.takes("{"):
        return _has_key(cursor, None)
    return cursor.char == ")" or bool(cursor.word(None) and cursor.blanks() and cursor.char == "=")


def _has_key(cursor: Cursor, known: Collection[str] | None) -> bool:
    """Whether a key stands behind a ``{``, or what ends an object without any."""
    if not cursor.blanks():
        return False
    quote = cursor.char
    if known is None:
        return quote in "\"'}"
    cursor.at += 1
    return quote in "\"'" and bool(cursor.word(known)) and cursor.takes(quote)
