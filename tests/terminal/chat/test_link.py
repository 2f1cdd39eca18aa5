"""A daemon that goes away, and one that comes back, is told once each."""

from __future__ import annotations

from sulla.terminal.chat.link import Link
from sulla.terminal.follow import BACK, LOST
from sulla.testing.clock import ManualClock


def test_it_is_told_once_whichever_connection_notices_it_first() -> None:
    told: list[str] = []
    link = Link(ManualClock(), told.append)
    link.back()
    for noticed in (link.lost, link.lost, link.back, link.back, link.lost):
        noticed()
    assert told == [LOST, BACK, LOST]
    assert link.away_since_s is not None
