"""docs/tools.md says what the tools say of themselves."""

from __future__ import annotations

import re
from pathlib import Path

from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.tools.base import Done, Tool
from sulla.tools.call import MAX_RESULT_BYTES, run_call
from sulla.tools.registry import Toolbox
from sulla.tools.shell.jobs import MAX_JOB_S, MAX_RUNNING
from sulla.tools.web.browse import ALL_TOKENS, FIRST_TOKENS
from tests.daemon.tools_page import PAGE, every_tool, wanted
from tests.tools.contexts import context_in


def test_the_table_is_up_to_date() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == wanted(page), "run `python -m tests.daemon.tools_page`"


def test_every_tool_declares_what_it_does_to_the_world() -> None:
    tools = every_tool()
    assert len(tools) > 25
    later = {"remind_user", "schedule_task", "cancel_schedule"}
    assert {tool.name for tool in tools if tool.reach == "outward"} <= {
        *("browser_navigate", "http", "web_fetch", "web_search"),
        *later,
    }
    assert {tool.name for tool in tools if tool.effect == "once" and tool.category != "agents"} == {
        "bash",
        "browser_click",
        "browser_type",
        "edit_file",
        "http",
    }


def test_the_figures_in_the_text_are_the_codes() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert f"{MAX_RESULT_BYTES // 1024} KiB" in page
    assert f"{MAX_RUNNING} at once" in page
    assert f"{MAX_JOB_S // 3600} hour" in page
    assert f"{ALL_TOKENS:,} tokens" in page
    assert f"{FIRST_TOKENS:,} tokens" in page


async def test_the_example_is_a_tool_that_works(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(from typing.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    there: dict[str, object] = {}
    exec(code, there)  # noqa: S102 - it is ours, and this is what is to be shown
    tool = there["tool"]
    assert isinstance(tool, Tool)
    call = ToolCall(CallId("call_1"), "count_words", {"text": "one three", "least": "4"})
    result = await run_call(Toolbox((tool,)), call, context_in(tmp_path))
    assert isinstance(result, Done)
    assert result.text.startswith("1\n\n[The arguments were mended: ")
