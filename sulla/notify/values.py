"""What the outbox holds and is told: values alone. Pure."""

from __future__ import annotations

from dataclasses import field
from typing import Final

from sulla.core.dataclass import dataclass

MAX_WAITING: Final = 500
"""Messages that wait, of all channels; a further one takes the place of the oldest that is not urgent."""
MAX_LINES: Final = 20
"""News of one matter that one message shows; of more it says how many."""
MAX_TRIES: Final = 8
"""Attempts at one message; with `BACKOFF_S` they go over about nine hours."""
BACKOFF_S: Final = (30, 120, 600, 1_800, 3_600, 7_200, 14_400)
"""How long is waited before each further attempt, in seconds."""
BROKEN_AFTER: Final = 3
"""Failures in a row after which a channel counts as broken."""
KNOWN_DAYS: Final = 31
"""How long it is known that something was sent; notices themselves are kept for 30 days."""
HELD_MS: Final = 120_000
"""News that go out later than this after they happened say when that was."""
HOUR_MS: Final = 3_600_000


@dataclass(frozen=True, slots=True)
class News:
    """Something that people are to be told."""

    id: str
    """The same however often it is heard of."""
    matter: str
    """What it is about: news of the same matter within a window become one message."""
    kind: str
    title: str
    text: str
    level: str
    at_ms: int
    outside: bool = False
    """Whether the words may come from what nobody trusts."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a channel takes."""

    name: str
    kinds: frozenset[str]
    level: str = "normal"


@dataclass(frozen=True, slots=True)
class Message:
    """A message that waits for its turn, or is being sent."""

    id: str
    channel: str
    matter: str
    title: str
    news: tuple[tuple[str, str, int], ...]
    """The id and the text of each, and when it happened; 0 where that is not known."""
    urgent: bool
    outside: bool
    due_ms: int
    made_ms: int
    tries: int = 0
    sending: bool = False
    doubtful: bool = False
    """Whether an attempt before may have arrived: its end is not known."""
    more: int = 0
    """News beyond those that it shows."""


@dataclass(frozen=True, slots=True)
class ChannelState:
    """What is known of a channel."""

    since_ms: int
    """When it was first there: what is older is not sent."""
    sent_ms: tuple[int, ...] = ()
    """When it was sent something within the last hour."""
    last_by_matter: dict[str, int] = field(default_factory=dict)
    failures: int = 0
    """In a row."""
    why: str = ""
    """Of the last one, or of a test since; empty where there was none since something arrived."""
    rest_ms: int = 0
    """Until when nothing is tried."""
    left_out: int = 0
    """News that were given up and of which it was not told yet."""
    broken_ms: int = 0
    """When it came to count as broken; 0 while it does not."""
