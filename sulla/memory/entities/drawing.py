"""Draws entities from the notes from which nothing was drawn yet, behind the turns. Nobody waits for it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby
from typing import Final

from sulla.agent.model.decider import ForcedReply
from sulla.core.clock import Clock
from sulla.core.errors import ContextTooLong, InvalidInput
from sulla.core.ids import derived_id
from sulla.memory.entities.asking import MOST_KNOWN, question
from sulla.memory.entities.base import NEWEST
from sulla.memory.entities.graph import Graph
from sulla.memory.entities.graphs import Graphs
from sulla.memory.entities.neighbours import named_in
from sulla.memory.entities.reading import Drawn, drawn_from
from sulla.memory.entities.statement import MAX_ENTITIES, MAX_STATEMENTS, Statement
from sulla.memory.metrics import DRAWN, PASSED_OVER, REFUSED
from sulla.memory.note import MemoryNote
from sulla.telemetry.tally import Tally
from sulla.threads.pending import Intervals
from sulla.threads.wake_loop import WakeLoop, Wording

log = logging.getLogger(__name__)

LINGER_S: Final = 5.0
"""After a note was written: the turn that follows at once asks the same model."""

BREATH_S: Final = 1.0
"""The pause after each call while much is to be done: turns come first."""

REST_S: Final = 3_600.0
"""Notes that are fewer than a call takes are drawn from when the oldest is as old as this, in seconds."""

WORDING: Final = Wording(
    "no entities are drawn from what is remembered: %s; turns go on, and it catches up later",
    "entities are drawn from what is remembered again",
)

AGAIN: Final = "it was no single call of the tool with lists of entities, facts and relations"

Ask = Callable[[str, str, str, str], Awaitable[ForcedReply | None]]
"""Asks the model of an agent (its id): the question, why the first answer did not count, a name for the call. None for
an agent whose model is none, and of an agent that there is no more."""

Scopes = Callable[[], Awaitable[list[str]]]


class Drawing(WakeLoop):
    """Asks about some notes at once and keeps what comes of it with them in one step: whenever the process is killed,
    nothing is kept twice, and at most one call is made again, under its name.

    Notes that nobody trusts are asked about apart from the others, so that no word of theirs can pass for what a
    trusted turn says.

    Args:
        graphs: what is known already, and what keeps it.
        scopes: gives every memory that has notes.
        ask: asks a model, within the day's limits.
        every: notes of one call.
        clock: all time.
        tally: takes figures.
    """

    def __init__(self, graphs: Graphs, scopes: Scopes, ask: Ask, every: int, clock: Clock, tally: Tally) -> None:
        super().__init__(self._round, clock, WORDING, Intervals(linger_s=LINGER_S))
        self._scopes = scopes
        self.graphs = graphs
        """What is known."""
        self._ask = ask
        self._every = every
        self._tally = tally

    def added(self) -> None:
        """Notes were written. Never waits, never fails."""
        self.wake("notes")

    async def _round(self) -> None:
        while self.pending.next() is not None:
            pass  # all that is left is done in any case
        self.pending.begin_sweep()
        for scope in await self._scopes():
            for batch in self._batches(await self.graphs.store.undrawn(scope, 2 * NEWEST)):
                if self.stopping:
                    return
                await self._draw(scope, batch)
                await self._clock.sleep(BREATH_S)

    def _batches(self, notes: Sequence[MemoryNote]) -> list[list[MemoryNote]]:
        """The notes of each call; those that are too few and too new wait."""
        found = []
        ordered = sorted(notes, key=lambda note: (note.tainted, note.agent))  # which leaves the oldest first
        for _, group in groupby(ordered, key=lambda note: (note.tainted, note.agent)):
            alike = list(group)
            batches = [alike[at : at + self._every] for at in range(0, len(alike), self._every)]
            last = batches[-1]
            if len(last) < self._every and last[0].at_ms > 1000 * (self._clock.now() - REST_S):
                batches.pop()
            found += batches
        return found

    async def _draw(self, scope: str, notes: Sequence[MemoryNote]) -> None:
        graph = await self.graphs.of([scope])
        said = "\n".join(f"{note.asked}\n{note.text}" for note in notes)
        known = [one for one in named_in(graph, said, MOST_KNOWN) if not one.tainted]
        asked, name = question(notes, known), derived_id("ent", scope, *(note.id for note in notes))
        kinds = {key[1]: one.kind for one in known for key in one.keys}
        drawn = Drawn((), 0, answered=False)
        for again in ("", AGAIN):
            try:
                reply = await self._ask(notes[0].agent, asked, again, name)
            except (ContextTooLong, InvalidInput) as error:
                if len(notes) > 1:  # each half for itself, then
                    await self._draw(scope, notes[: len(notes) // 2])
                    await self._draw(scope, notes[len(notes) // 2 :])
                    return
                log.warning("nothing is drawn from a turn that its model does not take: %s", error.message)
                break
            if reply is None:
                return
            drawn = drawn_from(reply.args, notes, kinds)
            if drawn.answered:
                break
        await self._keep(scope, notes, drawn, graph)

    async def _keep(self, scope: str, notes: Sequence[MemoryNote], drawn: Drawn, graph: Graph) -> None:
        statements = within(drawn.statements, graph)
        if not await self.graphs.store.put(scope, statements, [note.id for note in notes], MAX_STATEMENTS):
            return  # another daemon was faster, and what it drew is kept
        if not drawn.answered:
            self._tally.count(PASSED_OVER, by=len(notes))
            log.warning("nothing is drawn from %d turns: the model's answers have not the form asked for", len(notes))
        self._tally.count(DRAWN, by=len(statements))
        self._tally.count(REFUSED, by=drawn.refused + len(drawn.statements) - len(statements))


def within(statements: Sequence[Statement], graph: Graph) -> list[Statement]:
    """The statements that may be kept where only so many entities may be known: of those beyond the bound none.

    Args:
        statements: what was drawn.
        graph: what is known.
    """
    room = MAX_ENTITIES - len(graph.entities)
    fresh: set[tuple[str, str]] = set()
    kept = []
    for one in statements:
        keys = {of.key for of in (one.of, one.to) if of is not None and of.key not in graph.by_key}
        if len(fresh | keys) <= max(0, room):
            fresh |= keys
            kept.append(one)
    return kept
