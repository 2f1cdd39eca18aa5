"""How often a service is asked that answers at once and brings nothing new: it would be asked on and on. Pure."""

from __future__ import annotations

from typing import Final

from sulla.channels.machine.standing import Refusals

AT_ONCE_S: Final = 0.5
"""An answer that takes no longer was not waited for."""
FREE: Final = 5
"""So many such answers in a row are nothing: something may have happened that is not the daemon's."""
TOLD_S: Final = 3_600.0
"""How seldom that is logged."""
PAUSE_S: Final = 1.0
KNOWN_FREE: Final = 500
"""So many answers in a row that go on and tell what is known are passed over as fast as they come; then there is one
pause, lest a service that tells all anew for ever takes all of the daemon."""
WHY: Final = f"its service answers at once with nothing new, again and again: it is asked every {PAUSE_S:g} s"


class Hurry:
    """It lives as long as its channel.

    Args:
        now_s: by `Clock.elapsed`.
    """

    def __init__(self, now_s: float) -> None:
        self._since_s = now_s
        self._vain = 0
        self._known = 0
        self._told_s = float("-inf")
        self.refusals: Refusals | None = None
        """While the service hands nothing on."""

    def begins(self, now_s: float) -> None:
        """It is read anew.

        Args:
            now_s: by `Clock.elapsed`.
        """
        self._since_s, self._vain, self._known = now_s, 0, 0

    def tells(self, now_s: float) -> bool:
        """Whether it is logged now that the service is asked more seldom; `Line.why` says so all the time.

        Args:
            now_s: by `Clock.elapsed`.
        """
        if now_s - self._told_s < TOLD_S:
            return False
        self._told_s = now_s
        return True

    @property
    def slows(self) -> bool:
        """Whether the service is asked more seldom now."""
        return self._vain > FREE

    def came(self, now_s: float, *, fresh: bool, moves: bool = False) -> float:
        """An answer came; how long it is waited until the service is asked again, in seconds.

        Args:
            now_s: when, by `Clock.elapsed`.
            fresh: whether it brought anything that was not known.
            moves: whether it brought something and is behind the one before: it tells again what it told, and comes to
                what is new when it is read on.
        """
        at_once = now_s - self._since_s < AT_ONCE_S
        pause_s = 0.0
        if fresh or not at_once:
            self._vain = self._known = 0
        elif moves:
            self._vain, self._known = 0, (self._known + 1) % KNOWN_FREE
            pause_s = 0.0 if self._known else PAUSE_S
        else:
            self._vain = min(self._vain + 1, FREE + 1)
            pause_s = PAUSE_S if self.slows else 0.0
        self._since_s = now_s + pause_s
        return pause_s
