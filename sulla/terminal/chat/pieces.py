"""What is printed of a conversation for good, piece by piece. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.terminal.table import harmless, one_line
from sulla.terminal.wrap import wrapped

Event = dict[str, Any]
Tone = Literal["answer", "plain", "faint", "strong", "fold"]
"""How a piece is shown: as Markdown, plainly, less or more important, or folded into one row of the terminal."""

ARGS: Final = 80
_RESULT: Final = 300
"""How much is shown of a tool call and of what it came to, in columns."""
_LAST: Final = 6
"""So many messages of a conversation are shown when it is opened."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something to print for good."""

    tone: Tone
    text: str


def last_messages(events: Iterable[Event], most: int = _LAST) -> list[Piece]:
    """The last things that were said in a conversation, for whoever opens it.

    Args:
        events: kept ones, the oldest first.
        most: how many.
    """
    pieces: list[Piece] = []
    for event in events:
        data = event["data"]
        if event["type"] == "INPUT":
            pieces.append(said(data, "you"))
        elif event["type"] == "TEXT_MESSAGE_END" and not data.get("hidden") and str(data.get("text", "")).strip():
            pieces.append(Piece("answer", str(data["text"])))
        elif event["type"] == "RUN_ERROR":
            pieces.append(Piece("faint", f"[failed ({data['code']}): {one_line(str(data['message']), _RESULT)}]"))
    return pieces[-most:]


def said(data: Event, who: str) -> Piece:
    """A message, as it is shown to those who did not write it here.

    Args:
        data: the record's.
        who: whose it is if it is a person's.
    """
    origin = data.get("origin", "user")
    quoted = f" (and {len(data['quoted']):,} characters quoted)" if data.get("quoted") else ""
    return Piece("strong", f"{who if origin == 'user' else origin}> {data['text']}{quoted}")


def args_line(args: Any) -> str:  # noqa: ANN401 - whatever a model made of it
    """The arguments of a call in a row: one that is a text as it is, more of them as JSON."""
    if isinstance(args, dict) and len(args) == 1 and isinstance(value := next(iter(args.values())), str):
        return one_line(value, ARGS)
    return one_line(json.dumps(args, ensure_ascii=False), ARGS) if args else ""


def folded(text: str, *, is_error: bool) -> str:
    """What a call came to, in a row: how much it is, and how it begins."""
    every = [line for line in harmless(text).splitlines() if line.strip()]
    # What the daemon says of a result, e.g. which lines of a file it is, stands in brackets and is none of its lines.
    lines = [line for line in every if not (line.startswith("[") and line.endswith("]"))] or every
    mark = "failed: " if is_error else "→ "
    size = f"{len(lines)} lines: " if len(lines) > 1 else ""
    return one_line(mark + size + (lines[0] if lines else "nothing"), _RESULT)


def shown_tail(tail: str, rows: int, columns: int) -> Sequence[str]:
    """The last rows of an answer that grows, as a terminal wraps them.

    Args:
        tail: the text, without anything that moves a cursor.
        rows: how many at the most.
        columns: how wide the terminal is.
    """
    found: list[str] = []
    for line in tail.rstrip("\n").split("\n")[-rows:]:
        found += wrapped(line, columns)
    return found[-rows:] if tail.strip() else []
