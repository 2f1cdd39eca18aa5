"""The first node of every graph: makes a person's words safe to work with, and keeps the conversation within its
size.
"""

from __future__ import annotations

import asyncio
from typing import Final

from sulla.agent.input.screening import screen
from sulla.agent.turn.chat import AgentChat
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.core.run import Run
from sulla.graph.decision import Decision, Next
from sulla.threads.log.records import InputHandled
from sulla.threads.log.state import ThreadState

SUMMARIZE_OVER: Final = 80
"""With more messages than this, the older ones are to be summed up (seed 004 §2)."""

OFF_LOOP_CHARS: Final = 20_000
"""A longer text is screened on a worker thread: all readings of it together take a while."""


@dataclass(frozen=True, slots=True)
class InputHandler:
    """Screens the latest message, evicts what no longer fits, has old messages summed up, and notes what it noticed.

    It never calls a model itself, and its decision is always `next`.
    """

    chat: AgentChat

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        """Handle the message that the run took up."""
        await screen_latest(state, run)
        diagnostics: JsonObject = {}
        fitted = await self.chat.fit(state)
        if fitted.evicted:
            diagnostics |= {
                "evicted": fitted.evicted,
                "tokens_before": fitted.tokens_before,
                "tokens_after": fitted.tokens_after,
            }
        if (len(state.context.transcript) > SUMMARIZE_OVER or fitted.evicted) and self.chat.summarize(state.thread_id):
            diagnostics["summary_triggered"] = True
        if diagnostics:
            run.journal.note(InputHandled(state.context.transcript[-1].id, diagnostics))
        return Next()


async def screen_latest(state: ThreadState, run: Run) -> None:
    """Screen the newest message of a conversation, and note what came of it."""
    latest = state.context.transcript[-1]
    handled = screen(latest) if len(latest.text) <= OFF_LOOP_CHARS else await asyncio.to_thread(screen, latest)
    if handled is not None:
        run.journal.note(handled)
