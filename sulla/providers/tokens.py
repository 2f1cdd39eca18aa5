"""How many tokens a message takes up, roughly and cheaply. Pure.

No model's own tokenizer is at hand without a download. A quarter of a token per character is the usual rule for English; it
under-counts Chinese by four fifths, so every byte beyond the first of a character counts for a third of a token more.
"""

from __future__ import annotations

from typing import assert_never

import orjson

from sulla.core.message import Message, Reasoning, Text, ToolCall, ToolResult

_PER_MESSAGE = 4
"""What a message costs beside its text: its role and its borders."""


def estimate_text(text: str) -> int:
    """Tokens of a text, at least 1 unless it is empty."""
    if not text:
        return 0
    beyond = 0 if text.isascii() else len(text.encode("utf-8", "surrogatepass")) - len(text)
    return len(text) // 4 + beyond // 3 + 1


def estimate_tokens(message: Message) -> int:
    """Tokens of a whole message."""
    total = _PER_MESSAGE
    for part in message.parts:
        match part:
            case Text(text) | Reasoning(text) | ToolResult(_, text):
                total += estimate_text(text)
            case ToolCall():
                total += estimate_text(part.name) + len(orjson.dumps(dict(part.args))) // 3
            case _:
                assert_never(part)
    return total
