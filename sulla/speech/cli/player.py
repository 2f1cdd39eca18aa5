"""What would be heard of an answer: its pieces, spoken one after the other at a speaker's rate. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, NamedTuple

from sulla.core.dataclass import dataclass

CHARS_PER_S: Final = 15.0
"""About how fast an English voice speaks."""


class HeardUpTo(NamedTuple):
    """How much of a message was heard."""

    message_id: str
    played_chars: int
    """Of its visible text, in code points."""


@dataclass(frozen=True, slots=True)
class SpokenPiece:
    """A sentence, or a part of one."""

    message_id: str
    offset: int
    """Where it begins in the message's visible text, in code points."""
    end: int
    text: str

    def rest(self, chars: int) -> SpokenPiece | None:
        """What is left of it for somebody who has heard so much of its message; None if nothing is."""
        if chars <= self.offset:
            return self
        if chars >= self.end:
            return None
        heard = round(len(self.text) * (chars - self.offset) / (self.end - self.offset))
        return SpokenPiece(self.message_id, chars, self.end, self.text[heard:])


class Player:
    """Speaks pieces in the order in which they come. Times are seconds on any clock that does not run backwards.

    Args:
        chars_per_s: how fast.
    """

    def __init__(self, chars_per_s: float = CHARS_PER_S) -> None:
        self._rate = chars_per_s
        self._waiting: deque[tuple[float, SpokenPiece]] = deque()
        """With the time at which each came."""
        self._piece: SpokenPiece | None = None
        """What is spoken now."""
        self._began = 0.0
        self._free = 0.0
        """When the last piece was over."""
        self._heard: HeardUpTo | None = None
        """Up to where the newest message was heard that is over, or was stopped."""
        self._whole: set[str] = set()
        """Messages of which everything has come."""
        self._held: list[SpokenPiece] = []
        """What was not spoken, because somebody spoke over it."""
        self._hushed: set[str] = set()
        """The messages of it."""

    def add(self, piece: SpokenPiece, now: float) -> None:
        """Speak a piece when those before it are over.

        Args:
            piece: the next one of its message.
            now: the time.
        """
        if piece.message_id in self._hushed:
            self._held.append(piece)
        else:
            self._waiting.append((now, piece))

    def whole(self, message_id: str) -> None:
        """Nothing more comes of a message."""
        self._whole.add(message_id)

    def drop(self, message_id: str) -> None:
        """A message is void: what was not spoken of it is not spoken any more. One that was stopped stays as it is."""
        self._waiting = deque(one for one in self._waiting if one[1].message_id != message_id)
        if self._piece is not None and self._piece.message_id == message_id:
            self._piece = None
        if self._heard is not None and self._heard.message_id == message_id and message_id not in self._hushed:
            self._heard = None

    def stop(self, now: float, message_id: str = "") -> None:
        """Be silent, at once.

        Args:
            now: the time.
            message_id: what is not to be spoken, even if nothing of it has come yet.
        """
        self.advance(now)
        place = self.place(now)
        rest = self._piece.rest(place.played_chars) if self._piece is not None and place is not None else None
        left = [*([rest] if rest is not None else []), *(piece for _, piece in self._waiting)]
        self._held += left
        self._hushed |= {piece.message_id for piece in left} | ({message_id} if message_id else set())
        self._heard = place
        self._piece = None
        self._waiting.clear()
        self._free = now

    def go_on(self, now: float, message_id: str, from_chars: int) -> None:
        """It was nothing: speak what was not spoken.

        Args:
            now: the time.
            message_id: what was stopped.
            from_chars: how much of it was heard.
        """
        if message_id not in self._hushed:
            return
        held, self._held = self._held, []
        self._hushed.clear()
        rests: Iterable[SpokenPiece | None] = (
            piece.rest(from_chars) if piece.message_id == message_id else piece for piece in held
        )
        self._waiting.extendleft((now, rest) for rest in reversed(list(rests)) if rest is not None)

    def advance(self, now: float) -> list[SpokenPiece]:
        """The pieces that have begun until now and were not told before.

        Args:
            now: the time.
        """
        begun: list[SpokenPiece] = []
        while (over := self._over) is None or over <= now:
            if self._piece is not None and over is not None:
                self._heard, self._free, self._piece = HeardUpTo(self._piece.message_id, self._piece.end), over, None
            if not self._waiting:
                break
            came, piece = self._waiting.popleft()
            self._piece, self._began = piece, max(self._free, came)
            if piece.message_id not in self._hushed:
                self._held.clear()
                self._hushed.clear()
            begun.append(piece)
        return begun

    @property
    def due(self) -> float | None:
        """When `advance` has something to do; None while nothing is spoken."""
        over = self._over
        return over if over is not None or not self._waiting else self._waiting[0][0]

    @property
    def is_speaking(self) -> bool:
        """Whether there is something to hear, or about to be."""
        return self._piece is not None or bool(self._waiting)

    def place(self, now: float) -> HeardUpTo | None:
        """What is played of what, or was when somebody began to speak over it; None once it was heard to its end.

        Args:
            now: the time; `advance` was called for it.
        """
        if (piece := self._piece) is not None and (over := self._over) is not None:
            share = min(1.0, max(0.0, (now - self._began) / (over - self._began)))
            return HeardUpTo(piece.message_id, piece.offset + int((piece.end - piece.offset) * share))
        heard = self._heard
        if heard is None or (heard.message_id in self._whole and heard.message_id not in self._hushed):
            return None
        return heard

    @property
    def _over(self) -> float | None:
        return None if self._piece is None else self._began + max(1, len(self._piece.text)) / self._rate
