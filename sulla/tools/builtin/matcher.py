"""Matches an expression in a process of its own.

An expression can take for ever, and Python's engine holds the whole process while it does. So `expression` runs this
file as a script, with nothing of Sulla in it, and can kill it.

What goes in: a line of JSON with the expression, then texts, each behind its length as four bytes. What comes out: a
line of JSON for the expression (null, or what is wrong with it), then one for each text. Pure.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from typing import IO

CPU_S = 60
"""The system ends it after this much processor time, in seconds, should nobody be left to kill it."""


def find(expression: re.Pattern[str], text: str, limit: int) -> list[tuple[int, int]]:
    """The first matches.

    Returns:
        Line (counted from 0) and column of the first match on each line, at most `limit`.
    """
    hits: list[tuple[int, int]] = []
    for number, line in enumerate(text.split("\n")):
        match = expression.search(line.removesuffix("\r"))
        if match is not None:
            hits.append((number, match.start()))
            if len(hits) == limit:
                break
    return hits


def serve(asked: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until there is nothing more asked."""

    def answer(value: object) -> None:
        answers.write(json.dumps(value).encode() + b"\n")
        answers.flush()

    order = json.loads(asked.readline())
    try:
        expression = re.compile(order["pattern"], re.IGNORECASE if order["ignore_case"] else 0)
    except (re.error, RecursionError, OverflowError) as error:
        answer(str(error))
        return
    answer(None)
    while size := asked.read(4):
        text = asked.read(int.from_bytes(size, "big")).decode()
        answer(find(expression, text, order["limit"]))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    serve(sys.stdin.buffer, sys.stdout.buffer)
