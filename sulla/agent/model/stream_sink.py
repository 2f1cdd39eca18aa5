"""What people see of a reply while it comes. Pure."""

from __future__ import annotations

from sulla.core.event import Emit, Moment, ReasoningShown, TextShown
from sulla.core.ids import MessageId


class StreamSink:
    """Shows a reply as it comes and remembers what was shown.

    Args:
        message_id: of the reply.
        emit: takes the pieces.
    """

    __slots__ = ("_emit", "_message_id", "_pieces", "_shown", "_thought")

    def __init__(self, message_id: MessageId, emit: Emit) -> None:
        self._message_id = message_id
        self._emit = emit
        self._pieces: list[str] = []
        self._shown = 0
        self._thought = 0

    @property
    def text(self) -> str:
        """Everything that was shown so far."""
        return "".join(self._pieces)

    def show(self, text: str) -> None:
        """More of the text, free of wrappers."""
        if text:
            self._emit(TextShown(self._message_id, self._shown, text))
            self._pieces.append(text)
            self._shown += len(text)

    def think(self, text: str) -> None:
        """More of the reasoning."""
        if text:
            self._emit(ReasoningShown(self._message_id, self._thought, text))
            self._thought += len(text)


def nobody(moment: Moment) -> None:
    """Takes what is not for people."""
