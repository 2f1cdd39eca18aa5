"""Turns whose way is decided by code before a model is asked. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="routes",
    needs=("skills", "handoffs", "procedures"),
    state=("sulla.routes.slice:ROUTES",),
    methods=("sulla.routes.rpc:METHODS",),
    commands={
        "route": Command(
            "sulla.routes.cli.commands",
            "check the home's routes, and say which one a message would take",
            "setup",
            ("sulla route check", 'sulla route try "I want my money back"'),
        ),
        "audit": Command(
            "sulla.routes.cli.audit",
            "say which routes turns took, and forget old ones",
            "see",
            ("sulla audit routes", "sulla audit routes --purge-before 2027-01-01"),
        ),
    },
    build="sulla.routes.build:build",
    checks="sulla.routes.checks:CHECKS",
)
