"""What is worked on: a folder with a page each. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="projects",
    methods=("sulla.projects.rpc:METHODS",),
    build="sulla.projects.build:build",
    checks="sulla.projects.checks:CHECKS",
)
