from __future__ import annotations

import asyncio
import errno
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import ToolCall
from sulla.core.words import Author
from sulla.host.system import SystemClock
from sulla.testing.clock import ManualClock
from sulla.tools.base import Done, ToolContext
from sulla.tools.builtin.shell import shell_tools
from sulla.tools.call import run_call
from sulla.tools.output import KEPT_BYTES
from sulla.tools.overflow import where
from sulla.tools.program_files import PROGRAMS
from sulla.tools.registry import Toolbox
from sulla.tools.shell.bounds import CommandBounds
from sulla.tools.shell.held import HeldChanges
from sulla.tools.shell.jobs import MAX_RUNNING, ShellJobs
from sulla.tools.shell.layer import Layer, Layers
from sulla.tools.shell.sandbox import Shell
from tests.soon import a_pause
from tests.tools.contexts import context_in, no_held_changes


class Bench:
    """A shell without a sandbox, its jobs, and a thread that uses them; the programs are real, time is not."""

    def __init__(self, workspace: Path) -> None:
        self.clock = ManualClock()
        self.jobs = ShellJobs(self.clock)
        self.shell = Shell()
        self.toolbox = Toolbox(shell_tools(self.shell, self.jobs, no_held_changes))
        self.said: list[Json] = []
        self.context = replace(context_in(workspace, self.clock), progress=self.said.append)

    async def use(self, name: str, context: ToolContext | None = None, /, **args: Json) -> Done:
        """Call a tool."""
        result = await run_call(self.toolbox, ToolCall(CallId("call_1"), name, args), context or self.context)
        assert isinstance(result, Done)
        return result

    async def run(self, command: str, **args: Json) -> Done:
        """Call `bash`."""
        return await self.use("bash", command=command, **args)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    bench = Bench(tmp_path)
    running = asyncio.ensure_future(bench.jobs.run())
    await asyncio.sleep(0)
    yield bench
    running.cancel()
    await asyncio.wait((running,))


