"""People and what they have not answered, in words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from sulla.core.cut import cut
from sulla.core.words import Author, Words, ours
from sulla.people.notices import NoticeInfo
from sulla.people.presence import PersonInfo

ACTIVE_S: Final = 300.0
"""Who did something within this time is there, in seconds (the original's five minutes)."""
MOST_TOLD: Final = 8
"""People that an agent is told of."""
SHOWN_CHARS: Final = 300
"""Of a notice that waits to be seen."""
LABEL_CHARS: Final = 24
"""Of a client's name."""
_ODD: Final = re.compile(r"[^\w .-]")
_UNITS: Final = ((90, 1, "s"), (90 * 60, 60, "min"), (2 * 86_400, 3600, "h"))
"""Up to how many seconds a time is told in which unit."""


def ago(seconds: float) -> str:
    """How long ago something was, e.g. ``3 min``.

    Args:
        seconds: how long ago.
    """
    for most_s, unit_s, word in _UNITS:
        if seconds < most_s:
            return f"{int(seconds // unit_s)} {word}"
    return f"{int(seconds // 86_400)} days"


def people_lines(people: Sequence[PersonInfo], owner: str, now_ms: int) -> str:
    """What an agent is told of people, a line each.

    Args:
        people: who is there or was, who was active last first.
        owner: the name of the home's own token.
        now_ms: UTC milliseconds.
    """
    if not people:
        return "Nobody has been seen yet."
    lines = [_line(one, "Your owner" if one.name == owner else one.name, now_ms) for one in people[:MOST_TOLD]]
    idle = [found for one in people if (found := one.idle_s(now_ms)) is not None]
    if not idle or min(idle) >= 86_400:
        lines.append(f"Nobody has been active {f'for {ago(min(idle))}' if idle else 'yet'}.")
    return "\n".join(f"- {line}" for line in lines)


def _line(one: PersonInfo, who: str, now_ms: int) -> str:
    idle_s = one.idle_s(now_ms)
    if idle_s is None:
        said = f"{who} has not been active yet"
    else:
        where = f", on {_label(one.client)}" if one.client else ""
        said = f"{who} was last active {ago(idle_s)} ago{where}"
    if not one.clients:
        return f"{said}; not connected"
    here = "there now" if idle_s is not None and idle_s < ACTIVE_S else "connected, but idle"
    quiet = "" if one.available else "; does not want to be disturbed"
    return f"{said}; {here} ({', '.join(map(_label, one.clients[:4]))}){quiet}"


def _label(client: str) -> str:
    """What a client calls itself, too short and too plain to tell an agent what to do: any token may connect."""
    return _ODD.sub("", client)[:LABEL_CHARS].strip() or "a client"


def unseen_lines(notices: Iterable[NoticeInfo], now_ms: int) -> list[Words]:
    """What people were told and have not seen, for the agent that said it.

    Args:
        notices: those.
        now_ms: UTC milliseconds.
    """
    return [_unseen(one, ago(max(0, now_ms - one.at_ms) / 1000)) for one in notices]


def _unseen(one: NoticeInfo, since: str) -> Words:
    if one.tainted:  # what nobody trusts is not carried into another conversation
        return ours(
            f"Told {since} ago, and not seen yet: a note whose text is left out, because it is not to be trusted."
        )
    shown = cut(" ".join(one.text.split()), SHOWN_CHARS)
    return Words(f"Told {since} ago, and not seen yet: {shown}", Author.AGENT)
