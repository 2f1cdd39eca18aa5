"""Where a Markdown text that comes in pieces can be cut, so that what is whole is shown for good. Pure."""

from __future__ import annotations

import re
from typing import Final

from sulla.core.dataclass import dataclass

MOST_CHARS: Final = 32_768
"""A block that is longer is cut at a line's end: what is shown at once, and formed again as it grows, is bounded."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")


@dataclass(slots=True)
class Blocks:
    """One text, cut into paragraphs, lists, tables and blocks of code; it lives as long as the text comes."""

    _block: str = ""
    """The lines of the block that is open."""
    _line: str = ""
    """The line that has not ended."""
    _fence: str = ""
    """By what the block of code that is open ends; empty outside of one."""
    _blank: bool = False
    """Whether the open block ends in an empty line, so that what comes next may begin another one."""

    @property
    def open(self) -> str:
        """What is not whole yet."""
        return self._block + self._line

    def add(self, piece: str) -> list[str]:
        """Take a piece in.

        Returns:
            The blocks that are whole now, in their order, without the empty lines between them.
        """
        whole: list[str] = []
        *ended, rest = (self._line + piece).split("\n")
        self._line = ""
        for line in ended:
            whole += self._take(line)
        self._line = rest
        if len(self._line) > MOST_CHARS:
            self._block, self._line = self._block + self._line, ""
            whole += self._cut()
        return whole

    def end(self) -> list[str]:
        """The text is over: what is left of it."""
        line, self._line = self._line, ""
        whole = self._take(line) if line else []
        rest, self._block, self._fence, self._blank = self._block, "", "", False
        return [*whole, rest] if rest.strip() else whole

    def _take(self, line: str) -> list[str]:
        cut: list[str] = []
        if self._blank and line.strip() and not self._fence and not self._goes_on(line):
            cut = self._cut()
        self._block += line + "\n"
        self._blank = not line.strip()
        fenced = self._turn_fence(line)
        if (fenced and not self._fence and not self._block.startswith((" ", "\t"))) or len(self._block) > MOST_CHARS:
            cut += self._cut()
        return cut

    def _turn_fence(self, line: str) -> bool:
        """Whether a line begins or ends a block of code."""
        found = _FENCE.match(line)
        if found is None:
            return False
        mark = found[1]
        if not self._fence:
            self._fence = mark
            return True
        if mark[0] == self._fence[0] and len(mark) >= len(self._fence) and not line.strip().strip(mark[0]):
            self._fence = ""
            return True
        return False

    def _goes_on(self, line: str) -> bool:
        """Whether a line behind an empty one belongs to the same block: what is within a list, or its next item."""
        return line.startswith((" ", "\t")) or (bool(_ITEM.match(line)) and bool(_ITEM.match(self._block)))

    def _cut(self) -> list[str]:
        block, self._block, self._blank = self._block, "", False
        # A block that grew too long within code goes on as code.
        if self._fence:
            self._block = f"{self._fence}\n"
        return [block] if block.strip() else []
