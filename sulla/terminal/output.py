"""Standard output and standard error: what is told beside a result, and where they take nothing any more."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO


def tell(text: str = "", *, end: str = "\n") -> None:
    """Tell a person something beside a command's result. The one way to standard error.

    Args:
        text: lines; on a terminal they are broken at words.
        end: what comes behind them.
    """
    print(fitted(text, sys.stderr), end=end, file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Print lines of a command's result; on a terminal they are broken at words.

    Args:
        text: the lines.
    """
    print(fitted(text, sys.stdout), flush=True)


def fitted(text: str, stream: TextIO) -> str:
    """Lines as a stream shows them: on a terminal they are broken at words, each row indented as its line is.

    Args:
        text: the lines.
        stream: where they are written to.
    """
    if not stream.isatty():
        return text
    from sulla.terminal.table import columns_of_terminal
    from sulla.terminal.wrap import indented

    columns = columns_of_terminal()
    return "\n".join(row for line in text.split("\n") for row in indented(line, columns))


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
