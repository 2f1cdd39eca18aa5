"""What is said of the decisions about speech. Pure."""

from __future__ import annotations

from typing import Any, Final

from sulla.terminal.table import one_line, width

Row = dict[str, Any]
"""A decision: `what`, and what belongs to it."""

_SHOWN: Final = 60
"""Columns of a text that is not over yet."""

_REASONS: Final = {
    "final": "the recognizer closed it",
    "max_time": "it went on for as long as a turn may",
    "max_length": "it is as long as a turn may be",
    "forced": "somebody asked for it",
}
_RULES: Final = {
    "not_read": "nobody looked at the text",
    "too_short": "it is too short to be guessed at",
    "no_whole_thought": "it neither ends like a sentence nor begins as a request",
    "complete_thought": "it ends like a sentence or begins as a request",
}
"""Of the profile `classic`; those of `adaptive` are the detector's names."""


def words(row: Row) -> str:
    """A decision in words.

    Args:
        row: the decision.
    """
    return _WORDS[row["what"]](row)


def why(row: Row) -> str:
    """Why a turn ended just then.

    Args:
        row: of its end, or of being cut off.
    """
    if said := _REASONS.get(row["reason"]):
        return f"{row['reason']}: {said}"
    return f"{row['reason']}: {seconds(row['waited_ms'])} of silence were enough, because {_rule(row)}"


def seconds(ms: int) -> str:
    """A time, with no more digits than it has."""
    return f"{ms / 1000:.3f}".rstrip("0").rstrip(".") + " s"


def tail(text: str) -> str:
    """The end of a text on one line: what is said there decides."""
    line = one_line(text)
    if width(line) <= _SHOWN:
        return line
    shown = line[-(_SHOWN - 1) :]
    while width(shown) > _SHOWN - 1:
        shown = shown[1:]
    return f"…{shown}"


def _started(row: Row) -> str:
    return f"turn {row['turn_id']} begins"


def _partial(row: Row) -> str:
    return f'  "{tail(row["text"])}"'


def _ignored(row: Row) -> str:
    return f"this says nothing new: {row['utterance_id']} {row['seq']}"


def _question(row: Row) -> str:
    return f'the assistant asks "{tail(row["text"])}"' if row["text"] else "the assistant says something"


def _until(row: Row) -> str:
    return f"here a talk stands still until the assistant is {row['until']}"


def _read(row: Row) -> str:
    wait = f"waits for {seconds(row['wait_ms'])} of silence"
    if row["kind"] == "hold":
        return f"  it asks for time ({row['rule']}): {wait}"
    return f"  {_rule(row)}: {wait}"


def _eager(row: Row) -> str:
    return f"  seems to be over ({row['score']:.2f})"


def _resumed(_: Row) -> str:
    return "  it was not over"


def _end(row: Row) -> str:
    return f'turn {row["turn_id"]} ends: "{one_line(row["text"])}"'


def _cancelled(row: Row) -> str:
    return f"turn {row['turn_id']} is dropped" + (f': "{tail(row["text"])}"' if row.get("text") else "")


def _cut_off(row: Row) -> str:
    return (
        f"turn {row['turn_id']} was cut off: more of it came {seconds(row['after_ms'])} after its end, "
        f"when {seconds(row['pause_ms'])} had passed since its last word"
    )


_WORDS: Final = {
    "started": _started,
    "partial": _partial,
    "ignored": _ignored,
    "question": _question,
    "until": _until,
    "read": _read,
    "eager_end": _eager,
    "resumed": _resumed,
    "end": _end,
    "cancelled": _cancelled,
    "cut_off": _cut_off,
}


def _rule(row: Row) -> str:
    return _RULES.get(row["rule"]) or f"it reads {row['score']:.2f} complete ({row['rule']})"
