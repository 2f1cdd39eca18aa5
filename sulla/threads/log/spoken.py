"""What speech brings into a conversation beside its words. Pure."""

from __future__ import annotations

from typing import ClassVar

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId
from sulla.threads.log.forms import Fielded
from sulla.threads.log.provenance import Provenance


@dataclass(frozen=True, slots=True)
class Heard:
    """How much of the assistant's reply the person had heard when they began to speak."""

    message_id: MessageId
    chars: int
    """Of its visible text, in code points; what comes behind was never said, as far as the person knows."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Why a spoken turn ended when it did."""

    turn_id: str
    reason: str
    """``final``, ``complete``, ``silence``, ``max_time``, ``max_length`` or ``forced`` (docs/inside/speech.md)."""
    score: float = 0.0
    """How complete it read, from 0 to 1."""
    detail: str = ""
    """The detector's rule that decided."""
    waited_ms: int = 0
    """Silence before it ended."""
    heard: Heard | None = None
    """What it interrupted, if anything."""
    began_ms: int = 0
    """When the person began to speak, UTC milliseconds. Tells turns apart whose utterances a client has named alike."""


@dataclass(frozen=True, slots=True)
class BargedIn(Fielded):
    """Somebody speaks over a reply that is being made: it ends. Offered; wakes nobody and holds nothing back.

    It means one reply alone: if that is over by the time, nothing happens, and tool calls are never ended by it.
    """

    kind: ClassVar[str] = "BARGED_IN"
    provenance: ClassVar[Provenance] = "daemon"
    turn_id: str
    message_id: MessageId
    """The reply."""
