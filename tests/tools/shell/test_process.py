from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from sulla.core.clock import Clock
from sulla.core.errors import NotFound, Refused
from sulla.daemon.loop import new_loop
from sulla.host.system import SystemClock
from sulla.testing.clock import ManualClock
from sulla.tools.output import Output
from sulla.tools.shell.layer import Layers
from sulla.tools.shell.process import DEFAULT_PATH, LIMITS, ProcessEnd, Program, environment, run_program
from sulla.tools.shell.sandbox import Shell
from tests.soon import a_pause


async def run(workspace: Path, *argv: str, clock: Clock | None = None) -> tuple[ProcessEnd, str]:
    output = Output()
    program = Program(argv, workspace, environment(workspace))
    ended = await run_program(program, output.feed, clock or SystemClock(), 50)
    return ended, output.show("")


async def there(file: Path) -> None:
    """Wait until a program has written a file; the test's own deadline ends this otherwise."""
    while not file.exists() or not file.read_text():
        await a_pause()


async def test_a_program_runs_in_its_folder_with_its_words_as_they_are(tmp_path: Path) -> None:
    ended, said = await run(tmp_path, "sh", "-c", 'pwd; printf "%s|" "$@"', "sh", "a b", "$HOME", "")
    assert (ended.status, said) == (0, f"{tmp_path}\na b|$HOME||")


@pytest.mark.parametrize(
    ("command", "status"),
    [("exit 7", 7), ("kill -9 $$", 137), ("kill -SEGV $$", 128 + signal.SIGSEGV), ("true", 0)],
)
async def test_how_it_ended_is_told_as_a_shell_does(command: str, status: int, tmp_path: Path) -> None:
    ended, _ = await run(tmp_path, "sh", "-c", command)
    assert (ended.status, ended.timed_out) == (status, False)


async def test_a_program_that_is_not_there_says_so(tmp_path: Path) -> None:
    ended, said = await run(tmp_path, "no-such-program")
    assert (ended.status, said) == (127, "no-such-program: not found\n")
    (tmp_path / "text").write_text("no program")
    ended, said = await run(tmp_path, "./text")
    assert ended.status == 126
    assert "Permission denied" in said


async def test_programs_of_one_shell_begin_one_after_the_other(tmp_path: Path) -> None:
    shell = Shell(wanted=False)
    programs = [await shell.program(f"touch {number}", tmp_path) for number in range(3)]
    (starts,) = {id(program.starts): program.starts for program in programs}.values()
    await starts.acquire()
    running = [asyncio.create_task(run_program(program, Output().feed, SystemClock(), 50)) for program in programs]
    try:
        # What waits is not begun, however long that takes: the one that is not of this shell has come and gone.
        assert (await run(tmp_path, "true"))[0].status == 0
        assert list(tmp_path.iterdir()) == []
    finally:
        starts.release()
    await asyncio.gather(*running)
    assert {file.name for file in tmp_path.iterdir()} == {"0", "1", "2"}


async def test_a_folder_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="the workspace is not there any more"):
        await run(tmp_path / "gone", "true")


async def test_what_no_system_can_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="this cannot be run"):
        await run(tmp_path, "echo", "a\0b")


async def test_it_has_no_input_and_leads_a_session_of_its_own(tmp_path: Path) -> None:
    ended, said = await run(tmp_path, "sh", "-c", "cat; ps -o sid= -p $$ 2>/dev/null || echo $$; echo $$")
    assert ended.status == 0
    session, pid = said.split()
    assert session == pid


async def test_it_has_the_limits_that_are_set_and_no_ignored_signals(tmp_path: Path) -> None:
    _, said = await run(tmp_path, "sh", "-c", "ulimit -c; ulimit -n; grep -E 'SigIgn|SigBlk' /proc/self/status")
    core, files, blocked, ignored = said.split("\n")[:4]
    assert (core, int(files)) == ("0", LIMITS["NOFILE"])
    assert blocked.split()[1] == ignored.split()[1] == "0" * 16


@pytest.mark.parametrize("make_loop", [asyncio.new_event_loop, new_loop], ids=["asyncio", "the daemon's"])
def test_a_polite_program_has_the_time_to_put_its_things_in_order(
    make_loop: Callable[[], asyncio.AbstractEventLoop], tmp_path: Path
) -> None:
    command = "trap 'echo tidy; exit 5' TERM; echo begun; sleep 100 & echo ready >there; wait"

    async def out_of_time() -> tuple[ProcessEnd, str]:
        clock = ManualClock()
        running = asyncio.ensure_future(run(tmp_path, "bash", "-c", command, clock=clock))
        await there(tmp_path / "there")
        await clock.advance(50)
        return await running

    with asyncio.Runner(loop_factory=make_loop) as runner:
        ended, said = runner.run(out_of_time())
    assert ended.timed_out
    assert (ended.status, said) == (5, "begun\ntidy\n")


LISTED = "ls -m /proc/$$/fd; :"
"""Prints the numbers of the files that a shell has open."""


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not show them")
@pytest.mark.parametrize("kind", ["bare", "sandbox", "mistrusted", "layer"])
def test_a_command_has_its_input_and_output_open_and_nothing_else(kind: str, tmp_path: Path) -> None:
    """On the daemon's loop: it leaves its own ends open in what it starts."""
    (workspace := tmp_path / "workspace").mkdir()

    async def listed() -> str:
        layers = Layers(tmp_path / "layers")
        shell = Shell(wanted=kind != "bare", layers=layers)
        await shell.open(workspace, SystemClock())
        if kind != "bare" and not shell.layered:
            pytest.skip(shell.trouble or shell.layer_trouble)
        layer = layers.make(str(workspace)) if kind == "layer" else None
        program = await shell.program(LISTED, workspace, tainted=kind in ("mistrusted", "layer"), layer=layer)
        output = Output()
        await run_program(program, output.feed, SystemClock(), 50)
        return output.show("")

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(listed()) == "0, 1, 2\n"


async def test_cancelled_it_is_gone_before_the_wait_is_over(tmp_path: Path) -> None:
    clock = ManualClock()
    command = "trap 'echo yes >asked' TERM; echo $$ >pid; sleep 100; sleep 100"
    running = asyncio.ensure_future(run(tmp_path, "sh", "-c", command, clock=clock))
    await there(tmp_path / "pid")
    began = clock.elapsed()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert clock.elapsed() == began, "nothing was waited for"
    assert not (tmp_path / "asked").exists(), "nor was it asked to end"
    assert not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()


def test_the_environment_is_made_up(tmp_path: Path) -> None:
    assert environment(tmp_path)["PATH"] == DEFAULT_PATH
    made = environment(tmp_path, "/opt/tools")
    assert (made["HOME"], made["PATH"]) == (str(tmp_path), "/opt/tools")
    assert set(made) == {"HOME", "LANG", "PATH", "TERM", "NO_COLOR", "PAGER", "GIT_TERMINAL_PROMPT"}
