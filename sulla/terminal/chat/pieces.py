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
_MOST_LINES: Final = 20
_MOST_CHARS: Final = 4_000
"""So much is shown of a long message where it was not typed here: about a screen."""
_MOST_LATE: Final = 200
"""So many pieces are kept back while a question is asked; with more of them, all are printed."""
_LAST: Final = 6
"""So many messages of a conversation are shown when it is opened."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something to print for good."""

    tone: Tone
    text: str


class LatePieces:
    """Keeps back what is to be printed while a question is asked: its frame stands right above the line where it is
    answered. It lives as long as the talk."""

    def __init__(self) -> None:
        self._kept: tuple[Piece, ...] = ()

    def add(self, pieces: Sequence[Piece], *, is_asked: bool) -> Sequence[Piece]:
        """What is printed now, with what was kept back before it.

        Args:
            pieces: what comes next.
            is_asked: whether a question is asked.
        """
        pieces = (*self._kept, *pieces)
        self._kept = pieces if is_asked and len(pieces) <= _MOST_LATE else ()
        return () if self._kept else pieces


def last_messages(events: Iterable[Event], most: int = _LAST) -> list[Piece]:
    """The last things that were said in a conversation, for whoever opens it.

    Args:
        events: kept ones, the oldest first.
        most: how many.
    """
    told: list[list[Piece]] = []
    asked = [0]
    several = any(event["type"] == "AGENT_ROUTED" for event in events)
    for event in events:
        data = event["data"]
        if event["type"] == "INPUT":
            asked.append(len(told))
            told.append(said(event, "you"))
        elif event["type"] == "TEXT_MESSAGE_END" and not data.get("hidden") and str(data.get("text", "")).strip():
            text, rest = _beginning(event)
            named = [Piece("strong", f"{event['agent']}>")] if several else []
            told.append([*named, Piece("answer", text), *rest])
        elif event["type"] == "RUN_ERROR":
            told.append([Piece("faint", f"[failed ({data['code']}): {one_line(str(data['message']), _RESULT)}]")])
        elif event["type"] == "RUN_FINISHED" and data.get("outcome", {}).get("status") == "cancelled":
            told.append([Piece("faint", f"[{data['outcome'].get('reason') or 'cancelled'}]")])
    first = max(0, len(told) - most)
    begins = max(at for at in asked if at <= first)  # no answer stands there without its question
    return [piece for pieces in told[begins if first - begins < most else first :] for piece in pieces]


def said(event: Event, who: str) -> list[Piece]:
    """A message, as it is shown to those who did not write it here: its beginning, if it is long.

    Args:
        event: its record.
        who: whose it is if it is a person's.
    """
    data = event["data"]
    origin = data.get("origin", "user")
    quoted = f" (and {len(data['quoted']):,} characters quoted)" if data.get("quoted") else ""
    text, rest = _beginning(event)
    return [Piece("strong", f"{who if origin == 'user' else origin}> {text}{quoted}"), *rest]


def _beginning(event: Event) -> tuple[str, list[Piece]]:
    """As much of a text as is shown of it, and what says how much more there is and how it is seen."""
    text = str(event["data"]["text"])
    lines = text.rstrip("\n").split("\n")
    shown = "\n".join(lines[:_MOST_LINES])[:_MOST_CHARS]
    if len(shown) == len(text.rstrip("\n")):
        return text, []
    more = len(lines) - shown.count("\n") - 1
    size = f"{more:,} more line{'s' if more > 1 else ''}" if more else f"{len(text) - len(shown):,} more characters"
    see = f"sulla thread show {event['thread_id']} --after {event['seq'] - 1} --limit 1"
    return shown, [Piece("faint", f"… {size}: `{see}` shows all of it")]


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
