"""Programs that a bench starts and measures from outside."""

from __future__ import annotations

import os
import platform
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
PATIENCE_S = 60.0
_LOOK_S = 0.002
_REST_S = 1.0
"""Longer than a daemon waits before it begins with what can wait."""
_REST_SHARE = 0.01
"""Of a processor."""


def surroundings(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which a program finds this repository, and nothing that the caller's shell has set for it."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), **(extra or {})}


@contextmanager
def running(arguments: Sequence[str], extra: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """A Python program for as long as the block lasts.

    Args:
        arguments: what follows ``python``.
        extra: variables beside those of `surroundings`.
    """
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, env=surroundings(extra), stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def ready_url(process: subprocess.Popen[str]) -> str:
    """The address in the line ``ready http://…`` that the program prints.

    Raises:
        RuntimeError: it ended without one.
    """
    assert process.stdout is not None
    for line in process.stdout:
        word, _, url = line.strip().partition(" ")
        if word == "ready":
            return url
    raise RuntimeError(f"{process.args!r} ended before it was ready")


def processor_s(pid: int) -> float:
    """Processor time that a process has used: to the nanosecond on Linux, elsewhere in ticks of a hundredth second."""
    if platform.system() == "Linux":
        return time.clock_gettime((~pid << 3) | 2)  # the kernel's clock of another process, see clock_getcpuclockid(3)
    used = psutil.Process(pid).cpu_times()
    return used.user + used.system


def at_rest(pid: int) -> None:
    """Return when a process has done next to nothing for a while: what a server puts off until after *ready* is done.

    Raises:
        TimeoutError: that took too long.
    """
    until, before = time.perf_counter() + PATIENCE_S, float("-inf")
    while (used := processor_s(pid)) - before > _REST_SHARE * _REST_S:
        if time.perf_counter() > until:
            raise TimeoutError(f"process {pid} is still busy after {PATIENCE_S:g} s")
        before = used
        time.sleep(_REST_S)


def free_port() -> int:
    """A port on which nobody listens just now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def wait_for_answer(port: int, path: str) -> None:
    """Ask over HTTP, again and again, until the answer is 200.

    Raises:
        TimeoutError: that took too long.
    """
    question = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
    until = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as peer:
            peer.sendall(question)
            if peer.recv(64).startswith(b"HTTP/1.1 200"):
                return
        time.sleep(_LOOK_S)
    raise TimeoutError(f"nothing answers at port {port}")
