"""The tools that every agent can have."""

from __future__ import annotations

from sulla.tools.base import Tool
from sulla.tools.builtin.clock import clock_tools
from sulla.tools.builtin.edit import edit_tools
from sulla.tools.builtin.files import file_tools


def builtin_tools(timezone: str = "UTC") -> tuple[Tool, ...]:
    """All of them.

    Args:
        timezone: the IANA name of the owner's time zone, for tools that are not told one.
    """
    return (*clock_tools(timezone), *file_tools(), *edit_tools())


__all__ = ["builtin_tools", "clock_tools", "edit_tools", "file_tools"]
