"""Channels: people write to their daemon from the messenger that they have open, and are asked there. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="channels",
    needs=("people", "notify"),
    settings="sulla.channels.settings:ChannelsSettings",
    methods=("sulla.channels.rpc:METHODS",),
    build="sulla.channels.build:build",
    metrics=("sulla.channels.metrics:COUNTERS",),
    commands={
        "channel": Command(
            "sulla.channels.cli.commands",
            "let people write from a messenger: set channels up, try them, let people in",
            "talk",
            ("sulla channel add telegram", "sulla channel pair K7QM2XPD ann", "sulla channel list"),
        ),
    },
    checks="sulla.channels.checks:CHECKS",
)
