"""What travels over the bus for a thread: wake-ups, live moments, a request to repeat them. All of it may be lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from sulla.core.event import Moment, Progress, ReasoningShown, TextShown
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.store import MAX_PUBLISH_BYTES
from sulla.threads.codec import Origin

_PIECE_CHARS = (MAX_PUBLISH_BYTES - 1024) // 6
"""A code point takes up to six bytes escaped as JSON; the rest is for the envelope."""


@dataclass(frozen=True, slots=True)
class Advanced:
    """The log has reached this number."""

    seq: int


@dataclass(frozen=True, slots=True)
class AskText:
    """Whoever runs the turn should send the text so far again."""


@dataclass(frozen=True, slots=True)
class Live:
    """A moment of a running turn."""

    source: Origin
    type: str
    data: JsonObject


Signal = Advanced | AskText | Live


def channel(thread_id: ThreadId) -> str:
    """The bus channel of a thread."""
    return f"thread:{thread_id}"


def pack(signal: Signal) -> bytes:
    """A signal as bytes."""
    match signal:
        case Advanced(seq):
            return orjson.dumps({"seq": seq})
        case AskText():
            return b'{"ask":"text"}'
        case Live(source, type_, data):
            whose = [source.at_ms, source.run_id, source.agent, source.depth]
            return orjson.dumps({"of": whose, "type": type_, "data": data})


def unpack(payload: bytes) -> Signal | None:
    """The signal, or None if the payload is of a kind that this version does not know."""
    match orjson.loads(payload):
        case {"seq": int(seq)}:
            return Advanced(seq)
        case {"ask": "text"}:
            return AskText()
        case {"of": [int(at_ms), str(run_id), str(agent), int(depth)], "type": str(type_), "data": dict(data)}:
            return Live(Origin(at_ms, RunId(run_id), agent, depth=depth), type_, data)
        case _:
            return None


def live(source: Origin, moment: Moment) -> Iterator[Live]:
    """A moment as signals that fit the bus; a long text becomes several."""
    match moment:
        case TextShown(message_id, offset, delta):
            yield from _pieces(source, "TEXT_MESSAGE_CONTENT", message_id, offset, delta)
        case ReasoningShown(message_id, offset, delta):
            yield from _pieces(source, "REASONING_MESSAGE_CONTENT", message_id, offset, delta)
        case Progress(call_id, note):
            yield Live(source, "TOOL_CALL_PROGRESS", {"call_id": call_id, "note": note})


def _pieces(source: Origin, type_: str, message_id: MessageId, offset: int, delta: str) -> Iterator[Live]:
    for start in range(0, len(delta), _PIECE_CHARS):
        piece = delta[start : start + _PIECE_CHARS]
        yield Live(source, type_, {"message_id": message_id, "offset": offset + start, "delta": piece})
