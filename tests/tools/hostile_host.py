"""A process of its own that makes one call of `bash` like a daemon would, and tells what that cost it.

Run as ``python hostile_host.py WORKSPACE TIMEOUT_S COMMAND``; prints one line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from pathlib import Path

from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.daemon.loop import new_loop
from sulla.host.system import SystemClock
from sulla.tools.base import Done
from sulla.tools.builtin.shell import shell_tools
from sulla.tools.call import run_call
from sulla.tools.registry import Toolbox
from sulla.tools.shell.jobs import ShellJobs
from sulla.tools.shell.sandbox import Shell
from tests.soon import queued_s
from tests.tools.contexts import context_in, no_held_changes


async def main(workspace: Path, timeout_s: int, command: str) -> dict[str, object]:
    """The call and its cost."""
    clock = SystemClock()
    toolbox = Toolbox(shell_tools(Shell(), ShellJobs(clock), no_held_changes))
    first = ToolCall(CallId("call_0"), "bash", {"command": "echo ready"})
    await run_call(toolbox, first, context_in(workspace, clock))  # what is loaded at the first call counts for nothing
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = clock.elapsed() - queued_s()
    call = ToolCall(CallId("call_1"), "bash", {"command": command, "timeout_s": timeout_s})
    result = await run_call(toolbox, call, context_in(workspace, clock))
    took_s = clock.elapsed() - queued_s() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert isinstance(result, Done)
    return {"took_s": took_s, "grown_mib": grown, "text": result.text, "is_error": result.is_error}


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=new_loop) as runner:
        told = runner.run(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
    sys.stdout.write(json.dumps(told))
