"""What a fleet's day came to, in lines."""

from __future__ import annotations

from collections.abc import Sequence

from tests.simulation.fleet.fleet import Fleet
from tests.simulation.fleet.plan import Plan
from tests.simulation.fleet.truth import Truth


def report(plan: Plan, fleet: Fleet, truth: Truth) -> list[str]:
    """The lines.

    Args:
        plan: the day.
        fleet: that has played it.
        truth: what is known of it.
    """
    figures = truth.figures
    return [
        f"{plan.workers:,} workers, {plan.traffic.threads:,} threads, {sum(truth.offered.values()):,} inputs",
        f"logs that were worked on: {len(fleet.world.store.logs):,}",
        _spread("wait for a worker", figures.waits_s),
        _spread("of that without trouble", figures.calm_s),
        _spread("take-over after a death", figures.take_over_s),
        _spread("at work without being able to write", figures.beside_s),
        *(f"{name}: {count:,}" for name, count in sorted(figures.counts.items())),
        *(f"most {name}: {count:,}" for name, count in sorted(figures.most.items())),
    ]


def _spread(name: str, values: Sequence[float]) -> str:
    """Where the middle and the ends are."""
    if not values:
        return f"{name}: none"
    ordered = sorted(values)
    marks = ((0.5, "median"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9"))
    said = ", ".join(f"{label} {ordered[int(share * (len(ordered) - 1))]:.2f}" for share, label in marks)
    return f"{name} ({len(ordered):,}), s: {said}, longest {ordered[-1]:.2f}"
