"""Playbooks: prepared ways to do something, step by step. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="playbooks",
    needs=("projects", "people", "schedules"),
    state=("sulla.playbooks.slice:PLAYBOOK_RUN",),
    kinds=("sulla.playbooks.thread_kind:PLAYBOOK_THREAD",),
    methods=("sulla.playbooks.rpc:METHODS",),
    settings="sulla.playbooks.settings:PlaybookSettings",
    build="sulla.playbooks.build:build",
    commands={
        "flow": Command("sulla.playbooks.cli.commands", "playbooks: write, check, try out and run them"),
        "project": Command("sulla.playbooks.cli.project", "list and show projects"),
    },
    checks="sulla.playbooks.checks:CHECKS",
)
