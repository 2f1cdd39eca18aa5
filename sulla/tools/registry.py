"""The tools that somebody has. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from types import MappingProxyType

from sulla.core.errors import Conflict, InvalidInput, NotFound
from sulla.tools.base import Tool
from sulla.tools.nearest import did_you_mean

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
"""What every model's service accepts as a tool's name."""


class Toolbox:
    """A set of tools by name that never changes.

    Iterates in the order of the names, so that a prompt made from it is always the same.

    Args:
        tools: the tools.

    Raises:
        Conflict: two tools have the same name.
        InvalidInput: a name that models' services do not accept.
    """

    __slots__ = ("_tools",)

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        by_name: dict[str, Tool] = {}
        for tool in tools:
            if not _NAME.fullmatch(tool.name):
                raise InvalidInput(
                    f"a tool cannot be called {tool.name!r}: use 1 to 64 letters, digits, '_' and '-', a letter first"
                )
            if tool.name in by_name:
                raise Conflict(f"two tools are called {tool.name!r}; rename one")
            by_name[tool.name] = tool
        self._tools = MappingProxyType(dict(sorted(by_name.items())))

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    @property
    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        return tuple(self._tools)

    def get(self, name: str) -> Tool | None:
        """The tool of that name, or None."""
        return self._tools.get(name)

    def only(self, names: Iterable[str]) -> Toolbox:
        """The toolbox with no other tools than these, as far as there are any of those names."""
        wanted = frozenset(names)
        return Toolbox(tool for tool in self._tools.values() if tool.name in wanted)

    def select(self, names: Iterable[str]) -> Toolbox:
        """The toolbox with only these tools.

        Raises:
            NotFound: there is no tool of that name.
        """
        chosen: list[Tool] = []
        for name in dict.fromkeys(names):
            tool = self._tools.get(name)
            if tool is None:
                raise NotFound(f"there is no tool {name!r}.{did_you_mean(name, self._tools)}")
            chosen.append(tool)
        return Toolbox(chosen)
