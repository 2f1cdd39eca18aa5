"""Completion wrappers: how an agent says that it is done, blocked or not finished yet (seed 004 §1). Pure.

The rules, for a whole reply and for one that streams in alike:

* A wrapper is an opening tag and its closing tag (``<AGENT_DONE>…</AGENT_DONE>``) with no other wrapper opening in
  between, in capitals or not. Tags in fenced blocks and inline code are only quoted; they mean nothing and are shown.
* The last complete wrapper counts. Complete ones are taken out of what people see.
* A wrapper that never closes counts for nothing. Its text is shown, on lines of its own, without the tags.
* A stray tag is taken out and its surroundings stay. So is the start of a tag that a cut-off reply ends in.
* White space at the reply's beginning (but for the first line's indentation) and end is dropped.
* If nothing is left, people see the wrapper's own words. Those of ``AGENT_DONE`` with nothing to be shown before it are
  shown as they come, and stay: small models write their whole answer so.
* A call of a tool that is written down (``<tool_call>{…}</tool_call>``) is read like a wrapper and taken out, also if
  it never closes and begins like one. It means nothing: it is never made. Neither are those without such a tag
  (`written.calls`), which are taken out too.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from sulla.agent.model.shown import Place, Shown
from sulla.agent.model.tags import CALLS, WRAPPERS, Tag, Unfinished, read_tag
from sulla.agent.model.wrapper import OpenWrapper, Wrapper
from sulla.agent.model.written.calls import CallReader
from sulla.agent.model.written.inline import inline_begins, is_wordly, past_word

MAX_QUOTE = 512
"""Code points held back behind a tag that seems to be quoted, until its backticks close. More is no quotation."""

MOST_INDENT = 3
"""Blanks before a line; with more it is a block of code."""

_TOKEN = re.compile(r"[^<`~\n]+|`+|~+|\n|<")
_PLAIN = re.compile(r"[^<`~\n]+")


def parse(text: str) -> Wrapper | None:
    """The wrapper that counts in a whole reply, or None."""
    stripper = Stripper()
    stripper.feed(text)
    return stripper.finish()[1]


def strip(text: str) -> str:
    """What people see of a whole reply."""
    stripper = Stripper()
    return stripper.feed(text) + stripper.finish()[0]


class Stripper:
    """Reads one reply as it streams in. How the text is split over `feed` calls makes no difference.

    Holds back what could be the start of a tag (`tags.MAX_TAG`), a tag that seems to be quoted (`MAX_QUOTE`), white
    space (`shown.MAX_WHITE`), what may be a call (`written.calls.MAX_CALL`), and a wrapper's content. Time is linear in
    the text.

    Args:
        tools: the names of the tools, whose calls may be written down.
    """

    __slots__ = (
        *("_begins", "_buffer", "_calls", "_last", "_open", "_outer", "_place", "_quote", "_quote_size", "_shown"),
        "cut_characters",
        "cut_calls",
    )

    def __init__(self, tools: Collection[str] = ()) -> None:
        self._calls = CallReader(tools)
        self._begins = inline_begins(frozenset(tools))
        self._buffer = ""
        self._place = self._outer = Place()
        self._open: OpenWrapper | None = None
        self._last: Wrapper | None = None
        self._shown = Shown()
        self._quote: list[str] | None = None
        self._quote_size = 0
        self.cut_calls = 0
        """How often something was taken out so far because it was a call, or several in a row."""
        self.cut_characters = 0
        """How long that was, in code points, without tags."""

    @property
    def wrote_call(self) -> bool:
        """Whether a call was written down so far."""
        return self.cut_calls > 0

    def feed(self, delta: str) -> str:
        """Read more of the reply.

        Args:
            delta: the next piece, of any length.

        Returns:
            Text that may be shown now; offsets into all of it count code points.
        """
        if self._is_plain(delta):
            self._place.is_fresh = False
            self._place.is_word = is_wordly(delta[-1])
            self._place.fences.feed_text(delta)
            return self._shown.put_at_once(delta)
        self._buffer = self._read(self._buffer + delta, at_end=False)
        return self._shown.take()

    def _is_plain(self, delta: str) -> bool:
        """Whether a piece can be shown as it stands, as most pieces of most replies can: it is no part of anything, and
        ends in what is not held back.
        """
        place = self._place
        return (
            not self._buffer
            and self._open is None
            and self._quote is None
            and not (place.cut or place.end)  # which says it too where a run is being read
            and self._shown.anything
            and not self._shown.line_ends
            and delta != ""
            and not delta[-1].isspace()
            and not (place.is_fresh and delta[0] in self._calls.starts)
            and _PLAIN.fullmatch(delta) is not None
            and self._is_free_of_calls(delta)
        )

    def finish(self) -> tuple[str, Wrapper | None]:
        """The reply is over; nothing may be fed after this.

        Returns:
            The rest of what is shown, and the wrapper that counts.
        """
        self._read(self._buffer, at_end=True)
        self._settle()
        while self._quote is not None:
            self._read(self._unquote(), at_end=True)
            self._settle()
        self._abandon()
        if self._last is not None and not self._shown.anything:
            self._shown.put(f"\n{self._last.words}")
        return self._shown.take(), self._last

    def _read(self, text: str, *, at_end: bool) -> str:
        """Read as much of `text` as can be judged and return the rest."""
        at, quote_at = 0, -1
        while token := _TOKEN.match(text, at):
            piece = token[0]
            first = piece[0]
            fences = self._place.fences
            if fences.run and first != fences.run:
                self._settle()
            if first == "<" or (self._place.is_fresh and first in self._calls.starts):
                quoted = self._quote is not None
                end = self._taken(text, at, at_end=at_end)
                if end is None:
                    return text[at:]
                if end > at:
                    at = end
                    continue
                quote_at = quote_at if quoted or self._quote is None else at
            if self._quote is not None and (first == "\n" or self._quote_size + len(piece) > MAX_QUOTE):
                # Without copying, if it is all in this text: else many short quotes in a long text would be quadratic.
                held = self._unquote()
                text, at = (text, quote_at) if quote_at >= 0 else (held + text[at:], 0)
                continue
            if first in "<`~\n" or not self._may_call():
                self._pass(piece, first)
                at = token.end()
                continue
            at, done = self._line(text, at, token.end(), at_end=at_end)
            if done:
                return text[at:]
        return ""

    def _may_call(self) -> bool:
        """Whether a call may begin here within the line: it is no code, and nothing that is taken out whole."""
        place = self._place
        if place.is_fresh and place.indent >= MOST_INDENT:
            place.is_code = True  # behind so many blanks comes another one, or a call that was none
        closed = self._open is None or self._open.name not in CALLS
        return closed and not place.is_code and self._quote is None and place.fences.where == "prose"

    def _line(self, text: str, at: int, end: int, *, at_end: bool) -> tuple[int, bool]:
        """Pass a piece of a line without the calls in it; where the text goes on then, and whether more of it is needed
        to know."""
        begin = past_word(text, at) if at == 0 and self._place.is_word else at
        while (found := self._begins.find(text, begin, end)) is not None:
            if found[0] > at:
                self._pass(text[at : found[0]], text[at])
            at, fresh = found[0], self._place.is_fresh
            self._place.is_fresh = False
            call = None
            if not fresh or self._calls.was_one:  # else this place was looked at just now
                call = self._calls.read(text, at, alone=False, at_end=at_end, within=True)
            if isinstance(call, Unfinished):
                return at, True
            if call is None:
                self._pass(text[at : found[1]], text[at])
                at = begin = found[1]
                continue
            self._place.cut = True
            self._cut(call - at)
            at = begin = call
            if at >= end:
                return at, False
        held = self._begins.held(text, begin) if end == len(text) and not at_end else end
        if held > at:
            self._pass(text[at:held], text[at])
        return held, held < end

    def _is_free_of_calls(self, delta: str) -> bool:
        begin = past_word(delta, 0) if self._place.is_word else 0
        return self._begins.find(delta, begin, len(delta)) is None and self._begins.held(delta, begin) == len(delta)

    def _taken(self, text: str, at: int, *, at_end: bool) -> int | None:
        """Pass what is no text at `at`; where the text goes on then, or None if more of it is needed to know."""
        if self._place.is_fresh:
            end = self._call(text, at, at_end=at_end)
            if end != at:
                return end
        where = self._place.fences.where
        if text[at] != "<" or self._quote is not None or where == "fenced":
            return at
        if not self._place.is_fresh and self._may_call():
            end = self._call_within(text, at, at_end=at_end)
            if end != at:
                return end
        tag = read_tag(text, at)
        if isinstance(tag, Unfinished):
            return None if not at_end else len(text) if tag.surely_meant else at
        if tag is None:
            return at
        if where == "inline":
            self._quote, self._quote_size = [], 0
            return at
        self._take(tag)
        self._place.is_word = False
        return tag.end

    def _call(self, text: str, at: int, *, at_end: bool) -> int | None:
        """Pass a blank or a call that a line begins with; see `_taken`."""
        place = self._place
        if text[at] == " " and place.indent < MOST_INDENT:
            place.indent += 1
            self._say(" ")
            place.fences.feed_text(" ")
            return at + 1
        if text[at] == " " or (self._open is not None and self._open.name in CALLS):
            return at
        end = self._calls.read(text, at, alone=not self._shown.anything, at_end=at_end)
        if end is None or isinstance(end, Unfinished):
            return at if end is None else None
        place.cut = True
        self._cut(end - at)
        return end

    def _call_within(self, text: str, at: int, *, at_end: bool) -> int | None:
        """Pass a call within a line that begins with a mark of its own; see `_taken`."""
        end = self._calls.read(text, at, alone=False, at_end=at_end, within=True)
        if end is None or isinstance(end, Unfinished):
            return at if end is None else None
        self._place.cut = True
        self._cut(end - at)
        return end

    def _cut(self, characters: int) -> None:
        self._place.is_word = False
        self.cut_calls += 1
        self.cut_characters += characters

    def _pass(self, piece: str, first: str) -> None:
        """`piece` is no tag."""
        self._place.is_fresh = False
        self._place.is_word = is_wordly(piece[-1])
        if self._quote is not None:
            self._quote.append(piece)
            self._quote_size += len(piece)
        else:
            self._say(piece)
        fences = self._place.fences
        if first in "`~":
            fences.feed_run(first, len(piece))
        elif first == "\n":
            if fences.feed_newline():
                self._place.begin_line()
        else:
            fences.feed_text(piece)

    def _settle(self) -> None:
        fences = self._place.fences
        fences.settle()
        if self._quote is not None and fences.where == "prose":
            held, self._quote = self._quote, None
            self._say("".join(held))

    def _unquote(self) -> str:
        """What was held back was not quoted: it has to be read again."""
        held, self._quote = self._quote or [], None
        self._place.fences.give_up_inline()
        return "".join(held)

    def _take(self, tag: Tag) -> None:
        self._place.cut = True
        if tag.name not in WRAPPERS and tag.name not in CALLS:
            if self._open is not None:
                self._open.turn(None if tag.closes else tag.name)
                self._place = Place()
                self._end_line(self._open)
        elif not tag.closes:
            self._abandon()
            self._open = OpenWrapper(tag.name, is_shown=tag.name == "AGENT_DONE" and not self._shown.anything)
            self._outer, self._place = self._place, Place()
            if tag.empty:
                self._complete()
        elif self._open is not None and self._open.name == tag.name:
            self._complete()

    def _complete(self) -> None:
        if self._open is not None:
            opened, self._open = self._open, None
            self._end_line(opened)
            self._place = self._outer
            if opened.name in CALLS:
                self._cut(len(opened.text()))
            else:
                self._last = opened.wrapper()

    def _abandon(self) -> None:
        """The open wrapper is none: show its text."""
        opened, self._open = self._open, None
        if opened is None:
            return
        text = opened.text()
        if opened.name in CALLS and text.startswith(("{", "[", "<")):
            self._cut(len(text))
            text = ""
        self._place = Place() if text else self._outer
        self._end_line(opened)
        if text and not opened.is_shown:
            self._shown.put(f"\n{text}\n")

    def _end_line(self, opened: OpenWrapper) -> None:
        """What comes next is shown on another line than what was shown of a wrapper."""
        if opened.is_shown:
            self._shown.end_line()

    def _say(self, piece: str) -> None:
        place = self._place
        if place.cut:
            place.cut = False
            if place.would_merge(piece):
                self._put("\n")
                place.fences.feed_newline()
                place.end = ""
        self._put(piece)
        place.ends_in(piece)

    def _put(self, piece: str) -> None:
        if self._open is not None:
            self._open.add(piece)
        if self._open is None or self._open.is_shown:
            self._shown.put(piece)
