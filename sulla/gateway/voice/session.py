"""One ``/voice`` connection as a state machine: a recognizer's frames in, effects out; events in, frames out. Pure;
docs/inside/voice.md describes it for clients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Final

import orjson
from pydantic import ValidationError

from sulla.access.principal import Principal
from sulla.core.dataclass import dataclass
from sulla.core.errors import Busy, Forbidden, SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway import rpc, wire
from sulla.gateway.feed.follower import EventSink
from sulla.gateway.rpc import RequestId
from sulla.gateway.voice.shown import VoiceView, voice_frame
from sulla.gateway.voice.sink import VoiceSink
from sulla.gateway.websocket.machine import Authenticate, CallMethod, Close, Effect, Out, SendFrame, Then
from sulla.gateway.websocket.session import NORMAL, NOT_TEXT, POLICY, TOO_SLOW, UNAUTHORIZED, too_big
from sulla.rpc.caller import Way
from sulla.rpc.form import Params
from sulla.rpc.limits import Limits
from sulla.speech.recognizer import moves
from sulla.speech.recognizer.frames import Recognizer, Turns
from sulla.speech.rpc import SpeechCancel, SpeechChunk, SpeechFlush, SpeechPlaying, SpeechSegment
from sulla.speech.turn_taking.chunk import Segment

PATIENCE_S: Final = 10.0
"""How long a piece of speech is offered again that could not be kept: a recognizer does not say it twice."""
_PASSED: Final = 16
"""Types of frames that a client is told are passed over."""


@dataclass(frozen=True, slots=True)
class VoiceRequest:
    """What a client asks for in the address."""

    thread_id: str | None = None
    """Where to speak; None for a new thread."""
    agent: str | None = None
    """Who answers in a new one; None for the default agent."""
    turns: Turns = "auto"
    channel: int | None = None


class VoiceSession:
    """Keeps `Talk` for one recognizer's client.

    Args:
        id: names the connection.
        limits: sizes.
        wish: what it asks for.
        principal: who it is, if the upgrade request has shown that already.
    """

    way: Final[Way] = "voice"
    client: Final = "voice"

    def __init__(self, id: str, limits: Limits, wish: VoiceRequest, principal: Principal | None = None) -> None:
        self.id = id
        self._limits = limits
        self._wish = wish
        self._principal = principal
        self._recognizer = Recognizer(id, wish.turns, wish.channel)
        self._numbers = count(1)
        self._asked: dict[RequestId, Params] = {}
        self._thread_id = ""
        self._playing: SpeechPlaying | None = None
        self._passed: dict[str, None] = {}
        self._leaving = False
        self._shown = VoiceView()

    @property
    def open(self) -> bool:
        """Whether it is known who the client is."""
        return self._principal is not None

    @property
    def principal(self) -> Principal | None:
        """Who that is, as far as it is known."""
        return self._principal

    @property
    def done(self) -> bool:
        """Whether nothing more will be said, by nobody: neither a turn nor a reply is still to come."""
        return self._leaving and self._shown.quiet

    # ---------------------------------------------------------------------------------------------------- what comes in

    def begin(self) -> Sequence[Effect]:
        """Who has shown a token in the upgrade request need not say hello."""
        return () if self._principal is None else self._enter(self._principal)

    def hear(self, text: str) -> Sequence[Effect]:
        """Take a text frame."""
        if (close := too_big(text, self._limits, known=self.open)) is not None:
            return (close,)
        if self._leaving:
            return ()
        try:
            frame = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            return self._mistake("invalid_json", f"not JSON: {error}")
        if not isinstance(frame, dict):
            return self._mistake("invalid_input", f"got {rpc.show(frame)}, expected an object")
        if self._principal is None:
            return self._hello(frame)
        if frame.get("type") == "hello":
            return ()  # whoever it is was shown already
        return [effect for move in self._recognizer.hear(frame) for effect in self._effects(move, self._principal)]

    def hear_binary(self) -> Sequence[Effect]:
        """Take a binary frame."""
        return (Close(NOT_TEXT, "audio goes to the recognizer: /voice takes its text frames"),)

    def admit(self, id_: RequestId, principal: Principal) -> Sequence[Effect]:
        """Whoever said hello may come in."""
        self._principal = principal
        return self._enter(principal)

    def refuse(self, id_: RequestId, error: SullaError) -> Sequence[Effect]:
        """Whoever said hello has no token, or a wrong one, or there is no room."""
        return (_error(error), Close(TOO_SLOW if isinstance(error, Busy) else UNAUTHORIZED, error.message))

    def answered(self, id_: RequestId, result: JsonObject) -> Sequence[Effect]:
        """What was asked for under `id_` is done."""
        match self._asked.pop(id_), result:
            case wire.ThreadCreate(), {"thread_id": str(thread_id)}:
                return self._follow(thread_id, 0)
            case wire.ThreadGet(thread_id=thread_id), {"last_seq": int(last_seq)}:
                return self._follow(thread_id, last_seq)
            case wire.EventsSubscribe(thread_id=thread_id), _:
                self._thread_id = thread_id
                return (SendFrame(voice_frame("ready", {"thread_id": thread_id, "session": self.id})),)
            case SpeechFlush(), {"run_id": str(run_id)}:
                self._shown.run_begins(run_id)
                return ()
            case SpeechChunk(), {"turn_id": str(turn_id)}:
                self._shown.turn_begins(turn_id)
                return ()
            case SpeechCancel(), {"turn_id": str(turn_id)}:
                self._shown.turn_ends(turn_id)
                return ()
            case _:
                return ()

    def failed(self, id_: RequestId, error: SullaError) -> Sequence[Effect]:
        """What was asked for under `id_` was refused."""
        params = self._asked.pop(id_)
        if isinstance(params, wire.ThreadCreate | wire.ThreadGet | wire.EventsSubscribe):
            return (_error(error), Close(POLICY, error.message))
        return (_error(error),)

    def ended(self, thread_id: str, error: SullaError) -> Sequence[Effect]:
        """The thread can no longer be followed."""
        return (_error(error), Close(POLICY, error.message))

    def forget(self, thread_id: str) -> None:
        """There is nothing without the thread."""

    def untold(self) -> None:
        """Nobody asked to be told of notices."""

    # ---------------------------------------------------------------------------------------------------- what goes out

    def gap(self, thread_id: str, after: int, following: int) -> bytes:
        """A hole in the thread's log."""
        return voice_frame("gap", {"after": after, "next": following})

    def sink(self, out: Out, end: Callable[[Close], None]) -> EventSink:
        """Shows what concerns somebody who speaks and listens, in frames of its own."""
        return VoiceSink(self._shown.frame, lambda: self.done, out, lambda: end(Close(NORMAL, "")))

    # --------------------------------------------------------------------------------------------------------- private

    def _enter(self, principal: Principal) -> Sequence[Effect]:
        for scope in ("read", "write"):
            if scope not in principal.scopes:
                error = Forbidden(
                    f"'/voice' needs a token with the scopes 'read' and 'write', this one lacks {scope!r}"
                )
                return (_error(error), Close(POLICY, error.message))
        if self._wish.thread_id is not None:
            return (self._call(wire.ThreadGet(thread_id=self._wish.thread_id), principal),)
        return (self._call(wire.ThreadCreate(agent=self._wish.agent), principal),)

    def _follow(self, thread_id: str, after: int) -> Sequence[Effect]:
        if self._principal is None:
            raise TypeError("a thread is followed, but nobody knows for whom")
        return (self._call(wire.EventsSubscribe(thread_id=thread_id, after=after, speak=True), self._principal),)

    def _hello(self, frame: JsonObject) -> Sequence[Effect]:
        match frame:
            case {"type": "hello", "token": str(token)} if token:
                return (Authenticate(0, token),)
            case {"type": "hello"}:
                return (Authenticate(0, None),)
            case _:
                wanted = '{"type":"hello","token":…}, or the header Authorization in the upgrade request'
                return [
                    *self._mistake("invalid_input", f"the first frame has to be {wanted}"),
                    Close(POLICY, "no hello"),
                ]

    def _effects(self, move: moves.Move, who: Principal) -> Sequence[Effect]:
        match move:
            case moves.Say(chunk):
                params = SpeechChunk(
                    thread_id=self._thread_id,
                    utterance_id=chunk.utterance_id,
                    seq=chunk.seq,
                    kind=chunk.kind,
                    text=chunk.text,
                    stable_chars=chunk.stable_chars,
                    silent_ms=chunk.silent_ms,
                    held=chunk.held,
                    segment=_segment(chunk.segment),
                    playing=self._playing,
                )
                return (self._call(params, who, PATIENCE_S),)
            case moves.Flush():
                return (self._call(SpeechFlush(thread_id=self._thread_id), who, PATIENCE_S),)
            case moves.Drop():
                return (self._call(SpeechCancel(thread_id=self._thread_id), who, PATIENCE_S),)
            case moves.Played(message_id, played_chars):
                return self._plays(message_id, played_chars)
            case moves.Leave():
                self._leaving = True
                return (Then(self._left),)
            case moves.Passed(type_):
                return self._passes(type_)
            case moves.Wrong(message):
                return self._mistake("invalid_input", message)

    def _plays(self, message_id: str, played_chars: int) -> Sequence[Effect]:
        try:
            playing = SpeechPlaying(message_id=message_id, played_chars=played_chars) if message_id else None
        except ValidationError as error:
            (detail, *_) = error.errors(include_url=False)
            return self._mistake("invalid_input", rpc.explain(detail, SpeechPlaying, ""))
        self._playing = playing
        return ()

    def _passes(self, type_: str) -> Sequence[Effect]:
        """A type is told once: a client that misspells one wonders why nothing happens."""
        known = type_[:80] in self._passed
        if known or len(self._passed) >= _PASSED:
            return ()
        self._passed[type_[:80]] = None
        return (SendFrame(voice_frame("passed_over", {"frame": type_[:80]})),)

    def _left(self) -> Sequence[Effect]:
        return (Close(NORMAL, ""),) if self.done else ()

    def _call(self, params: Params, who: Principal, patience_s: float = 0.0) -> CallMethod:
        id_ = next(self._numbers)
        self._asked[id_] = params
        return CallMethod(id_, params, who, patience_s)

    def _mistake(self, code: str, message: str) -> Sequence[Effect]:
        said: JsonObject = {"code": code, "message": message, "retryable": False, "retry_after_s": None}
        close = () if self.open else (Close(POLICY, message),)
        return (SendFrame(voice_frame("error", said)), *close)


def _segment(segment: Segment | None) -> SpeechSegment | None:
    if segment is None:
        return None
    return SpeechSegment(speaker=segment.speaker, stream=segment.stream, at=segment.at, from_char=segment.from_char)


def _error(error: SullaError) -> SendFrame:
    said: JsonObject = {
        "code": error.code,
        "message": error.message,
        "retryable": error.retryable,
        "retry_after_s": error.retry_after_s,
    }
    return SendFrame(voice_frame("error", said))
