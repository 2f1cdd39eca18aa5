"""Tools whose effects can be counted from outside, also after the process is gone."""

from __future__ import annotations

import os
from pathlib import Path

import orjson

from sulla.core.words import ours
from sulla.tools.base import Done, Result, Tool, ToolContext, Waiting
from sulla.tools.define import define


class EffectLedger:
    """An append-only file of what tools really did: one JSON line for each effect, on the disk before the tool answers.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, tool: str, what: str, context: ToolContext) -> None:
        """Add a line."""
        line = {"tool": tool, "what": what, "key": context.idempotency_key, "run": context.run_id, "pid": os.getpid()}
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
            os.fsync(handle)
        finally:
            os.close(handle)

    def read(self) -> list[dict[str, str]]:
        """Every effect so far."""
        if not self._path.exists():
            return []
        lines: list[dict[str, str]] = [orjson.loads(line) for line in self._path.read_bytes().splitlines()]
        return lines


def ledger_tools(ledger: EffectLedger, pause_s: float = 0.0) -> tuple[Tool, ...]:
    """`note_once` (harmful to repeat), `note_safe` (idempotent) and `ask_person` (waits for an answer).

    Args:
        ledger: where effects are written.
        pause_s: how long a note takes after its effect, in seconds of the daemon's clock.
    """

    async def note_once(context: ToolContext, *, what: str) -> Result:
        """Write a note that may be written only once.

        Args:
            what: the note.
        """
        ledger.write("note_once", what, context)
        await context.clock.sleep(pause_s)
        return Done(ours(f"noted {what}"))

    async def note_safe(context: ToolContext, *, what: str) -> Result:
        """Write a note; writing it again under the same key changes nothing.

        Args:
            what: the note.
        """
        ledger.write("note_safe", what, context)
        await context.clock.sleep(pause_s)
        return Done(ours(f"noted {what}"))

    async def ask_person(context: ToolContext, *, what: str) -> Result:
        """Ask a person and wait for the answer.

        Args:
            what: the question.
        """
        ledger.write("ask_person", what, context)
        return Waiting(f"answer:{context.run_id}:{context.call_id}:1", what)

    return (
        define(note_once, effect="once", reach="inward", category="testing"),
        define(note_safe, effect="idempotent", reach="inward", category="testing"),
        define(ask_person, effect="pure", category="testing"),
    )
