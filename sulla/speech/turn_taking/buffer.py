"""From chunks to turns: the machine of one thread. Pure; docs/inside/speech.md draws it.

Whoever drives it gives it chunks and the time, and calls `tick` when `due_ms` has come. When exactly that happens does
not matter: what was due is done as of when it was due, so the same chunks at the same times always make the same turns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.classic import is_complete_thought
from sulla.speech.turn_taking.detector import COMPLETE, UNKNOWN, Reading, TurnDetector
from sulla.speech.turn_taking.events import Cancelled, EagerEnd, End, EndReason, Event, Partial, Resumed, TurnStarted
from sulla.speech.turn_taking.pace import Pace
from sulla.speech.turn_taking.profile import CLASSIC, EAGER_SCORE, Profile, wait_ms
from sulla.speech.turn_taking.silence import Silence
from sulla.speech.turn_taking.status import State, Status
from sulla.speech.turn_taking.stored import StoredBuffer, StoredTurn
from sulla.speech.turn_taking.utterances import Utterances

MAX_TURN_CHARS: Final = 16_000
"""A turn ends when its text is so long; fifteen seconds of speech are a hundredth of it."""
MAX_QUESTION_CHARS: Final = 400
"""Of a question, from its end."""

_UNREAD: Final = Reading(0.0, "not_read")


@dataclass(slots=True)
class _Turn:
    id: str
    first_ms: int
    last_ms: int
    silence: Silence
    text: str = ""
    reading: Reading = _UNREAD
    wait_ms: int | None = None
    """How long to wait for more; None as long as the text was not read: most texts are another before it matters."""
    looked: bool = False
    """Whether the first of the two waits of the profile is over; with `adaptive` its end was announced then."""


class SpeechBuffer:
    """What somebody is saying in one thread.

    Args:
        profile: when a turn ends.
        detector: reads what was said, for the profile `adaptive`.

    Raises:
        ValueError: the profile `adaptive` without a detector.
    """

    def __init__(self, profile: Profile = CLASSIC, detector: TurnDetector | None = None) -> None:
        if profile.name == "adaptive" and detector is None:
            raise ValueError("the profile adaptive reads what was said: give the buffer a detector")
        self._profile = profile
        self._detector = detector
        self._utterances = Utterances()
        self._turn: _Turn | None = None
        self._question: str | None = None
        self._pace = Pace()
        self._style = UNKNOWN
        self._now_ms = 0

    def ask(self, question: str | None) -> None:
        """The assistant has just asked something, or (None) said something else. Holds until the next turn has ended.

        Args:
            question: what it asked.
        """
        self._question = question[-MAX_QUESTION_CHARS:] if question else None
        if self._turn is not None:
            self._turn.wait_ms = None

    def feed(self, chunk: Chunk, now_ms: int) -> list[Event]:
        """A chunk has come.

        Args:
            chunk: of any utterance.
            now_ms: the time in milliseconds; where it runs backwards it is taken to stand still.

        Returns:
            What happened, in order; nothing if the chunk was late, doubled, or said nothing new.
        """
        events = self.tick(now_ms)
        now_ms = self._now_ms
        if self._utterances.is_full(chunk.utterance_id) and self._turn is not None:
            events += self._end(self._turn, "max_length", now_ms)
        went_on = self._utterances.goes_on(chunk.utterance_id)
        if not self._utterances.add(chunk):
            return events
        text = self._utterances.text()
        turn = self._turn
        if turn is None:
            if not _says_something(text):
                if chunk.kind == "final":
                    self._utterances.take()
                return events
            turn = self._turn = _Turn(self._utterances.name(), now_ms, now_ms, Silence(now_ms, now_ms))
            events.append(TurnStarted(turn.id, now_ms))
            if went_on:
                self._pace.paused_until(now_ms)
        events += self._heard(turn, text, chunk, now_ms)
        if chunk.kind == "final" and self._utterances.is_over():
            events += self._end(turn, "final", now_ms)
        elif len(text) >= MAX_TURN_CHARS:
            events += self._end(turn, "max_length", now_ms)
        return events

    def tick(self, now_ms: int) -> list[Event]:
        """Do what is due.

        Args:
            now_ms: the time in milliseconds.
        """
        self._now_ms = max(self._now_ms, now_ms)
        events: list[Event] = []
        while self._turn is not None and (due_ms := self._due(self._turn)) <= self._now_ms:
            events += self._fall_due(self._turn, due_ms)
        return events

    @property
    def due_ms(self) -> int | None:
        """When `tick` has something to do; None while nobody speaks."""
        return None if self._turn is None else self._due(self._turn)

    def flush(self, now_ms: int) -> list[Event]:
        """End the turn now, if one is open.

        Args:
            now_ms: the time in milliseconds.
        """
        events = self.tick(now_ms)
        if self._turn is not None:
            events += self._end(self._turn, "forced", self._now_ms)
        return events

    def cancel(self, now_ms: int) -> list[Event]:
        """Drop the turn, if one is open. What was said in it comes in no later one.

        Args:
            now_ms: the time in milliseconds.
        """
        events = self.tick(now_ms)
        if self._turn is not None:
            events.append(self._drop(self._turn))
        return events

    def is_late(self, chunk: Chunk) -> bool:
        """Whether a chunk would say nothing because its utterance is closed: it was sent again, or its name was.

        Args:
            chunk: that has come.
        """
        return self._utterances.is_closed(chunk.utterance_id)

    @property
    def turn_id(self) -> str:
        """Of the open turn; empty if none is."""
        return self._turn.id if self._turn is not None else ""

    @property
    def state(self) -> State:
        """Whether a turn is open, and seems to be over."""
        return "idle" if self._turn is None else "ending" if self._is_announced(self._turn) else "speaking"

    def status(self, now_ms: int) -> Status:
        """How things stand. Changes nothing.

        Args:
            now_ms: the time in milliseconds.
        """
        turn = self._turn
        if turn is None:
            return Status(exists=False, state="idle", turn_id="", text="", age_ms=0, silent_ms=0, due_ms=None)
        now_ms = max(now_ms, self._now_ms)
        wait = turn.wait_ms
        if self._profile.name == "classic":
            wait = self._profile.silence_ms if turn.looked else None
        reading = None if wait is None else self._thought(turn)
        since = now_ms - turn.first_ms, now_ms - turn.last_ms
        return Status(True, self.state, turn.id, turn.text, *since, self._due(turn), reading, wait)

    def stored(self) -> StoredBuffer:
        """All that it knows: a buffer restored from it goes on as this one would."""
        kept_turn = None
        if (turn := self._turn) is not None:
            was = (turn.id, turn.first_ms, turn.last_ms, turn.text, turn.looked, self._is_announced(turn))
            kept_turn = StoredTurn(*was, turn.silence)
        heard, pace = self._utterances.stored(), self._pace
        segments = self._utterances.segments.stored()
        paces = (pace.mean_ms, pace.last_ms)
        return StoredBuffer(*heard, kept_turn, self._question, *paces, self._now_ms, self._style, *segments)

    @classmethod
    def restored(
        cls, stored: StoredBuffer, profile: Profile = CLASSIC, detector: TurnDetector | None = None
    ) -> SpeechBuffer:
        """A buffer that goes on where another was; what fell due meanwhile, its first `tick` does.

        Args:
            stored: what the other one knew.
            profile: when a turn ends.
            detector: reads what was said.
        """
        buffer = cls(profile, detector)
        buffer._utterances = Utterances(stored.utterances, stored.closed, stored.segments, stored.streams)
        buffer._question, buffer._now_ms, buffer._style = stored.question, stored.now_ms, stored.style
        buffer._pace = Pace(stored.pause_mean_ms, stored.spoke_ms)
        if (was := stored.turn) is not None:
            silence = was.silence if was.silence is not None else Silence(was.last_ms, was.last_ms)
            buffer._turn = _Turn(was.id, was.first_ms, was.last_ms, silence, was.text)
            buffer._turn.looked = was.looked
        return buffer

    def _heard(self, turn: _Turn, text: str, chunk: Chunk, now_ms: int) -> Iterable[Event]:
        """The text and the silence behind it are this by now."""
        before, is_new = turn.silence, text != turn.text
        events = self._said(turn, text, now_ms) if is_new else ()
        settled = self._utterances.is_settled()
        turn.silence = before.after(chunk, now_ms, is_new=is_new, settled=settled)
        if self._is_announced(turn) and before.sure and not turn.silence.sure:
            turn.looked = False
            return (Resumed(turn.id),)
        return events

    def _said(self, turn: _Turn, text: str, now_ms: int) -> Iterable[Event]:
        if turn.text and turn.silence.sure:
            self._pace.paused_until(now_ms)
        self._pace.spoke(now_ms)
        resumed = self._is_announced(turn)
        turn.text, turn.last_ms, turn.looked, turn.wait_ms = text, now_ms, False, None
        partial = Partial(turn.id, text)
        return (Resumed(turn.id), partial) if resumed else (partial,)

    def _is_announced(self, turn: _Turn) -> bool:
        return turn.looked and self._profile.name == "adaptive"

    def _read(self, turn: _Turn) -> None:
        """How complete the text is, and how long to wait for more."""
        assert self._detector is not None  # noqa: S101 - as __init__ saw to
        turn.reading = reading = self._detector.read(turn.text, self._question, self._style)
        if reading.kind == "hold":
            turn.wait_ms = self._profile.hold_ms
        else:
            turn.wait_ms = wait_ms(reading.score, self._pace.share)

    def _due(self, turn: _Turn) -> int:
        profile = self._profile
        if turn.silence.held:
            return turn.silence.lasts_until_ms(0)
        if profile.name == "classic":
            silence_ms = profile.silence_ms if turn.looked else profile.pause_ms
        elif turn.wait_ms is None:
            silence_ms = profile.floor_ms
        elif not turn.looked and turn.reading.score >= EAGER_SCORE:
            silence_ms = min(profile.floor_ms, turn.wait_ms)
        else:
            silence_ms = turn.wait_ms
        return min(turn.silence.lasts_until_ms(silence_ms), turn.first_ms + profile.max_turn_ms)

    def _fall_due(self, turn: _Turn, due_ms: int) -> Iterable[Event]:
        profile = self._profile
        if turn.silence.held:
            return self._end(turn, "silence", due_ms)
        if due_ms >= turn.first_ms + profile.max_turn_ms:
            return self._end(turn, "max_time", due_ms)
        if profile.name == "adaptive":
            if turn.wait_ms is None:
                self._read(turn)
                return ()
            if due_ms >= turn.silence.lasts_until_ms(turn.wait_ms):
                return self._end(turn, "complete" if turn.reading.score >= COMPLETE else "silence", due_ms)
            turn.looked = True
            return (EagerEnd(turn.id, turn.text, turn.reading.score),)
        if turn.looked:
            return self._end(turn, "silence", due_ms)
        turn.looked = True
        return self._end(turn, "complete", due_ms) if self._thought(turn).score >= COMPLETE else ()

    def _thought(self, turn: _Turn) -> Reading:
        """What is known of how complete the text is; in the profile `classic` it is told from the text alone."""
        if self._profile.name == "adaptive":
            return turn.reading
        if not turn.looked:
            return _UNREAD
        if len(turn.text) < self._profile.least_chars:
            return Reading(0.0, "too_short")
        return Reading(1.0, "complete_thought") if is_complete_thought(turn.text) else Reading(0.0, "no_whole_thought")

    def _end(self, turn: _Turn, reason: EndReason, now_ms: int) -> tuple[Event, ...]:
        if not _says_something(turn.text):  # All of it was revised away.
            return (self._drop(turn),)
        if self._profile.name == "adaptive" and turn.wait_ms is None:
            self._read(turn)
        if self._profile.name == "adaptive" and self._detector is not None:
            self._style = self._detector.learn(turn.text, self._style)
        self._close()
        self._question = None
        reading, waited_ms = self._thought(turn), max(0, now_ms - turn.silence.since_ms)
        return (End(turn.id, turn.text, reason, reading.score, reading.reason, waited_ms, now_ms),)

    def _drop(self, turn: _Turn) -> Cancelled:
        self._close()
        return Cancelled(turn.id, turn.text)

    def _close(self) -> None:
        self._utterances.take()
        self._turn = None


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))
