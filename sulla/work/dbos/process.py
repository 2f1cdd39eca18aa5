"""Whether a process of this host still runs, so that nobody has to wait until it has been silent for long enough."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_BEGAN: Final = 19
"""The place of the time at which a process began, behind its name in ``/proc/PID/stat`` (proc(5), field 22)."""
_STATE: Final = 0
_ENDED: Final = frozenset("ZXx")


def this_host() -> str:
    """What the processes have in common that can see each other: the host's name, its boot, and the namespace in which
    their numbers count. Empty where that cannot be known; then nobody is looked for by his number.
    """
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{platform.node()}/{boot}/{(_PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return ""


def this_process() -> str:
    """This process, as nobody else on this host is called until its next boot; empty where that cannot be known."""
    found = _stat(os.getpid())
    return f"{os.getpid()}:{found[_BEGAN]}" if found is not None else ""


def is_gone(process: str) -> bool:
    """Whether a process of this host has ended, for certain.

    Args:
        process: what it called itself by `this_process`.
    """
    number, _, began = process.partition(":")
    if not number.isdigit() or not began:
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False  # it is somebody else's; so was its number given anew, or it lives
    found = _stat(int(number))
    return found is not None and (found[_BEGAN] != began or found[_STATE] in _ENDED)


def _stat(number: int) -> list[str] | None:
    try:
        text = (_PROC / str(number) / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    found = text.rpartition(")")[2].split()  # the name in front of it may hold anything
    return found if len(found) > _BEGAN else None
