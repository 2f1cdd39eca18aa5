"""Recorded frames of recognizers, as `/voice` would take them (docs/voice.md). It loads the gateway."""

from __future__ import annotations

from typing import Any, Literal

from sulla.core.errors import InvalidInput
from sulla.gateway import Drop, Flush, Recognizer, Say, Wrong
from sulla.speech.turn_taking.chunk import Chunk


class Frames:
    """The frames of one recording, in their order."""

    def __init__(self) -> None:
        self._recognizer = Recognizer("voice")

    def read(self, frame: dict[str, Any]) -> list[Chunk | Literal["flush", "cancel"]]:
        """What a frame comes to; nothing if it says nothing new.

        Args:
            frame: as it came.

        Raises:
            InvalidInput: it is no frame as it should be.
        """
        found: list[Chunk | Literal["flush", "cancel"]] = []
        for move in self._recognizer.hear(frame):
            match move:
                case Say(chunk):
                    found.append(chunk)
                case Flush():
                    found.append("flush")
                case Drop():
                    found.append("cancel")
                case Wrong(message):
                    raise InvalidInput(f"frame: {message}")
                case _:
                    pass  # what was played, the end of the stream, or a type that is not known
        return found
