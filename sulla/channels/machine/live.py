"""The text of an answer as it is being written, put together from what the bus brings. Pure."""

from __future__ import annotations

from typing import Final

FIRST_S: Final = 1.0
"""An answer that is done within this is sent when it is done, and not shown before."""
MOST_CHARS: Final = 20_000
"""Of what is gathered: no message shows more."""


class LiveText:
    """What was written so far. It lives as long as somebody talks at its place."""

    def __init__(self) -> None:
        self.message_id = ""
        self._text: str | None = ""
        """None where a piece is missing: what follows is not shown."""
        self._began_s = 0.0
        self._shown = ""
        self._shown_s = float("-inf")

    def hear(self, message_id: str, offset: int, delta: str, now_s: float) -> None:
        """A piece came.

        Args:
            message_id: of the reply.
            offset: how many characters come before it.
            delta: it.
            now_s: by `Clock.elapsed`.
        """
        if message_id != self.message_id:
            self.message_id, self._text, self._began_s, self._shown = message_id, "", now_s, ""
        if self._text is None or len(self._text) >= MOST_CHARS:
            return
        if offset > len(self._text):
            self._text = None
        else:
            self._text = self._text[:offset] + delta

    def due_s(self, edit_s: float) -> float | None:
        """When it is to be shown again, by `Clock.elapsed`; None while there is nothing new.

        Args:
            edit_s: how long lies between two edits.
        """
        if not self._text or self._text == self._shown or not self._text.strip():
            return None
        return max(self._began_s + FIRST_S, self._shown_s + edit_s)

    def take(self, now_s: float) -> str:
        """What is shown now."""
        self._shown, self._shown_s = self._text or "", now_s
        return self._shown

    def forget(self) -> None:
        """The reply is there, or came to nothing: what comes of it now is too late."""
        self._text = None
