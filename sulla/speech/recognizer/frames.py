"""What recognizers say on their sockets, as chunks: Deepgram's ``Results`` and ``TurnInfo``, Vosk's results. Pure;
docs/inside/voice.md lists the frames.

A chunk always holds its utterance as far as it is known, so a lost frame costs nothing. A pause ends no utterance: the
chunk that closes it would end the turn, and when that is over the profile decides, unless `turns` leaves it to the
recognizer. One that has grown long is closed when the next one has words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.speech.recognizer import fields
from sulla.speech.recognizer.fields import MalformedFrame
from sulla.speech.recognizer.moves import Drop, Flush, Leave, Move, Passed, Played, Say, Wrong
from sulla.speech.turn_taking.align import repeats
from sulla.speech.turn_taking.chunk import MAX_CHUNK_CHARS, Chunk, ChunkKind, Segment
from sulla.speech.turn_taking.utterance import bare_words

Turns = Literal["auto", "sulla", "recognizer"]
"""Who says when a turn is over: the profile; the recognizer, wherever it hears an end; or (`auto`) the recognizer only
if it looks for ends of turns, as Flux does, and not for mere pauses."""

_LONG_CHARS: Final = 1_000
"""From here on the next segment begins another utterance: each chunk repeats its utterance from the beginning."""
_PAUSE_MS: Final = 300
"""Silence between the last word and the end of a segment that is a pause though the recognizer calls it none."""
_SAME_S: Final = 0.001
"""Two times that differ by less are the same."""


@dataclass(slots=True)
class _Utterance:
    id: str
    text: str = ""
    stable_chars: int = 0
    seq: int = -1
    segment: Segment | None = None
    """What its last words are."""
    quiet: bool = False
    """Whether the recognizer has said that nobody speaks behind it."""

    @property
    def settled(self) -> bool:
        """Whether the recognizer will revise nothing of it."""
        return self.stable_chars >= len(self.text)

    def chunk(self, silent_ms: int | None = None, *, final: bool = False, held: bool = False) -> Chunk:
        self.seq += 1
        kind: ChunkKind = "final" if final else "cumulative"
        return Chunk(self.id, self.seq, kind, self.text, self.stable_chars, silent_ms, held, self.segment)


@dataclass(slots=True)
class _Stream:
    """How far one connection of a recognizer has come; each counts its times by itself."""

    id: str = ""
    at: int = 0
    """Where its open segment begins: milliseconds, or the number of the turn."""
    covered_s: float = 0.0
    """Up to here its segments are settled."""
    word_s: float | None = None
    """When its last word ended, if it says so."""
    turn: int = -1
    """Flux's number of the turn."""
    turn_over: bool = False


@dataclass(slots=True)
class _Line:
    """One voice, as one recognizer hears it."""

    name: str
    current: _Utterance | None = None
    paused: _Utterance | None = None
    """The one before, as long as it has to be closed still."""
    settled: str = ""
    """How the current utterance begins: the segments that will not be revised."""
    repeatable: int | None = None
    """From here on `settled` is a segment that was open when the recognizer was connected to anew: if the audio was
    sent twice, its words come again."""
    stream: _Stream = field(default_factory=_Stream)
    ending: bool = False
    """Whether the recognizer has said that the turn is over, and its last segment may still be revised."""
    held: bool = False
    """Whether the recognizer says when a turn is over, so that no silence ends it."""


