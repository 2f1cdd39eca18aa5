"""What is measured of notices that go out. Pure."""

from __future__ import annotations

from sulla.telemetry.tally import Counter

SENT = Counter("sulla_notify_sent", "Messages that channels took.", ("channel",))
FAILED = Counter("sulla_notify_failed", "Attempts that channels did not take.", ("channel",))
LEFT_OUT = Counter(
    "sulla_notify_left_out", "News that were given up: the outbox was full, or a channel broken.", ("channel",)
)
