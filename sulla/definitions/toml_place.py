"""Where something stands in a TOML text that people write: the library tells values, and not their places. Pure."""

from __future__ import annotations

import re
import tomllib
from itertools import islice
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject

_MOST_LOOKED: Final = 32
"""Lines that are looked at for one key: each has what stands before it read again."""
_PROBE: Final = "sulla-probe"
"""A key that is written behind what stands before a line: where it lands is the table that the line belongs to."""
_SAID: Final = re.compile(
    r"(?P<why>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file of settings, to say what is wrong with it at its place."""

    name: str
    text: str

    def fields(self) -> JsonObject:
        """What a file of TOML holds.

        Raises:
            InvalidInput: it is no TOML; the message begins with the file, the line and the column.
        """
        try:
            return tomllib.loads(self.text)
        except ValueError as error:  # the library's own, and a number too long for Python
            said = _SAID.fullmatch(str(error))
            if said is None:
                raise InvalidInput(f"{self.name}: {error}") from error
            place = f"{said['line']}:{said['column']}" if said["line"] else _place(self.text, len(self.text.rstrip()))
            raise InvalidInput(f"{self.name}:{place}: {said['why']}") from error
        except RecursionError:
            deep = "lists or tables within each other, deeper than anybody writes them"
            raise InvalidInput(f"{self.name}: {deep}") from None

    def fault(self, said: str, *path: str | int) -> InvalidInput:
        """What is wrong, at its place as `at` tells it.

        Args:
            said: what, and what was expected.
            path: as for `at`.
        """
        return InvalidInput(f"{self.at(*path)}: {said}")

    def at(self, *path: str | int) -> str:
        """The file with the line and the column of a key, e.g. ``agent.toml:3:1``, counted from 1 as editors do.

        Args:
            path: from table to table to the key; a number is the place in a list, counted from 0. Where the key itself
                is not found, it is the table that has it; the file alone where it is no TOML.
        """
        if not self.name.endswith(".toml"):
            return self.name
        for end in range(len(path), 0, -1):
            if (found := _found(self.text, path[:end])) is not None:
                return f"{self.name}:{_place(self.text, found)}"
        return self.name


def _found(text: str, path: tuple[str | int, ...]) -> int | None:
    """Where a key or the head of a table begins; None if that is not seen, as within other values."""
    name = re.escape(str(next((step for step in reversed(path) if isinstance(step, str)), "")))
    head = rf"\[[^\n]*(?<![\w-]){name}(?![\w-])[^\n]*"
    key = rf"[\"']?{name}[\"']?(?=[ \t]*[.=])"
    for match in islice(re.finditer(rf"^[ \t]*(?:(?P<head>{head})|(?P<key>{key}))", text, re.MULTILINE), _MOST_LOOKED):
        kind = "head" if match["head"] else "key"
        before, table = (match.end(), path) if kind == "head" else (match.start(), path[:-1])
        if _lands(text[:before], table):
            return match.start(kind)
    return None


def _lands(before: str, table: tuple[str | int, ...]) -> bool:
    """Whether a key that follows a text belongs to a table."""
    try:
        found: Json = tomllib.loads(f"{before}\n{_PROBE} = 0")
    except (ValueError, RecursionError):  # it ends within a value
        return False
    for step in table:
        if isinstance(found, dict) and isinstance(step, str):
            found = found.get(step)
        elif isinstance(found, list) and isinstance(step, int) and step < len(found):
            found = found[step]
        else:
            return False
    return isinstance(found, dict) and _PROBE in found


def _place(text: str, at: int) -> str:
    return f"{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"
