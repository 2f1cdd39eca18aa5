"""The small program that stands between the daemon and a program it runs: it leaves nothing of it behind.

Run as a file of its own (``python -I -S reaper.py LIMITS PROGRAM ARGUMENT…``), so it imports nothing of Sulla. Whatever
the program starts, also what forks twice or opens a session of its own, becomes the reaper's child when its parent is
gone (a Linux *subreaper*), and is found and killed. The reaper is told what to do over its standard input: a byte asks
the program to end and gives it `GRACE_S`; the end of the input, which also comes when the daemon dies, kills at once.
Its exit status is the program's; 128 and a signal's number for one that was killed.

It also watches what all of it takes of the machine, and ends it where a bound is reached (`_Watch`).
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
LOOKS = 40
"""All processes are counted with one look of so many; there is a look every `TICK_MS`, or sooner."""
FILTER_FD = 9
"""Where a program finds the filter of system calls that it was given."""
FILES = ("REPORT", "DISK", "INPUT", "ERRORS", "FILTER")
"""Words of the limits that name file descriptors: all others are closed."""
NICE = 10
"""How far a program stands behind others, so that many of them do not keep the reaper from its look."""
GROUPS = ("/sys/fs/cgroup", "/sys/fs/cgroup/pids")
"""Where control groups are made: of the second and of the first kind."""
GROUP = "sulla-"
"""How their names begin; the reaper's number follows."""
PAGE = os.sysconf("SC_PAGE_SIZE")
SET_SUBREAPER = 36
"""``PR_SET_CHILD_SUBREAPER`` of prctl(2)."""
NOT_FOUND, NOT_RUN = 127, 126
"""Exit statuses of a shell for a program that is not there, and for one that cannot be run."""

_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def main(limits: str, *argv: str) -> int:
    """Run a program and outlive everything it started.

    Args:
        limits: ``name=number`` with commas between, e.g. ``FSIZE=1000000,CORE=0``: resource limits of each process;
            ``ALL_PROCESSES``, and in bytes ``ALL_MEMORY``, ``ALL_SHARED`` and ``ALL_DISK``, of all together;
            ``REPORT``, the file descriptor that is told which of these was reached; ``DISK``, one of a folder whose
            disk is watched, too; ``INPUT``, ``ERRORS`` and ``FILTER``, those that the program gets as its standard
            input and error and as `FILTER_FD`; ``GROUP``, how many processes and threads the kernel is to let all have
            together, by a control group: for root's programs, of which it counts none otherwise.
        argv: the program and its arguments.

    Returns:
        The exit status to leave with.
    """
    asked = {name: int(number) for name, _, number in (each.partition("=") for each in limits.split(",")) if name}
    _close_all_but({asked[name] for name in FILES if name in asked})
    with suppress(OSError):
        os.setsid()  # a terminal's Ctrl-C is for the daemon, which then says what to do
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    _prepare(watches="ALL_PROCESSES" in asked)
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    watch = _Watch(asked) if "ALL_PROCESSES" in asked else None
    group = _make_group(asked["GROUP"]) if "GROUP" in asked else None
    program = os.fork()
    if program == 0:
        _become(argv, asked, group)
    reaper = _Reaper(program, woken, watch)
    reached = reaper.serve()
    if reached and "REPORT" in asked:
        os.write(asked["REPORT"], reached.encode())
    reaper.clear()
    if group:
        reaper.leave(group)
    return reaper.status


class _Reaper:
    """Watches one program.

    Args:
        program: its process id; also that of its group.
        woken: readable whenever a child has ended.
        watch: says which bound was reached, if any is to be kept.
    """

    def __init__(self, program: int, woken: int, watch: _Watch | None) -> None:
        self._program = program
        self._woken = woken
        self._watch = watch
        self._running = True
        self.status = NOT_RUN
        """What to leave with."""

    def serve(self) -> str:
        """Return when the program has ended, or when it has to and had its time; which bound it reached, if any."""
        poll = select.poll()
        poll.register(0, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        while self._running:
            ready = dict(poll.poll(None if self._watch is None else TICK_MS))
            if self._woken in ready:
                self._reap()
            if self._running and 0 in ready:
                with suppress(OSError):  # of a line that broke: so the daemon is gone
                    if os.read(0, 16):
                        self._ask()
                break
            if self._running and self._watch is not None and (reached := self._watch.look()):
                return reached
        return ""

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
            self._wait(self._woken)

    def leave(self, group: str) -> None:
        """Take away a control group; the last of its processes may take a moment to be gone."""
        for _ in range(ROUNDS):
            with suppress(OSError):
                os.rmdir(group)  # noqa: PTH106 - as below
                return
            self._reap()
            self._wait(self._woken)

    def _ask(self) -> None:
        """Ask all of it to end; return when it has, or after `GRACE_S`, or when told to hurry."""
        self._group(signal.SIGTERM)
        for pid in _descendants():
            with suppress(ProcessLookupError, PermissionError):
                if os.getpgid(pid) != self._program:  # else it was asked right now
                    os.kill(pid, signal.SIGTERM)
        for _ in range(round(GRACE_S * 1000 / TICK_MS)):
            self._reap()
            # Or the daemon said more, or is gone.
            if (not self._running and not _descendants()) or self._wait(0):
                return

    def _wait(self, fd: int) -> bool:
        """Let `TICK_MS` pass, or less if there is something to read; whether there is."""
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(TICK_MS))

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


