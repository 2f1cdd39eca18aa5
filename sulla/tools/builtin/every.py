"""The tools that every agent can have. Pure."""

from __future__ import annotations

from sulla.tools.base import Tool
from sulla.tools.builtin.clock import clock_tools
from sulla.tools.builtin.edit import edit_tools
from sulla.tools.builtin.files import file_tools


def builtin_tools() -> tuple[Tool, ...]:
    """All of them; an agent that names no time zone is told the time in UTC."""
    return (*clock_tools(), *file_tools(), *edit_tools())
