"""Running a program so that it surely ends, with all that it has started, and so that it learns nothing of ours."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound, Refused
from sulla.tools.shell.reaper import kill_marked

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

LIMITS: Mapping[str, int] = {
    "CORE": 0,
    "DATA": 8 << 30,
    "FSIZE": 4 << 30,
    "NOFILE": 4096,
}
"""Bounds of each process, as setrlimit(2) has them: what one may use by mistake, not what one may need. Not ``AS``,
because what runs JavaScript reserves far more addresses than memory; not ``NPROC``, because it counts all processes of
the user, the daemon's and the desktop's with them."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run: its arguments, folder and environment."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    """All that it sees of an environment."""


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a program ended: its status, and whether its time was up."""

    status: int
    """As a shell has it: 128 and a signal's number for one that was killed."""
    timed_out: bool = False
    elapsed_s: float = 0.0


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
    transport, watch = await _start(program, feed, mark)
    try:
        timed_out = not await watch.ended_within(clock, timeout_s)
        if timed_out:
            await _ask_to_end(transport, watch, clock)
        else:
            await _drain(watch, clock)
        return ProcessEnd(_status(transport), timed_out, clock.elapsed() - began)
    finally:
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
    program: Program, feed: Callable[[bytes], None], mark: str
) -> tuple[asyncio.SubprocessTransport, _ProcessProtocol]:
    limits = ",".join(f"{name}={number}" for name, number in LIMITS.items())
    try:
        return await asyncio.get_running_loop().subprocess_exec(
            lambda: _ProcessProtocol(feed),
            sys.executable,
            "-I",
            "-S",
            os.fspath(REAPER),
            limits,
            *program.argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=program.cwd,
            env={**program.env, MARK: mark.partition("=")[2]},
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound("the workspace is not there any more: no program can be run in it") from error
    except ValueError as error:
        raise Refused(f"this cannot be run: {error}") from error
    except OSError as error:
        raise Refused(f"no program can be started: {os.strerror(error.errno or 0)}") from error


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