def _close_all_but(kept: set[int]) -> None:
    """Close what a program is not to have: the daemon's event loop leaves its own ends open when it starts one."""
    names = os.listdir("/dev/fd")  # noqa: PTH208 - pathlib takes longer to load than all the rest of this takes
    for fd in {int(name) for name in names} - {0, 1, 2, *kept}:
        with suppress(OSError):  # the one that was listed with is closed already
            os.close(fd)


def processes() -> list[int]:
    """All there are; none where the system does not show them."""
    with suppress(FileNotFoundError):
        names = os.listdir("/proc")  # noqa: PTH208 - as above
        return [int(name) for name in names if name.isdigit()]
    return []


def _prepare(*, watches: bool) -> None:
    """Adopt orphans; and have the looks of one that watches in time, whatever its program does to the processors, as
    far as that is allowed: to root."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - there is a prctl(2) only here

        ctypes.CDLL(None, use_errno=True).prctl(SET_SUBREAPER, 1, 0, 0, 0)
        with suppress(OSError):
            if watches:
                os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))


class _Watch:
    """Looks at what the program and all that it has started take of the machine.

    A look reads a few numbers of the machine. Only if these have moved, and with one look of `LOOKS`, all processes are
    counted: what grows fast shows in the machine's numbers, and what grows slowly can wait.
    """

    def __init__(self, asked: dict[str, int]) -> None:
        self._processes, self._memory, self._disk = (asked[f"ALL_{name}"] for name in ("PROCESSES", "MEMORY", "DISK"))
        self._all_shared = asked["ALL_SHARED"]
        self._tasks, self._available, self._shared = self._began = _machine()
        self._folders: tuple[str | int, ...] = (".", asked["DISK"]) if "DISK" in asked else (".",)
        self._began_disk = _free_disk(self._folders)
        self._looks = 0

    def look(self) -> str:
        """Which bound was reached, in a word; empty for none."""
        self._looks += 1
        disk = _free_disk(self._folders)
        if any(now * 10 < was for now, was in zip(disk, self._began_disk, strict=True)):
            return "full"
        if any(was - now > self._disk for now, was in zip(disk[::2], self._began_disk[::2], strict=True)):
            return "disk"
        tasks, available, shared = _machine()
        if available * 10 < self._began[1]:
            return "scarce"
        if shared - self._shared > self._all_shared:  # what no process need have in sight, and no other figure tells
            return "shared"
        grown = tasks - self._tasks > self._processes // 8 or self._available - available > self._memory // 8
        if not grown and self._looks < LOOKS:
            return ""
        self._tasks, self._available, self._looks = tasks, available, 0
        return self._count()

    def _count(self) -> str:
        found = _below()
        if sum(process.threads for process in found) >= self._processes:
            return "processes"
        # What several share is counted for each of them at first.
        grown = sum(process.memory for process in found) > self._memory
        return "memory" if grown and sum(map(_own_memory, found)) > self._memory else ""


class _Process:
    """One process as it was when it was looked at; `stat` is what the system says of it behind its name."""

    def __init__(self, pid: int, stat: list[bytes]) -> None:
        self.pid, self.parent = pid, int(stat[1])
        self.dead = stat[0] in (b"Z", b"X")  # and only waits to be asked how it ended
        self.threads = max(1, int(stat[17]))
        self.memory = int(stat[21]) * PAGE  # with what it shares with others


def _below() -> list[_Process]:
    """All processes below this one; empty where the system does not show them."""
    children: dict[int, list[_Process]] = {}
    for pid in processes():
        if (process := _process(pid)) is not None:
            children.setdefault(process.parent, []).append(process)
    found: list[_Process] = []
    ahead = [os.getpid()]
    while ahead:
        below = children.get(ahead.pop(), [])
        found += below
        ahead += [process.pid for process in below]
    return found


def _descendants() -> list[int]:
    """All that are alive below this one."""
    return [process.pid for process in _below() if not process.dead]


def _process(pid: int) -> _Process | None:
    """None if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - as above
            # The name before the last bracket may hold anything.
            return _Process(pid, file.read().rpartition(b")")[2].split())
    except (OSError, ValueError, IndexError):
        return None


