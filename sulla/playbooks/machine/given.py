"""Steps whose outcome somebody has said, so that nobody does them: beside one step that is done alone, and in the place
of what failed and was done by hand. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks.machine.plan import Plan
from sulla.playbooks.machine.records import Fact, Failure, StepCompleted, StepFailed, StepSkipped, StepStarted


def given_facts(plan: Plan, given: FrozenJson, now_ms: int) -> Iterator[Fact]:
    """What is written for them.

    Args:
        plan: the playbook.
        given: by step, what it came to: ``output``, and what there is of ``route`` and ``result``.
        now_ms: UTC milliseconds.
    """
    for step, came in given.items():
        yield from _completed(plan, step, came if isinstance(came, Mapping) else {}, now_ms)


def alone(plan: Plan, step: str, given: FrozenJson, now_ms: int) -> Iterator[Fact]:
    """What is written before one step alone is done: it finds that what it needs is as it wants it, and nothing else
    is done.

    Args:
        plan: the playbook.
        step: the one.
        given: what others came to, as above.
        now_ms: UTC milliseconds.
    """
    needs = {need.step: need for need in plan.nodes[step].step.needs}
    for at, came in given.items():
        # Which way a merge went need not be said: the one that is wanted.
        way = {"route": needs[at].route} if at in needs and plan.nodes[at].quota else {}
        yield from _completed(plan, at, {**way, **(came if isinstance(came, Mapping) else {})}, now_ms)
    for node in plan.root.nodes:
        at = node.step.id
        if at == step or at in given:
            continue
        need = needs.get(at)
        if need is None or need.on == "always":
            yield StepSkipped(at, f"only {step!r} is done", now_ms)
        elif need.on == "failure":
            yield from _started(plan, at, now_ms)
            yield StepFailed(at, Failure("permanent", "given", f"only {step!r} is done"), now_ms)
        else:
            yield from _completed(plan, at, {"route": need.route}, now_ms)


def _completed(plan: Plan, at: str, came: Mapping[str, Json], now_ms: int) -> Iterator[Fact]:
    result = came.get("result")
    yield from _started(plan, at, now_ms)
    yield StepCompleted(
        at,
        came.get("output"),
        str(came.get("route", "")),
        now_ms,
        result=result if isinstance(result, dict) else None,
    )


def _started(plan: Plan, at: str, now_ms: int) -> Iterator[Fact]:
    if plan.nodes[at].outward:  # else it has no attempts
        yield StepStarted(at, 1, None, now_ms)
