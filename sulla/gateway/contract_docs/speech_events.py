"""What is shown of speech while it happens: the form of each ``SPEECH_*`` event's data. Pure.

They are shown live and not kept; what is kept of a spoken turn is its ``INPUT``.
"""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId
from sulla.speech.turn_taking.events import EndReason


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """Somebody began to speak."""

    turn_id: str


@dataclass(frozen=True, slots=True)
class SpeechPartial:
    """The text of the spoken turn is another."""

    turn_id: str
    text: str
    """Its end, up to 500 code points."""
    chars: int
    """How many code points it has."""


@dataclass(frozen=True, slots=True)
class SpeechEagerEnd:
    """The spoken turn seems to be over: it ends with this text, or `SPEECH_RESUMED` comes first."""

    turn_id: str
    text: str
    """Its end, up to 500 code points."""
    chars: int
    score: float
    """How complete it reads, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class SpeechResumed:
    """The spoken turn was not over."""

    turn_id: str


@dataclass(frozen=True, slots=True)
class SpeechEnd:
    """The spoken turn is over, and its text stands."""

    turn_id: str
    text: str
    """Its end, up to 500 code points."""
    chars: int
    reason: EndReason
    score: float
    detail: str
    """The detector's rule that decided."""
    waited_ms: int
    """Silence before it."""
    message_id: MessageId
    """Of the `INPUT` that holds it; empty if none does."""
    delivered: bool
    """Whether it is a message; words that only accompany the assistant's are none."""


@dataclass(frozen=True, slots=True)
class SpeechCancelled:
    """The spoken turn was dropped."""

    turn_id: str


@dataclass(frozen=True, slots=True)
class SpeechBargeIn:
    """Somebody speaks while the assistant does: stop playing now."""

    turn_id: str
    message_id: MessageId
    """What is being played, or written."""
    played_chars: int


@dataclass(frozen=True, slots=True)
class SpeechGoOn:
    """It was nothing: go on playing from there."""

    turn_id: str
    message_id: MessageId
    from_chars: int


SPEECH: Final[dict[str, type]] = {
    "SPEECH_STARTED": SpeechStarted,
    "SPEECH_PARTIAL": SpeechPartial,
    "SPEECH_EAGER_END": SpeechEagerEnd,
    "SPEECH_RESUMED": SpeechResumed,
    "SPEECH_END": SpeechEnd,
    "SPEECH_CANCELLED": SpeechCancelled,
    "SPEECH_BARGE_IN": SpeechBargeIn,
    "SPEECH_GO_ON": SpeechGoOn,
}
"""The form of the data by the event's type."""
