"""What is known of a speaker's silence: that a recognizer sends no new text is none. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.speech.turn_taking.chunk import Chunk

UNSETTLED_MS: Final = 1_250
"""Silence behind text that may be revised: recognizers send such text up to a second apart (Deepgram's default)."""
RETURN_MS: Final = 5_000
"""How long a speaker has to come back after the daemon was away: clients connect anew within some seconds."""
HELD_MS: Final = 30_000
"""A recognizer that says itself when a turn is over, and has said nothing for so long, is gone: the longest silence
that Flux can be told to wait for is 10 s."""


@dataclass(frozen=True, slots=True)
class Silence:
    """A speaker's silence, as far as it is known."""

    since_ms: int
    """It is counted from here."""
    learnt_ms: int
    """When this was learnt: nothing is due before."""
    sure: bool = False
    """Whether the recognizer has heard it, and not only sent nothing new."""
    away: bool = False
    """Whether the daemon was away since: then nobody could be heard."""

    held: bool = False
    """Whether the recognizer says when the turn is over, so that no silence ends it."""

    def lasts_until_ms(self, wait_ms: int) -> int:
        """When it has lasted long enough.

        Args:
            wait_ms: how long a silence that is sure is to last.
        """
        if self.held:
            return self.learnt_ms + HELD_MS
        least_ms = RETURN_MS if self.away else 0 if self.sure else UNSETTLED_MS
        return max(self.learnt_ms, self.since_ms + max(wait_ms, least_ms))

    def after(self, chunk: Chunk, now_ms: int, *, is_new: bool, settled: bool) -> Silence:
        """What is known of it after a chunk.

        Args:
            chunk: that has come.
            now_ms: the time in milliseconds.
            is_new: whether it has changed the text.
            settled: whether nothing of the text will be revised.
        """
        sure = settled and chunk.silent_ms != 0
        since_ms = now_ms if is_new or self.away or chunk.silent_ms == 0 else self.since_ms
        if sure and chunk.silent_ms is not None:
            since_ms = now_ms - chunk.silent_ms
        learnt_ms = now_ms if sure or chunk.held else since_ms
        return Silence(since_ms, learnt_ms, sure, held=chunk.held)
