"""What happens, as values: facts that are kept and moments that are only shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId
from sulla.core.jsontypes import Json, JsonObject


class Fact(Protocol):
    """Something that was decided or done, kept as one record and shown as one event.

    Every capability defines its own facts as frozen dataclasses; ``kind`` is the record's and the event's type.
    """

    @property
    def kind(self) -> str:
        """The type's name in capitals, e.g. ``RUN_STARTED``: stable for ever."""

    def data(self) -> JsonObject:
        """What is kept and shown, as JSON with snake_case keys."""


@dataclass(frozen=True, slots=True)
class TextShown:
    """A piece of a reply as it streams, free of wrapper tags."""

    message_id: MessageId
    offset: int
    """Where `delta` begins in the whole visible text, counted in code points (design §12)."""
    delta: str


@dataclass(frozen=True, slots=True)
class ReasoningShown:
    """A piece of the model's reasoning as it streams."""

    message_id: MessageId
    offset: int
    delta: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How a running tool is getting on."""

    call_id: str
    note: Json


Moment = TextShown | ReasoningShown | Progress
"""Shown live, never kept, has no sequence number."""

Emit = Callable[[Moment], None]
"""Takes a moment; never blocks, never fails, may drop."""