async def test_a_command_tells_what_it_printed_and_its_status(bench: Bench, tmp_path: Path) -> None:
    done = await bench.run("echo out; echo err >&2; pwd; exit 3")
    assert done.text.startswith(f"out\nerr\n{tmp_path}\n[exit status 3, 0.0 s")
    assert done.is_error


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
async def test_where_the_disk_is_full_the_folder_is_named(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(layer: Layer) -> None:
        raise OSError(errno.ENOSPC, "full")

    (workspace := tmp_path / "workspace").mkdir()
    layers = Layers(tmp_path / "layers")
    shell = Shell(layers=layers)
    await shell.open(workspace, SystemClock())
    bench.toolbox = Toolbox(shell_tools(shell, bench.jobs, lambda: HeldChanges(layers, PROGRAMS)))
    monkeypatch.setattr(Layer, "close", full)
    context = replace(context_in(workspace, SystemClock()), by=Author.TAINTED_AGENT)
    done = await bench.use("bash", context, command="echo x > a.txt")
    said = f"nothing of what the command changed is in the workspace: No space left on device in {tmp_path}/layers: "
    assert done.is_error
    assert said in done.text


async def test_a_silent_command_says_that_it_went_well(bench: Bench, tmp_path: Path) -> None:
    done = await bench.run("mkdir a && touch a/b")
    assert done.text.startswith("[exit status 0, ")
    assert not done.is_error
    assert (tmp_path / "a/b").exists()


async def test_a_command_that_reaches_a_bound_is_told_which(bench: Bench) -> None:
    bench.shell.bounds = CommandBounds(max_processes=60)
    done = await bench.run("echo begun; while :; do sleep 1000 & done")
    assert done.text.startswith("begun\n[exit status 137, ")
    assert "60 processes and threads at once; shell.max_processes allows more]" in done.text
    done = await bench.run("echo 'cc: No space left on device'; exit 1")
    assert "shell.max_tmp_mb" in done.text
    done = await bench.run("(echo 'cc: No space left on device'; exit 1); echo done")
    assert "; if a program failed here: its memory disks hold" in done.text, "it went well all in all"
    assert "shell." not in (await bench.run("echo done")).text


async def test_a_job_that_reaches_a_bound_is_told_which(bench: Bench) -> None:
    bench.shell.bounds = CommandBounds(max_processes=60)
    await bench.run("while :; do sleep 1000 & done", background=True)
    [job] = bench.jobs.of(bench.context.thread_id)
    await job.over.wait()
    assert "shell.max_processes" in job.end
    assert "shell.max_processes" in (await bench.use("bash_job", action="read", job=job.id)).text


async def test_a_command_has_no_input_and_a_made_up_environment(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-do-not-tell")
    done = await bench.run("cat; env | cut -d= -f1 | sort | tr '\\n' ' '; echo $HOME")
    names, home = done.text.splitlines()[0].rsplit(" ", 1)
    assert set(names.split()) == {
        *("HOME", "LANG", "PATH", "TERM", "NO_COLOR", "PAGER", "GIT_TERMINAL_PROMPT", "SULLA_PROGRAM"),
        *(
            "GIT_OPTIONAL_LOCKS",
            "GIT_CONFIG_COUNT",
            "GIT_CONFIG_KEY_0",
            "GIT_CONFIG_VALUE_0",
        ),  # who looks writes nothing
        *("PWD", "SHLVL", "_"),  # the shell's own
    }
    assert home == str(tmp_path)


async def test_a_command_out_of_time_says_so(bench: Bench) -> None:
    running = asyncio.ensure_future(bench.run("echo begun; sleep 100", timeout_s=1))
    while not bench.said:
        await a_pause()
    await bench.clock.advance(1)
    done = await running
    assert done.text.startswith("begun\n[killed after 1 s, its time limit, 1.0 s")
    assert done.is_error


async def test_a_long_output_keeps_its_ends_and_the_whole_in_a_file(bench: Bench, tmp_path: Path) -> None:
    done = await bench.run("seq 100000")
    whole = "".join(f"{number}\n" for number in range(1, 100_001))
    assert done.text.startswith("1\n2\n3\n")
    assert "99999\n100000\n[exit status 0" in done.text
    assert f"of {len(whole)} bytes are left out here. It is kept in {where('call_1')}:" in done.text
    assert (tmp_path / where("call_1")).read_text() == whole


async def test_what_cannot_be_run_in_the_foreground_is_refused_with_the_way_out(bench: Bench) -> None:
    done = await bench.run("true", timeout_s=601)
    assert done.text == "timeout_s is 601; more than 600 is for background=true"
    assert (await bench.run("echo \0")).text.startswith("this cannot be run: ")


async def test_whoever_watches_sees_the_output_as_it_comes(bench: Bench) -> None:
    await bench.run("echo first")
    assert bench.said == ["first\n"]


async def test_without_a_sandbox_a_command_reaches_outward_asks_first_and_is_not_trusted(bench: Bench) -> None:
    tool = bench.toolbox.get("bash")
    assert tool is not None
    assert tool.effect == "once"
    assert callable(tool.reach)
    assert tool.asks is not None
    assert tool.reach({"command": "x"}, bench.context) == "outward"
    assert tool.asks({"command": "rm -rf x"}, bench.context) == (
        f"Run this without a sandbox, in {bench.context.workspace}: rm -rf x"
    )
    assert (await bench.run("echo hi")).tainted


@pytest.mark.parametrize(
    ("layer_trouble", "asks_of_command"),
    [("", ""), ("no overlays here", "Run this (no overlays here), able to change files")],
)
async def test_a_conversation_with_text_from_outside_is_asked_about_what_writes_into_the_workspace_itself(
    layer_trouble: str, asks_of_command: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Shell, "sealed", True)
    bench.shell.layer_trouble = layer_trouble
    tool, tainted = bench.toolbox.get("bash"), replace(bench.context, by=Author.TAINTED_AGENT)
    assert tool is not None
    assert tool.asks is not None
    job: JsonObject = {"command": "make watch", "background": True}
    assert tool.asks(job, tainted).startswith("Run this ")
    assert tool.asks(job, tainted).endswith("text from outside that may have asked for it: make watch")
    assert (tool.asks(job, bench.context), tool.asks({"command": "make"}, bench.context)) == ("", "")
    assert tool.asks({"command": "make"}, tainted).startswith(asks_of_command)
    assert bool(tool.asks({"command": "make"}, tainted)) is bool(layer_trouble)


async def test_a_cancelled_command_is_killed_at_once(bench: Bench, tmp_path: Path) -> None:
    running = asyncio.ensure_future(bench.run("trap 'touch asked' TERM; echo $$ > pid; sleep 1000; sleep 1000"))
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        await a_pause()
    pid = int((tmp_path / "pid").read_text())
    began = bench.clock.elapsed()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert bench.clock.elapsed() == began, "nothing was waited for"
    assert not (tmp_path / "asked").exists(), "nor was it asked to end"
    assert not Path(f"/proc/{pid}").exists()


# ----------------------------------------------------------------------------------------------------------------- jobs


async def ended(bench: Bench, job: str) -> Done:
    await bench.jobs.get(bench.context.thread_id, job).over.wait()
    return await bench.use("bash_job", action="read", job=job)


async def test_a_job_goes_on_beside_the_conversation(bench: Bench) -> None:
    started = await bench.run("echo begun; read -t 0.2 <> <(:); echo done; exit 4", background=True)
    assert started.text == "Started job_1. bash_job with action 'read' and job 'job_1' shows how it goes."
    told = await ended(bench, "job_1")
    head, text = told.text.split("\n", 1)
    assert head == "[job_1: ended with exit status 4 after 0 s; 11 bytes printed; go on with after=11]"
    assert text == "begun\ndone\n"
    assert told.tainted
    again = await bench.use("bash_job", action="read", job="job_1", after=6)
    assert again.text.endswith("]\ndone\n")
    assert "job_1: ended" in (await bench.use("bash_job")).text


async def test_a_job_is_killed_when_asked(bench: Bench) -> None:
    await bench.run("sleep 1000", background=True)
    assert "running for 0 s" in (await bench.use("bash_job", action="read", job="job_1")).text
    assert "[job_1: killed;" in (await bench.use("bash_job", action="kill", job="job_1")).text
    assert "[job_1: killed;" in (await bench.use("bash_job", action="kill", job="job_1")).text


async def test_a_job_ends_when_its_time_is_up(bench: Bench, tmp_path: Path) -> None:
    await bench.run("touch begun; sleep 1000", background=True, timeout_s=1)
    while not (tmp_path / "begun").exists():
        await a_pause()
    await bench.clock.advance(1)
    assert "[job_1: ended with exit status 143 after 1 s, out of time;" in (await ended(bench, "job_1")).text


async def test_jobs_end_with_the_daemon(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    running = asyncio.ensure_future(bench.jobs.run())
    await asyncio.sleep(0)
    for _ in range(3):
        await bench.run("sleep 1000", background=True)
    running.cancel()
    await asyncio.wait((running,))
    assert bench.jobs.counts() == {"running": 0, "known": 3}
    assert "the daemon is stopping" in (await bench.run("sleep 1000", background=True)).text


async def test_only_so_many_jobs_run_at_once(bench: Bench) -> None:
    for _ in range(MAX_RUNNING):
        assert not (await bench.run("sleep 1000", background=True)).is_error
    refused = await bench.run("sleep 1000", background=True)
    assert refused.is_error
    assert refused.text == "8 jobs are running already; wait for one to end, or kill one with bash_job"


async def test_a_job_of_another_conversation_is_nobodys(bench: Bench) -> None:
    await bench.run("sleep 1000", background=True)
    other = replace(bench.context, thread_id=ThreadId("thr_2"))
    refused = await bench.use("bash_job", other, action="kill", job="job_1")
    assert refused.text == "there is no job 'job_1' in this conversation (known: none); jobs end with the daemon"
    assert (await bench.use("bash_job", other)).text == "No jobs in this conversation."


async def test_a_long_output_of_a_job_is_kept(bench: Bench, tmp_path: Path) -> None:
    await bench.run("head -c 5000000 /dev/zero | tr '\\0' x", background=True)
    await ended(bench, "job_1")
    while not (job := bench.jobs.get(bench.context.thread_id, "job_1")).file:
        await a_pause()
    assert (tmp_path / job.file).stat().st_size == KEPT_BYTES
    told = await bench.use("bash_job", action="read", job="job_1")
    assert f"It is kept in {job.file}" in told.text
    assert "the last 24576 bytes of what is new" in told.text


async def test_of_a_long_output_that_was_put_away_only_the_end_takes_up_memory(bench: Bench) -> None:
    await bench.run("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo end", background=True)
    await ended(bench, "job_1")
    job = bench.jobs.get(bench.context.thread_id, "job_1")
    while job.output.kept:
        await a_pause()
    assert job.file
    assert (await bench.use("bash_job", action="read", job="job_1", after=5_000_001)).text.endswith("]\nend\n")


@pytest.mark.parametrize("how", ["by itself", "killed", "with the daemon"])
async def test_who_waits_for_a_job_is_told_once_when_it_is_over(tmp_path: Path, how: str) -> None:
    bench, over = Bench(tmp_path), asyncio.Event()
    told: list[bool] = []

    async def tell() -> str:
        told.append((tmp_path / "late").exists())
        over.set()
        return ""

    running = asyncio.ensure_future(bench.jobs.run())
    await asyncio.sleep(0)
    command = "touch begun; until test -e go; do read -t 0.01 <> <(:); done; touch late"
    done = await bench.use("bash", replace(bench.context, over=tell), command=command, background=True)
    assert done.goes_on
    while not (tmp_path / "begun").exists():
        await a_pause()
    assert told == []
    if how == "by itself":
        (tmp_path / "go").touch()
    elif how == "killed":
        await bench.use("bash_job", action="kill", job="job_1")
    else:
        running.cancel()
    await over.wait()
    assert told == [how == "by itself"]
    running.cancel()
    await asyncio.wait((running,))


async def test_nobody_waits_for_one_that_was_not_started(bench: Bench) -> None:
    for _ in range(MAX_RUNNING):
        await bench.run("sleep 1000", background=True)
    assert not (await bench.run("sleep 1000", background=True)).goes_on


# ------------------------------------------------------------------------------------------------- all of it, as data


async def test_a_playbook_is_given_what_was_printed_to_the_letter(bench: Bench) -> None:
    context = replace(bench.context, whole_bytes=KEPT_BYTES)
    done = await bench.use("bash", context, command="printf '\\e[31mred\\e[0m\\r\\n'; seq 20000")
    assert done.data == {
        "text": "\x1b[31mred\x1b[0m\r\n" + "".join(f"{n}\n" for n in range(1, 20_001)),
        "exit_status": 0,
    }
    assert done.cut == ""
    assert done.text.startswith("red\n1\n2\n")
    assert "left out" not in done.text


async def test_what_a_playbook_is_not_given_of_an_output_is_told(bench: Bench) -> None:
    context = replace(bench.context, whole_bytes=KEPT_BYTES)
    assert "byte 0xff at offset 1" in (await bench.use("bash", context, command="printf 'a\\377'")).cut
    many = await bench.use("bash", context, command="head -c 5000000 /dev/zero | tr '\\0' x")
    assert f"printed 5000000 bytes, and a step takes {KEPT_BYTES}" in many.cut
