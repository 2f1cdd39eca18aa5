"""What travels over the bus for a thread: wake-ups, live moments, a request to repeat them. All of it may be lost.
Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.event import Moment, Progress, TextShown
from sulla.core.ids import RunId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.store.values import MAX_PUBLISH_BYTES
from sulla.threads.recent import JustWritten

_PIECE_CHARS = (MAX_PUBLISH_BYTES - 1024) // 6
"""A code point takes up to six bytes escaped as JSON; the rest is for the envelope."""


@dataclass(frozen=True, slots=True)
class LogAdvanced:
    """The log has reached this number."""

    seq: int
    written: JustWritten | None = None
    """Its last records, where they were written in this process: who hears it here need not read them."""


@dataclass(frozen=True, slots=True)
class ResendText:
    """Whoever runs the turn should send the text so far again."""


class LiveSignal(NamedTuple):
    """A moment of a running turn. A tuple, because one is made for every token."""

    at_ms: int
    run_id: RunId
    agent: str
    depth: int
    type: str
    data: JsonObject


Signal = LogAdvanced | ResendText | LiveSignal


def channel(thread_id: ThreadId) -> str:
    """The bus channel of a thread's wake-ups and requests."""
    return f"thread:{thread_id}"


def live_channel(thread_id: ThreadId) -> str:
    """The bus channel of a thread's moments: one of its own, so that whoever runs a turn does not hear himself."""
    return f"live:{thread_id}"


class _Packed(bytes):
    """A packed signal that knows what it says: a listener in this process need not read it."""

    signal: LiveSignal | LogAdvanced


def pack(signal: Signal) -> bytes:
    """A signal as bytes."""
    match signal:
        case LiveSignal():
            packed = _Packed(orjson.dumps({"of": signal[:4], "type": signal.type, "data": signal.data}))
            packed.signal = signal
            return packed
        case LogAdvanced(seq):
            advanced = _Packed(orjson.dumps({"seq": seq}))
            advanced.signal = signal
            return advanced
        case ResendText():
            return b'{"ask":"text"}'


def unpack(payload: bytes) -> Signal | None:
    """The signal, or None if the payload is of a kind that this version does not know."""
    if type(payload) is _Packed:
        return payload.signal
    found = orjson.loads(payload)
    if not isinstance(found, dict):
        return None
    # By hand for what most of them are: patterns cost ten times as much as reading the JSON does.
    whose, type_, data = found.get("of"), found.get("type"), found.get("data")
    if type(whose) is list and len(whose) == 4 and type(type_) is str and type(data) is dict:
        at_ms, run_id, agent, depth = whose
        if type(at_ms) is int and type(run_id) is str and type(agent) is str and type(depth) is int:
            return LiveSignal(at_ms, RunId(run_id), agent, depth, type_, data)
    match found:
        case {"seq": int(seq)}:
            return LogAdvanced(seq)
        case {"ask": "text"}:
            return ResendText()
        case _:
            return None


def live(at_ms: int, run_id: RunId, agent: str, depth: int, moment: Moment) -> Sequence[LiveSignal]:
    """A moment as signals that fit the bus; a long text becomes several."""
    if isinstance(moment, Progress):
        data: JsonObject = {"call_id": moment.call_id, "note": moment.note}
        return (LiveSignal(at_ms, run_id, agent, depth, "TOOL_CALL_PROGRESS", data),)
    type_ = "TEXT_MESSAGE_CONTENT" if isinstance(moment, TextShown) else "REASONING_MESSAGE_CONTENT"
    message_id, offset, delta = moment.message_id, moment.offset, moment.delta
    return [
        LiveSignal(
            at_ms, run_id, agent, depth, type_, {"message_id": message_id, "offset": offset + start, "delta": piece}
        )
        for start in range(0, len(delta), _PIECE_CHARS)
        for piece in (delta[start : start + _PIECE_CHARS],)
    ]
