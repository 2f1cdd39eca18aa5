"""Making a conversation fit: what is clipped, what is evicted, and what is never given up. Pure.

In this order: great tool results give way first, then what lies before the question that is being worked on, then more
of this run's results, and last the steps between the question and the newest one. The question itself stays, and so
does the newest reply with its results. Only what a model is shown becomes less; the log keeps everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sulla.core.ids import MessageId
from sulla.core.message import Message, Text, ToolResult
from sulla.threads.log.transcript import Transcript

GREAT: Final = 2
"""Results of one reply that take more than one part in so many of the room are clipped before anything is evicted."""

CLIPPED: Final = "\n[Cut here, so that the conversation fits. Ask for less at a time to see the rest.]"

STEPS_LEFT_OUT: Final = Message(
    MessageId("steps_left_out"),
    "user",
    (Text("(Some of your steps since then are left out.)", "operator"),),
    hidden=True,
)

_LEAST: Final = 64
"""Tokens below which a result is not clipped: the note would be longer than what it saves."""


def fit(script: Transcript, room_tokens: int, question: MessageId | None) -> int:
    """Have a conversation take up no more than `room_tokens`, as far as that is possible.

    Args:
        script: changed in place.
        room_tokens: how much may be kept.
        question: the message that is being worked on; None if there is none.

    Returns:
        How many messages were forgotten.
    """
    if script.tokens <= room_tokens:
        return 0
    for index, message in enumerate(script):
        if message.role == "tool" and script.size(index) > room_tokens // GREAT:
            beside = script.tokens - script.size(index)
            _clip(script, [index], max(room_tokens // GREAT, room_tokens - beside))
    evicted = script.fit(room_tokens, question)
    if script.tokens > room_tokens:
        results = [index for index, message in enumerate(script) if message.role == "tool"]
        others = script.tokens - sum(map(script.size, results))
        _clip(script, results, max(0, room_tokens - others))
    if script.tokens > room_tokens:
        evicted += script.thin(room_tokens, STEPS_LEFT_OUT, question)
    return evicted


def _clip(script: Transcript, indexes: Sequence[int], budget_tokens: int) -> None:
    """Have the results of some messages take up no more than a budget together: the greatest give way first."""
    sizes = {
        (index, place): script.measure_text(part.text)
        for index in indexes
        for place, part in enumerate(script[index].parts)
        if isinstance(part, ToolResult)
    }
    measured, weight = sum(sizes.values()), sum(map(script.size, indexes))
    # Pieces are measured, though the whole may have a better size: the same factor sets what is measured right.
    level = _level(sorted(sizes.values()), budget_tokens * measured // max(weight, 1))
    for index in indexes:
        message = script[index]
        parts = tuple(
            _shortened(script, part, level)
            if isinstance(part, ToolResult) and sizes[index, place] > max(level, _LEAST)
            else part
            for place, part in enumerate(message.parts)
        )
        if parts != message.parts:
            script.replace(index, Message(message.id, message.role, parts, message.hidden))


def _level(sizes: Sequence[int], budget: int) -> int:
    """The height to which the greatest have to be cut, so that all together stay within a budget."""
    left, count = budget, len(sizes)
    for size in sizes:
        if size * count > left:
            return left // count
        left, count = left - size, count - 1
    return sizes[-1] if sizes else 0


def _shortened(script: Transcript, result: ToolResult, most_tokens: int) -> ToolResult:
    text = result.text.removesuffix(CLIPPED)
    size = script.measure_text(text)
    # Texts are not even: the part that is kept may hold more than its share.
    while text and size + script.measure_text(CLIPPED) > most_tokens:
        text = text[: min(len(text) * max(most_tokens, 1) // max(size, 1), len(text) * 9 // 10)]
        size = script.measure_text(text)
    return ToolResult(result.call_id, text + CLIPPED, result.is_error, result.origin)
