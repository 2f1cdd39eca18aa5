"""What a model is told of a conversation beside its messages, and what tells one request from another. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b
from typing import Final, Literal

from sulla.agent.model.reminders import LEFT_OUT, SUMMARY
from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.models.base import UNTUNED, ChatRequest, PromptSection, ToolSpec, Tuning
from sulla.threads.log.state import ThreadState

Purpose = Literal["reply", "nudge", "answer", "held"]


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """What a model is asked for, beside the conversation."""

    prompt: tuple[PromptSection, ...]
    tools: tuple[ToolSpec, ...]
    max_tokens: int
    """The most that the reply may have."""
    purpose: Purpose = "reply"
    """Only a reply is shown: not the answer to a nudge or to a question, nor what a part of a turn says to others."""
    force: str = ""
    """The tool that the reply has to call; empty for the model's own choice."""
    tuning: Tuning = UNTUNED
    certain: bool = False
    """See `TurnPart.certain`."""


LEFT_OUT_NOTE: Final = Message(MessageId("left_out"), "user", (Text(LEFT_OUT, "operator"),), hidden=True)


def opening(state: ThreadState) -> tuple[Message, ...]:
    """What stands before the conversation's messages: its summary, or that something is left out.

    Providers want a conversation to begin in the user's role. The summary stands here and not in the system prompt,
    because it is made of what people, tools and web pages said.

    Args:
        state: the thread.
    """
    script = state.context.transcript
    first = script[0] if len(script) else None
    if not state.context.summary.text:
        return (LEFT_OUT_NOTE,) if first is not None and first.role != "user" else ()
    if first is not None and state.run is not None and first.id == state.run.message.id and len(script) > 1:
        first = script[1]  # what is being worked on stays, though the summary covers it
    text = Text(SUMMARY.format(state.context.summary.text), "memory")
    summary = Message(MessageId(f"summary_{state.context.summary.seq}"), "user", (text,), hidden=True)
    # What lies between the summary and the first message may have been evicted before the next summary came.
    gap = first is not None and state.context.summary.first_kept and first.id != state.context.summary.first_kept
    return (summary, LEFT_OUT_NOTE) if gap else (summary,)


def told_to(agent: str, messages: Iterable[Message]) -> list[Message]:
    """A conversation as an agent is told of it: without what another one remembers.

    Args:
        agent: its id.
        messages: the conversation.
    """
    whose = ("", agent)
    told = []
    for message in messages:  # a loop, since it goes over the whole conversation before each call
        if message.role == "user":
            for part in message.parts:
                if isinstance(part, Text) and part.whose not in whose:
                    message = _without_others(whose, message)
                    break
        told.append(message)
    return told


def _without_others(whose: tuple[str, str], message: Message) -> Message:
    kept = tuple(part for part in message.parts if not isinstance(part, Text) or part.whose in whose)
    return replace(message, parts=kept)


def request_hash(request: ChatRequest) -> str:
    """What tells one request from another, cheaply: messages never change, so their ids stand for them."""
    parts = (*_identity(request), *[message.id for message in request.messages])
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _identity(request: ChatRequest) -> list[str]:
    forced = [f"{request.force}()"] if request.force else []  # no tool is called so
    tools = (tool.name for tool in request.tools)
    tuned = [repr(request.tuning)] if request.tuning != UNTUNED else []
    return [request.model, *(section.text for section in request.system), *tools, *forced, *tuned]
