"""Writes the table of docs/tools.md from the tools themselves.

``python -m tests.daemon.tools_page``
"""

from __future__ import annotations

from pathlib import Path

from sulla.agent.spec import SULLA
from sulla.daemon.core import offline_core
from sulla.daemon.settings.config import load_settings
from sulla.testing.clock import ManualClock
from sulla.tools.base import Tool
from sulla.tools.web.browse import catalogue_of, first_sentence

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tools.md"
BEGIN = "<!-- The table is written by tests/daemon/tools_page.py. -->\n"
END = "<!-- Here it ends. -->\n"
NOWHERE = Path("/nonexistent")


def every_tool() -> tuple[Tool, ...]:
    """All tools that Sulla brings along, by name; `browse_tools` too, which is there only beside many others."""
    tools = offline_core(load_settings({}, {}, NOWHERE), ManualClock()).host.tools
    return tuple(catalogue_of(tools.lasting(SULLA), lambda _: 10_000).toolbox)


def table() -> str:
    """The tools, as Markdown."""
    head = "| tool | effect | reach | time | asks | what it does |\n| --- | --- | --- | --- | --- | --- |\n"
    return head + "".join(map(_row, every_tool()))


def wanted(page: str) -> str:
    """The page as it has to be: what people wrote, and the table."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table() + END + after


def _row(tool: Tool) -> str:
    reach = tool.reach if isinstance(tool.reach, str) else "depends"
    asks = "yes" if tool.asks is not None else ""
    text = first_sentence(tool).replace("|", "\\|")
    return f"| `{tool.name}` | {tool.effect} | {reach} | {tool.timeout_s:g} s | {asks} | {text} |\n".replace(
        "|  |", "| |"
    )


if __name__ == "__main__":
    PAGE.write_text(wanted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
