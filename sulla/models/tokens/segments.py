"""A bounded memory of how stretches of history look on a service's wire. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar
from zlib import crc32

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId
from sulla.core.message import Message

_MASK = 15
"""One message in sixteen ends a segment: few enough to be cheap to join, many enough that little is encoded again."""

_PER_MESSAGE_BYTES = 100
"""What remembering a message costs beside its text."""

Role = TypeVar("Role", bound=str)


def ends_segment(message: Message) -> bool:
    """Whether a segment may end with this message.

    It depends on nothing but the message, so that segments stay where they are when a history grows at its end or is
    trimmed at its front.
    """
    return crc32(message.id.encode("utf-8", "surrogatepass")) & _MASK == 0


@dataclass(frozen=True, slots=True)
class TokenSegment(Generic[Role]):
    """A stretch of history, ready to be joined with its neighbours."""

    messages: list[Message]
    raw: bytes
    first: Role
    """Whose turn it begins with."""
    last: Role
    """Whose turn it ends with."""

    @property
    def size_bytes(self) -> int:
        """What it takes up."""
        return len(self.raw) + _PER_MESSAGE_BYTES * len(self.messages)


class SegmentCache(Generic[Role]):
    """Finds a segment by its first message, and only for the very messages that it was made of.

    An id alone would not do: a tool message grows under one id, and two threads may have chosen the same one. Two
    generations bound the memory without bookkeeping per hit: when the young one is full it becomes the old one, and the
    old one is dropped.

    Args:
        limit_bytes: how much one generation holds; the whole holds at most twice as much, and one segment.
    """

    __slots__ = ("_limit", "_old", "_weight", "_young")

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._young: dict[MessageId, TokenSegment[Role]] = {}
        self._old: dict[MessageId, TokenSegment[Role]] = {}
        self._weight = 0

    @property
    def size_bytes(self) -> int:
        """What everything remembered takes up."""
        return sum(segment.size_bytes for half in (self._young, self._old) for segment in half.values())

    def find(self, messages: Sequence[Message], start: int) -> TokenSegment[Role] | None:
        """The segment that `messages` holds at `start`, if it is known.

        Args:
            messages: a list.
            start: where to look.
        """
        message_id = messages[start].id
        segment = self._young.get(message_id)
        old = segment is None
        if segment is None:
            segment = self._old.get(message_id)
        # Comparing lists takes objects that are the same for equal without looking into them.
        if segment is None or messages[start : start + len(segment.messages)] != segment.messages:
            return None
        if old:
            self.add(segment)
        return segment

    def add(self, segment: TokenSegment[Role]) -> None:
        """Remember a segment."""
        known = self._young.pop(segment.messages[0].id, None)
        self._weight += segment.size_bytes - (known.size_bytes if known is not None else 0)
        if self._weight > self._limit:
            self._old, self._young = self._young, {}
            self._weight = segment.size_bytes
        self._young[segment.messages[0].id] = segment
