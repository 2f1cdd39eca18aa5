"""An entry of the log as text for people. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

FIRST: Final = ("at", "level", "logger", "event")
BELOW: Final = ("stack", "exception")

_ESCAPED: Final = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))} | {
    code: f"\\u{code:04x}" for code in (0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
}
"""What would move the cursor or turn the line around."""


def as_text(entry: Mapping[str, object]) -> str:
    """One line, and what was raised in further lines below it.

    What others wrote can neither begin a line nor move the cursor: further lines stand two columns in, and control
    characters are shown as escapes.

    Args:
        entry: as the file has it.
    """
    at, level, named, event = (str(entry.get(key, "")) for key in FIRST)
    more = [f"{key}={_word(value)}" for key, value in entry.items() if key not in FIRST and key not in BELOW]
    first, *rest = event.split("\n")
    head = f"{at} {level.upper()} {named}: {first}" + (f" [{' '.join(more)}]" if more else "")
    below = ["\n".join(rest), *(str(entry[key]) for key in BELOW if key in entry)]
    lines = [head, *("  " + line for text in below if text for line in text.split("\n"))]
    return "\n".join(line.translate(_ESCAPED) for line in lines)


def _word(value: object) -> str:
    if isinstance(value, str) and value.isprintable() and value and " " not in value:
        return value
    return json.dumps(value, ensure_ascii=False)
