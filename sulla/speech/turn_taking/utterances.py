"""The utterances of one thread: those that are open, and the names of those that are closed. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.segments import Segments
from sulla.speech.turn_taking.stored import StoredSegment, StoredUtterance
from sulla.speech.turn_taking.utterance import Utterance

MAX_OPEN: Final = 8
"""Utterances that were not closed by a final chunk; the oldest one whose words are in turns is closed to make room."""
MAX_CLOSED: Final = 64
"""Closed utterances whose late chunks are known as such."""


class Utterances:
    """What was heard, by utterance, in the order in which each was first heard of."""

    __slots__ = ("_closed", "_open", "segments")

    def __init__(
        self,
        stored: Iterable[StoredUtterance] = (),
        closed: Iterable[str] = (),
        segments: Iterable[StoredSegment] = (),
        streams: Iterable[tuple[str, int]] = (),
    ) -> None:
        self._open = {one.id: Utterance.restored(one) for one in stored}
        self._closed = deque(closed, maxlen=MAX_CLOSED)
        self.segments = Segments(segments, streams)
        """Which stretch of a recognizer's stream is in which of them."""

    def stored(self) -> tuple[tuple[StoredUtterance, ...], tuple[str, ...]]:
        """Those that are open, and the names of those that are closed."""
        return tuple(one.stored(name) for name, one in self._open.items()), tuple(self._closed)

    def is_full(self, utterance_id: str) -> bool:
        """Whether there is no room for this one but that of words that are in no turn yet.

        Args:
            utterance_id: that a chunk has come of.
        """
        return self._needs_room(utterance_id) and all(utterance.words() for utterance in self._open.values())

    def goes_on(self, utterance_id: str) -> bool:
        """Whether a part of it is in a turn already, and it may go on.

        Args:
            utterance_id: that a chunk has come of.
        """
        utterance = self._open.get(utterance_id)
        return utterance is not None and utterance.was_taken

    def is_closed(self, utterance_id: str) -> bool:
        """Whether nothing more can come of it.

        Args:
            utterance_id: that a chunk has come of.
        """
        utterance = self._open.get(utterance_id)
        return utterance_id in self._closed or (utterance is not None and utterance.closed)

    def add(self, chunk: Chunk) -> bool:
        """Take a chunk in.

        Args:
            chunk: of any utterance.

        Returns:
            Whether it was new.
        """
        if self.is_closed(chunk.utterance_id):
            return False
        if self._needs_room(chunk.utterance_id):
            spoken = (name for name, utterance in self._open.items() if not utterance.words())
            oldest = next(spoken, next(iter(self._open)))
            self._forget(oldest)
        if (utterance := self._open.get(chunk.utterance_id)) is None:
            utterance = self._open[chunk.utterance_id] = Utterance()
        is_new = utterance.add(self.segments.fit(chunk, self._open))
        if utterance.closed and not utterance.words():
            self._forget(chunk.utterance_id)
        return is_new

    def _forget(self, utterance_id: str) -> None:
        del self._open[utterance_id]
        self._closed.append(utterance_id)
        self.segments.close(utterance_id)

    def _needs_room(self, utterance_id: str) -> bool:
        return len(self._open) >= MAX_OPEN and utterance_id not in self._open and utterance_id not in self._closed

    def text(self) -> str:
        """All words that are in no turn yet."""
        return " ".join([word for utterance in self._open.values() for word in utterance.words()])

    def is_settled(self) -> bool:
        """Whether none of the words that are in no turn yet will be revised."""
        return all(utterance.settled for utterance in self._open.values() if utterance.words())

    def is_over(self) -> bool:
        """Whether nothing more can come of the last utterance that has words in no turn yet."""
        pending = [utterance.closed for utterance in self._open.values() if utterance.words()]
        return not pending or pending[-1]

    def name(self) -> str:
        """The id of a turn that begins now: its utterance's, with ``#`` and a number if that began turns before."""
        for utterance_id, utterance in self._open.items():
            if utterance.words():
                utterance.parts += 1
                return utterance_id if utterance.parts == 1 else f"{utterance_id}#{utterance.parts}"
        raise AssertionError("a turn begins with a word")

    def take(self) -> None:
        """All words are in a turn now, or dropped."""
        for utterance in self._open.values():
            utterance.take()
        for utterance_id in [name for name, one in self._open.items() if one.closed]:
            self._forget(utterance_id)
