"""What a buffer keeps over a crash: plain values, as small as what is open. Pure."""

from __future__ import annotations

from dataclasses import replace

from sulla.core.dataclass import dataclass
from sulla.speech.turn_taking.detector import UNKNOWN, Style
from sulla.speech.turn_taking.silence import Silence


@dataclass(frozen=True, slots=True)
class StoredUtterance:
    """An utterance that is open."""

    id: str
    base: tuple[str, ...]
    base_seq: int
    line: tuple[str, ...]
    deltas: tuple[tuple[int, str], ...]
    """By `seq`."""
    used: tuple[int, ...]
    taken: tuple[str, ...]
    forgotten: int
    closed: bool
    parts: int
    stable_chars: int
    chars: int = 0
    """How long its text is, without `deltas`."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn that is open."""

    id: str
    first_ms: int
    last_ms: int
    text: str
    looked: bool
    eager: bool
    silence: Silence | None = None
    """None in what was written before it was kept: then it is not sure."""


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """How far an utterance has come in a recognizer's stream."""

    utterance_id: str
    speaker: str
    stream: str
    at: int
    from_char: int
    words: int
    """How many words of the utterance stand before the segment."""
    floor: int = 0
    """Segments of the stream before this one are in other utterances."""
    begins: int | None = 0
    """From which character on its words are its own; None as long as none are."""
    ends_at: int | None = None
    """From this segment on a younger utterance has the stream."""
    ends: int | None = None
    """Up to which character its words are its own, if that segment was heard in it too."""
    repeats: str = ""
    """The utterance that it may say again, over another connection."""


@dataclass(frozen=True, slots=True)
class StoredBuffer:
    """Everything that a buffer knows, but its profile and detector."""

    utterances: tuple[StoredUtterance, ...]
    closed: tuple[str, ...]
    turn: StoredTurn | None
    question: str | None
    pause_mean_ms: float
    spoke_ms: int | None
    now_ms: int
    style: Style = UNKNOWN
    segments: tuple[StoredSegment, ...] = ()
    """Of open utterances."""
    streams: tuple[tuple[str, int], ...] = ()
    """How far closed ones have come, by speaker and stream."""


def moved(stored: StoredBuffer, by_ms: int) -> StoredBuffer:
    """The same at another time: the clock that it was written down by went otherwise.

    Args:
        stored: what a buffer knew.
        by_ms: how much later; less than 0 for earlier.
    """
    turn, spoke_ms = stored.turn, stored.spoke_ms
    if turn is not None:
        silence = turn.silence
        turn = replace(
            turn,
            first_ms=turn.first_ms + by_ms,
            last_ms=turn.last_ms + by_ms,
            silence=silence
            and replace(silence, since_ms=silence.since_ms + by_ms, learnt_ms=silence.learnt_ms + by_ms),
        )
    return replace(
        stored,
        turn=turn,
        spoke_ms=None if spoke_ms is None else spoke_ms + by_ms,
        now_ms=stored.now_ms + by_ms,
    )


def returned(stored: StoredBuffer, now_ms: int) -> StoredBuffer:
    """The same after a time in which nobody could be heard, which is no silence of whoever speaks.

    Args:
        stored: what a buffer knew.
        now_ms: the time in milliseconds, not before its own.
    """
    moved_on = moved(stored, now_ms - stored.now_ms)
    turn = moved_on.turn
    return replace(moved_on, turn=turn and replace(turn, silence=Silence(now_ms, now_ms, away=True)))
