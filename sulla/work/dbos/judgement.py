"""Whether a worker may say of others that they are dead. Pure: no await, no clock."""

from __future__ import annotations

from typing import Final

BEAT_S: Final = 1.0
"""How often a process says that it lives, in seconds."""
DEAD_S: Final = 4.0
"""After so many seconds without a word it is taken for dead, and what it had taken is given to others."""
SUSPECT_S: Final = DEAD_S - BEAT_S
"""After so many seconds its leases are ended by whoever does what it had taken. When one worker relieves it, what the
others saw last is up to a beat old: who knew nothing of it would leave what is leased alone, until the lease runs out.
"""


class Judgement:
    """Whoever was silent itself, in an outage of the server or because it stood still, says of nobody that he is dead:
    all may have been silent. It lives as long as its worker.

    Args:
        now_s: by `Clock.elapsed`, when its worker begins.
    """

    def __init__(self, now_s: float) -> None:
        self._since_s = now_s

    def beat(self, now_s: float, gap_s: float) -> bool:
        """This worker is about to say that it lives.

        Args:
            now_s: by `Clock.elapsed`.
            gap_s: how many seconds ago it was about to say so before.

        Returns:
            Whether it may judge now: it has said so for long enough without a break.
        """
        if gap_s > DEAD_S:  # this process stood still
            self._since_s = now_s
        return now_s - self._since_s > DEAD_S

    def failed(self, now_s: float) -> None:
        """It could not say so."""
        self._since_s = now_s
