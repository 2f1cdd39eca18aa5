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
  it never closes and begins like one. It means nothing: it is never made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from sulla.agent.model.fences import Fences
from sulla.agent.model.tags import CALLS, WRAPPERS, Tag, Unfinished, read_tag
from sulla.core.dataclass import dataclass

Status = Literal["done", "blocked", "continue"]

MAX_QUOTE = 512
"""Code points held back behind a tag that seems to be quoted, until its backticks close. More is no quotation."""

MAX_WHITE = 256
"""Code points of white space that are held back in case nothing follows."""

_STATUS: dict[str, Status] = {"AGENT_DONE": "done", "AGENT_BLOCKED": "blocked", "AGENT_CONTINUE": "continue"}
_TOKEN = re.compile(r"[^<`~\n]+|`+|~+|\n|<")
_PLAIN = re.compile(r"[^<`~\n]+")


@dataclass(frozen=True, slots=True)
class Wrapper:
    """What an agent said about how far it is. A field that it left out or left empty is None."""

    status: Status
    status_report: str | None = None
    """For `continue`: what is done and what comes next."""
    response: str | None = None
    """For `done`: what was achieved."""
    blocker_reason: str | None = None
    """For `blocked`: what stops it."""
    unblock_requirements: str | None = None
    """For `blocked`: what it needs."""

    @property
    def words(self) -> str:
        """What people see of it if the reply says nothing else."""
        match self.status:
            case "done":
                return self.response or "Done."
            case "continue":
                return self.status_report or "Continuing."
            case "blocked":
                said = [part for part in (self.blocker_reason, self.unblock_requirements) if part is not None]
                return "\n\n".join(said) or "Blocked."

    @property
    def written(self) -> str:
        """It as a model writes it."""
        tag = f"AGENT_{self.status.upper()}"
        fields = {
            "STATUS_REPORT": self.status_report,
            "BLOCKER_REASON": self.blocker_reason,
            "UNBLOCK_REQUIREMENTS": self.unblock_requirements,
        }
        told = "".join(f"<{name}>{text}</{name}>" for name, text in fields.items() if text is not None)
        return f"<{tag}>{self.response or ''}{told}</{tag}>"


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
    space (`MAX_WHITE`), and a wrapper's content. Time is linear in the text.
    """

    __slots__ = ("_buffer", "_last", "_open", "_outer", "_place", "_quote", "_quote_size", "_shown", "wrote_call")

    def __init__(self) -> None:
        self._buffer = ""
        self._place = self._outer = _Place()
        self._open: _Open | None = None
        self._last: Wrapper | None = None
        self._shown = _Shown()
        self._quote: list[str] | None = None
        self._quote_size = 0
        self.wrote_call = False
        """Whether a call was written down so far."""

    def feed(self, delta: str) -> str:
        """Read more of the reply.

        Args:
            delta: the next piece, of any length.

        Returns:
            Text that may be shown now; offsets into all of it count code points.
        """
        if self._is_plain(delta):
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
            and not (place.cut or place.end or place.fences.run)
            and self._shown.anything
            and not self._shown.line_ends
            and delta != ""
            and not delta[-1].isspace()
            and _PLAIN.fullmatch(delta) is not None
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
            if first == "<" and self._quote is None and fences.where != "fenced":
                tag = read_tag(text, at)
                if isinstance(tag, Unfinished):
                    if not at_end:
                        return text[at:]
                    if tag.surely_meant:
                        return ""
                elif tag is not None and fences.where == "inline":
                    self._quote, self._quote_size, quote_at = [], 0, at
                elif tag is not None:
                    self._take(tag)
                    at = tag.end
                    continue
            if self._quote is not None and (first == "\n" or self._quote_size + len(piece) > MAX_QUOTE):
                # Without copying, if it is all in this text: else many short quotes in a long text would be quadratic.
                held = self._unquote()
                text, at = (text, quote_at) if quote_at >= 0 else (held + text[at:], 0)
                continue
            self._pass(piece, first)
            at = token.end()
        return ""

    def _pass(self, piece: str, first: str) -> None:
        """`piece` is no tag."""
        if self._quote is not None:
            self._quote.append(piece)
            self._quote_size += len(piece)
        else:
            self._say(piece)
        fences = self._place.fences
        if first in "`~":
            fences.feed_run(first, len(piece))
        elif first == "\n":
            fences.feed_newline()
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
                self._place = _Place()
                self._shown.end_line(self._open)
        elif not tag.closes:
            self._abandon()
            self._open = _Open(tag.name, is_shown=tag.name == "AGENT_DONE" and not self._shown.anything)
            self._outer, self._place = self._place, _Place()
            if tag.empty:
                self._complete()
        elif self._open is not None and self._open.name == tag.name:
            self._complete()

    def _complete(self) -> None:
        if self._open is not None:
            opened, self._open = self._open, None
            self._shown.end_line(opened)
            self._place = self._outer
            if opened.name in CALLS:
                self.wrote_call = True
            else:
                self._last = opened.wrapper()

    def _abandon(self) -> None:
        """The open wrapper is none: show its text."""
        opened, self._open = self._open, None
        if opened is None:
            return
        text = opened.text()
        if opened.name in CALLS and text.startswith(("{", "[", "<")):
            self.wrote_call, text = True, ""
        self._place = _Place() if text else self._outer
        self._shown.end_line(opened)
        if text and not opened.is_shown:
            self._shown.put(f"\n{text}\n")

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


class _Place:
    """Where text is being added: to what people see, or within a wrapper. Begins on a fresh line."""

    __slots__ = ("cut", "end", "fences")

    def __init__(self) -> None:
        self.fences = Fences()
        self.end = ""
        """What could make up something new together with what follows: the start of a tag, or a run's character."""
        self.cut = False
        """Whether a tag was taken out behind it."""

    def would_merge(self, piece: str) -> bool:
        """Whether `piece` must not follow directly, now that what was between is gone."""
        return self.end.startswith("<") or (self.end != "" and self.end == piece[0])

    def ends_in(self, piece: str) -> None:
        """`piece` was added."""
        if piece == "<":
            self.end = piece
        elif self.end.startswith("<") and isinstance(read_tag(self.end + piece, 0), Unfinished):
            self.end += piece
        else:
            self.end = piece[-1] if piece[-1] in "`~" else ""


