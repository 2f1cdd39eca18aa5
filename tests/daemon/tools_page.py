"""Writes the tables of docs/tools.md from the tools themselves.

``python -m tests.daemon.tools_page``
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from sulla.agent.spec import SULLA
from sulla.core.jsontypes import FrozenJson, Json
from sulla.daemon.core import offline_core
from sulla.daemon.settings.config import load_settings
from sulla.flows.branches import RUN_BRANCHES
from sulla.testing.clock import ManualClock
from sulla.tools.base import Tool
from sulla.tools.web.browse import catalogue_of, first_sentence

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tools.md"
BEGIN = "<!-- The table is written by tests/daemon/tools_page.py. -->\n"
END = "<!-- Here it ends. -->\n"
ARGUMENTS_BEGIN = "<!-- What follows is written by tests/daemon/tools_page.py. -->\n"
ARGUMENTS_END = "<!-- Here that ends. -->\n"
_SIZES = ("imum", "Length", "Items")
NOWHERE = Path("/nonexistent")


def every_tool() -> tuple[Tool, ...]:
    """All tools that Sulla brings along, by name; `browse_tools` too, which is there only beside many others."""
    tools = offline_core(load_settings({}, {}, NOWHERE), ManualClock()).host.tools
    every = catalogue_of(tools.lasting(SULLA), lambda _: 10_000).toolbox
    return tuple(tool for tool in every if tool.name != RUN_BRANCHES)  # no model is told of it


def table() -> str:
    """The tools, as Markdown."""
    head = "| tool | effect | reach | time | asks | what it does |\n| --- | --- | --- | --- | --- | --- |\n"
    return head + "".join(map(_row, every_tool()))


def arguments() -> str:
    """What each tool takes, and what a playbook's step gets of it, as Markdown."""
    return "\n".join(map(_section, every_tool()))


def wanted(page: str) -> str:
    """The page as it has to be: what people wrote, and the tables."""
    for begin, end, text in ((BEGIN, END, table()), (ARGUMENTS_BEGIN, ARGUMENTS_END, arguments())):
        before, _, rest = page.partition(begin)
        _, _, after = rest.partition(end)
        page = before + begin + text + end + after
    return page


def _section(tool: Tool) -> str:
    properties = cast("Mapping[str, FrozenJson]", tool.schema.get("properties") or {})
    required = cast("list[str]", tool.schema.get("required") or [])
    rows = [_field(f"`{name}`{' *' if name in required else ''}", about) for name, about in properties.items()]
    gives = cast("Mapping[str, FrozenJson]", tool.gives)
    rows += [_field(f"→ `{name}`", about) for name, about in gives.items()]
    if not rows:
        return f"**`{tool.name}`** takes nothing and gives `text` alone.\n"
    return f"**`{tool.name}`**\n\n| | type | |\n| --- | --- | --- |\n{''.join(rows)}"


def _field(name: str, about: FrozenJson) -> str:
    kind = about.get("type", "any")
    kinds = ", ".join(map(str, kind)) if isinstance(kind, list) else str(kind)
    low, high = (next((about[f"{end}{of}"] for of in _SIZES if f"{end}{of}" in about), None) for end in ("min", "max"))
    if choices := about.get("enum"):
        kinds = ", ".join(
            f"`{choice if isinstance(choice, str) else json.dumps(choice)}`" for choice in cast("list[Json]", choices)
        )
    elif low is not None or high is not None:
        kinds += (
            f", {'to' if low is None else f'{low} to' if high is not None else f'from {low}'} {high or ''}".rstrip()
        )
    said = str(about.get("description", "")).replace("|", "\\|")
    fields = _fields_of(about)
    default = about.get("default")
    said += f" Unless said: `{json.dumps(default)}`." if default not in (None, "") else ""
    return f"| {name} | {kinds} | {said}{f' ({fields})' if fields else ''} |\n"


def _fields_of(about: FrozenJson) -> str:
    """The fields of a list's entries."""
    items = about.get("items")
    inner = items.get("properties") if isinstance(items, dict) else None
    return ", ".join(f"`{name}`" for name in inner) if isinstance(inner, dict) else ""


def _row(tool: Tool) -> str:
    reach = tool.reach if isinstance(tool.reach, str) else "depends"
    asks = "yes" if tool.asks is not None else ""
    text = first_sentence(tool).replace("|", "\\|")
    return f"| `{tool.name}` | {tool.effect} | {reach} | {tool.timeout_s:g} s | {asks} | {text} |\n".replace(
        "|  |", "| |"
    )


if __name__ == "__main__":
    PAGE.write_text(wanted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
