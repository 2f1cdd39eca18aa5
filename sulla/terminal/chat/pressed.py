"""What Ctrl-C means at the prompt of a talk. Pure."""

from __future__ import annotations

from typing import Literal

from sulla.core.dataclass import dataclass

Meant = Literal["stop", "again", "clear", "leave"]
"""Stop the answer; say that it is being stopped; take what was typed away; leave."""


@dataclass(slots=True)
class Pressed:
    """Counts the presses while an answer is being stopped: none of them leaves it running unsaid."""

    stopping: bool = False
    """Whether the daemon was asked to stop, and the answer has not ended."""
    _presses: int = 0

    def press(self, *, busy: bool, typed: bool) -> Meant:
        """One press.

        Args:
            busy: whether an answer comes, or a message waits.
            typed: whether something stands in the line.
        """
        if not busy:
            self.ended()
            return "clear" if typed else "leave"
        if not self.stopping:
            self.stopping, self._presses = True, 1
            return "stop"
        self._presses += 1
        return "again" if self._presses == 2 else "leave"

    def ended(self) -> None:
        """The answer has ended, or cannot be stopped."""
        self.stopping, self._presses = False, 0
