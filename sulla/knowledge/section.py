"""A piece of a file that can be quoted, and where it stands. Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece of a text."""

    headings: tuple[str, ...]
    """What it stands under, the outermost first."""
    line: int
    """Where it begins, from 1."""
    text: str
    page: int = 0
    """The page of a PDF, from 1; 0 where there are none. `line` counts on the page then."""


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a file in the home's folder `knowledge/`."""

    file: str
    """The path within the folder, ``/`` between names."""
    cut: Cut

    @property
    def citation(self) -> str:
        """Where it stands, for people: ``returns.md, Returns > Refunds, line 12``."""
        return f"{self.file}, {self.place}"

    @property
    def place(self) -> str:
        """The same without the file."""
        under = " > ".join(self.cut.headings)
        page = f"page {self.cut.page}" if self.cut.page else ""
        return ", ".join(filter(None, (under, page, f"line {self.cut.line}")))

    @property
    def row(self) -> JsonObject:
        """The same as values."""
        cut = self.cut
        return {
            "file": self.file,
            "headings": [*cut.headings],
            "page": cut.page,
            "line": cut.line,
            "text": cut.text,
        }
