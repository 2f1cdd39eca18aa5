"""Running a program so that it surely ends, with all that it has started, and so that it learns nothing of ours."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Final, cast

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound, Refused
from sulla.tools.shell.bounds import NO_SETTINGS, CommandBounds
from sulla.tools.shell.marked import kill_marked

REAPER: Final = Path(__file__).with_name("reaper.py")
"""Stands between; see there."""

ASKED_S = 1.5
"""How long a program gets once it was asked to end: a little more than its reaper gives it."""
KILLED_S = 2.0
"""How long its reaper may take to kill it."""
DRAIN_S = 0.5
"""How long is read on, for what a program that has ended left in its pipe."""

MARK: Final = "SULLA_PROGRAM"
"""The variable by which a program and all it started can be found again, should it have killed its reaper."""

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

LIMITS: Final[Mapping[str, int]] = NO_SETTINGS.limits
"""Bounds of each process, where nobody has set others: what one may use by mistake, not what one may need."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run: its arguments, folder and environment."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    """All that it sees of an environment."""
    bounds: CommandBounds = NO_SETTINGS
    """What it may use of the machine, with all that it starts."""
    grouped: bool = False
    """Whether a control group bounds its processes, or it is not run: for root, of whose the kernel counts none."""
    filter: bytes = b""
    """What it finds to read at `reaper.FILTER_FD`: a filter of system calls, if it knows what to do with one."""
    disk: Path | None = None
    """A folder that it fills beside the one it runs in: the disks of both are watched."""
    starts: asyncio.Lock = field(default_factory=asyncio.Lock, compare=False, repr=False)
    """Held while it is started. The event loop stands still until the system has begun a process, which takes a tenth
    of a second on a busy machine: those with the same lock begin one after the other, with the loop going on between.
    """


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a program ended: its status, and whether its time was up or a bound was reached."""

    status: int
    """As a shell has it: 128 and a signal's number for one that was killed."""
    timed_out: bool = False
    elapsed_s: float = 0.0
    exceeded: str = ""
    """Which bound ended it, in words; empty if none did."""

    @property
    def why(self) -> str:
        """What ended it before its time, to go behind its exit status; empty if it ended by itself."""
        return ", out of time" if self.timed_out else f": {self.exceeded}" if self.exceeded else ""


def environment(home: Path, path: str = "") -> dict[str, str]:
    """The environment of a program. It is made up, not passed on: nothing that the daemon was told is in it.

    Args:
        home: what it shall take for its home.
        path: where programs are looked for; empty for the system's own folders.
    """
    return {
        "HOME": os.fspath(home),
        "LANG": "C.UTF-8",
        "PATH": path or DEFAULT_PATH,
        "TERM": "dumb",
        "NO_COLOR": "1",
        "PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
    }


_TMP: Final = "/tmp"  # noqa: S108 - one of its own
OWN_CACHES: Final = {
    "XDG_CACHE_HOME": f"{_TMP}/.cache",
    "XDG_STATE_HOME": f"{_TMP}/.state",
    "PYTHONPYCACHEPREFIX": f"{_TMP}/.cache/python",
    "PYTHON_HISTORY": f"{_TMP}/.state/python",
    "npm_config_cache": f"{_TMP}/.cache/npm",
    "npm_config_update_notifier": "false",
    "NODE_REPL_HISTORY": "",
    "CARGO_HOME": f"{_TMP}/.cargo",
    "GRADLE_USER_HOME": f"{_TMP}/.gradle",
    "GOPATH": f"{_TMP}/go",
    "DOTNET_CLI_HOME": _TMP,
    "HISTFILE": "",
    "LESSHISTFILE": "-",
}
"""Where tools put their caches, logs and histories in a sandbox, whose ``/tmp`` is the command's own. At home, which is
the workspace, these would be files that programs obey, and would get into commits."""


