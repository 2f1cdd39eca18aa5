"""A tool that lacks something is there for whoever names it, until what takes its place comes."""

from __future__ import annotations

from dataclasses import replace

from sulla.agent.spec import SULLA
from sulla.core.words import ours
from sulla.host.team import Team
from sulla.host.tools import ToolRegistry
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define


async def look_up(context: ToolContext) -> Result:
    """Look something up."""
    return Done(ours("found"))


TOOL = define(look_up, effect="pure")
LACKING = replace(TOOL, missing="nothing to look into")


def test_what_comes_takes_the_place_of_what_lacked_something() -> None:
    tools, there = ToolRegistry(Team((SULLA,))), [tuple[Tool, ...]()]
    tools.add((LACKING,), source=lambda: there[0])
    assert tools.now(SULLA).get("look_up") is LACKING
    there[0] = (TOOL,)
    assert tools.now(SULLA).get("look_up") is TOOL
    assert "look_up" in tools
    there[0] = ()
    assert tools.now(SULLA).get("look_up") is LACKING


def test_only_where_names_are_not_known_beforehand_may_anything_come() -> None:
    tools = ToolRegistry(Team((SULLA,)))
    tools.add((LACKING,), source=tuple)
    assert not tools.has_moving
    tools.add(source=tuple)
    assert tools.has_moving
