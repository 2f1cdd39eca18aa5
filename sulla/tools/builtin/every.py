"""The tools that every agent can have. Pure."""

from __future__ import annotations

from sulla.tools.base import Tool
from sulla.tools.builtin.clock import clock_tools
from sulla.tools.builtin.edit import edit_tools
from sulla.tools.builtin.files import file_tools
from sulla.tools.program_files import PROGRAMS, ProgramFiles


def builtin_tools(programs: ProgramFiles = PROGRAMS) -> tuple[Tool, ...]:
    """All of them; an agent that names no time zone is told the time in UTC.

    Args:
        programs: which files a tainted run asks about before it writes them.
    """
    return (*clock_tools(), *file_tools(programs), *edit_tools(programs))
