"""What an agent can do with its memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

from sulla.core.jsontypes import FrozenJson
from sulla.core.words import Words, joined, ours
from sulla.memory.memory import MAX_FOUND, Memory, NoteAuthor
from sulla.memory.note import MAX_TEXT, MemoryNote
from sulla.memory.section import row
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.schema import Bounds


def memory_tools(memory: Memory) -> tuple[Tool, ...]:
    """Tools to remember, to recall and to forget.

    Args:
        memory: the home's.
    """
    functions = _MemoryTools(memory)
    make = partial(define, reach="inward", category="memory", timeout_s=10.0)
    return (
        make(functions.remember, effect="idempotent"),
        make(functions.recall, effect="pure"),
        replace(make(functions.forget, effect="idempotent", parallel=False), asks=_asks),
    )


class _MemoryTools:
    """The functions behind the tools of memory, which share the home's notes."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def remember(
        self, context: ToolContext, *, text: Annotated[str, Bounds(1, MAX_TEXT)], shared: bool = False
    ) -> Result:
        """Remember a fact for later conversations, when the person asks for it or it will matter again. Turns are
        remembered by themselves.

        Args:
            text: The fact, in one or two sentences that can be understood alone.
            shared: Whether all agents know it.
        """
        caller = NoteAuthor(context.agent, context.thread_id, context.run_id, context.idempotency_key)
        note = await self._memory.remember(Words(text, context.by), caller, shared=shared)
        untrusted = " It was said among text that nobody trusts, so it is told only when it is looked for."
        return Done(ours(f"Remembered as {note.id}.{untrusted if note.tainted else ''}"), origin="memory")

    async def recall(
        self,
        context: ToolContext,
        *,
        about: str,
        limit: Annotated[int, Bounds(1, MAX_FOUND)] = 8,
        trusted_only: bool = False,
    ) -> Result:
        """Look for what you remember of earlier conversations: facts, and turns with what came out.

        Args:
            about: What to look for, in words that will have been used.
            limit: Notes at most.
            trusted_only: No untrusted ones.
        """
        asked = MAX_FOUND if trusted_only else limit
        found = [one.note for one in await self._memory.recall(context.agent, about, asked)]
        told = [note for note in found if not (trusted_only and note.tainted)]
        rows = [_listed(told[:limit])] if told else [ours("Nothing that is remembered fits these words.")]
        if left_out := len(found) - len(told):
            rows.append(ours(f"Left out, because they come from text that nobody trusts: {left_out}."))
        return Done(joined(rows, "\n"), origin="memory")

    async def forget(
        self,
        context: ToolContext,
        *,
        about: str = "",
        ids: Annotated[list[str], Bounds(maximum=50)] | None = None,
        code: str = "",
    ) -> Result:
        """Forget something for good, in two steps. Without a code this shows what would go and a code for it; show that
        to the person, and call again with the ids and the code once they agree.

        Args:
            about: What it is about, to find it; instead of ids.
            ids: The notes to forget.
            code: What the first step gave for these.
        """
        chosen = ids or []
        if code:
            gone = await self._memory.forget(context.agent, chosen, code)
            return Done(ours(f"Forgotten for good: {gone}."), origin="memory")
        doomed = await self._memory.doomed(context.agent, chosen, about)
        head = f"Nothing is forgotten yet. These {len(doomed.notes)} would go; the code for all is {doomed.code}:"
        return Done(joined((ours(head), _listed(doomed.notes)), "\n"), origin="memory")


def _asks(args: FrozenJson, context: ToolContext) -> str:
    """Where somebody else's words may be behind it, a person says whether it is to be forgotten."""
    ids, code = args.get("ids"), args.get("code")
    if not context.tainted or not code:
        return ""
    named = ", ".join(str(one) for one in ids) if isinstance(ids, list) else ""
    return f"Forget these notes of the memory for good: {named} (code {code})?"


def _listed(notes: Sequence[MemoryNote]) -> Words:
    rows = ((row(note, 2 * MAX_TEXT), _origin(note)) for note in notes)
    return joined((line.but(f"{line.text} [{origin}]") for line, origin in rows), "\n")


def _origin(note: MemoryNote) -> str:
    shared = "" if note.scope else ", for all agents"
    if not note.thread_id:
        return f"{note.id}, as a person corrected it{shared}"
    trust = ", from text that nobody trusts" if note.tainted else ""
    return f"{note.id}, {note.kind} of {note.thread_id} by {note.agent}{shared}{trust}"
