"""The conversation that was talked in last from this home's command line, for `--last`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

NAME: Final = "last_thread"
_MOST_BYTES: Final = 256


def last_thread(home: Path) -> str:
    """Its id; empty for none.

    Args:
        home: the home.
    """
    try:
        with (home / NAME).open("rb") as file:
            return file.read(_MOST_BYTES).decode(errors="replace").strip()
    except OSError:
        return ""


def remember_thread(home: Path, thread_id: str) -> None:
    """Have a conversation be the last one.

    Args:
        home: the home.
        thread_id: the conversation.

    Raises:
        OSError: the home cannot be written to.
    """
    beside = home / f"{NAME}.{os.getpid()}"
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(thread_id.encode() + b"\n")
    beside.replace(home / NAME)
