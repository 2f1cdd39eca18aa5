"""What is measured of channels. Pure."""

from __future__ import annotations

from sulla.telemetry.tally import Counter

ARRIVED = Counter("sulla_channels_arrived", "What people did at a channel and was looked at.", ("channel",))
UNREAD = Counter("sulla_channels_unread", "Events of a channel's service that could not be read.", ("channel",))
SENT = Counter("sulla_channels_sent", "Messages, edits and files that a channel's service took.", ("channel",))
FAILED = Counter(
    "sulla_channels_failed", "Attempts that a channel's service did not take, or not surely.", ("channel",)
)
GIVEN_UP = Counter("sulla_channels_given_up", "Messages that a channel's service refused for good.", ("channel",))
COUNTERS = (ARRIVED, UNREAD, SENT, FAILED, GIVEN_UP)
"""All of them."""
