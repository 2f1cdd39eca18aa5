"""Tools that do their worst: each ends within its time and 2 s, leaves no process behind and costs little memory."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.testing.clock import ManualClock
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.call import MAX_RESULT_BYTES, run_call
from sulla.tools.overflow import where
from sulla.tools.registry import Toolbox
from tests.kits.in_turn import in_turn
from tests.soon import attempts, until
from tests.tools.contexts import context_in

pytestmark = in_turn(3)

ROOT = Path(__file__).parents[2]
GRACE_S = 2.0
MAX_GROWN_MIB = 32

PHOENIX = """python3 -c '
import os, signal
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
for _ in range(40):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        for fd in range(3):
            os.close(fd)
        signal.pause()
        os._exit(0)
signal.pause()
'"""
"""Forks twice, in sessions of their own, with nothing open and deaf to every signal that can be ignored."""

DAEMON = "env -i setsid -f sleep 1000"
"""A process that belongs to nobody, in a session and with an environment of its own."""

HOSTILE = {
    "hung": "sleep 1000",
    "hung behind a pipe": "cat < <(sleep 1000)",
    "deaf to SIGTERM": "trap '' TERM INT HUP QUIT; while :; do sleep 100; done",
    "many children": "for i in $(seq 50); do sleep 1000 & done; wait",
    "children that left": f"{DAEMON}; (setsid sleep 1000 &); {DAEMON}; sleep 1000",
    "children that left and are deaf": PHOENIX,
    "forks for ever": "while :; do setsid -f sleep 1000; done",
    "stops its reaper": "kill -STOP $PPID; sleep 1000",
    "kills its reaper": "setsid -f sleep 1000; kill -KILL $PPID; sleep 1000",
    "prints for ever": "yes",
    "prints what is no text, for ever": "cat /dev/urandom",
}


@dataclass(frozen=True, slots=True)
class Told:
    """What the host told of a call."""

    took_s: float
    grown_mib: float
    text: str
    is_error: bool


