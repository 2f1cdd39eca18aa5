"""The first node of every graph: makes a person's words safe to work with, and keeps the conversation within its
size.
"""

from __future__ import annotations

from dataclasses import dataclass

from sulla.agent.limits import RunLimits
from sulla.agent.sanitize import sanitize
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, Text
from sulla.core.run import Run
from sulla.graph import Decision, Next
from sulla.threads import InputHandled, ThreadState


@dataclass(frozen=True, slots=True)
class InputHandler:
    """Sanitizes the latest message, evicts what no longer fits, notes what it noticed; never calls a model; always
    `next`.
    """

    limits: RunLimits

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        """Handle the message that the run took up."""
        script = state.transcript
        latest = script[-1]
        handled = handle_message(latest)
        tokens_before = script.tokens
        evicted = script.fit(self.limits.history_tokens)
        diagnostics: JsonObject = dict(handled.diagnostics) if handled is not None else {}
        if evicted:
            diagnostics |= {"evicted": evicted, "tokens_before": tokens_before, "tokens_after": script.tokens}
        if diagnostics:
            run.journal.note(InputHandled(latest.id, diagnostics, handled.text if handled is not None else None))
        return Next()


def handle_message(message: Message) -> InputHandled | None:
    """What sanitizing a message comes to; None if there was nothing to change."""
    words = message.parts[0] if message.parts else None
    if not isinstance(words, Text):
        return None
    cleaned = sanitize(words.text)
    if not cleaned.changed:
        return None
    removed: JsonObject = {name: count for name, count in cleaned.removed.items() if count}
    return InputHandled(message.id, {"sanitized": True, "removed": removed}, cleaned.text)
