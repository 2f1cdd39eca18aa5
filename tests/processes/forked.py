"""Commands of Sulla in processes of their own that begin with its modules imported: they are forked from a server that
has imported them. That takes a daemon three quarters of its start. All else is as in any other process: its signals,
its sockets, its files and its end.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver, get_context
from multiprocessing.context import ForkServerContext
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import IO, Any, Protocol, Self

import pytest

FORKS = sys.platform == "linux"
"""Whether processes are forked. Elsewhere the system's libraries do not outlive that, and each begins afresh."""

_MAIN = {"sulla": "sulla.cli.main", "tests.faults.daemon": "tests.faults.daemon"}
"""Where the ``main`` is of what ``python -m`` would run."""


class Process(Protocol):
    """What tests use of a process; `subprocess.Popen` is one. As a context it lasts until the process has ended."""

    pid: int
    stdout: Any
    """What it prints, if that is a pipe."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *about: Any) -> None: ...

    def poll(self) -> int | None:
        """Its exit code, or less than 0 if a signal ended it; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; its exit code.

        Raises:
            subprocess.TimeoutExpired: it has not ended in so many seconds.
        """

    def send_signal(self, sig: int, /) -> None:
        """Send it a signal, unless it has ended."""

    def kill(self) -> None:
        """End it at once."""


def start(
    words: Sequence[str],
    environ: Mapping[str, str],
    *,
    module: str = "sulla",
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.PIPE,
    stderr: int,
    session: bool = False,
    afresh: bool = False,
) -> Process:
    """Start a process.

    Args:
        words: its command line, behind ``python -m MODULE``.
        environ: its environment.
        module: what it runs.
        stdin: the number of an open file, or ``DEVNULL``.
        stdout: the number of an open file, or ``PIPE``.
        stderr: the number of an open file.
        session: whether it leads a session of its own.
        afresh: whether it needs a Python that begins afresh, for example because the environment says so.
    """
    if afresh or not FORKS:
        return subprocess.Popen(
            [sys.executable, "-m", module, *words],
            env=environ,
            text=True,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=session,
        )
    with Path(os.devnull).open() as nothing:
        stdin = nothing.fileno() if stdin == subprocess.DEVNULL else stdin
        if stdout != subprocess.PIPE:
            return _Forked(_Begun(module, words, environ, session, _Streams(stdin, stdout, stderr)), None)
        ours, theirs = os.pipe()
        try:
            begun = _Begun(module, words, environ, session, _Streams(stdin, theirs, stderr))
            return _Forked(begun, open(ours, encoding="utf-8"))  # noqa: PTH123 - the context closes it
        finally:
            os.close(theirs)


class _Streams:
    """The numbers of three files that the new process gets."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers

    def __reduce__(self) -> tuple[Any, ...]:
        return _taken, tuple(map(DupFd, self.numbers))


def _taken(*files: Any) -> _Streams:
    return _Streams(*(file.detach() for file in files))


@dataclass(frozen=True, slots=True)
class _Begun:
    """How a process begins."""

    module: str
    words: Sequence[str]
    environ: Mapping[str, str]
    session: bool
    streams: _Streams

    def run(self, folder: str) -> None:
        """Become it.

        Args:
            folder: where it works.
        """
        os.environ.clear()
        os.environ.update(self.environ)
        time.tzset()
        os.chdir(folder)
        if self.session:
            os.setsid()
        for number, ours in enumerate(self.streams.numbers):
            os.dup2(ours, number)
            os.close(ours)
        # Half of what a daemon that soon ends would do, for turns that it never has. Those that begin afresh rehearse.
        daemon = importlib.import_module("sulla.daemon.run")
        vars(daemon)["rehearse"] = _without_rehearsal
        # As Python opens them for a process of its own.
        waits = 1 if os.isatty(1) else -1
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for as long as the process lasts
        sys.stdout = open(1, "w", waits, encoding="utf-8", closefd=False)  # noqa: SIM115 - so is this
        sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115 - so is this
        sys.argv = [self.module, *self.words]
        sys.exit(importlib.import_module(_MAIN[self.module]).main())


class _Forked:
    """A process that was forked."""

    def __init__(self, begun: _Begun, stdout: IO[str] | None) -> None:
        self.stdout = stdout
        self._process = _server().Process(target=begun.run, args=(str(Path.cwd()),))
        self._process.start()
        self.pid: int = self._process.pid or 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *about: object) -> None:
        if self.stdout is not None:
            self.stdout.close()
        self.wait()

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if (code := self.poll()) is None:
            raise subprocess.TimeoutExpired("sulla", timeout or 0)
        return code

    def send_signal(self, sig: int, /) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.kill(self.pid, sig)

    def kill(self) -> None:
        self._process.kill()


@cache
def _server() -> ForkServerContext:
    """The server, which runs until this process has ended, and all that were forked from it."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.processes.modules"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONUTF8", "1")
        forkserver.ensure_running()
    return context


def share_server() -> None:
    """Have the server come up, for this process and all that are forked from it. It is not waited for."""
    _server()
    # Else each would ask the system whether that runs, as for a child of its own.
    forkserver._forkserver.ensure_running = _nothing  # type: ignore[method-assign]  # the library has no other way


def _nothing() -> None:
    pass


async def _without_rehearsal(*_: object) -> None:
    """Have the first turn wait for what `sulla.daemon.models.rehearsal` would have made for it."""
