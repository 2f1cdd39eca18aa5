"""A fleet's day on which every promise holds, and the proof that broken ones are noticed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from sulla.core.errors import StaleLease
from sulla.store.requests import AppendRequest
from sulla.store.rules import LogState
from sulla.store.values import Lease
from sulla.work.dbos.judgement import BEAT_S, DEAD_S
from sulla.work.queue import JobCaps, JobQueue
from tests.kits.points import sample
from tests.simulation.fleet.fleet import Fleet
from tests.simulation.fleet.plan import Plan, Trouble
from tests.simulation.fleet.store import FleetStore
from tests.simulation.fleet.truth import Truth
from tests.simulation.fleet.worker import Worker

SHARE = 0.01
"""Of the thousand workers and the million threads: what is left is as busy, and as often in trouble."""


def _plan(seed: int, share: float = SHARE) -> Plan:
    return Plan(seed=seed).scaled(share)


def _short(seed: int) -> Plan:
    """A bad morning of a few workers."""
    plan = _plan(seed, 0.004)
    trouble = Trouble(kills=48.0, stalls=48.0, outages=((1.0, 15.0), (1.2, 60.0)), mass_death=1.5, pause=(1.7, 60.0))
    traffic = replace(plan.traffic, threads=400, messages=100_000, bursts=((0.5, 60),))
    return replace(plan, hours=2.0, traffic=traffic, trouble=trouble)


def _holds(truth: Truth) -> None:
    assert not truth.breaches, "\n".join(truth.breaches)


@pytest.mark.parametrize("seed", sample(range(1, 1000), 1, "fleets"))
def test_every_promise_holds_on_the_day_of_a_hundredth_of_a_fleet(seed: int) -> None:
    truth = Fleet(_plan(seed)).run()
    _holds(truth)
    figures = truth.figures
    # Whoever dies is noticed after four seconds of silence, at the next beat of somebody else, and all hear of it.
    assert sorted(figures.take_over_s)[len(figures.take_over_s) // 2] <= DEAD_S + BEAT_S
    wanted = {"turns", "children", "approvals", "hints lost", "found by a sweep", "workers killed", "workers relieved"}
    wanted |= {"workers that stood still", "leases taken from who lived", "leases lost", "runs taken up again"}
    wanted |= {"turns put down"}
    assert not {name for name in wanted if not figures.counts[name]}, "the day had less in it than it should have"


@pytest.mark.faults
@pytest.mark.timeout(7200)
def test_every_promise_holds_on_the_day_of_a_whole_fleet() -> None:
    _holds(Fleet(_plan(1, 1.0)).run())


def test_every_promise_holds_on_bad_mornings() -> None:
    for seed in sample(range(1, 1000), 3, "mornings of fleets"):
        _holds(Fleet(_short(seed)).run())


def test_a_seed_gives_the_same_day_again() -> None:
    one, two = (Fleet(_short(7)).run().figures for _ in range(2))
    assert one == two


class _WithoutFence(FleetStore):
    """Lets a holder write that somebody else has relieved."""

    def append(self, write: AppendRequest) -> LogState:
        try:
            return super().append(write)
        except StaleLease:
            return self.logs[write.lease.key]

    def renew(self, lease: Lease, now_s: float) -> None:
        with suppress(StaleLease):
            super().renew(lease, now_s)


class _WithoutRenewals(FleetStore):
    """Says that leases were renewed, and does nothing."""

    def renew(self, lease: Lease, now_s: float) -> None:
        pass


class _WithoutClaims(FleetStore):
    """Takes all that was offered for dealt with."""

    def append(self, write: AppendRequest) -> LogState:
        log = super().append(write)
        log = self.logs[write.lease.key] = replace(log, head=replace(log.head, consumed=log.waking))
        return log


class _WithoutSweep(Fleet):
    """Nobody looks for what was not asked for."""

    def _sweep(self) -> None:
        pass


class _HastyJudges(Fleet):
    """After an outage each takes the others for dead."""

    def failed(self, worker: Worker) -> None:
        pass


def _crowded(plan: Plan) -> Fleet:
    """Workers that run more than they may."""
    fleet = Fleet(plan)
    for worker in fleet.world.workers:
        worker.queue = JobQueue(JobCaps(per_agent=6))
    return fleet


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda plan: Fleet(plan, _WithoutFence()), "wrote to"),
        (lambda plan: Fleet(plan, _WithoutRenewals()), "surely had it"),
        (lambda plan: Fleet(plan, _WithoutClaims()), "were dealt with"),
        (_WithoutSweep, "longer than 3600 s"),
        (_HastyJudges, "surely had it"),
        (_crowded, "more than 5"),
    ],
    ids=["fence", "renewals", "claims", "sweep", "judges", "caps"],
)
def test_a_planted_defect_is_found(make: Callable[[Plan], Fleet], said: str) -> None:
    truth = make(_short(1)).run()
    assert any(said in breach for breach in truth.breaches), truth.breaches
