"""A bounded memory of how messages look on a service's wire. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from sulla.core.ids import MessageId
from sulla.core.message import Message


class Weighed(Protocol):
    """Something encoded."""

    @property
    def size_bytes(self) -> int:
        """What it takes up."""
        ...


Encoded = TypeVar("Encoded", bound=Weighed)


class FragmentCache(Generic[Encoded]):
    """Encodes each message once, however often it is sent again.

    An entry is found by the message's id and only used for the message that it was made of, because a tool message
    grows under one id and two threads may have chosen the same one. Two generations bound the memory without any
    bookkeeping per hit: when the young one is full it becomes the old one, and the old one is dropped.

    Args:
        encode: makes the entry.
        limit_bytes: how much one generation holds; the whole holds at most twice as much, and one entry.
    """

    __slots__ = ("_encode", "_limit", "_old", "_weight", "_young")

    def __init__(self, encode: Callable[[Message], Encoded], limit_bytes: int) -> None:
        self._encode = encode
        self._limit = limit_bytes
        self._young: dict[MessageId, tuple[Message, Encoded]] = {}
        self._old: dict[MessageId, tuple[Message, Encoded]] = {}
        self._weight = 0

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, message: Message) -> Encoded:
        """The encoded form of `message`, made now if it is not known."""
        known = self._young.get(message.id)
        if known is not None and (known[0] is message or known[0] == message):
            return known[1]
        return self._renew(message)

    def _renew(self, message: Message) -> Encoded:
        known = self._old.get(message.id)
        entry = known[1] if known is not None and known[0] == message else self._encode(message)
        self._weight += entry.size_bytes
        if self._weight > self._limit:
            self._old, self._young = self._young, {}
            self._weight = entry.size_bytes
        self._young[message.id] = (message, entry)
        return entry
