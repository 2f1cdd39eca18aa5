"""Standard output and standard error, where they take nothing any more."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TextIO


def let_go(stream: TextIO) -> None:
    """Have what is left of a stream, and what else comes, go nowhere: Python flushes it once more at its end, and would
    complain.

    Args:
        stream: one whose reader has left, or whose disk is full.
    """
    with suppress(OSError, ValueError):  # a stream without a descriptor of its own
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
