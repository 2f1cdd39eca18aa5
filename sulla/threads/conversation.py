"""A log read as a conversation for people: who said what, and where a later reader may begin. Pure.

Unlike the transcript it knows the records' numbers, and holds no more of a message than is worth telling.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId
from sulla.core.message import ToolCall
from sulla.threads.log import records as f
from sulla.threads.log.codec import Entry

MAX_CHARS: Final = 4_000
"""The most that is told of one text."""
MAX_RESULT_CHARS: Final = 400
"""The most that is told of a tool's result: the agent has said in its own words what it learned."""
MAX_ARGS_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class LogMessage:
    """One message."""

    seq: int
    """The record that it begins with."""
    message_id: MessageId
    who: Literal["user", "agent", "tool"]
    text: str
    border: bool
    """Whether a conversation can begin with it: every call before it has its result."""
    chars: int = 0
    """How long it is in full."""


class ConversationReader:
    """Takes the records of one log in order, and tells what was said."""

    def __init__(self) -> None:
        self._inputs: dict[int, f.Input] = {}
        self._last: LogMessage | None = None
        self._reply: f.TextMessageEnd | None = None
        """The last reply."""

    def missing(self, entry: Entry) -> tuple[int, ...]:
        """Inputs that the record takes up and that were not among those heard; `hear` them first."""
        match entry.fact:
            case f.RunStarted(input_seq=seq):
                wanted: tuple[int, ...] = (seq,)
            case f.InputsJoined(input_seqs=seqs):
                wanted = seqs
            case _:
                wanted = ()
        return tuple(seq for seq in wanted if seq not in self._inputs)

    def hear(self, entry: Entry) -> Iterator[LogMessage]:
        """Take the next record.

        Yields:
            The messages that are complete with it, one record late: a message may be changed by what follows it.
        """
        fact = entry.fact
        match fact:
            case f.Input():
                self._inputs[entry.seq] = fact
            case f.InputIgnored(input_seq=seq):
                self._inputs.pop(seq, None)
            case f.InputHandled(text=str() as text) if self._last is not None:
                self._last = replace(self._last, text=_short(text), chars=len(text))
            case f.RunStarted(input_seq=seq):
                yield from self._next(self._user(seq, entry.seq, border=True))
            case f.InputsJoined(input_seqs=seqs):
                for seq in seqs:
                    yield from self._next(self._user(seq, entry.seq, border=False))
            case f.TextMessageEnd():
                self._reply = fact
                yield from self._next(_said(entry.seq, fact))
            case f.ToolCallResult(call_id=call_id, text=text):
                told = _short(text, MAX_RESULT_CHARS)
                yield from self._next(LogMessage(entry.seq, MessageId(call_id), "tool", told, False, len(text)))

    def rest(self) -> Iterator[LogMessage]:
        """The last message."""
        if self._last is not None:
            yield self._last
        self._last = None

    def _next(self, said: LogMessage) -> Iterator[LogMessage]:
        last, self._last = self._last, said
        if last is not None:
            yield last

    def _user(self, input_seq: int, seq: int, *, border: bool) -> LogMessage:
        # Whoever listens asks for what is `missing` first.
        fact = self._inputs.pop(input_seq)
        heard = fact.spoken.heard if fact.spoken is not None else None
        reply, last = self._reply, self._last
        if heard is not None and reply is not None and last is not None and heard.message_id == last.message_id:
            self._last = _said(last.seq, replace(reply, text=reply.text[: heard.chars]))
        return LogMessage(seq, fact.message_id, "user", _short(fact.text), border, len(fact.text))


def _said(seq: int, reply: f.TextMessageEnd) -> LogMessage:
    calls = [_call(part) for part in reply.parts if isinstance(part, ToolCall)]
    told = "\n".join(filter(None, (_short(reply.text), *calls)))
    border = not reply.hidden and bool(reply.text or reply.parts)
    return LogMessage(seq, reply.message_id, "agent", told, border, len(reply.text) + sum(map(len, calls)))


def _call(call: ToolCall) -> str:
    return f"[called {call.name} {_short(orjson.dumps(dict(call.args)).decode(), MAX_ARGS_CHARS)}]"


def _short(text: str, most_chars: int = MAX_CHARS) -> str:
    if len(text) <= most_chars:
        return text
    half = most_chars // 2
    return f"{text[:half]} [...] {text[-half:]}"
