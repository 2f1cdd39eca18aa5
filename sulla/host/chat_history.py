"""What was said at the prompt before, kept in the home for its owner alone, and bounded."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

NAME: Final = "chat_history"
MOST: Final = 1_000
"""So many messages are kept; of more, the newest."""
MOST_CHARS: Final = 8_192
"""A longer message is not kept: it was pasted, and 1,000 of them would make a file of 100 MB."""
_SLACK: Final = 1_200
"""A file of more lines than this is written anew. Until then each message is one line more: two talks at once lose
nothing of each other's."""


def worth_keeping(text: str) -> bool:
    """Whether a message goes into the history."""
    return bool(text.strip()) and len(text) <= MOST_CHARS


def read_history(home: Path) -> list[str]:
    """What was said, the oldest first; a line that cannot be read is passed over.

    Args:
        home: the home.
    """
    try:
        raw = (home / NAME).read_bytes()
    except OSError:
        return []
    return _told(raw.split(b"\n"))[-MOST:]


def keep_history(home: Path, text: str) -> None:
    """Put a message at the end.

    Args:
        home: the home.
        text: the message, which is `worth_keeping`.

    Raises:
        OSError: the home cannot be written to.
    """
    path = home / NAME
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, json.dumps(text).encode() + b"\n")
        lines = path.read_bytes().split(b"\n")
    finally:
        os.close(handle)
    if len(lines) > _SLACK:
        _write_anew(path, _told(lines)[-MOST:])


def _told(lines: Sequence[bytes]) -> list[str]:
    found: list[str] = []
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, str) and value != (found[-1] if found else None):
            found.append(value)
    return found


def _write_anew(path: Path, texts: Sequence[str]) -> None:
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(b"".join(json.dumps(text).encode() + b"\n" for text in texts))
    beside.replace(path)
