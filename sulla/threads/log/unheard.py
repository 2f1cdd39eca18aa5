"""Taking out of a conversation what the agent said and nobody heard. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sulla.core.message import Message, Part, Text
from sulla.threads.log.spoken import Heard
from sulla.threads.log.transcript import Transcript

MARK: Final = Text(
    "<interrupted>\nThis was said over your last words. Of those, the person heard no more than stands above.\n"
    "</interrupted>",
    "operator",
)
"""What the model is told beside the words of somebody who interrupted it."""


def leave_out_unheard(script: Transcript, heard: Heard) -> None:
    """Cut a reply down to what the person had heard of it, and leave out what the agent said behind it.

    Tool calls stay, with their results: they were made, whatever was heard of the words around them. Doing it again
    changes nothing. A reply that is not here (any more) is none to be cut.

    Args:
        script: changed in place.
        heard: the reply, and how much of it.
    """
    index = next((at for at in range(len(script) - 1, -1, -1) if _is_reply(script[at], heard)), len(script))
    chars = heard.chars
    while index < len(script):
        message = script[index]
        if _is_persons(message):
            return  # they went on after it, so they know what came
        if message.role == "assistant" and not message.hidden:
            cut = _cut(message, chars)
            chars = 0
            if cut is not message:
                script.replace(index, cut)
                index -= not cut.parts
        index += 1


def _is_reply(message: Message, heard: Heard) -> bool:
    return message.role == "assistant" and message.id == heard.message_id


def _is_persons(message: Message) -> bool:
    first = message.parts[0]
    return message.role == "user" and not message.hidden and isinstance(first, Text) and first.origin == "user"


def _cut(message: Message, chars: int) -> Message:
    if len(message.text) <= chars:
        return message
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, Text):
            part, chars = replace(part, text=part.text[:chars]), max(0, chars - len(part.text))
            if part.text.strip():
                parts.append(part)
        elif message.calls:  # thoughts without the words that they led to are worth nothing
            parts.append(part)
    return replace(message, parts=tuple(parts))