async def run_program(program: Program, feed: Callable[[bytes], None], clock: Clock, timeout_s: float) -> ProcessEnd:
    """Run a program to its end, or to the end of its time.

    When this returns, or is cancelled, neither the program nor anything that it started runs any more.

    Args:
        program: what to run.
        feed: takes what it prints, standard error among it, piece by piece.
        clock: all time.
        timeout_s: how long it may take, in seconds; then it is asked to end, and 2 s later it has.

    Raises:
        NotFound: its folder is not there.
        Refused: the system starts no more processes.
    """
    began = clock.elapsed()
    mark = f"{MARK}={os.getpid()}-{began}"
    report, told = os.pipe()
    os.set_blocking(report, False)
    try:
        async with program.starts:
            transport, watch = await _start(program, feed, mark, told)
    except BaseException:
        os.close(report)
        raise
    finally:
        os.close(told)
    try:
        timed_out = not await watch.ended_within(clock, timeout_s)
        if timed_out:
            await _ask_to_end(transport, watch, clock)
        else:
            await _drain(watch, clock)
        status = _status(transport)
        exceeded = program.bounds.exceeded(_read(report), status)
        return ProcessEnd(status, timed_out, clock.elapsed() - began, exceeded)
    finally:
        os.close(report)
        await _kill(transport, watch, clock)
        if (transport.get_returncode() or 0) < 0:  # somebody killed the reaper, and nobody has cleared up
            await asyncio.to_thread(kill_marked, mark.encode())
        transport.close()


class _ProcessProtocol(asyncio.SubprocessProtocol):
    """Takes a process's output, and notices its end."""

    def __init__(self, feed: Callable[[bytes], None]) -> None:
        self._feed = feed
        self._exited = asyncio.Event()
        self.read = asyncio.Event()
        """All that was printed was read."""

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It printed something."""
        self._feed(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """One of its pipes is closed."""
        if fd == 1:
            self.read.set()

    def process_exited(self) -> None:
        """It has ended."""
        self._exited.set()

    async def ended_within(self, clock: Clock, seconds: float) -> bool:
        """Wait for its end; whether it came in time."""
        if not self._exited.is_set():
            with suppress(TimeoutError):
                async with clock.timeout(seconds):
                    await self._exited.wait()
        return self._exited.is_set()


async def _start(
    program: Program, feed: Callable[[bytes], None], mark: str, told: int
) -> tuple[asyncio.SubprocessTransport, _ProcessProtocol]:
    words = {**program.bounds.limits, **program.bounds.together, "REPORT": told}
    if program.grouped:
        words["GROUP"] = program.bounds.max_processes
    if program.filter:
        words["FILTER"] = _readable(program.filter)
    if program.disk is not None:
        words["DISK"] = os.open(program.disk, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return await asyncio.get_running_loop().subprocess_exec(
            lambda: _ProcessProtocol(feed),
            sys.executable,
            "-I",
            "-S",
            os.fspath(REAPER),
            ",".join(f"{name}={number}" for name, number in words.items()),
            *program.argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            pass_fds=tuple(words[name] for name in ("REPORT", "FILTER", "DISK") if name in words),
            cwd=program.cwd,
            env={**program.env, MARK: mark.partition("=")[2]},
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound("the workspace is not there any more: no program can be run in it") from error
    except ValueError as error:
        raise Refused(f"this cannot be run: {error}") from error
    except OSError as error:
        raise Refused(f"no program can be started: {os.strerror(error.errno or 0)}") from error
    finally:
        for name in ("FILTER", "DISK"):
            if name in words:
                os.close(words[name])


def _readable(text: bytes) -> int:
    """A file descriptor that a short text is read from."""
    end, into = os.pipe()
    os.write(into, text)
    os.close(into)
    return end


def _read(report: int) -> str:
    """What the reaper has told; empty if it had nothing to tell."""
    try:
        return os.read(report, 64).decode()
    except BlockingIOError:
        return ""


async def _ask_to_end(transport: asyncio.SubprocessTransport, watch: _ProcessProtocol, clock: Clock) -> None:
    # No isinstance: the pipes of uvloop are none of asyncio's classes.
    line = cast("asyncio.WriteTransport | None", transport.get_pipe_transport(0))
    if line is not None:
        line.write(b"t")
    await watch.ended_within(clock, ASKED_S)


async def _drain(watch: _ProcessProtocol, clock: Clock) -> None:
    with suppress(TimeoutError):
        async with clock.timeout(DRAIN_S):
            await watch.read.wait()


async def _kill(transport: asyncio.SubprocessTransport, watch: _ProcessProtocol, clock: Clock) -> None:
    """Have the reaper kill what is left; nothing to do if it has ended."""
    if transport.get_returncode() is not None:
        return
    line = transport.get_pipe_transport(0)
    if line is not None:
        line.close()
    transport.send_signal(signal.SIGCONT)  # the program may have stopped it
    if not await watch.ended_within(clock, KILLED_S):
        transport.kill()
        await watch.ended_within(clock, KILLED_S)


def _status(transport: asyncio.SubprocessTransport) -> int:
    code = transport.get_returncode()
    if code is None:
        return 128 + 9  # it did not end when asked, and is killed right after this
    return code if code >= 0 else 128 - code
