"""Finding what a program has left behind where it has killed its own reaper."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

from sulla.tools.shell.reaper import ROUNDS, processes


def kill_marked(mark: bytes) -> None:
    """Kill every process with a mark in its environment.

    Args:
        mark: the variable and its value.
    """
    for _ in range(ROUNDS):
        marked = [pid for pid in processes() if mark in _environment(pid)]
        if not marked:
            return
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in marked:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)


def _environment(pid: int) -> bytes:
    """What a process was started with; nothing for one that is dead or not ours to look at."""
    try:
        return Path("/proc", str(pid), "environ").read_bytes()
    except OSError:
        return b""
