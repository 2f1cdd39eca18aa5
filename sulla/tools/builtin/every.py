"""The tools that every agent can have. Pure."""

from __future__ import annotations

from sulla.tools.base import Tool
from sulla.tools.builtin.clock import clock_tools
from sulla.tools.builtin.edit import edit_tools
from sulla.tools.builtin.files import file_tools
from sulla.tools.program_files import PROGRAMS, ProgramFiles


def builtin_tools(programs: ProgramFiles = PROGRAMS, zone: str = "UTC") -> tuple[Tool, ...]:
    """All of them.

    Args:
        programs: which files a tainted run asks about before it writes them.
        zone: the time zone whose time an agent is told that names none.
    """
    return (*clock_tools(zone), *file_tools(programs), *edit_tools(programs))
