"""What a person's message goes through before a model sees it (seed 004 §2, design §6). Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sulla.agent.input.sanitize import sanitize
from sulla.agent.input.signals import Signal, injection, spam
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import Message, Text
from sulla.threads.log.records import InputHandled
from sulla.threads.log.state import ThreadState


def screen(message: Message) -> InputHandled | None:
    """Take hidden characters out, and look for signs of injection and spam.

    Signs are noted, never acted on here: the owner's words are not dropped.

    Args:
        message: its first part is what was said.

    Returns:
        None if there was nothing to change and nothing to note.
    """
    words = message.parts[0] if message.parts else None
    if not isinstance(words, Text):
        return None
    cleaned = sanitize(words.text)
    diagnostics: JsonObject = {}
    if cleaned.changed:
        removed: JsonObject = {name: count for name, count in cleaned.removed.items() if count}
        diagnostics |= {"sanitized": True, "removed": removed}
    # A beat says nothing, and a task is as long as it has to be: only people send spam.
    by_person = words.origin == "user"
    signs = (("injection", injection(cleaned.text, cleaned.removed)), ("spam", spam(cleaned.text) if by_person else ()))
    for name, signals in signs:
        if signals:
            diagnostics[name] = _as_json(signals)
    if not diagnostics:
        return None
    return InputHandled(message.id, diagnostics, cleaned.text if cleaned.changed else None)


def looks_planted(text: str) -> bool:
    """Whether somebody may have planted words in what a person passes on: such a message taints its conversation. For
    where nobody has screened it yet; see `is_planted`.

    Args:
        text: what was said.
    """
    cleaned = sanitize(text)
    return bool(injection(cleaned.text, cleaned.removed))


def is_planted(state: ThreadState) -> bool:
    """Whether `screen` has found such words in what the newest run has taken up.

    Args:
        state: the thread, its newest messages screened.
    """
    return "injection" in state.newest.diagnostics


def _as_json(signals: Iterable[Signal]) -> list[Json]:
    return [{"name": signal.name, "reason": signal.reason, "where": signal.where} for signal in signals]
