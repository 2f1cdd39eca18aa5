"""What the streamed replies of all services have in common, from bytes to deltas. Pure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

import orjson

from sulla.core.errors import ProviderProtocol
from sulla.core.ids import MessageId
from sulla.core.message import Message, Part, ToolCall
from sulla.models.base import Completed, Delta, ReasoningDelta, Stop, TextDelta, TokenUsage
from sulla.models.wire.json import string
from sulla.models.wire.lines import LineReader
from sulla.models.wire.sse import SseReader
from sulla.models.wire.thoughts import ThoughtTags

MAX_REPLY_BYTES = 64 * 1024 * 1024
"""The longest stream that is read: 128 k tokens with an event of some 300 bytes each come to two thirds of it."""

MAX_EVENT_BYTES = 4 * 1024 * 1024
"""The longest event that is read. A tool call with its arguments may come as one; the longest that is known of is a
redacted reasoning block of some 100 KiB."""

_NONSENSE: Final = (KeyError, TypeError, AttributeError, orjson.JSONDecodeError)
"""What reading an event ends in that is not as it should be."""

Shown = type[TextDelta] | type[ReasoningDelta]
"""What a piece of a reply is shown as."""


class StreamedReply(ABC):
    """One reply. `feed` it what arrives, until that gives `Completed` or raises; `end` it when nothing more comes.

    What a service says is for its own reader to know, which takes event by event and shows what people may see of it.
    Neighbours of one kind that arrive together are shown as one delta: where a service is quick, or its reader slow,
    a delta for each would cost more than all the rest.

    Args:
        model: who was asked; for messages.
        framing: finds the events.
    """

    def __init__(self, model: str, framing: LineReader | SseReader) -> None:
        self._model = model
        self._framing = framing
        self._bytes = 0
        self._found: list[Delta] = []
        self._kind: Shown = TextDelta
        self._pieces: list[str] = []
        """What was shown of this kind since the last delta."""
        self._shown: dict[Shown, list[str]] = {TextDelta: [], ReasoningDelta: []}
        """What was shown before, by kind."""
        self._tags = ThoughtTags()
        self.completed = False
        """Whether `Completed` has been given."""

    def feed(self, chunk: bytes) -> list[Delta]:
        """Take the next bytes, cut anywhere.

        Returns:
            What they add to the reply; a `Completed` is the last of all.

        Raises:
            ProviderProtocol: the stream breaks its own rules; nothing of the reply counts.
            ProviderError: the service says inside the stream that it failed.
        """
        if self.completed:
            return []
        self._bytes += len(chunk)
        if self._bytes > MAX_REPLY_BYTES:
            raise self._broken(f"is longer than {MAX_REPLY_BYTES} bytes")
        events = self._framing.feed(chunk)
        if len(self._framing.rest) > MAX_EVENT_BYTES:
            raise self._broken(f"holds an event of more than {MAX_EVENT_BYTES} bytes")
        last = None
        for data in events:
            try:
                last = self._take(data)
            except _NONSENSE as error:
                raise self._broken(f"holds an event that makes no sense: {data[:200]!r}") from error
            if last is not None:
                break
        self._turn(self._kind)
        found, self._found = self._found, []
        if last is not None:
            self.completed = True
            found.append(last)
        return found

    def end(self) -> None:
        """Nothing more will come.

        Raises:
            ProviderProtocol: the reply is not complete.
        """
        if not self.completed:
            raise self._broken("ended before it was complete")

    @abstractmethod
    def _take(self, data: bytes) -> Completed | None:
        """Take one event, and give the whole reply if it was the last one.

        Raises:
            KeyError, TypeError, AttributeError, orjson.JSONDecodeError: it makes no sense.
            ProviderError: it says that the service failed, or breaks the rules.
        """

    def _whole(self, message_id: MessageId, parts: tuple[Part, ...], usage: TokenUsage, stop: Stop) -> Completed:
        """The whole reply.

        Raises:
            ProviderProtocol: its tool calls and the reason why it stopped do not go together.
        """
        calls = [part.id for part in parts if isinstance(part, ToolCall)]
        if len(set(calls)) < len(calls):
            raise self._broken("uses one tool call id twice")
        if stop == "tool_calls" and not calls:
            raise self._broken("stops to use a tool without naming one")
        if stop == "end" and calls:
            stop = "tool_calls"
        return Completed(Message(message_id, "assistant", parts), usage, stop)

    def _show(self, kind: Shown, text: str) -> None:
        """Show a piece, as it stands in an event; an empty one shows nothing.

        Raises:
            TypeError: it is no string.
        """
        if type(text) is not str:
            raise TypeError(f"a piece of the reply that is no string: {text!r:.100}")
        if kind is not self._kind:
            self._turn(kind)
        self._pieces.append(text)

    def _say(self, text: object) -> None:
        """Show a piece of what a model writes that may write its thoughts down before its answer.

        Raises:
            TypeError: it is no string.
        """
        for kind, piece in self._tags.feed(string(text)):
            self._show(ReasoningDelta if kind == "thought" else TextDelta, piece)

    def _said(self, stop: Stop) -> tuple[str, str]:
        """All thoughts and all text, where pieces of text went through `_say`. A thought that has no end was none, if
        nothing else was said.
        """
        was_open = self._tags.is_open
        for kind, piece in self._tags.finish():
            self._show(ReasoningDelta if kind == "thought" else TextDelta, piece)
        thoughts, text = self._all(ReasoningDelta), self._all(TextDelta)
        if was_open and stop == "end" and not text:
            self._show(TextDelta, f"<think>{thoughts}")
            return "", self._all(TextDelta)
        return thoughts, text

    def _turn(self, kind: Shown) -> None:
        """Make a delta of what was shown, and go on with pieces of a kind."""
        if text := "".join(self._pieces):
            self._shown[self._kind].append(text)
            self._found.append(self._kind(text))
        self._pieces.clear()
        self._kind = kind

    def _all(self, kind: Shown) -> str:
        """All that was ever shown as a kind."""
        self._turn(kind)
        return "".join(self._shown[kind])

    def _broken(self, what: str) -> ProviderProtocol:
        return ProviderProtocol(f"the reply of the model {self._model!r} {what}; nothing of it counts")
