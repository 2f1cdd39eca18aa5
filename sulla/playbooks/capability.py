"""Playbooks: prepared ways to do something, step by step. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="playbooks",
    needs=("projects", "people", "schedules", "flows"),
    state=("sulla.playbooks.slice:PLAYBOOK_RUN",),
    kinds=("sulla.playbooks.thread_kind:PLAYBOOK_THREAD",),
    methods=("sulla.playbooks.rpc:METHODS", "sulla.playbooks.projects.rpc:METHODS"),
    settings="sulla.playbooks.settings:PlaybookSettings",
    build="sulla.playbooks.build:build",
    commands={
        "flow": Command(
            "sulla.playbooks.cli.commands",
            "playbooks: write, check, try out and run them; check and draw flows",
            "work",
            (
                "sulla flow new tea",
                "sulla flow check tea",
                "sulla flow run nightly-backup-check",
                "sulla flow dry-run lead-triage --input lead=Ann",
                "sulla flow test",
                'sulla flow run lead-triage --input lead="Ann, ann@example.org"',
                "sulla flow show thr_9b2d --watch",
                "sulla flow graph lead-triage",
                "sulla flow resume thr_9b2d --from research",
                "sulla flow fork thr_9b2d --from draft",
            ),
        ),
        "project": Command(
            "sulla.playbooks.cli.project",
            "list and show projects; plan one, and work on it",
            "work",
            (
                "sulla project list",
                "sulla project show tour",
                'sulla project plan garden "vegetables for four by June"',
                "sulla project work garden",
            ),
        ),
    },
    checks="sulla.playbooks.checks:CHECKS",
)
