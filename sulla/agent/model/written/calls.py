"""Calls of tools that a model writes down as prose, such as ``read_file({"path": "a"})``, as characters. Pure.

What is such a call, for a whole reply and for one that streams in alike:

* It begins a line, indented by three blanks at the most, and nothing else stands on the line that it ends in; or it
  stands within a line, outside code, with an argument at least (`inline`).
* It names one of the tools: ``name({…})`` with an object, ``name(key=…)``, the same behind ``functions.`` or within
  ``print(…)``, an object with the tool's name and its arguments, a list of these, or one after the other.
* Behind a marker that nothing else begins with (``<|python_tag|>``, ``[TOOL_CALLS]``) any name will do.
* ``name()`` is one only if it is the whole reply: people write so of functions too.
* In a fenced block it is one if the block holds nothing else, and either calls itself so (`CALL_FENCES`) or is the
  whole reply. With words around it a block of another kind is an example, and stays.
* A call that a cut-off reply ends in is one too, as soon as it can hardly be anything else.
* What is longer than `MAX_CALL` is none: nobody is kept waiting for more.
* Behind `MOST_IN_VAIN` of what began like calls and was none, none is looked for any more in that reply.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, Literal, assert_never

from sulla.agent.model.tags import MAX_TAG, Unfinished, read_tag
from sulla.agent.model.written import values as v
from sulla.agent.model.written.head import Cursor, More, take_head
from sulla.core.pattern import late_pattern

MAX_CALL: Final = 16_384
"""Code points of a call, or of calls one after the other: what a reader has to hold back at the most, and a tag."""
MOST_IN_VAIN: Final = 16 * MAX_CALL
"""Code points that are passed in one reply for calls that turn out to be none. What begins like a call within what
began like one is passed again: a text that is made of beginnings would cost `MAX_CALL` for each."""
CALL_FENCES: Final = frozenset({"tool_call", "tool_calls", "tool_code", "tool_use", "function_call", "function_calls"})
"""What stands behind the backticks of a block that is no example. Gemma was taught to write calls in ``tool_code``."""

_FENCES: Final = ("```", "~~~")
_ENDS: Final = ("<|eom_id|>", "<|eot_id|>", "<|im_end|>", "</s>")
"""What ends a reply in the form in which models see it; some services let it through."""
_MOST_INFO: Final = 24
_MARKED: Final = 5
"""Characters of a marker that a cut-off reply ends in: fewer may be anything."""
_STARTS: Final = frozenset(" {[<`~pftd")
"""What begins an indented line, an object, a list, a marker, a fence, ``print`` and what stands before a name."""
_NO_BEGINNING: Final = re.compile(r"<[^|f]")
"""Neither a marker nor `values.FUNCTION`: told at once, for a text may have a ``<`` at each place."""
_NAMED: Final = late_pattern(rf"[\"'](?:{'|'.join(v.NAME_KEYS)})[\"']\s*:\s*[\"'](?:\w+\.)?([\w-]+)[\"']")
_LINE_BLANKS: Final = late_pattern(r"[ \t\r]*")
_SEPARATORS: Final = late_pattern(r"[;,][ \t\r;,]*")
_INFO: Final = late_pattern(r"[\w.+-]*[ \t\r]*")
_INSIDE: Final = {'"': re.compile(r"[^\"\\\n]*"), "'": re.compile(r"[^'\\\n]*")}
_OUTSIDE: Final = late_pattern(r"[^\"'()\[\]{}]*")
_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}


class CallReader:
    """Sees whether such a call begins at a place; remembers how far it has looked if the text ends before it is clear.

    Args:
        names: of the tools.
    """

    __slots__ = ("_in_vain", "_names", "_scan", "starts", "was_one")

    def __init__(self, names: Collection[str] = ()) -> None:
        self._names = frozenset(names)
        self._scan: _Scan | None = None
        self._in_vain = 0
        self.was_one = False
        """Whether the last place that was none had a call, and words behind it."""
        self.starts = _STARTS.union([name[:1] for name in self._names])
        """The characters that one can begin with."""

    def read(self, text: str, at: int, *, alone: bool, at_end: bool, within: bool = False) -> int | Unfinished | None:
        """See whether one begins at `at`, which is the first character of a line but for its indentation.

        Args:
            text: the text; if the last answer was `Unfinished`, that text from there on, and more.
            at: the place.
            alone: whether nothing was shown of the reply before it.
            at_end: whether the reply ends with the text.
            within: it is another character of a line, where one may begin (`inline`), and words may stand behind it.

        Returns:
            Where the text goes on behind it; `Unfinished` if the text ends before that is clear; None if none begins.
        """
        self.was_one = False
        if self._in_vain >= MOST_IN_VAIN or (self._scan is None and _NO_BEGINNING.match(text, at) is not None):
            return None
        scan, self._scan = self._scan or _Scan(self._names, alone=alone, within=within), None
        piece = text[at : at + MAX_CALL + MAX_TAG]
        try:
            end = scan.run(piece, at_end=at_end)
            self.was_one = scan.has_call
        except More:
            end = None
            if len(piece) <= MAX_CALL:
                if not at_end:
                    self._scan = scan
                    return Unfinished(surely_meant=False)
                end = len(piece) if scan.surely_meant(piece) else None
        if end is not None and end <= MAX_CALL:
            return at + end
        self._in_vain += min(scan.at, MAX_CALL)
        return None


class _Scan:
    """Follows one text from a place where a call may begin.

    Args:
        names: of the tools.
        alone: whether nothing was shown before it.
        within: whether it begins within a line.
    """

    __slots__ = ("_alone", "_bare", "_fence", "_names", "_phase", "_quote", "_stack", "_unit", "_within", "at")

    def __init__(self, names: frozenset[str], *, alone: bool, within: bool) -> None:
        self._within = within
        self.at = 0
        """How far it has come, from where it began."""
        self._names = names
        self._alone = alone
        self._bare = False
        """Whether it is a call only if it is the whole reply."""
        self._fence = ""
        self._phase: Literal["open", "head", "body", "close", "tail"] = "open"
        self._quote = ""
        self._stack: list[str] = []
        self._unit = 0
        """Where the call began that is being read."""

    def run(self, text: str, *, at_end: bool) -> int | None:
        """Go on as far as the text reaches; where it ends, or None if it is no call.

        Args:
            text: from where it began.
            at_end: whether the reply ends with it.

        Raises:
            More: the text ends before that is clear.
        """
        while True:
            cursor = Cursor(text, self.at)
            match self._phase:
                case "open":
                    goes_on = self._open(cursor)
                case "head":
                    self._unit = self.at
                    goes_on = take_head(cursor, self._names)
                    self._phase = "body"
                case "body":
                    try:
                        goes_on = self._body(cursor)
                    finally:
                        self.at = cursor.at
                    self._phase = "close"
                case "close":
                    goes_on = self._is_call(cursor, self._unit)
                    self._phase = "tail"
                case "tail" if self._fence:
                    goes_on = self._leaves_fence(cursor)
                case "tail":
                    goes_on = self._is_done(cursor, at_end=at_end) or self._goes_on(cursor, at_end=at_end)
                    if goes_on and self._phase == "tail":
                        return cursor.at
                case _:
                    assert_never(self._phase)
            if not goes_on:
                return None
            self.at = cursor.at

    @property
    def has_call(self) -> bool:
        """Whether a whole call was passed."""
        return self._phase == "tail" or (self._phase in ("head", "body") and self._unit > 0)

    def surely_meant(self, text: str) -> bool:
        """Whether it can hardly be anything but a call, though the reply ends within it.

        Args:
            text: all of it.
        """
        found = text[self._unit :].lstrip()
        marked = any(found.startswith(one) or (len(found) >= _MARKED and one.startswith(found)) for one in v.MARKERS)
        if marked or self._phase in ("open", "head"):
            return marked
        if self._phase == "tail":
            return True  # it is within a fence, behind a call
        is_object = found.lstrip("[ \t\r\n").startswith("{")
        return not is_object or any(name in self._names for name in _NAMED.findall(found))

    def _open(self, cursor: Cursor) -> bool:
        """Pass the first line of a fenced block, if one begins here."""
        fence = "" if self._within else next((one for one in _FENCES if cursor.takes(one)), "")
        if fence:
            info = cursor.found(_INFO)
            if len(info) > _MOST_INFO or not (self._alone or any(one.startswith(info.strip()) for one in CALL_FENCES)):
                return False
            if cursor.is_at_end:
                raise More
            bare = info.strip() not in CALL_FENCES
            if (bare and not self._alone) or not cursor.takes("\n"):
                return False
            self._fence, self._bare = fence, bare
        self._phase = "head"
        return True

    def _body(self, cursor: Cursor) -> bool:
        """Pass what stands from a call's first bracket to its last."""
        while True:
            cursor.found(_INSIDE[self._quote] if self._quote else _OUTSIDE)
            if not (self._quoted(cursor) if self._quote else self._bracket(cursor.char)):
                return False
            cursor.at += 1
            if not self._stack:
                return True

    def _quoted(self, cursor: Cursor) -> bool:
        """Read what may end a string; False if a string cannot hold it."""
        char = cursor.char
        if char == "\\":
            if cursor.at + 1 == len(cursor.text):
                raise More
            cursor.at += 1
            return cursor.char != "\n"
        if char == self._quote:
            self._quote = ""
        return char != "\n"

    def _bracket(self, char: str) -> bool:
        """Read a bracket, or what begins a string; False if it does not fit."""
        if char in _INSIDE:
            self._quote = char
            return True
        if char in _CLOSES:
            self._stack.append(_CLOSES[char])
            return len(self._stack) <= v.MOST_DEEP
        return self._stack.pop() == char

    def _is_call(self, cursor: Cursor, unit: int) -> bool:
        """See whether what has been passed is a call."""
        if cursor.text.startswith(v.FUNCTION[0], unit) and not (cursor.blanks() and cursor.takes(v.FUNCTION[2])):
            return False
        found = v.certainty(cursor.text[unit : cursor.at].strip(), self._names)
        self._bare = self._bare or found == "bare"
        return found is not None and (self._alone or not self._bare)

    def _is_done(self, cursor: Cursor, *, at_end: bool) -> bool:
        """Whether anything may stand behind the call; what ends a reply is passed with it."""
        if self._within:
            any(cursor.takes(one, at_end=at_end) for one in _ENDS)
        return self._within

    def _goes_on(self, cursor: Cursor, *, at_end: bool) -> bool:
        """See what stands behind a call, and whether it still is one; another one on its line is next."""
        while True:
            cursor.found(_LINE_BLANKS)
            if cursor.is_at_end and at_end:
                return True
            tag = read_tag(cursor.text, cursor.at) if cursor.char == "<" else None
            if isinstance(tag, Unfinished) and not at_end:
                raise More
            if tag is not None:
                return True
            if cursor.char == "\n":
                if not self._bare:
                    return True
                if not cursor.blanks():
                    return False
            elif cursor.char in ";,":
                cursor.found(_SEPARATORS)
            elif not (cursor.char == "<" and any(cursor.takes(one, at_end=at_end) for one in _ENDS)):
                self._phase = "head"
                return True

    def _leaves_fence(self, cursor: Cursor) -> bool:
        """See whether the fenced block ends behind a call; if not, another call is next."""
        begin = cursor.at
        cursor.found(_SEPARATORS)
        if not cursor.blanks():
            return False
        if cursor.is_at_end:
            raise More
        if "\n" in cursor.text[begin : cursor.at] and cursor.takes(self._fence):
            self._fence = ""
        else:
            self._phase = "head"
        return True
