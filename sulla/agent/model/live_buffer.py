"""What people have seen of the reply in flight. Pure."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.event import Moment, ReasoningShown, TextShown
from sulla.core.ids import MessageId


class LiveBuffer:
    """Passes moments on and remembers the text of the latest message, for whoever comes late and for a cut.

    Args:
        forward: where moments go.
    """

    def __init__(self, forward: Callable[[Moment], None]) -> None:
        self._forward = forward
        self._message_id: MessageId | None = None
        self._pieces: list[str] = []
        self._thought: MessageId | None = None
        self._thoughts: list[str] = []

    def __call__(self, moment: Moment) -> None:
        """Show a moment (`core.event.Emit`)."""
        if isinstance(moment, TextShown):
            if moment.message_id != self._message_id:
                self._message_id, self._pieces = moment.message_id, []
            self._pieces.append(moment.delta)
        elif isinstance(moment, ReasoningShown):
            if moment.message_id != self._thought:
                self._thought, self._thoughts = moment.message_id, []
            self._thoughts.append(moment.delta)
        self._forward(moment)

    def text_of(self, message_id: MessageId) -> str:
        """What was shown of a message so far."""
        return "".join(self._pieces) if message_id == self._message_id else ""

    def thoughts_of(self, message_id: MessageId) -> str:
        """What was shown of the reasoning for a message."""
        return "".join(self._thoughts) if message_id == self._thought else ""

    def again(self) -> None:
        """Show the text so far once more, from its beginning."""
        if self._message_id is not None and self._pieces:
            self._forward(TextShown(self._message_id, 0, "".join(self._pieces)))
