"""What the machine of docs/inside/speech.md does with a recording, decision by decision. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.speech.cli.decision_text import Row
from sulla.speech.cli.recording import Heard
from sulla.speech.late_detector import LateDetector, english_detector
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.events import Cancelled, EagerEnd, End, Event, Partial, Resumed, TurnStarted
from sulla.speech.turn_taking.profile import Profile

_OUR_GUESS: Final = ("complete", "silence", "max_time", "max_length")
"""Ends that nobody asked for: whoever goes on after one was cut off."""


@dataclass(slots=True)
class Totals:
    """What came of a recording."""

    turns: int = 0
    cut_off: int = 0
    """Turns that ended although their utterance went on."""
    cancelled: int = 0
    ignored: int = 0
    """Chunks that said nothing new."""
    silent_ms: list[int] = field(default_factory=list)
    """From the last word to the end, for each turn after which nothing more of it came."""


@dataclass(frozen=True, slots=True)
class _Ended:
    at_ms: int
    silent_ms: int
    """Since the last word."""
    end: End


class Trace:
    """One profile at work on a recording.

    Args:
        profile: when a turn ends.
        question: what the assistant had asked before.
    """

    def __init__(self, profile: Profile, question: str | None = None) -> None:
        self.name = profile.name
        self.totals = Totals()
        self._buffer = SpeechBuffer(profile, LateDetector(english_detector))
        self._buffer.ask(question)
        self._now_ms = 0
        self._in_turn: set[str] = set()
        """Utterances that said something since the turn began."""
        self._ended: dict[str, _Ended] = {}
        """By utterance, the turn in which its words were last, if it was we who ended it."""
        self._known: tuple[object, ...] = ()
        self._words: list[str] = []
        self._word_ms = 0
        """When they changed; a full stop that comes later breaks no silence."""

    def until(self, now_ms: int | None) -> list[Row]:
        """What falls due.

        Args:
            now_ms: up to when; None for all of it.
        """
        rows: list[Row] = []
        while (due_ms := self._buffer.due_ms) is not None and (now_ms is None or due_ms <= now_ms):
            self._now_ms = max(self._now_ms, due_ms)
            rows += self._rows(self._buffer.tick(due_ms), self._now_ms)
            rows += self._read(self._now_ms)
        return rows

    def take(self, heard: Heard) -> list[Row]:
        """What a line of the recording makes of it.

        Args:
            heard: the line; `until` its time was called before.
        """
        now_ms = self._now_ms = max(self._now_ms, heard.at_ms)
        rows: list[Row] = []
        if heard.question is not None:
            self._buffer.ask(heard.question or None)
            rows.append({"at_ms": now_ms, "what": "question", "text": heard.question})
        if heard.until is not None:
            rows.append({"at_ms": now_ms, "what": "until", "until": heard.until})
        if heard.do is not None:
            do = self._buffer.flush if heard.do == "flush" else self._buffer.cancel
            rows += self._rows(do(now_ms), now_ms)
        if heard.chunk is not None:
            rows += self._feed(heard.chunk, now_ms)
        return rows

    def _feed(self, chunk: Chunk, now_ms: int) -> list[Row]:
        events = self._buffer.feed(chunk, now_ms)
        if not events:
            self.totals.ignored += 1
            return [{"at_ms": now_ms, "what": "ignored", "utterance_id": chunk.utterance_id, "seq": chunk.seq}]
        return self._rows(events, now_ms, chunk.utterance_id)

    def _rows(self, events: Iterable[Event], now_ms: int, utterance_id: str = "") -> list[Row]:
        rows: list[Row] = []
        for event in events:
            match event:
                case TurnStarted():
                    self._in_turn = {utterance_id}
                    rows += self._cut_off(utterance_id, now_ms)
                    rows.append({"at_ms": now_ms, "what": "started", "turn_id": event.turn_id})
                case Partial():
                    self._in_turn.add(utterance_id)
                    if (words := _bare(event.text)) != self._words:
                        self._words, self._word_ms = words, now_ms
                    rows.append({"at_ms": now_ms, "what": "partial", "turn_id": event.turn_id, "text": event.text})
                case EagerEnd(turn_id, text, score):
                    rows += self._read(now_ms)
                    row = {"at_ms": now_ms, "what": "eager_end", "turn_id": turn_id, "text": text, "score": score}
                    rows.append(row)
                case Resumed():
                    rows.append({"at_ms": now_ms, "what": "resumed", "turn_id": event.turn_id})
                case End():
                    rows.append(self._over(event, now_ms))
                case Cancelled():
                    self.totals.cancelled += 1
                    self._forget_turn()
                    rows.append({"at_ms": now_ms, "what": "cancelled", "turn_id": event.turn_id, "text": event.text})
        return rows

    def _over(self, end: End, now_ms: int) -> Row:
        self.totals.turns += 1
        in_turn = self._forget_turn()
        silent_ms = now_ms - self._word_ms
        if end.reason in _OUR_GUESS:
            self._ended.update(dict.fromkeys(in_turn, _Ended(now_ms, silent_ms, end)))
        self.totals.silent_ms.append(silent_ms)
        return {
            "at_ms": now_ms,
            "what": "end",
            "turn_id": end.turn_id,
            "reason": end.reason,
            "score": end.score,
            "rule": end.detail,
            "waited_ms": end.waited_ms,
            "silent_ms": silent_ms,
            "text": end.text,
        }

    def _forget_turn(self) -> set[str]:
        in_turn, self._in_turn, self._known, self._words = self._in_turn, set(), (), []
        for name in in_turn:
            self._ended.pop(name, None)
        return in_turn

    def _cut_off(self, utterance_id: str, now_ms: int) -> list[Row]:
        """Whether the turn that begins goes on with an utterance of which we had taken the end for reached."""
        found = self._ended.pop(utterance_id, None)
        if found is None:
            return []
        end = found.end
        self.totals.cut_off += 1
        self.totals.silent_ms.remove(found.silent_ms)
        return [
            {
                "at_ms": now_ms,
                "what": "cut_off",
                "turn_id": end.turn_id,
                "after_ms": now_ms - found.at_ms,
                "pause_ms": now_ms - found.at_ms + found.silent_ms,
                "waited_ms": end.waited_ms,
                "reason": end.reason,
                "score": end.score,
                "rule": end.detail,
            }
        ]

    def _read(self, now_ms: int) -> list[Row]:
        """How the open turn was read, where that is news."""
        status = self._buffer.status(now_ms)
        if status.reading is None or status.wait_ms is None:
            return []
        known = (status.turn_id, now_ms - status.silent_ms, status.reading, status.wait_ms)
        if known == self._known:
            return []
        self._known = known
        reading = status.reading
        return [
            {
                "at_ms": now_ms,
                "what": "read",
                "turn_id": status.turn_id,
                "score": reading.score,
                "rule": reading.reason,
                "kind": reading.kind,
                "wait_ms": status.wait_ms,
            }
        ]


def told(traces: Sequence[Trace], heard: Iterable[Heard]) -> Iterator[tuple[Trace | None, int, Row]]:
    """Play a recording through all of them at once.

    Args:
        traces: one for each profile.
        heard: the recording.

    Yields:
        Whose decision it is (None: all decide alike), the number of the line that made it (0: time alone did), and the
        decision.
    """
    for one in heard:
        yield from _beside(traces, 0, [trace.until(one.at_ms) for trace in traces])
        yield from _beside(traces, one.number, [trace.take(one) for trace in traces])
    yield from _beside(traces, 0, [trace.until(None) for trace in traces])


def _beside(
    traces: Sequence[Trace], line: int, rows: Sequence[Sequence[Row]]
) -> Iterator[tuple[Trace | None, int, Row]]:
    """In the order of time; what all decide at the same moment only once."""
    found: list[tuple[Trace | None, int, Row]] = []
    for trace, mine in zip(traces, rows, strict=True):
        for row in mine:
            if len(traces) > 1 and all(row in others for others in rows):
                if trace is traces[0]:
                    found.append((None, line, row))
            else:
                found.append((trace, line, row))
    yield from sorted(found, key=lambda one: one[2]["at_ms"])


def _bare(text: str) -> list[str]:
    return ["".join(filter(str.isalnum, word)) for word in text.casefold().split()]
