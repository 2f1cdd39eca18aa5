"""What a person's message goes through before a model sees it (seed 004 §2, design §6). Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sulla.agent.input.sanitize import sanitize
from sulla.agent.input.signals import Signal, injection, spam
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import Message, Text
from sulla.threads.log.inputs import WaitingInput, said_of
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
    where nobody has screened it yet.

    Args:
        text: what was said.
    """
    cleaned = sanitize(text)
    return bool(injection(cleaned.text, cleaned.removed))


def own_words(state: ThreadState) -> str:
    """What may lead somewhere by its words: what a person says in the message that a run has just taken up; see
    `WaitingInput.is_own`. Empty where anything of it may be somebody else's.

    Args:
        state: the thread, with the message as its newest one, screened.
    """
    run, said = state.run, state.context.transcript.asked.parts[0]
    if run is None or not run.message.own or not isinstance(said, Text) or "injection" in state.newest.diagnostics:
        return ""
    if run.message.said_chars and "sanitized" in state.newest.diagnostics:  # nobody knows where they begin now
        return ""
    return said_of(said.text, run.message.said_chars)


def may_name(item: WaitingInput) -> bool:
    """The same of a message that nobody has taken up or screened yet: whether an agent that it names may have the
    conversation.

    Args:
        item: the message.
    """
    return item.is_own and not looks_planted(item.text)


def _as_json(signals: Iterable[Signal]) -> list[Json]:
    return [{"name": signal.name, "reason": signal.reason, "where": signal.where} for signal in signals]
