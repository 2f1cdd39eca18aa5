"""What one thread has for another one: records that are offered to it, once. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Literal, TypeVar

from sulla.core.dataclass import dataclass
from sulla.core.event import Fact
from sulla.core.ids import ThreadId

StateT = TypeVar("StateT")


@dataclass(frozen=True, slots=True)
class Owed:
    """Something that a thread has for another one; what exactly is made up when it is delivered."""

    what: Literal["report", "answer", "end", "cancel"]
    """What a run came to, for whoever asked for it; an answer, for whoever asked a question; that a thread has ended,
    for a conversation that hears of it; that nobody waits for a child any more, for the child."""
    to: ThreadId
    id: str
    """Which one: of the child, or of the wait."""


@dataclass(frozen=True, slots=True)
class RecordDelivery:
    """What another thread is offered, and what is noted here when that is done."""

    offers: tuple[tuple[Fact, str], ...]
    """Each with the key under which that thread takes it once, where the record has no name of its own."""
    done: Callable[[bool], Fact]
    """Gives the note, from whether there still is such a thread."""
    kept_first: bool = True
    """Whether all that it follows from is kept before it is offered: what is told must not be undone."""


def no_thread(state: object) -> ThreadId:
    """Most kinds of threads belong to no conversation beside whoever asked for them."""
    return ThreadId("")


def _nothing(state: object) -> None:
    """Where nobody hears of it, there is nothing to be told."""


@dataclass(frozen=True, slots=True)
class EndNews(Generic[StateT]):
    """How a conversation hears that a thread of some kind has ended, beside whoever asked for that thread."""

    to: Callable[[StateT], ThreadId] = no_thread
    """Which conversation is to be told now; empty for none."""
    delivery: Callable[[StateT], RecordDelivery | None] = _nothing
    """What it is told; None for nothing."""
    removed: Callable[[StateT], tuple[ThreadId, Fact, str] | None] = _nothing
    """What it is offered, and under which key, when the thread is about to be removed; None for nothing."""
