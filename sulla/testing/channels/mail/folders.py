"""What lies in a fake provider's folders."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime
from typing import Final, NamedTuple

from sulla.core.clock import Clock


class Kept(NamedTuple):
    """A mail in a folder."""

    uid: int
    raw: bytes
    day: date


class Folder:
    """One folder. It lives as long as its fake.

    Args:
        clock: all time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.validity = 7
        self.next_uid = 1
        self.mails: list[Kept] = []
        self.read: set[int] = set()
        """What is marked as read."""
        self.waiting: set[asyncio.Event] = set()
        """Those who are told."""

    def add(self, raw: bytes) -> None:
        """A mail comes in; whoever waits for news is told."""
        self.mails.append(Kept(self.next_uid, raw, datetime.fromtimestamp(self._clock.now(), UTC).date()))
        self.next_uid += 1
        for one in self.waiting:
            one.set()

    def rebuild(self, validity: int) -> None:
        """All mails get other numbers, as after a server was restored."""
        self.validity = validity
        self.mails = [Kept(number, one.raw, one.day) for number, one in enumerate(self.mails, 1)]
        self.next_uid = len(self.mails) + 1
        self.read.clear()


INBOX: Final = "INBOX"
SENT: Final = "Sent"
