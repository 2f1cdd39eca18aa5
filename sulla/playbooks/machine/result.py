"""What a tool gave as values, as a run's log keeps it and as expressions see it. Pure.

The text among the values mostly stands in the step's output, too, with a remark before or behind it. It is kept once:
``text`` is then ``[start, end, rest]`` and means that part of the output, and `rest` behind it.
"""

from __future__ import annotations

from typing import Final

from sulla.core.jsontypes import FrozenJson, Json, JsonObject

LEAST_CHARS: Final = 24
"""A shorter text is kept as it is: saying where it stands would take as much."""
FIELDS: Final[FrozenJson] = {
    "text": {"type": "string", "description": "the text without any remark on it, to the letter"},
    "truncated": {"type": "boolean", "description": "whether something was left out; only where `cut: allow` says so"},
}
"""What every tool's result has."""


def kept(data: FrozenJson | None, output: str, *, truncated: bool) -> JsonObject | None:
    """A tool's values as they are kept; None if there is nothing to keep.

    Args:
        data: what the tool gave.
        output: the step's output.
        truncated: whether something was left out.
    """
    found: JsonObject = dict(data or {})
    text = found.get("text")
    if text == output:
        del found["text"]
    elif isinstance(text, str) and len(text) > LEAST_CHARS:
        body, before = text.rstrip("\n"), output.rstrip("\n")
        start = 0 if output.startswith(body) else len(before) - len(body) if before.endswith(body) else -1
        if start >= 0:
            found["text"] = [start, start + len(body), text[len(body) :]]
    if truncated:
        found["truncated"] = True
    return found or None


def seen(result: FrozenJson | None, output: Json) -> JsonObject:
    """The values of a tool's step, as an expression sees them.

    Args:
        result: as `kept` made it.
        output: the step's output.
    """
    found: JsonObject = {"text": output, "truncated": False, **(result or {})}
    match found["text"], output:
        case [int(start), int(end), str(rest)], str():
            found["text"] = output[start:end] + rest
    return found
