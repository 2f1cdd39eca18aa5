"""What a tool call gets, for tests."""

from __future__ import annotations

from pathlib import Path

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import ToolCall
from sulla.testing.clock import ManualClock
from sulla.tools import Done, Toolbox, ToolContext, builtin_tools, run_call


def context_in(workspace: Path, clock: Clock | None = None, notes: list[Json] | None = None) -> ToolContext:
    """A context like the agent's."""
    said: list[Json] = [] if notes is None else notes
    return ToolContext(
        ThreadId("thr_1"),
        RunId("run_1"),
        CallId("call_1"),
        "run_1:call_1",
        workspace,
        clock or ManualClock(),
        Control(),
        said.append,
    )


async def use(name: str, workspace: Path, clock: Clock | None = None, **args: Json) -> Done:
    """Call a built-in tool as an agent would."""
    given: JsonObject = dict(args)
    result = await run_call(
        Toolbox(builtin_tools()), ToolCall(CallId("call_1"), name, given), context_in(workspace, clock)
    )
    assert isinstance(result, Done)
    return result