def _own_memory(process: _Process) -> int:
    """Its memory in bytes, without files, and of what it shares only its part; all of it if that is not told."""
    parts = dict.fromkeys((b"Pss_Anon:", b"Pss_Shmem:"), 0)
    try:
        with open(f"/proc/{process.pid}/smaps_rollup", "rb") as file:  # noqa: PTH123 - as above
            found = {words[0]: int(words[1]) * 1024 for words in map(bytes.split, file.readlines()[1:])}
    except (OSError, ValueError, IndexError):
        return process.memory
    return sum(found[name] for name in parts) if parts.keys() <= found.keys() else found.get(b"Pss:", process.memory)


def _machine() -> tuple[int, int, int]:
    """How many processes and threads it has, and of its memory in bytes what is free or could be, and what is shared or
    holds files; 0 where unknown."""
    try:
        with open("/proc/loadavg", "rb") as load, open("/proc/meminfo", "rb") as memory:  # noqa: PTH123 - as above
            words = [line.split() for line in memory.read(1024).splitlines()]
            known = {line[0]: int(line[1]) * 1024 for line in words if len(line) == 3}
            return int(load.read().split()[3].split(b"/")[1]), known[b"MemAvailable:"], known[b"Shmem:"]
    except (OSError, ValueError, IndexError, KeyError):
        return 0, 0, 0


def _free_disk(folders: tuple[str | int, ...]) -> tuple[int, ...]:
    """How many bytes and how many files fit onto the disk of each folder."""
    disks = [os.statvfs(folder) for folder in folders]
    return tuple(number for disk in disks for number in (disk.f_bavail * disk.f_frsize, disk.f_favail))


def _make_group(most: int) -> str:
    """A control group in which there may be so many processes and threads; empty where none can be made."""
    for folder in GROUPS:
        try:
            names = os.listdir(folder)  # noqa: PTH208 - as above
        except OSError:
            continue
        for name in names:  # what reapers left that were killed; one that is in use cannot be taken away
            if name.startswith(GROUP) and not os.path.exists(f"/proc/{name[len(GROUP) :]}"):  # noqa: PTH110 - as above
                with suppress(OSError):
                    os.rmdir(f"{folder}/{name}")  # noqa: PTH106 - as above
        made = f"{folder}/{GROUP}{os.getpid()}"
        with suppress(OSError):
            os.mkdir(made)  # noqa: PTH102 - as above
            try:
                _put(f"{made}/pids.max", most)
            except OSError:
                os.rmdir(made)  # noqa: PTH106 - as above
            else:
                return made
    return ""


def _put(file: str, number: int) -> None:
    with open(file, "r+b", buffering=0) as opened:  # noqa: PTH123 - as above; one that is not there is not made
        opened.write(b"%d" % number)


def _become(argv: tuple[str, ...], asked: dict[str, int], group: str | None) -> None:
    """Turn this process into the program; does not return."""
    try:
        os.setsid()
        os.dup2(asked["INPUT"] if "INPUT" in asked else os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(asked.get("ERRORS", 1), 2)
        signal.set_wakeup_fd(-1)
        for number in (*_IGNORED, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        if group == "":
            raise OSError("root's processes cannot be bounded: no control group with pids.max can be made")
        if group:
            _put(f"{group}/cgroup.procs", os.getpid())
        _limit(asked)
        _give_way()
        if "FILTER" in asked:
            os.dup2(asked["FILTER"], FILTER_FD)
        _close_all_but({FILTER_FD} if "FILTER" in asked else set())
        os.execvp(argv[0], argv)  # noqa: S606 - the arguments are words already; there is nothing for a shell to read
    except BaseException as error:  # noqa: BLE001 - this copy of the reaper must end here, whatever happens
        missing = isinstance(error, FileNotFoundError)
        os.write(2, f"{argv[0]}: {'not found' if missing else error}\n".encode())
        os._exit(NOT_FOUND if missing else NOT_RUN)


def _give_way() -> None:
    """Have the system end the program, and not the daemon, when there is no memory left; and run it after others."""
    with suppress(OSError):
        _put("/proc/self/oom_score_adj", 1000)
    os.nice(NICE)


def _limit(asked: dict[str, int]) -> None:
    import resource  # noqa: PLC0415 - only the copy that becomes the program needs it

    for name, number in asked.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is None:
            continue  # no limit of a process, or one that this system does not know
        _, most = resource.getrlimit(kind)
        wanted = number if most == resource.RLIM_INFINITY else min(number, most)
        resource.setrlimit(kind, (wanted, wanted))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
