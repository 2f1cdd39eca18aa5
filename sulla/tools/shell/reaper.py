"""The small program that stands between the daemon and a program it runs: it leaves nothing of it behind.

Run as a file of its own (``python -I -S reaper.py LIMITS PROGRAM ARGUMENT…``), so it imports nothing of Sulla. Whatever
the program starts, also what forks twice or opens a session of its own, becomes the reaper's child when its parent is
gone (a Linux *subreaper*), and is found and killed. The reaper is told what to do over its standard input: a byte asks
the program to end and gives it `GRACE_S`; the end of the input, which also comes when the daemon dies, kills at once.
Its exit status is the program's; 128 and a signal's number for one that was killed.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress

GRACE_S = 1.25
"""How long a program may take to end by itself once it was asked to: with all that follows less than 2 s."""
TICK_MS = 50
ROUNDS = 60
"""How often is looked for what is left of it, at the most, `TICK_MS` apart."""
SET_SUBREAPER = 36
"""``PR_SET_CHILD_SUBREAPER`` of prctl(2)."""
NOT_FOUND, NOT_RUN = 127, 126
"""Exit statuses of a shell for a program that is not there, and for one that cannot be run."""

_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def main(limits: str, *argv: str) -> int:
    """Run a program and outlive everything it started.

    Args:
        limits: ``name=number`` of resource limits with commas between, e.g. ``FSIZE=1000000,CORE=0``.
        argv: the program and its arguments.

    Returns:
        The exit status to leave with.
    """
    with suppress(OSError):
        os.setsid()  # a terminal's Ctrl-C is for the daemon, which then says what to do
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    _adopt_orphans()
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    program = os.fork()
    if program == 0:
        _become(argv, limits)
    reaper = _Reaper(program, woken)
    reaper.serve()
    reaper.clear()
    return reaper.status


class _Reaper:
    """Watches one program.

    Args:
        program: its process id; also that of its group.
        woken: readable whenever a child has ended.
    """

    def __init__(self, program: int, woken: int) -> None:
        self._program = program
        self._woken = woken
        self._running = True
        self.status = NOT_RUN
        """What to leave with."""

    def serve(self) -> None:
        """Return when the program has ended, or when it has to and had its time."""
        poll = select.poll()
        poll.register(0, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        while self._running:
            ready = dict(poll.poll())
            if self._woken in ready:
                self._reap()
            if self._running and 0 in ready:
                if os.read(0, 16):
                    self._ask()
                return

    def clear(self) -> None:
        """Kill all that is left, over and over until there is nothing."""
        self._group(signal.SIGKILL)
        for _ in range(ROUNDS):
            self._reap()
            left = _descendants()
            if not left and not self._running:
                return
            # Stopped first, all of them: what stands still starts no other.
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for pid in left:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, number)
            self._wait(TICK_MS)

    def _ask(self) -> None:
        """Ask all of it to end; return when it has, or after `GRACE_S`, or when told to hurry."""
        self._group(signal.SIGTERM)
        for pid in _descendants():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGTERM)
        for _ in range(round(GRACE_S * 1000 / TICK_MS)):
            self._reap()
            if not self._running and not _descendants():
                return
            if self._wait(TICK_MS):
                return

    def _wait(self, milliseconds: int) -> bool:
        """Let time pass; whether the daemon said more, or is gone."""
        poll = select.poll()
        poll.register(0, select.POLLIN)
        return bool(poll.poll(milliseconds))

    def _group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._program, number)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._woken, 4096)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._running = False
                return
            if pid == 0:
                return
            if pid == self._program:
                self._running = False
                code = os.waitstatus_to_exitcode(status)
                self.status = code if code >= 0 else 128 - code


def kill_marked(mark: bytes) -> None:
    """Kill every process with `mark` in its environment; for the daemon, when a program has killed its reaper."""
    for _ in range(ROUNDS):
        marked = [pid for pid in _processes() if mark in _environment(pid)]
        if not marked:
            return
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in marked:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)


def _environment(pid: int) -> bytes:
    """What a process was started with; nothing for one that is dead or not ours to look at."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123 - as below
            return file.read()
    except OSError:
        return b""


def _processes() -> list[int]:
    """All there are; none where the system does not show them."""
    with suppress(FileNotFoundError):
        names = os.listdir("/proc")  # noqa: PTH208 - pathlib takes longer to load than all the rest of this takes
        return [int(name) for name in names if name.isdigit()]
    return []


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - there is a prctl(2) only here

        ctypes.CDLL(None, use_errno=True).prctl(SET_SUBREAPER, 1, 0, 0, 0)


def _descendants() -> list[int]:
    """All processes below this one; empty where the system does not show them."""
    parents: dict[int, list[int]] = {}
    for pid in _processes():
        if (parent := _parent(pid)) is not None:
            parents.setdefault(parent, []).append(pid)
    found: list[int] = []
    ahead = [os.getpid()]
    while ahead:
        below = parents.get(ahead.pop(), [])
        found += below
        ahead += below
    return found


def _parent(pid: int) -> int | None:
    """Who started a process; None if it is gone, or dead already and only waits to be asked how it ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - as above
            # The name before the last bracket may hold anything.
            state, parent = file.read().rpartition(b")")[2].split()[:2]
    except (OSError, ValueError):
        return None
    return None if state in (b"Z", b"X") else int(parent)


def _become(argv: tuple[str, ...], limits: str) -> None:
    """Turn this process into the program; does not return."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(1, 2)
        signal.set_wakeup_fd(-1)
        for number in (*_IGNORED, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        _limit(limits)
        _give_way()
        os.execvp(argv[0], argv)  # noqa: S606 - the arguments are words already; there is nothing for a shell to read
    except FileNotFoundError:
        os.write(1, f"{argv[0]}: not found\n".encode())
        os._exit(NOT_FOUND)
    except BaseException as error:  # noqa: BLE001 - this copy of the reaper must end here, whatever happens
        os.write(1, f"{argv[0]}: {error}\n".encode())
        os._exit(NOT_RUN)


def _give_way() -> None:
    """Have the system end the program, and not the daemon, when there is no memory left."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "wb") as file:  # noqa: PTH123 - as above
        file.write(b"1000")


def _limit(limits: str) -> None:
    import resource  # noqa: PLC0415 - only the copy that becomes the program needs it

    for each in filter(None, limits.split(",")):
        name, _, number = each.partition("=")
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is None:
            continue  # a system that does not know this one
        _, most = resource.getrlimit(kind)
        wanted = int(number) if most == resource.RLIM_INFINITY else min(int(number), most)
        resource.setrlimit(kind, (wanted, wanted))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
