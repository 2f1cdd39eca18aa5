"""A conversation as an OpenAI client tells it anew with each request, and which thread it is. Pure.

Such a client has no place for a thread's id: it sends all that was said. What was said before the newest message is
known by a fingerprint of its words, noted under which thread it was; the thread has the rest, so only the new words are
passed on. Where the note is lost, or the client has changed what was said, a new thread begins, which is told once what
was said before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.ids import derived_id
from sulla.gateway.dialects.conversation import ChatMessage, ChatRequest, application_words
from sulla.gateway.dialects.openai.form import Completion
from sulla.gateway.dialects.positions import ClientPosition, note_position, position_of, short


@dataclass(frozen=True, slots=True)
class Posted:
    """Where a request's message went, for when the client makes the request again."""

    thread_id: str
    """Empty as long as that is not known."""
    message_id: str
    system: bool = False
    """Whether what the application says went with it."""
    before: bool = False
    """Whether what was said before went with it."""
    answered: ClientPosition | None = None
    """Where the question stood that the message was taken for an answer to, if it was."""
    at_s: float = 0.0
    """When the request was made last, in seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class ConversationMark:
    """Where a conversation is, as it is noted under its words, and who goes on from there."""

    position: ClientPosition
    by: str = ""
    """The id of the message that does; empty as long as none does."""
    at_s: float = 0.0
    """When it said so, in seconds since the epoch."""


def chat_of(messages: Sequence[ChatMessage]) -> ChatRequest:
    """Take a request's messages apart."""
    said = [message for message in messages if message.role in ("user", "assistant") and message.text.strip()]
    system, later = application_words([(message.role, message.text) for message in messages])
    last = max((place for place, message in enumerate(said) if message.role == "assistant"), default=-1)
    return ChatRequest("\n\n".join(system), tuple(said[: last + 1]), tuple(said[last + 1 :]), "\n\n".join(later))


def place_key(owner: str, asked: Completion, said: Sequence[ChatMessage]) -> str:
    """Under what it is noted which thread a conversation is.

    Args:
        owner: the name of the token.
        asked: the request.
        said: the conversation up to an answer. How it is spaced does not matter.
    """
    words = [part for message in said for part in (message.role, " ".join(message.text.split()))]
    return derived_id("openai", "said", owner, asked.model, asked.user, *words)


def thread_key(owner: str, asked: Completion, thread_id: str) -> str:
    """The same for a conversation whose thread the client names."""
    return derived_id("openai", "thread", owner, asked.user, thread_id)


def thread_name(asked: Completion) -> str:
    """The name of a conversation that the client has named: two that it speaks for may use the same one."""
    return f"{asked.user}\n{asked.thread}" if asked.user else asked.thread


def request_key(owner: str, asked: Completion, name: str) -> str:
    """Under what it is noted where a request's message went.

    Args:
        owner: the name of the token.
        asked: the request.
        name: what the client calls the request; empty if all that it says is its name.
    """
    if name:
        return derived_id("openai", "named", owner, name)
    words = [part for message in asked.messages for part in (message.role, message.text)]
    return derived_id("openai", "request", owner, asked.model, asked.user, asked.thread, *words)


def was_shown(position: ClientPosition, chat: ChatRequest) -> bool:
    """Whether the client's last answer was the question, as far as it says what that was."""
    if not chat.before:
        return True
    return " ".join(position.prompt.split()) in " ".join(chat.before[-1].text.split())


def note_mark(mark: ConversationMark) -> str:
    """Where a conversation is, as it is noted; as long as nobody goes on it is the position alone."""
    if not mark.by:
        return note_position(mark.position)
    return orjson.dumps({**orjson.loads(note_position(mark.position)), "by": mark.by, "at_s": mark.at_s}).decode()


def read_mark(noted: str) -> ConversationMark | None:
    """Where a conversation is, as it was noted; None if that was done by a version that noted something else."""
    found = orjson.loads(noted)
    if not isinstance(found, dict):
        return None
    by, at_s = found.pop("by", ""), found.pop("at_s", 0.0)
    position = position_of(found)
    return None if position is None else ConversationMark(position, by, at_s)


def note_posted(posted: Posted) -> str:
    """Where a message went, as it is noted."""
    return orjson.dumps(replace(posted, answered=posted.answered and short(posted.answered))).decode()


def read_posted(noted: str) -> Posted | None:
    """Where a message went, as it was noted; None if that was done by a version that noted something else."""
    found = orjson.loads(noted)
    if not isinstance(found, dict) or found.keys() != {field.name for field in fields(Posted)}:
        return None
    answered = found["answered"]
    return Posted(**{**found, "answered": None if answered is None else position_of(answered)})