class Recognizer:
    """One client's recognizer.

    Args:
        prefix: what the ids of utterances begin with; no other client's are the same.
        turns: who says when a turn is over.
        channel: the only one that counts, of audio with several; None for all.
    """

    def __init__(self, prefix: str, turns: Turns = "auto", channel: int | None = None) -> None:
        self._prefix = prefix
        self._turns = turns
        self._channel = channel
        self._lines: dict[str, _Line] = {}
        self._made = 0

    def hear(self, frame: JsonObject) -> list[Move]:
        """Take a frame.

        Args:
            frame: as it came.

        Returns:
            What to do, in order; nothing if it says nothing new.
        """
        try:
            return list(self._hear(frame))
        except MalformedFrame as error:
            return [Wrong(str(error))]

    def _hear(self, frame: JsonObject) -> Iterator[Move]:
        if "type" in frame:
            type_ = fields.text(frame, "type")
            handler = _TYPED.get(type_)
            return iter((Passed(type_),)) if handler is None else handler(self, frame)
        for name, handler in _BARE.items():
            if name in frame:
                return handler(self, frame)
        raise MalformedFrame(
            f"got the fields {fields.names(frame)}, expected a frame of Deepgram or Vosk (docs/inside/voice.md)"
        )

    # -------------------------------------------------------------------------------------------------------- Deepgram

    def _results(self, frame: JsonObject) -> Iterator[Move]:
        channel, text = fields.channel(frame, "channel_index"), fields.deepgram_text(frame)
        start_s, lasts_s = fields.seconds(frame, "start"), fields.seconds(frame, "duration")
        final, pause, forced = (fields.flag(frame, name) for name in ("is_final", "speech_final", "from_finalize"))
        if self._is_other(channel):
            return
        line = self._line(f"channel {channel}")
        last_word_s = fields.deepgram_last_word_s(frame)
        self._onto(line, fields.request_id(frame.get("metadata")))
        if start_s < line.stream.covered_s - _SAME_S:
            return  # its segment is settled
        line.stream.at = round(start_s * 1000)
        if final:
            line.stream.covered_s = start_s + lasts_s
        if text:
            line.stream.word_s = last_word_s
        silent_ms = (
            None if line.stream.word_s is None else max(1, round((start_s + lasts_s - line.stream.word_s) * 1000))
        )
        if not pause and not forced and (silent_ms is None or silent_ms < _PAUSE_MS):
            silent_ms = 0  # a segment also ends in mid-speech
        yield from self._heard(line, text, final=final, silent_ms=silent_ms)
        if pause or forced or (final and line.ending):
            yield from self._stop(line)
        if forced:
            yield Flush()
            yield from self._close(line)

    def _utterance_end(self, frame: JsonObject) -> Iterator[Move]:
        channel = fields.channel(frame, "channel")
        if not self._is_other(channel):
            line = self._line(f"channel {channel}")
            if (now := line.current) is not None:
                yield from self._say(line, now.text, now.stable_chars, None)
            yield from self._stop(line)

    def _speech_started(self, frame: JsonObject) -> Iterator[Move]:
        """Somebody speaks again, and their words are not here yet."""
        channel = fields.channel(frame, "channel")
        if not self._is_other(channel):
            line = self._line(f"channel {channel}")
            if (now := line.current) is not None and now.quiet:
                now.quiet = False
                yield Say(now.chunk(0, held=line.held))

    def _metadata(self, frame: JsonObject) -> Iterator[Move]:
        """A stream is over; the times of the next one begin anew."""
        for name, line in self._lines.items():
            if name.startswith("channel"):
                line.stream.covered_s = 0.0
        return iter(())

    def _turn_info(self, frame: JsonObject) -> Iterator[Move]:
        event, turn = fields.text(frame, "event"), fields.count(frame, "turn_index")
        text = fields.words(frame, "transcript")
        line = self._line("flux")
        line.held = self._turns != "sulla"
        self._onto(line, fields.request_id(frame))
        if turn < line.stream.turn or (turn == line.stream.turn and line.stream.turn_over):
            return  # it is over
        if turn > line.stream.turn:
            self._settle(line)
            if line.stream.turn >= 0 and line.held and line.current is not None:  # the frame that ended it was lost
                line.current.stable_chars = len(line.current.text)
                yield from self._close(line)
            line.stream.turn, line.stream.turn_over = turn, False
        line.stream.at = turn
        ends = event == "EndOfTurn"
        yield from self._heard(line, text, final=ends, silent_ms=None if ends else 0)
        if ends:
            line.stream.turn_over = True
            yield from self._stop(line, over=self._turns != "sulla")

    # ------------------------------------------------------------------------------------------------------------ Vosk

    def _partial(self, frame: JsonObject) -> Iterator[Move]:
        if text := fields.words(frame, "partial"):  # an empty one comes whenever nobody speaks
            yield from self._heard(self._line("vosk"), text, final=False, silent_ms=0)

    def _result(self, frame: JsonObject) -> Iterator[Move]:
        line, text = self._line("vosk"), fields.vosk_text(frame)
        yield from self._heard(line, text, final=True, silent_ms=None)
        yield from self._stop(line)

    # ---------------------------------------------------------------------------------------------------------- orders

    def _flush(self, frame: JsonObject) -> Iterator[Move]:
        yield Flush()
        yield from self._tidy_all()

    def _drop(self, frame: JsonObject) -> Iterator[Move]:
        yield Drop()
        yield from self._tidy_all()

    def _leave(self, frame: JsonObject) -> Iterator[Move]:
        yield Flush()
        for line in self._lines.values():
            yield from self._close(line)
        yield Leave()

    def _played(self, frame: JsonObject) -> Iterator[Move]:
        if frame.get("message_id") is None:
            yield Played("", 0)
        else:
            yield Played(fields.text(frame, "message_id"), fields.count(frame, "played_chars"))

    def _nothing(self, frame: JsonObject) -> Iterator[Move]:
        return iter(())

    # --------------------------------------------------------------------------------------------------------- private

    def _line(self, name: str) -> _Line:
        return self._lines.setdefault(name, _Line(name, held=self._turns == "recognizer"))

    def _is_other(self, channel: int) -> bool:
        return self._channel is not None and channel != self._channel

    def _onto(self, line: _Line, stream: str) -> None:
        """The recognizer may have been connected to anew."""
        if stream and stream != line.stream.id:
            if line.current is not None and not line.current.settled:
                line.repeatable = len(line.settled)
            self._settle(line)
            line.stream = _Stream(stream)

    def _settle(self, line: _Line) -> None:
        """Nothing more comes of the segment that is open."""
        if line.current is not None:
            line.settled = line.current.text

    def _heard(self, line: _Line, text: str, *, final: bool, silent_ms: int | None) -> Iterator[Move]:
        """The segment that is open is this by now; `final` if it will not be revised. `silent_ms` as in `Chunk`."""
        if text and line.repeatable is not None and self._is_repeated(line, line.repeatable, text, final=final):
            return
        room = (_LONG_CHARS if final else MAX_CHUNK_CHARS) - len(line.settled) - 1
        if line.settled and len(text) > room:
            yield from self._say(line, line.settled, len(line.settled), 0)
            line.paused, line.current, line.settled = line.current, None, ""
        said = f"{line.settled} {text}".strip()
        segment = Segment(line.name, line.stream.id, line.stream.at, len(said) - len(text))
        if final:
            line.settled = said
        elif text:
            silent_ms = None  # behind what may be revised there is no silence that is sure
        yield from self._say(line, said, len(line.settled), silent_ms, segment)

    def _is_repeated(self, line: _Line, start: int, text: str, *, final: bool) -> bool:
        """Whether what a new connection has said so far was said over the one before; what it says as a whole is taken
        back there.
        """
        old, now = bare_words(line.settled[start:]), bare_words(text)
        found = repeats(old, now)
        if found == "so far" and not final:
            return True
        if found != "nothing":
            line.settled = line.settled[:start].rstrip()
        if found != "nothing" or final or len(now) > len(old):
            line.repeatable = None
        return False

    def _say(
        self, line: _Line, text: str, stable_chars: int, silent_ms: int | None, segment: Segment | None = None
    ) -> Iterator[Move]:
        """The current utterance is this by now; `segment` where its last words are another than before."""
        now = line.current
        if now is None:
            if not text:
                return
            self._made += 1
            now = line.current = _Utterance(f"{self._prefix}.{self._made}")
        quiet = silent_ms != 0 and stable_chars >= len(text)
        if text == now.text and stable_chars <= now.stable_chars and (now.quiet or not quiet):
            return
        now.text, now.stable_chars, now.quiet = text, stable_chars, quiet
        now.segment = segment if segment is not None else now.segment
        yield Say(now.chunk(silent_ms, held=line.held))
        if line.paused is not None:
            yield Say(line.paused.chunk(final=True, held=line.held))
            line.paused = None

    def _stop(self, line: _Line, *, over: bool | None = None) -> Iterator[Move]:
        """The recognizer hears an end. What it may revise yet goes on.

        Args:
            line: whose.
            over: whether the turn is over with it; None for what `turns` says about pauses.
        """
        if over if over is not None else self._turns == "recognizer":
            line.ending = line.current is not None and not line.current.settled
            yield from self._tidy(line)

    def _tidy(self, line: _Line) -> Iterator[Move]:
        """The turn ends: of an utterance that is settled nothing more comes."""
        if line.current is None or line.current.settled:
            yield from self._close(line)

    def _tidy_all(self) -> Iterator[Move]:
        for line in self._lines.values():
            yield from self._tidy(line)

    def _close(self, line: _Line) -> Iterator[Move]:
        for one in (line.paused, line.current):
            if one is not None:
                yield Say(one.chunk(final=True, held=line.held))
        line.paused, line.current, line.settled, line.ending, line.repeatable = None, None, "", False, None


Handler = Callable[[Recognizer, JsonObject], Iterator[Move]]
_TYPED: Final[Mapping[str, Handler]] = {
    "Results": Recognizer._results,
    "UtteranceEnd": Recognizer._utterance_end,
    "Metadata": Recognizer._metadata,
    "TurnInfo": Recognizer._turn_info,
    "Finalize": Recognizer._flush,
    "ForceEndTurn": Recognizer._flush,
    "CloseStream": Recognizer._leave,
    "cancel": Recognizer._drop,
    "played": Recognizer._played,
    "SpeechStarted": Recognizer._speech_started,
    "KeepAlive": Recognizer._nothing,
    "Connected": Recognizer._nothing,
    "ConfigureSuccess": Recognizer._nothing,
    "ConfigureFailure": Recognizer._nothing,
    "Warning": Recognizer._nothing,
    "Error": Recognizer._nothing,
}
"""By the field ``type``."""
_BARE: Final[Mapping[str, Handler]] = {
    "eof": Recognizer._leave,
    "partial": Recognizer._partial,
    "text": Recognizer._result,
    "alternatives": Recognizer._result,
    "result": Recognizer._result,
    "config": Recognizer._nothing,
}
"""By a field that the frame has, where it has no type: Vosk's."""
