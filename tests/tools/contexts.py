"""What a tool call gets, for tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import ToolCall
from sulla.core.words import Author
from sulla.testing.clock import ManualClock
from sulla.tools.base import Done, ToolContext
from sulla.tools.builtin.every import builtin_tools
from sulla.tools.call import MAX_STEP_BYTES, run_call
from sulla.tools.program_files import PROGRAMS
from sulla.tools.registry import Toolbox
from sulla.tools.shell.held import HeldChanges
from sulla.tools.shell.layer import Layers


def context_in(workspace: Path, clock: Clock | None = None, key: str = "run_1:call_1") -> ToolContext:
    """A context like the agent's."""
    said: list[Json] = []
    return ToolContext(
        ThreadId("thr_1"),
        RunId("run_1"),
        CallId("call_1"),
        key,
        workspace,
        clock or ManualClock(),
        Control(),
        said.append,
        Author.AGENT,
    )


def no_held_changes() -> HeldChanges:
    """For a shell without layers, which never asks for one."""
    return HeldChanges(Layers(Path("layers")), PROGRAMS)


async def use(name: str, workspace: Path, clock: Clock | None = None, /, **args: Json) -> Done:
    """Call a built-in tool as an agent would."""
    given: JsonObject = dict(args)
    call = ToolCall(CallId("call_1"), name, given)
    result = await run_call(Toolbox(builtin_tools()), call, context_in(workspace, clock, repr(given)))
    assert isinstance(result, Done)
    return result


async def use_whole(name: str, workspace: Path, most: int = MAX_STEP_BYTES, /, **args: Json) -> Done:
    """Call a built-in tool as a playbook would, which wants all of a result."""
    context = replace(context_in(workspace), whole_bytes=most)
    result = await run_call(Toolbox(builtin_tools()), ToolCall(CallId("call_1"), name, dict(args)), context)
    assert isinstance(result, Done)
    return result
