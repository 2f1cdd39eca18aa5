"""Where in Markdown a text has got to: in prose, in a fenced block, or in what may turn out to be inline code. Pure.

Fed token by token, so that a text can be judged while it streams in. It follows CommonMark, with simplifications that
keep the answer within reach of the line that is being read: inline code ends with its line; a backtick run that finds
no partner makes the other runs on its line literal too; three backticks that begin a line are a fence unless as many
follow
on it; a fence may be indented at will, because lists indent it.
"""

from __future__ import annotations

from typing import Literal

Where = Literal["prose", "inline", "fenced"]
"""`inline`: behind a backtick run whose partner has not come yet; without one, it was prose."""

_BLANK = frozenset(" \t\r")

_BARE, _ITEM, _MARKER, _NUMBER, _INSIDE = range(5)
"""How far into its line a text is: only blanks and ``>`` so far; behind a list marker; within a marker; within a
marker's number; past anything that a fence may follow."""


class Fences:
    """Follows one text, fed so that each run of backticks or tildes and each newline stands alone."""

    __slots__ = ("_closing", "_fence", "_margin", "_no_inline", "_opening", "_run", "_run_margin", "_span")

    def __init__(self) -> None:
        self._margin = _BARE
        self._fence: tuple[str, int] | None = None
        self._opening = False
        self._closing = False
        self._run: tuple[str, int] | None = None
        self._run_margin = _BARE
        self._span = 0
        self._no_inline = False

    @property
    def where(self) -> Where:
        """Where the next character stands; call `settle` first if it does not continue a run."""
        if self._fence is not None:
            return "fenced"
        return "inline" if self._span else "prose"

    @property
    def run(self) -> str:
        """The character of the run that is being read; empty for none."""
        return self._run[0] if self._run is not None else ""

    def feed_run(self, char: str, count: int) -> None:
        """Read `count` more backticks or tildes."""
        if self._run is None:
            self._run, self._run_margin = (char, count), self._margin
            self._margin = _INSIDE
        else:
            self._run = (char, self._run[1] + count)

    def feed_text(self, text: str) -> None:
        """Read characters that are none of backtick, tilde and newline."""
        if self._margin is not _INSIDE:
            self._follow_margin(text)
        if self._closing and not _BLANK.issuperset(text):
            self._closing = False

    def feed_newline(self) -> bool:
        """Read the end of a line; whether the next one is in no fenced block."""
        if self._closing:
            self._fence = None
        self._opening = self._closing = self._no_inline = False
        self._span = 0
        self._margin = _BARE
        return self._fence is None

    def settle(self) -> None:
        """The run that was being read has ended: see what it does."""
        if self._run is None:
            return
        (char, length), self._run = self._run, None
        if self._opening:
            if self._fence == ("`", length) and char == "`":
                self._fence, self._opening = None, False
        elif self._fence is not None:
            self._closing = self._run_margin == _BARE and char == self._fence[0] and length >= self._fence[1]
        elif length >= 3 and self._run_margin <= _ITEM:
            self._fence, self._opening = (char, length), True
        elif char == "`" and self._span:
            self._span = 0 if length == self._span else self._span
        elif char == "`" and not self._no_inline:
            self._span = length

    def give_up_inline(self) -> None:
        """The open run's partner will not come: from there to the end of the line it is all prose."""
        self._span, self._run, self._no_inline = 0, None, True

    def _follow_margin(self, text: str) -> None:
        margin = self._margin
        for char in text:
            if char in _BLANK:
                margin = _ITEM if margin == _MARKER else _INSIDE if margin == _NUMBER else margin
            elif margin <= _ITEM and char == ">":
                continue
            elif margin <= _ITEM and char in "-*+":
                margin = _MARKER
            elif margin in (_BARE, _ITEM, _NUMBER) and char in "0123456789":
                margin = _NUMBER
            elif margin == _NUMBER and char in ".)":
                margin = _MARKER
            else:
                margin = _INSIDE
            if margin == _INSIDE:
                break
        self._margin = margin