def host(workspace: Path, timeout_s: int, command: str) -> Told:
    """Make the call in a process of its own."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.tools.hostile_host", workspace, str(timeout_s), command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=170,
    )
    assert run.returncode == 0, run.stderr
    return Told(**json.loads(run.stdout))


def left(workspace: Path) -> list[str]:
    """The processes that still stand in the workspace."""
    found = []
    for process in psutil.process_iter(["cwd", "cmdline", "status"]):
        cwd = process.info["cwd"]
        if cwd and Path(cwd) == workspace and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(" ".join(process.info["cmdline"] or ["?"]))
    return found


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_command_is_gone_in_time_with_all_it_started(what: str, tmp_path: Path) -> None:
    for took in attempts(1 + GRACE_S):
        told = host(tmp_path, 1, HOSTILE[what])
        took.append(told.took_s)
        assert told.is_error
        assert told.grown_mib <= MAX_GROWN_MIB
        assert len(told.text.encode()) <= MAX_RESULT_BYTES
        assert left(tmp_path) == []


def test_what_a_command_leaves_running_ends_with_it(tmp_path: Path) -> None:
    for took in attempts(5):
        told = host(tmp_path, 45, f"{DAEMON}; sleep 1000 & echo done")
        took.append(told.took_s)
        assert told.text.startswith("done\n[exit status 0")
        assert left(tmp_path) == []


@pytest.mark.timeout(180)
def test_a_gibibyte_is_read_in_little_memory_and_its_beginning_kept(tmp_path: Path) -> None:
    told = host(tmp_path, 160, "head -c 1073741824 /dev/zero | tr '\\0' x; echo; echo the end")
    assert "of 1073741833 bytes are left out here" in told.text
    assert "the end\n[exit status 0" in told.text
    assert told.grown_mib <= MAX_GROWN_MIB
    kept = tmp_path / where("call_1")
    assert kept.stat().st_size == 4 * 1024 * 1024


def test_the_daemons_death_is_the_commands_end(tmp_path: Path) -> None:
    command = f"{DAEMON}; touch begun; trap '' TERM; sleep 1000; sleep 1000"
    with subprocess.Popen(
        [sys.executable, "-m", "tests.tools.hostile_host", tmp_path, "50", command], cwd=ROOT
    ) as daemon:
        until((tmp_path / "begun").exists)
        assert left(tmp_path)
        daemon.kill()
    until(lambda: not left(tmp_path))


# ------------------------------------------------------------------------------------------ tools within the process

CALL = ToolCall(CallId("call_1"), "hostile", {})


def tool(work: Callable[[], object], timeout_s: float = 0.2) -> Toolbox:
    async def run(args: FrozenJson, context: ToolContext) -> Result:
        result = work()
        return await result if asyncio.iscoroutine(result) else result  # type: ignore[return-value]  # may be anything

    return Toolbox([Tool("hostile", "Does its worst.", {"type": "object"}, run, timeout_s=timeout_s)])


async def outcome(toolbox: Toolbox, tmp_path: Path) -> Done:
    result = await run_call(toolbox, CALL, context_in(tmp_path))
    assert isinstance(result, Done)
    return result


@dataclass(slots=True)
class Deaf:
    """Ignores that it is to end, until it is let go."""

    cancelled: int = 0
    free: bool = False

    async def work(self) -> Result:
        """Go on, whatever happens."""
        while not self.free:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled += 1
        return Done(ours("at last"))

    def __enter__(self) -> Deaf:
        return self

    def __exit__(self, *_: object) -> None:
        """However a test ends, its loop can end as well."""
        self.free = True


async def test_a_tool_that_ignores_cancellation_is_left_behind(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = ManualClock()
    with Deaf() as deaf:
        running = asyncio.ensure_future(run_call(tool(deaf.work), CALL, context_in(tmp_path, clock)))
        await clock.advance(0.2 + GRACE_S)
        assert running.done()
    result = await running
    assert isinstance(result, Done)
    assert "was stopped after 0.2 s" in result.text
    assert [record.message for record in caplog.records] == [
        "a tool does not end although it was cancelled; it is left behind"
    ]
    [task] = [one for one in asyncio.all_tasks() if one is not asyncio.current_task()]
    task.cancel()
    await asyncio.wait((task,))
    assert deaf.cancelled == 2


async def test_a_stop_does_not_wait_for_a_tool_that_ignores_it(tmp_path: Path) -> None:
    clock = ManualClock()
    with Deaf() as deaf:
        running = asyncio.ensure_future(run_call(tool(deaf.work, 50), CALL, context_in(tmp_path, clock)))
        await clock.settle()
        running.cancel()
        await clock.advance(GRACE_S)
        assert running.done()
    with pytest.raises(asyncio.CancelledError):
        await running
    [task] = [one for one in asyncio.all_tasks() if one is not asyncio.current_task()]
    task.cancel()
    await asyncio.wait((task,))


@pytest.mark.parametrize("error", [SystemExit("bye"), KeyboardInterrupt("now"), MemoryError(), RecursionError("deep")])
async def test_a_tool_cannot_end_the_daemon(error: BaseException, tmp_path: Path) -> None:
    def work() -> object:
        raise error

    result = await outcome(tool(work), tmp_path)
    assert result.is_error
    assert result.text.startswith(type(error).__name__)


@pytest.mark.parametrize("text", ["\ud800" * 100_000, "\0" * 1_000_000, "\ufffe\U0010ffff" * 100_000])
async def test_whatever_a_tool_says_can_be_kept(text: str, tmp_path: Path) -> None:
    result = await outcome(tool(lambda: Done(ours(text)), 20), tmp_path)
    assert len(result.text.encode()) <= MAX_RESULT_BYTES
    assert f"bytes are shown. It is kept in {where('call_1')}" in result.text
