from __future__ import annotations

from pathlib import Path

from sulla.core.ids import CallId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall
from sulla.tools.base import Done
from sulla.tools.builtin.every import builtin_tools
from sulla.tools.builtin.listing import MAX_LISTED, Named, listing_tools
from sulla.tools.call import run_call
from sulla.tools.registry import Toolbox
from tests.tools.contexts import context_in


async def listed(name: str, tmp_path: Path, some: tuple[Named, ...] = (), **args: Json) -> str:
    tools = listing_tools(builtin_tools, lambda: some, lambda: some)
    result = await run_call(Toolbox(tools), ToolCall(CallId("c"), name, args), context_in(tmp_path))
    assert isinstance(result, Done)
    assert not result.is_error
    return result.text


async def test_every_tool_has_a_line(tmp_path: Path) -> None:
    lines = (await listed("list_tools_available", tmp_path)).splitlines()
    assert len(lines) == len(builtin_tools())
    assert "read_file (files): Read a text file of the workspace, whole or a range of its lines" in lines


async def test_tools_can_be_listed_by_category(tmp_path: Path) -> None:
    text = await listed("list_tools_available", tmp_path, category="Time")
    assert text.startswith("get_time_date (time): ")
    assert "\n" not in text
    assert "files" in await listed("list_tools_available", tmp_path, category="tme")


async def test_nobody_and_nothing_is_said_in_words(tmp_path: Path) -> None:
    assert await listed("list_subagents_available", tmp_path) == "There are no agents that you may set to work."
    assert await listed("list_intents_available", tmp_path) == "There are no intents: messages are not routed."


async def test_whoever_is_there_has_a_line(tmp_path: Path) -> None:
    some = (("scout", "finds things"), ("scribe", ""))
    assert await listed("list_subagents_available", tmp_path, some) == "scout: finds things\nscribe"
    assert await listed("list_intents_available", tmp_path, some) == "scout: finds things\nscribe"


async def test_a_long_list_is_cut(tmp_path: Path) -> None:
    some = tuple((f"agent{number}", "") for number in range(MAX_LISTED + 7))
    assert (await listed("list_subagents_available", tmp_path, some)).endswith(f"agent{MAX_LISTED - 1}\n[… and 7 more]")
