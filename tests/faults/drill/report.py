"""What has come of a drill, for people and for machines. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

SLOWEST = 10
"""Faults that people are told of, those that were felt longest."""


@dataclass(slots=True)
class Report:
    """What has happened."""

    seed: int
    store: str
    rounds: list[tuple[str, float]] = field(default_factory=list)
    """What happened, and how long it took from its beginning until everybody had been served again, in seconds."""
    versions: list[str] = field(default_factory=list)
    """That gateways said they were, at the end."""
    counts: dict[str, float] = field(default_factory=dict)
    silence_s: float = 0.0
    silent: str = ""
    breaches: list[str] = field(default_factory=list)


def lines(report: Report) -> Sequence[str]:
    """For people."""
    told = [f"{found:10g}  {name}" for name, found in report.counts.items()]
    slowest = sorted(report.rounds, key=lambda one: one[1], reverse=True)[:SLOWEST]
    told += [f"{back_s:8.1f} s  until all were served again: {what}" for what, back_s in slowest]
    told.append(f"{report.silence_s:8.1f} s  the longest silence: {report.silent}")
    kinds = {kind: sum(line.startswith(kind) for line in report.breaches) for kind in ("lost", "doubled", "stuck")}
    others = len(report.breaches) - sum(kinds.values())
    judged = ", ".join(f"{times} {kind}" for kind, times in kinds.items())
    return [*told, f"seed {report.seed}, {report.store}: {judged}, {others} other breaches"]
