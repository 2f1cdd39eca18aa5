"""Where a reply's text is added, and what people see of it: without white space at its beginning and end. Pure."""

from __future__ import annotations

from sulla.agent.model.fences import Fences
from sulla.agent.model.tags import Unfinished, read_tag

MAX_WHITE = 256
"""Code points of white space that are held back in case nothing follows."""


class Place:
    """Where text is being added: to what people see, or within a wrapper. Begins on a fresh line."""

    __slots__ = ("cut", "end", "fences", "indent", "is_code", "is_fresh", "is_word")

    def __init__(self) -> None:
        self.fences = Fences()
        self.is_fresh = True
        """Whether a call may begin here: the line has nothing but some indentation so far, and is no code."""
        self.indent = 0
        self.end = ""
        """What could make up something new together with what follows: the start of a tag, or a run's character."""
        self.cut = False
        """Whether a tag was taken out behind it."""
        self.is_code = False
        """Whether the line is indented as code is."""
        self.is_word = False
        """Whether a word may go on here."""

    def begin_line(self) -> None:
        """The line ended, and the next one is no code."""
        self.is_fresh, self.indent, self.is_code = True, 0, False

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


class Shown:
    """What people see. Keeps white space until something follows it."""

    __slots__ = ("_ready", "_white", "anything", "line_ends")

    def __init__(self) -> None:
        self.anything = False
        self._ready: list[str] = []
        self._white = ""
        self.line_ends = False

    def end_line(self) -> None:
        """What comes next is shown on another line, if anything was shown."""
        if self.anything:
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
