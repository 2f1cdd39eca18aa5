"""Makes of the events that a subscriber is shown what can be spoken of its replies. Pure.

Pieces are made of the visible text alone, so that whoever comes late, or comes back, gets the same ones with the same
numbers and places.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.feed.feed import TEXT
from sulla.speech.sentences.sentences import Piece, Sentences

SPEAK = "SPEAK"
_ENDS = "TEXT_MESSAGE_END"
_ABANDONED = "MODEL_ABANDONED"
_OPEN = 64
"""Replies in one thread that are written at once."""
_PART = 1024
"""A whole text is looked at in parts, so that its pieces need not all be there at once."""


@dataclass(frozen=True, slots=True)
class Speak:
    """A piece of a reply that can be spoken, for subscribers who have asked for it."""

    message_id: str
    index: int
    """Counted from 0 in its message."""
    offset: int
    """Where it begins in the visible text, in code points."""
    end: int
    """The place behind its last character there: what was played when it has been spoken."""
    text: str
    """What to say, without Markdown and tags; empty where there is nothing to say, as in a block of code."""


@dataclass(slots=True)
class _Reply:
    """A reply that is being written."""

    sentences: Sentences
    chars: int = 0
    """Code points of its text that were looked at."""

    def take(self, text: str, offset: int) -> list[Piece]:
        """What a part of the text finishes. What was looked at is passed over, what comes behind a hole is left."""
        new = text[self.chars - offset :] if offset <= self.chars else ""
        self.chars += len(new)
        return self.sentences.feed(new)


class Speaking:
    """What one subscriber is given to speak."""

    def __init__(self) -> None:
        self._replies: OrderedDict[str, _Reply] = OrderedDict()

    def hear(self, event: Event) -> Iterable[Event]:
        """Take an event that is shown to the subscriber, in the order in which it is shown.

        Returns:
            What can be spoken from now on, to be shown behind it; made as it is taken.
        """
        # By hand, not by patterns: every token of every reply comes by here.
        if event.type == TEXT:
            data = event.data
            message_id, offset, delta = data.get("message_id"), data.get("offset"), data.get("delta")
            if isinstance(message_id, str) and isinstance(offset, int) and isinstance(delta, str):
                found = self._reply(message_id).take(delta, offset)
                return [_event(event, message_id, piece) for piece in found] if found else ()
        elif event.type == _ENDS:
            return self._finish(event)
        elif event.type == _ABANDONED:
            self._replies.pop(str(event.data.get("message_id")), None)
        return ()

    def _reply(self, message_id: str) -> _Reply:
        reply = self._replies.get(message_id)
        if reply is None:
            reply = self._replies[message_id] = _Reply(Sentences())
            if len(self._replies) > _OPEN:
                self._replies.popitem(last=False)
        return reply

    def _finish(self, event: Event) -> Iterator[Event]:
        """What is left of a reply. Of one that was cut only what had come to its end."""
        data = event.data
        message_id, text = data.get("message_id"), data.get("text")
        if not (isinstance(message_id, str) and isinstance(text, str)):
            return
        reply = self._replies.pop(message_id, None) or _Reply(Sentences())
        if data.get("hidden"):
            return
        for start in range(reply.chars, len(text), _PART):
            for piece in reply.take(text[start : start + _PART], start):
                yield _event(event, message_id, piece)
        if not data.get("cut"):
            for piece in reply.sentences.finish():
                yield _event(event, message_id, piece)


def _event(of: Event, message_id: str, piece: Piece) -> Event:
    data: JsonObject = {
        "message_id": message_id,
        "index": piece.index,
        "offset": piece.offset,
        "end": piece.end,
        "text": piece.text,
    }
    return of._replace(seq=None, type=SPEAK, data=data)
