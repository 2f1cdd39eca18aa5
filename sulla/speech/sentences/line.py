"""What a line of Markdown begins as: a block of code, a heading, a row of a table, or text. Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern

_MARK = r"(?:[>*+•-]|\d{1,3}[.)])"
_MARKS = rf"(?:{_MARK}[ \t]{{1,8}}|>){{0,4}}"
"""Signs of quotations and lists; what they hold may be anything of the following."""
_LINE = late_pattern(rf"{_MARKS}(?:(?P<fence>`{{3,16}}|~{{3,16}})|(?P<heading>#{{1,6}}[ \t])|(?P<row>\|))?")
_BEGUN = late_pattern(rf"{_MARKS}(?:{_MARK}|\d{{1,3}}|`{{1,16}}|~{{1,16}}|#{{1,6}})?")
"""What may still become one of them."""
_INFO_CHARS = 80
_INFO = late_pattern(rf"[^`\n]{{0,{_INFO_CHARS}}}")
"""What may stand behind backticks that open a block; with more backticks it is code within a line."""
_CLOSING = late_pattern(r"[ \t>]{0,40}(?P<run>`{3,64}|~{3,64})[ \t]{0,40}\n")
_CLOSING_BEGUN = late_pattern(r"[ \t>]{0,40}(?:`{0,64}|~{0,64})[ \t]{0,40}")


@dataclass(frozen=True, slots=True)
class Fence:
    """What a block of code was opened with."""

    run: str
    """As many of its signs as close it."""
    length: int
    """Up to where in its line the opening goes."""

    def closing(self, text: str) -> int | None:
        """Up to where the line at the text's beginning closes the block; 0 if it does not, None while that is open."""
        found = _CLOSING.match(text)
        if found is not None:
            return found.end("run") if found["run"].startswith(self.run) else 0
        return None if _CLOSING_BEGUN.fullmatch(text) else 0


@dataclass(frozen=True, slots=True)
class Line:
    """How a line begins."""

    fence: Fence | None = None
    whole: bool = False
    """A heading or a row: it is one piece, whatever is in it."""


_TEXT = Line()
_WHOLE = Line(whole=True)


def read_line(text: str) -> Line | None:
    """See what begins at the text's beginning, which is a line's first character that is no white space.

    Returns:
        None if more has to come before that is clear.
    """
    if _BEGUN.fullmatch(text):
        return None
    found = _LINE.match(text)
    if found is None:
        return _TEXT
    run = found["fence"]
    if run is None:
        return _WHOLE if found["heading"] or found["row"] else _TEXT
    if run[0] == "`":
        end = _INFO.match(text, found.end())
        info = found.end() if end is None else end.end()
        if info - found.end() < _INFO_CHARS:
            if info == len(text):
                return None
            if text[info] == "`":
                return _TEXT
    return Line(Fence(run, found.end()))
