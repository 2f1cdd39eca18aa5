"""Notices out of the house: to mail, chat services and push, wherever people are. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="notify",
    needs=("people", "schedules"),
    settings="sulla.notify.settings:NotifySettings",
    methods=("sulla.notify.rpc:METHODS",),
    build="sulla.notify.build:build",
    metrics=(
        "sulla.notify.metrics:SENT",
        "sulla.notify.metrics:FAILED",
        "sulla.notify.metrics:LEFT_OUT",
    ),
    commands={
        "notify": Command(
            "sulla.notify.cli.commands",
            "list the channels that notices go out by, and try one",
            "talk",
            ("sulla notify list", "sulla notify test mail"),
        ),
    },
    checks="sulla.notify.checks:CHECKS",
)
