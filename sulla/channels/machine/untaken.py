"""What people are told whose messages find no room: in one notice for all of a conversation. Pure.

It is planned when nothing else is to be said there, so no notice stands before a question, an answer or what a command
did; and however many messages are not taken, there is one notice in a minute.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sulla.channels.machine.quoting import about, begins
from sulla.channels.machine.values import Talk, Untaken

GATHER_MS: Final = 2_000
"""How long is waited for more behind the first one, in milliseconds: many are said in one go."""
EVERY_MS: Final = 60_000
"""Between two notices at one place, in milliseconds."""


def with_one(before: Untaken, *, mark: str, ref: str, text: str, why: str, now_ms: int) -> Untaken:
    """One more was not taken.

    Args:
        before: those until now.
        mark: by which it is known.
        ref: the service's id of it.
        text: its words.
        why: there was no room, and what to do.
        now_ms: UTC milliseconds.
    """
    if before.count:
        return replace(before, count=before.count + 1)
    return Untaken(1, mark, ref, begins(text), why, now_ms, before.told_ms)


def of(talk: Talk | None) -> Untaken:
    """What was not taken at a place.

    Args:
        talk: the place's; None where nothing is known of it.
    """
    return (talk.untaken if talk is not None else None) or Untaken()


def due_ms(untaken: Untaken) -> int | None:
    """When people are to be told, UTC milliseconds; None where there is nothing to tell.

    Args:
        untaken: what was not taken.
    """
    if not untaken.count:
        return None
    again_ms = untaken.told_ms + EVERY_MS if untaken.told_ms else 0
    # A clock that was set back makes nobody wait for longer than that.
    return max(untaken.since_ms + GATHER_MS, min(again_ms, untaken.since_ms + EVERY_MS))


def notice(untaken: Untaken) -> str:
    """What people are told, CommonMark.

    Args:
        untaken: what was not taken; one at least.
    """
    more = untaken.count - 1
    those = f"This and {more} more behind it were" if more else "This was"
    return about(f"{those} not taken: {untaken.why}", untaken.begins)
