"""Exit codes, stable for scripts (docs/cli.md)."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """How a command ended."""

    OK = 0
    FAILED = 1
    """The turn or the command failed."""
    USAGE = 2
    """The command line was wrong."""
    BLOCKED = 3
    """The agent cannot go on without something from a person."""
    CANCELLED = 4
    """The turn was stopped, or somebody who was asked said no."""
    UNREACHABLE = 5
    """No daemon answers."""
    REFUSED = 6
    """The request, or a file, was refused."""
    SETTINGS = 7
    """The settings cannot be used, or the home, the port or the store is not available."""
    INTERRUPTED = 130
    """Ctrl-C."""
    PIPE = 141
    """Whoever read the output has left before its end."""
