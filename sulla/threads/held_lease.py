"""A lease as the process knows it that holds it: until when it is surely ours. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.store.values import Lease

BACKOFF_S: Final = (0.05, 0.1, 0.2, 0.5, 1.0)
"""How long a write waits before it is tried again while the store does not answer; the last one from then on."""


@dataclass(slots=True)
class HeldLease:
    """A lease as this process knows it, until it is given back or lost."""

    lease: Lease
    deadline_s: float
    """Until when it is surely ours, by `Clock.elapsed`."""
    lost: bool = False
    """It is somebody else's now."""
    released: bool = False
    failed: bool = False
    """A write may be missing, or there is nothing left to write: nothing is written under it any more."""

    def live(self, now_s: float) -> bool:
        """Whether it is ours and its time is not over: only then may anything start or be shown."""
        return not self.lost and not self.released and now_s < self.deadline_s

    def renewed(self, asked_s: float) -> None:
        """It lasts anew from when that was asked for: the store's clock on it started no earlier."""
        self.deadline_s = asked_s + self.lease.ttl_s

    def first_renewal_s(self, now_s: float) -> float:
        """How long to wait for the first renewal. It counts from the grant: reading the thread may have taken time."""
        return max(0.0, self.deadline_s - self.lease.ttl_s * 2 / 3 - now_s)

    @property
    def renewal_s(self) -> float:
        """How long to wait between one renewal and the next."""
        return self.lease.ttl_s / 3

    def may_try_again(self, now_s: float, wait_s: float) -> bool:
        """Whether a write that the store did not answer may be tried once more after `wait_s`."""
        return now_s + wait_s < self.deadline_s
