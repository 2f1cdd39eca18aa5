"""The door to what agents can do."""

from sulla.tools.base import Done, Effect, Result, Tool, ToolContext, ToolFunction, Waiting
from sulla.tools.builtin import builtin_tools, clock_tools, file_tools
from sulla.tools.call import run_call
from sulla.tools.define import define
from sulla.tools.paths import inside, locate, open_file, open_folder
from sulla.tools.registry import Toolbox
from sulla.tools.schema import Bounds, validate

__all__ = [
    "Bounds",
    "Done",
    "Effect",
    "Result",
    "Tool",
    "ToolContext",
    "ToolFunction",
    "Toolbox",
    "Waiting",
    "builtin_tools",
    "clock_tools",
    "define",
    "file_tools",
    "inside",
    "locate",
    "open_file",
    "open_folder",
    "run_call",
    "validate",
]
