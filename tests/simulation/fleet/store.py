"""The store of a fleet: the product's rules on states that are kept in a dictionary, without the records."""

from __future__ import annotations

from sulla.core.errors import StoreUnavailable
from sulla.store import rules
from sulla.store.requests import AppendRequest, OfferRequest
from sulla.store.rules import LogState
from sulla.store.values import Draft, Head, Lease

DRAFT = Draft("FLEET", b"")


class FleetStore:
    """Does what every backend does (`store/memory.py`), at a time that is given to it."""

    def __init__(self) -> None:
        self.logs: dict[str, LogState] = {}
        self.away = False
        self._told: set[tuple[str, str]] = set()

    def offer(self, key: str, create: Head, *, told: str = "") -> bool:
        """An input that wakes.

        Args:
            key: the log.
            create: how it begins, if there is none.
            told: a name under which it counts once; empty for one that is never sent again.

        Returns:
            Whether it is new.

        Raises:
            StoreUnavailable: the store is away.
            QueueFull: too many wait.
        """
        self._answer()
        if told:
            if (key, told) in self._told:
                return False
            self._told.add((key, told))
        log = self.logs.get(key) or LogState(1, 0, create)
        self.logs[key] = rules.offered(log, OfferRequest(key, told or "m", DRAFT, b"", create, True, _MOST_WAITING))
        return True

    def acquire(self, key: str, owner: str, ttl_s: float, now_s: float) -> LogState | None:
        """A lease, or nothing; see `Store.acquire`."""
        self._answer()
        log = self.logs.get(key)
        granted = rules.granted(log, owner, ttl_s, _up_ms(now_s)) if log is not None else None
        if granted is not None:
            self.logs[key] = granted
        return granted

    def renew(self, lease: Lease, now_s: float) -> None:
        """See `Store.renew`."""
        self._answer()
        self.logs[lease.key] = rules.renewed(self.logs.get(lease.key), lease, _up_ms(now_s))

    def release(self, lease: Lease) -> None:
        """See `Store.release`."""
        self._answer()
        log = rules.given_back(self.logs.get(lease.key), lease)
        if log is not None:
            self.logs[lease.key] = log

    def append(self, write: AppendRequest) -> LogState:
        """See `Store.append`; the log as it is then."""
        self._answer()
        log = self.logs[write.lease.key] = rules.appended(self.logs.get(write.lease.key), write)
        return log

    def is_ready(self, key: str) -> bool:
        """Whether somebody should look at a log."""
        log = self.logs.get(key)
        return log is not None and rules.is_ready(log, 0)

    def is_held(self, key: str, now_s: float) -> bool:
        """Whether somebody's lease on it is alive."""
        return rules.is_held(self.logs[key], _up_ms(now_s))

    def _answer(self) -> None:
        if self.away:
            raise StoreUnavailable("the store of the fleet is away")


_MOST_WAITING = 100
"""`ThreadLimits.max_waiting`."""


def _up_ms(now_s: float) -> int:
    return int(now_s * 1000) + 1_000
