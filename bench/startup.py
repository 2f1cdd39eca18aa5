"""How long Sulla takes to say something and to be ready, and what it weighs while it waits.

The command line beside a Python that does nothing; the daemon beside `bench.bare_app`, a FastAPI application with one
route. Both servers are run in the same way and are ready when they answer over HTTP.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from bench.frame import Frame, Row, Samples
from bench.process import free_port, running, surroundings, wait_for_answer

NAME = "startup"

HELP_BAR, READY_BAR = 10.0, 2.5
RSS_BAR_MIB = 25.0
"""The bars are issue 1's."""
SETTLE_S = 1.5
"""How long a server is left alone before it is weighed: longer than the daemon's sweep for work takes to come round."""

_PER_SERVER_ROUND = 4
"""Starting a server is slow: there is one round of servers for so many of the frame's."""
_MIB = 1024 * 1024

Command = Callable[[int], Sequence[str]]
"""What follows ``python``, for a port."""


def run(frame: Frame) -> list[Row]:
    """The bars are issue 1's."""
    words = frame.compare(
        {"python -c pass": lambda: _seconds("-c", "pass"), "sulla --help": lambda: _seconds("-m", "sulla", "--help")},
        "s",
    )
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        ready, weight = _servers(frame, Path(folder))
    return [
        words.row("python -c pass"),
        words.row("sulla --help", "python -c pass", bar=HELP_BAR),
        ready.row("ready, bare app"),
        ready.row("ready, sulla up", "ready, bare app", bar=READY_BAR),
        ready.row("ready, sulla up, nothing configured", "ready, bare app"),
        weight.row("idle RSS, bare app"),
        _heavier(weight, "idle RSS, sulla up", "idle RSS, bare app"),
        weight.row("idle RSS, sulla up, nothing configured", "idle RSS, bare app"),
    ]


def _heavier(weight: Samples, name: str, limit: str) -> Row:
    """A row whose bar is a difference."""
    more = weight.median(name) - weight.median(limit)
    return Row(f"{name} (+{more:.1f}, bar +{RSS_BAR_MIB:g})", weight.median(name), "MiB", ok=more <= RSS_BAR_MIB)


def _seconds(*arguments: str) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, *arguments], env=surroundings(), stdout=subprocess.DEVNULL, check=True, timeout=60)
    return time.perf_counter() - begun
