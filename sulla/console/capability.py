"""The console: one page, in a browser, to see what a daemon does and to talk to it. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="console",
    build="sulla.console.build:build",
    commands={
        "console": Command(
            "sulla.console.cli.commands",
            "open the console in a browser",
            "talk",
            ("sulla console", "sulla console --print"),
        ),
    },
    checks="sulla.console.checks:CHECKS",
)
