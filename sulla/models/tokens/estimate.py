"""How many tokens a message takes up, roughly and cheaply. Pure.

No model's own tokenizer is at hand without a download. A text's bytes are weighed instead: a byte of a kind that
tokenizers cut finely weighs more. `docs/inside/tokens.md` says how close that comes; `calibration.py` learns the rest
from what providers report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

import orjson

from sulla.core.message import Message, Reasoning, Text, ToolCall, ToolResult
from sulla.models.base import PromptSection, ToolSpec

CountText = Callable[[str], int]
"""Tokens of a text."""

_PER_MESSAGE = 4
"""What a message costs beside its text: its role and its borders."""

_PER_TOOL = 8
"""What a tool costs beside its texts: the form that services put it in."""

_UNIT_NUM, _UNIT_DEN = 27, 200
"""One unit of weight is 0.135 tokens, a little above what fits best: to count too few is worse than too many."""


def _weights() -> bytes:
    """For each byte of UTF-8 a byte with as many bits set as it has units, 0 to 8.

    Fitted with a bias upwards to some 1,700 pieces of 1,500 characters: code in ten languages, JSON, logs and prose in
    two dozen languages, each against the greater count of cl100k_base and o200k_base.
    """
    units = [4] * 0x80 + [2] * 0x40 + [8] * 0x40  # punctuation; bytes within a character; first bytes of the others
    kinds = {
        2: range(ord("a"), ord("z") + 1),
        4: (*range(ord("A"), ord("Z") + 1), *b"\n\r\t", *range(0xD4, 0xE0), *range(0xE3, 0xF0)),  # Arabic; CJK
        6: (*range(ord("0"), ord("9") + 1), *range(0xCD, 0xD0)),  # Greek
        1: b" ",
        3: range(0xD0, 0xD4),  # Cyrillic
        5: range(0xE0, 0xE2),  # scripts of India, Thai
    }
    for weight, these in kinds.items():
        for byte in these:
            units[byte] = weight
    return bytes((1 << weight) - 1 for weight in units)


_WEIGHTS = _weights()


def estimate_text(text: str) -> int:
    """Tokens of a text, at least 1 unless it is empty."""
    return _estimate_bytes(text.encode("utf-8", "surrogatepass"))


def estimate_tokens(message: Message) -> int:
    """Tokens of a whole message."""
    return count_message(message, estimate_text)


def count_message(message: Message, count_text: CountText) -> int:
    """Tokens of a whole message, its borders included.

    Args:
        message: any.
        count_text: how its texts are counted.
    """
    total = _PER_MESSAGE
    for part in message.parts:
        match part:
            case Reasoning(raw=raw, quoted=True) if raw is not None:  # it is read again, and has no text of its own
                total += count_text(orjson.dumps(dict(raw)).decode())
            case Text(text) | Reasoning(text) | ToolResult(_, text):
                total += count_text(text)
            case ToolCall():
                total += count_text(part.name) + count_text(orjson.dumps(dict(part.args)).decode())
            case _:
                assert_never(part)
    return total


def count_head(system: Sequence[PromptSection], tools: Sequence[ToolSpec], count_text: CountText) -> int:
    """Tokens of what comes before a request's messages.

    Args:
        system: the system prompt.
        tools: what the model is told of tools.
        count_text: how texts are counted.
    """
    total = sum(count_text(section.text) + 1 for section in system)
    for tool in tools:
        total += _PER_TOOL + count_text(tool.name) + count_text(tool.description)
        total += count_text(orjson.dumps(dict(tool.schema)).decode())
    return total


def _estimate_bytes(data: bytes) -> int:
    if not data:
        return 0
    # All the weights at once: the bits of one great number. That is ten times cheaper than to look at each byte.
    units = int.from_bytes(data.translate(_WEIGHTS), "little").bit_count()
    return units * _UNIT_NUM // _UNIT_DEN + 1
