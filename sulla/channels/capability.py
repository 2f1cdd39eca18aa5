"""Channels: people write to their daemon from the messenger that they have open, and are asked there. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="channels",
    settings="sulla.channels.settings:ChannelsSettings",
    build="sulla.channels.build:build",
    metrics=("sulla.channels.metrics:COUNTERS",),
)
