"""Looks names up in a table of names and patterns. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import translate
from typing import Final

from sulla.core.pattern import late_pattern

_WILD: Final = late_pattern(r"[*?]")
_NONE: Final = late_pattern(r"(?!)")


class NameTable:
    """A table of names, made once: plain ones and endings are looked up, the others are one regular expression for each
    letter that they begin with.

    Args:
        table: who, and the names; the first who fits is told.
    """

    def __init__(self, table: Mapping[str, str]) -> None:
        plain, endings, others = dict[str, str](), dict[str, str](), dict[str, list[tuple[str, str]]]()
        for who, names in table.items():
            for name in names.split():
                if not _WILD.search(name):
                    plain.setdefault(name, who)
                elif name.startswith("*"):
                    endings.setdefault(name[1:], who)
                else:
                    others.setdefault(name[0], []).append((who, translate(name)))
        self._plain, self._endings = plain, endings
        self._odd = tuple(ending for ending in endings if not ending.startswith("."))
        self._others = {
            first: ([who for who, _ in ones], late_pattern("|".join(f"({pattern})" for _, pattern in ones)))
            for first, ones in others.items()
        }

    def who(self, name: str) -> str:
        """Who runs or obeys what is called so; empty for nobody."""
        if (found := self._plain.get(name)) is not None:
            return found
        at = name.find(".")
        while at >= 0:
            if (found := self._endings.get(name[at:])) is not None:
                return found
            at = name.find(".", at + 1)
        if name.endswith(self._odd):
            return next(self._endings[ending] for ending in self._odd if name.endswith(ending))
        whose, pattern = self._others.get(name[:1], ((), _NONE))
        match = pattern.match(name)
        return whose[(match.lastindex or 1) - 1] if match is not None else ""
