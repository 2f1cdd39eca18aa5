"""What a question is given beside its words: the thread that it goes on in, and what is piped in."""

from __future__ import annotations

import argparse
import os
import select
import stat
import sys
from pathlib import Path
from typing import Final

from sulla.terminal.last import last_thread
from sulla.terminal.output import tell

_SILENCE_S: Final = 2.0
"""A pipe that has told nothing for so long is waited for, and that is said: it may be one that nobody writes to."""
_PATIENCE_S: Final = 60.0
"""If it tells nothing for so much longer, nothing is asked."""
_MOST_CHARS: Final = 1_000_000
"""More is not read: the daemon takes a tenth of it."""


def thread_of(given: argparse.Namespace, home: Path) -> str | None:
    """The thread to go on in; None for a new one. A command that is wrong ends here.

    Args:
        given: the command's arguments.
        home: the home.
    """
    if not given.last:
        thread_id: str | None = given.thread
        return thread_id
    found = last_thread(home)
    if not found:
        given.wrong(f"nobody has talked from this command line with the home {home}: there is no last thread")
    return found


def piped_text(given: argparse.Namespace) -> str:
    """What a pipe or a file brings on standard input; empty where there is neither. A command that is wrong ends here.

    Args:
        given: the command's arguments.
    """
    try:
        handle = sys.stdin.fileno()
        mode = os.fstat(handle).st_mode
    except (OSError, ValueError):
        return ""  # closed, or no stream of the system
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)):
        return ""
    if not select.select([handle], [], [], _SILENCE_S)[0]:
        tell("[waits for what is piped in; `< /dev/null` asks without it]")
        if not select.select([handle], [], [], _PATIENCE_S)[0]:
            given.wrong(
                f"nothing was piped in for {_SILENCE_S + _PATIENCE_S:.0f} s: nothing was asked; "
                "put `< /dev/null` behind the command to ask without it"
            )
    text = sys.stdin.read(_MOST_CHARS + 1)
    if len(text) > _MOST_CHARS:
        given.wrong(
            f"more than {_MOST_CHARS} characters are piped in: put them in a file of the workspace and name that"
        )
    return text.strip("\n")
