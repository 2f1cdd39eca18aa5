"""A regular expression at work in a process of its own, which can be killed."""

from __future__ import annotations

import json
import subprocess
import sys
from types import TracebackType
from typing import Self, cast

from sulla.core.errors import InvalidInput
from sulla.tools.builtin import matcher


class MatcherGone(Exception):
    """The process ended before it answered."""


class Expression:
    """Matches texts one after another. Everything but `kill` belongs to one thread and blocks it.

    Args:
        pattern: in Python's syntax.
        ignore_case: whether capitals make no difference.
        limit: how many matching lines are wanted of one text at most.

    Raises:
        InvalidInput: `pattern` is no expression; raised on entering the block.
        MatcherGone: it was killed; raised on entering the block or by `find`.
    """

    def __init__(self, pattern: str, ignore_case: bool, limit: int) -> None:
        self._order = {"pattern": pattern, "ignore_case": ignore_case, "limit": limit}
        command = [sys.executable, "-I", "-S", matcher.__file__]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={})

    def __enter__(self) -> Self:
        refusal = self._ask(json.dumps(self._order).encode() + b"\n")
        if refusal is not None:
            raise InvalidInput(f"{self._order['pattern']!r} is not a regular expression: {refusal}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def find(self, text: str) -> list[tuple[int, int]]:
        """Line (counted from 0) and column of the first match on each line that has one."""
        raw = text.encode("utf-8", "replace")
        found = self._ask(len(raw).to_bytes(4, "big") + raw)
        return [(number, column) for number, column in cast("list[list[int]]", found)]

    def kill(self) -> None:
        """End it, whatever it is doing; from any thread, at any time."""
        self._process.kill()

    def close(self) -> None:
        """End it and let go of it."""
        self._process.kill()
        self._process.communicate()

    def _ask(self, question: bytes) -> object:
        asked, answers = self._process.stdin, self._process.stdout
        if asked is None or answers is None:
            raise MatcherGone
        try:
            asked.write(question)
            asked.flush()
        except (BrokenPipeError, ValueError) as error:
            raise MatcherGone from error
        line = answers.readline()
        if not line:
            raise MatcherGone
        return json.loads(line)
