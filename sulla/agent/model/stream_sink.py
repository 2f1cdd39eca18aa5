"""What people see of a reply while it comes. Pure."""

from __future__ import annotations

from typing import NamedTuple

from sulla.agent.model.pictures import PictureFilter
from sulla.agent.model.wrapper import Wrapper
from sulla.core.event import Emit, Moment, ReasoningShown, TextShown
from sulla.core.ids import MessageId
from sulla.models.base import Completed


class StreamSink:
    """Shows a reply as it comes and remembers what was shown.

    Args:
        message_id: of the reply.
        emit: takes the pieces.
        pictures: whether it may show pictures.
    """

    __slots__ = ("_emit", "_filter", "_message_id", "_pieces", "_shown", "_thought", "_thoughts")

    def __init__(self, message_id: MessageId, emit: Emit, *, pictures: bool = True) -> None:
        self._filter = None if pictures else PictureFilter()
        self._thoughts = None if pictures else PictureFilter()
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
        self._show(text if self._filter is None else self._filter.feed(text))

    def finish(self) -> None:
        """There is no more of it."""
        if self._filter is not None:
            self._show(self._filter.finish())
        if self._thoughts is not None:
            self._think(self._thoughts.finish())

    def _show(self, text: str) -> None:
        if text:
            self._emit(TextShown(self._message_id, self._shown, text))
            self._pieces.append(text)
            self._shown += len(text)

    def think(self, text: str) -> None:
        """More of the reasoning."""
        self._think(text if self._thoughts is None else self._thoughts.feed(text))

    def _think(self, text: str) -> None:
        if text:
            self._emit(ReasoningShown(self._message_id, self._thought, text))
            self._thought += len(text)


def nobody(moment: Moment) -> None:
    """Takes what is not for people."""


class Streamed(NamedTuple):
    """What a reply came to that has streamed to its end."""

    completed: Completed
    wrapper: Wrapper | None
    wrote_call: bool
    """Whether a call stands in its text."""