class _Open:
    """A wrapper whose closing tag has not come yet."""

    __slots__ = ("_parts", "is_shown", "name")

    def __init__(self, name: str, *, is_shown: bool = False) -> None:
        self.name = name
        self.is_shown = is_shown
        """Whether its content is shown as it comes."""
        self._parts: list[tuple[str | None, list[str]]] = [(None, [])]

    def add(self, piece: str) -> None:
        """More content."""
        self._parts[-1][1].append(piece)

    def turn(self, field: str | None) -> None:
        """A field's tag: what follows belongs to `field`, or to none."""
        self._parts.append((field, []))

    def text(self) -> str:
        """All content, without tags."""
        return _joined(pieces for _, pieces in self._parts)

    def wrapper(self) -> Wrapper:
        """What it says, now that it is complete. A field that was not closed reaches to the wrapper's end."""

        def field(name: str | None) -> str | None:
            return _joined(pieces for of, pieces in self._parts if of == name) or None

        status = _STATUS[self.name]
        match status:
            case "done":
                return Wrapper(status, response=field("KEY_RESULT") or self.text() or None)
            case "continue":
                report = field("STATUS_REPORT") or field("STATUS_MESSAGE") or self.text() or None
                return Wrapper(status, status_report=report)
            case "blocked":
                reason, needs = field("BLOCKER_REASON") or field(None), field("UNBLOCK_REQUIREMENTS")
                return Wrapper(status, blocker_reason=reason, unblock_requirements=needs)


def _joined(parts: Iterable[list[str]]) -> str:
    texts = ("".join(pieces) for pieces in parts)
    return "\n".join(text for text in texts if text.strip()).strip()


class _Shown:
    """What people see. Keeps white space until something follows it."""

    __slots__ = ("_ready", "_white", "anything", "line_ends")

    def __init__(self) -> None:
        self.anything = False
        self._ready: list[str] = []
        self._white = ""
        self.line_ends = False

    def end_line(self, opened: _Open) -> None:
        """What comes next is shown on another line than what was shown of a wrapper, if anything was."""
        if opened.is_shown and self.anything:
            self.line_ends = True
            self._white = self._white.rstrip(" \t")

    def put(self, text: str) -> None:
        """More text."""
        visible = text.rstrip()
        if visible:
            if self.line_ends:
                self.line_ends = False
                if "\n" not in self._white + text[: -len(text.lstrip())]:
                    self._white = f"\n{self._white}"
            if self.anything:
                self._ready.append(self._white + visible)
            else:
                words = visible.lstrip()
                indentation = (self._white + visible[: -len(words)]).rpartition("\n")[2]
                self._ready.append(indentation[-MAX_WHITE:] + words)
                self.anything = True
            self._white = text[len(visible) :]
        else:
            self._white += text
        if len(self._white) > MAX_WHITE:
            if self.anything:
                self._ready.append(self._white[:-MAX_WHITE])
            self._white = self._white[-MAX_WHITE:]

    def put_at_once(self, text: str) -> str:
        """More text, behind other text, with nothing ready and no white space at its end; what may be shown now."""
        white, self._white = self._white, ""
        return white + text

    def take(self) -> str:
        """What may be shown now."""
        if not self._ready:
            return ""
        ready, self._ready = "".join(self._ready), []
        return ready
