"""Tells of mail that is passed over because nobody vouches for its sender."""

from __future__ import annotations

import logging
from typing import Final

from sulla.core.clock import Clock

log = logging.getLogger(__name__)

TELL_S: Final = 3_600.0
"""How often the log says it."""


class Unvouched:
    """Counts such mail of one mailbox, and says once in a while how much there was: anybody sends some, and where a
    server's line is never believed all is such.

    Args:
        clock: all time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._count = 0
        self._told_s: float | None = None

    def note(self, uid: int, why: str) -> None:
        """One more.

        Args:
            uid: its number.
            why: why nobody does.
        """
        self._count += 1
        now_s = self._clock.elapsed()
        if self._told_s is None or now_s - self._told_s >= TELL_S:
            log.info("%d mails were passed over, the last (%d) because %s", self._count, uid, why)
            self._count, self._told_s = 0, now_s
