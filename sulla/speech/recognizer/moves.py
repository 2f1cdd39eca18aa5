"""What a recognizer's frame comes to. Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.speech.turn_taking.chunk import Chunk


@dataclass(frozen=True, slots=True)
class Say:
    """Somebody said this."""

    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Flush:
    """The turn is to end now."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The turn is to be forgotten."""


@dataclass(frozen=True, slots=True)
class Played:
    """The client has played so much of a message; an empty id if it plays nothing."""

    message_id: str
    played_chars: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Nothing more will be said."""


@dataclass(frozen=True, slots=True)
class Passed:
    """A frame of a type that is not known: recognizers get new ones."""

    type: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """No frame as it should be."""

    message: str


Move = Say | Flush | Drop | Played | Leave | Passed | Wrong
