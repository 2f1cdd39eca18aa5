"""What is known of the speech in one thread: its buffer, and the turns that are owed to it. Pure.

Everything that happens to it is an `SpeechEntry`, so it is the same whether it happens or is read again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from sulla.core.ids import ThreadId
from sulla.speech.log.records import (
    ChunkTaken,
    EndedTurn,
    QuestionKnown,
    SpeechEntry,
    ThreadBrought,
    ThreadLeft,
    TurnDropped,
    TurnForced,
    TurnJudged,
    TurnSettled,
)
from sulla.speech.service import Playing
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.detector import TurnDetector
from sulla.speech.turn_taking.events import End, Event, TurnStarted
from sulla.speech.turn_taking.profile import CLASSIC, Profile
from sulla.speech.turn_taking.stored import StoredBuffer


class ThreadSpeech:
    """One thread's buffer and its undelivered turns, as the entries of a log make them. Lives as long as its session.

    Args:
        thread_id: which.
        profile: when a turn ends.
        detector: reads what was said, for the profile `adaptive`.
        stored: what was known of it before; None for nothing.
    """

    def __init__(
        self,
        thread_id: ThreadId,
        profile: Profile = CLASSIC,
        detector: TurnDetector | None = None,
        stored: StoredBuffer | None = None,
    ) -> None:
        self.thread_id = thread_id
        self._profile = profile
        self._detector = detector
        self.buffer = (
            SpeechBuffer(profile, detector) if stored is None else SpeechBuffer.restored(stored, profile, detector)
        )
        self.owed: deque[EndedTurn] = deque()
        """Turns that have ended and are not delivered, oldest first."""
        self.version = 0
        """How often the thread was taken up."""
        self.playing: Playing | None = None
        """What the client played when it was last heard of."""
        turn = stored.turn if stored is not None else None
        self._began_ms = turn.first_ms if turn is not None else 0

    @classmethod
    def brought(
        cls, entry: ThreadBrought, profile: Profile = CLASSIC, detector: TurnDetector | None = None
    ) -> ThreadSpeech:
        """One that goes on where another was.

        Args:
            entry: all that was known.
            profile: when a turn ends.
            detector: reads what was said.
        """
        speech = cls(entry.thread_id, profile, detector, entry.stored)
        speech.playing, speech.owed, speech.version = entry.playing, deque(entry.owed), entry.version
        return speech

    def take(self, entry: SpeechEntry) -> list[Event]:
        """Something has happened.

        Args:
            entry: what, with its time.

        Returns:
            What came of it, in order.
        """
        match entry:
            case ChunkTaken(_, at_ms, chunk, playing):
                if playing is None:
                    return self._noted(self.buffer.feed(chunk, at_ms))
                events = self.tick(at_ms)  # what was over by then has nothing to do with what is played now
                self.playing = playing
                return events + self._noted(self.buffer.feed(chunk, at_ms))
            case TurnForced(_, at_ms):
                return self._noted(self.buffer.flush(at_ms))
            case TurnDropped(_, at_ms):
                return self._noted(self.buffer.cancel(at_ms))
            case QuestionKnown(_, at_ms, question):
                events = self.tick(at_ms)
                self.buffer.ask(question)
                return events
            case TurnJudged():
                return self._judged(entry)
            case TurnSettled(_, at_ms, turn_id):
                events = self._ended(turn_id, at_ms)
                if self._is_next(turn_id):
                    self.owed.popleft()
                return events
            case _:
                return []

    def would_begin(self, fed: ChunkTaken) -> bool:
        """Whether a turn would begin with this chunk. Changes nothing.

        Args:
            fed: it.
        """
        trial = ThreadSpeech.brought(self.all_of_it(), self._profile, self._detector)
        return any(isinstance(event, TurnStarted) for event in trial.take(fed))

    def tick(self, now_ms: int) -> list[Event]:
        """Do what is due."""
        return self._noted(self.buffer.tick(now_ms))

    @property
    def is_idle(self) -> bool:
        """Whether nobody speaks and nothing is owed."""
        return not self.owed and self.buffer.due_ms is None

    def all_of_it(self) -> ThreadBrought:
        """All that is known, for whoever goes on from there."""
        stored = self.buffer.stored()
        return ThreadBrought(self.thread_id, stored.now_ms, stored, self.playing, tuple(self.owed), self.version)

    def _ended(self, turn_id: str, at_ms: int) -> list[Event]:
        """The turn had ended by then. Another version of the rules may not think so: the words are delivered anyway."""
        events = self.tick(at_ms)
        if not self.owed and self.buffer.turn_id == turn_id:
            events += self._noted(self.buffer.flush(at_ms))
        return events

    def _judged(self, entry: TurnJudged) -> list[Event]:
        """It was decided what becomes of a turn that has ended: end it here too, in the words that were judged, and
        note on it whether it is delivered.
        """
        events = self._ended(entry.turn_id, entry.at_ms)
        if entry.said is not None:
            events += self._as_said(entry.said, entry.at_ms)
        if self._is_next(entry.turn_id):
            self.owed[0] = replace(self.owed[0], judged=True, deliver=entry.deliver, heard=entry.heard)
        return events

    def _as_said(self, said: EndedTurn, at_ms: int) -> list[Event]:
        """The oldest turn that is owed is this one, whatever these rules make of the chunks: its words come once."""
        if self.owed and (self.owed[0].id, self.owed[0].text) == (said.id, said.text):
            self.owed[0] = said
            return []
        events: list[Event] = []
        rest = said.text.split()
        while self.owed and self.owed[0].ended_ms <= said.ended_ms and _begins(rest, self.owed[0].text.split()):
            rest = rest[len(self.owed.popleft().text.split()) :]
        if rest and not self.owed and _begins(self.buffer.status(at_ms).text.split(), rest):
            events = self._noted(self.buffer.flush(at_ms))
        if rest and self.owed and _begins(words := self.owed[0].text.split(), rest):
            later = self.owed.popleft()
            if len(words) > len(rest):
                self.owed.appendleft(replace(later, text=" ".join(words[len(rest) :])))
        self.owed.appendleft(said)
        return events

    def _is_next(self, turn_id: str) -> bool:
        return bool(self.owed) and self.owed[0].id == turn_id

    def _noted(self, events: Iterable[Event]) -> list[Event]:
        noted = list(events)
        for event in noted:
            match event:
                case TurnStarted(_, at_ms):
                    self._began_ms = at_ms
                case End(turn_id, text, reason, score, detail, waited_ms, ended_ms):
                    said = (turn_id, text, reason, score, detail, waited_ms)
                    self.owed.append(EndedTurn(*said, self._began_ms, self.playing, ended_ms=ended_ms))
                case _:
                    pass
        return noted


def _begins(words: list[str], first: list[str]) -> bool:
    return words[: len(first)] == first


def replayed(
    entries: Iterable[SpeechEntry], profile: Profile, detector: TurnDetector | None = None
) -> dict[ThreadId, ThreadSpeech]:
    """What a log came to.

    Args:
        entries: all of it, in order.
        profile: that it was written with.
        detector: reads what was said.

    Returns:
        The threads that are spoken in. What fell due since the last entry is not done yet.
    """
    by_thread: dict[ThreadId, ThreadSpeech] = {}
    for entry in entries:
        match entry:
            case ThreadLeft(thread_id):
                by_thread.pop(thread_id, None)
            case ThreadBrought(thread_id):
                by_thread[thread_id] = ThreadSpeech.brought(entry, profile, detector)
            case ChunkTaken(thread_id):
                by_thread.setdefault(thread_id, ThreadSpeech(thread_id, profile, detector)).take(entry)
            case _:
                if (speech := by_thread.get(entry.thread_id)) is not None:
                    speech.take(entry)
    return by_thread
