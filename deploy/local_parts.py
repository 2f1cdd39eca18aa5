"""Processes of a cluster on this machine: begun, known again later, signalled, waited for."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

READY_S = 90.0
TAIL_BYTES = 2_000
_LOOK_S = 0.05
_PORTS = range(22_000, 32_000)
"""Below those that a kernel hands out by itself, so that a part that was ended gets its own again."""
_ASK_S = 2.0


class Failed(Exception):
    """Something of the cluster is not as it has to be; the message says what, and what to do."""


@dataclass(frozen=True, slots=True)
class Account:
    """A user of this machine."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Running:
    """A process that leads a session of its own."""

    pid: int
    born: str
    """When it began, in the kernel's own words: another process that gets its number later has another one."""

    def lives(self) -> bool:
        """Whether it does; one that has ended and was not looked after by its parent does not."""
        with suppress(ChildProcessError):  # another one's child
            os.waitpid(self.pid, os.WNOHANG)
        return self.born != "" and _born(self.pid) == self.born

    def send(self, number: signal.Signals, *, everyone: bool = False) -> None:
        """Send it a signal.

        Args:
            number: which.
            everyone: whether what it has begun gets it as well.
        """
        for pid in [self.pid, *(_descendants(self.pid) if everyone else [])]:
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.kill(pid, number)

    def end(self, how: signal.Signals, within_s: float) -> None:
        """End it, by force if it takes longer than that."""
        children = {pid: _born(pid) for pid in (self.pid, *_descendants(self.pid))}
        self.send(how)
        deadline_s = time.monotonic() + within_s
        while left := [pid for pid, born in children.items() if born and _born(pid) == born]:
            if time.monotonic() > deadline_s:
                for pid in left:
                    os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self.pid, os.WNOHANG)
            time.sleep(_LOOK_S)
        with suppress(ChildProcessError):  # else its number is taken, and a PostgreSQL that begins anew thinks it lives
            os.waitpid(self.pid, 0)

    def until(self, ready: Callable[[], bool], log: Path) -> None:
        """Return when it is ready.

        Raises:
            Failed: it has ended, or takes too long.
        """
        deadline_s = time.monotonic() + READY_S
        while not ready():
            if not self.lives() or time.monotonic() > deadline_s:
                why = f"is not ready after {READY_S:g} s" if self.lives() else "has ended"
                said = log.read_bytes()[-TAIL_BYTES:].decode(errors="replace")
                raise Failed(f"{log.stem} {why}; {log} ends with:\n{said}")
            time.sleep(_LOOK_S)


def spawn(words: Sequence[str], environ: Mapping[str, str], log: Path, account: Account | None = None) -> Running:
    """Begin a process that outlives this one.

    Args:
        words: its command line.
        environ: its environment.
        log: gets what it says, behind what is there.
        account: whose it is; None for the caller's own.
    """
    with log.open("ab") as out:
        process = subprocess.Popen(
            words, env=dict(environ), cwd="/", stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            start_new_session=True, user=account.uid if account else None, group=account.gid if account else None,
            extra_groups=() if account else None,
        )  # fmt: skip
    process.returncode = 0  # its end is looked for by its number alone, so that it is no matter who began it
    return Running(process.pid, _born(process.pid))


def claimed_ports(count: int) -> list[int]:
    """So many ports that nobody listens on, none twice."""
    with ExitStack() as stack:
        found: list[int] = []
        for step in range(len(_PORTS)):
            if len(found) == count:
                return found
            port = _PORTS[(97 * os.getpid() + step) % len(_PORTS)]
            with suppress(OSError):
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
                found.append(port)
    raise Failed(f"{_PORTS} has no {count} ports that are free")


def answers(role: str, port: int, url: Callable[[str], str]) -> bool:
    """Whether a part does what it is there for.

    Args:
        role: what it is.
        port: where it listens.
        url: gives the URL of a server by its name.
    """
    return _ASKING.get(role, _daemon_answers)(port, url)


def _daemon_answers(port: int, url: Callable[[str], str]) -> bool:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=_ASK_S)
    try:
        line.request("GET", "/readyz")
        return line.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        line.close()


def _postgres_answers(port: int, url: Callable[[str], str]) -> bool:
    import psycopg

    try:
        with psycopg.connect(url("postgres"), connect_timeout=int(_ASK_S)) as line:
            return line.execute("SELECT 1").fetchone() is not None
    except psycopg.Error:
        return False


def _redis_answers(port: int, url: Callable[[str], str]) -> bool:
    from redis import Redis
    from redis.exceptions import RedisError

    with Redis.from_url(url("redis"), socket_timeout=_ASK_S, socket_connect_timeout=_ASK_S) as line:
        try:
            return bool(line.ping())
        except (RedisError, OSError):
            return False


_ASKING = {"postgres": _postgres_answers, "redis": _redis_answers}


def _born(pid: int) -> str:
    """When a process began; empty for one that is none, or none any more."""
    if Path("/proc/self/stat").exists():
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return ""
        return "" if fields[0] in "ZX" else fields[19]
    told = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S607 - where there is no /proc
    return told.stdout.strip()


def _descendants(pid: int) -> list[int]:
    """What a process has begun, and what that has."""
    told = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)  # noqa: S607 - the system's
    parents = {int(child): int(parent) for child, parent in map(str.split, told.stdout.splitlines())}
    found = [pid]
    for one in found:  # it grows meanwhile
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]
