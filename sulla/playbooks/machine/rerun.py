"""Doing part of a run again: what of its facts stays true, so that nothing before that part is paid for twice. Pure.

A run that failed is *resumed* in its own log, from the steps that failed or any others; a run of any state is *forked*
into a log of its own, also with other inputs. Either way the steps named, all that comes after them and the ends of
what they lie in are forgotten, and everything else keeps its output.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, NotFound
from sulla.core.jsontypes import FrozenJson
from sulla.playbooks.definition import LoopStep
from sulla.playbooks.machine.counts import counted
from sulla.playbooks.machine.plan import Plan, PlanEdge
from sulla.playbooks.machine.records import (
    NOTHING,
    Fact,
    PassStarted,
    RunClosing,
    RunEnded,
    RunPaused,
    RunReopened,
    RunResumed,
    RunStarted,
    RunStopped,
    StepCancelled,
    StepCompleted,
    StepFailed,
    StepGoesOn,
    StepHeld,
    StepReasked,
    StepRetry,
    StepSkipped,
    StepStarted,
)
from sulla.playbooks.machine.scope_inputs import complete_inputs
from sulla.playbooks.machine.state import COMPLETED, FAILED, SKIPPED, is_left
from sulla.tools.nearest import did_you_mean

_RUN: Final = (RunStarted, RunClosing, RunEnded, RunStopped, RunPaused, RunResumed, RunReopened)
_ENDS: Final = (StepCompleted, StepFailed, StepSkipped)
_STATUS: Final[Mapping[type, int]] = {StepCompleted: COMPLETED, StepFailed: FAILED, StepSkipped: SKIPPED}
_Place = tuple[str, tuple[int, ...]]
"""A step's id and the numbers of the passes that it lies in."""
_EVERY: Final = -1
"""In the place of a number: every pass. Written ``research@*``."""
_BRACKETS: Final = re.compile(r"\[([0-9]+)\]")


def address(at: str) -> _Place:
    """``research@2.0`` as its parts, or ``research[2][0]``, which people may write for it.

    Raises:
        NotFound: it is no address.
    """
    step, mark, path = at.partition("@")
    if not mark and "[" in at and _BRACKETS.sub("", at) == at.partition("[")[0]:
        step, mark, path = at.partition("[")[0], "@", ".".join(_BRACKETS.findall(at))
    parts = path.split(".") if mark else []
    if not step or "[" in step or not all(part == "*" or (part.isascii() and part.isdigit()) for part in parts):
        raise NotFound(f"{at[:80]!r} is no step's address; expected its id, within a loop with passes: research[2]")
    return step, tuple(_EVERY if part == "*" else int(part) for part in parts)


def in_full(plan: Plan, at: str) -> str:
    """A step's address with all the passes that are meant: where one names none, every pass.

    Args:
        plan: the playbook.
        at: as somebody wrote it.

    Raises:
        NotFound: it is no address.
    """
    step, path = address(at)
    loops = [plan.nodes[owner].step.does for owner in list(_outwards(plan, step))[1:] if _is_loop(plan, owner)]
    # Passes that follow each other are all done again from the first one on.
    rest = [0 if isinstance(does, LoopStep) and does.at_once == 1 else _EVERY for does in reversed(loops)]
    marks = ["*" if number == _EVERY else str(number) for number in (*path, *rest[len(path) :])]
    return f"{step}@{'.'.join(marks)}" if marks else step


def kept(plan: Plan, facts: Iterable[Fact]) -> list[Fact]:
    """A run's facts without those that a later `RunReopened` has taken back."""
    found: list[Fact] = []
    for fact in facts:
        if isinstance(fact, RunReopened):
            found = [*_without(plan, found, fact.steps, fact.at_ms), fact]
        else:
            found.append(fact)
    return found


def reopen(plan: Plan, facts: Sequence[Fact], now_ms: int, steps: Sequence[str] = ()) -> RunReopened:
    """Let a run that has ended go on.

    Args:
        plan: its plan.
        facts: its facts.
        now_ms: UTC milliseconds.
        steps: the addresses to begin from; empty for the steps that made it fail.

    Raises:
        Conflict: it has not ended, or has nothing that could be done again.
        NotFound: there is no such step, or no such pass.
    """
    known = kept(plan, facts)
    if not any(isinstance(fact, RunEnded) for fact in known):
        raise Conflict("the run has not ended: there is nothing to resume")
    refuse_unknown(plan, facts, steps)
    cancelled = any(isinstance(fact, RunStopped) for fact in known)
    chosen = tuple(in_full(plan, at) for at in steps) or broken(plan, known)
    if not chosen and not cancelled:
        raise Conflict("no step of the run failed: name the step to begin from")
    return RunReopened(chosen, now_ms, *counted(_without(plan, known, chosen, now_ms)))


def fork(
    plan: Plan,
    facts: Sequence[Fact],
    steps: Sequence[str],
    now_ms: int,
    *,
    inputs: FrozenJson | None = None,
    forked_from: str = "",
) -> list[Fact]:
    """The facts that a run begins with which does part of another one again.

    Args:
        plan: what the new run walks.
        facts: of the other run.
        steps: the addresses to begin from.
        now_ms: UTC milliseconds.
        inputs: in the place of the other run's; None for the same.
        forked_from: the other run.

    Returns:
        To be written as the beginning of the new run's log. What the other run paid for costs this one nothing.

    Raises:
        NotFound: there is no such step, or no such pass.
        InvalidInput: the inputs are not what the playbook asks for.
        Conflict: the other run never began.
    """
    known = [fact for fact in kept(plan, facts) if isinstance(fact, _RUN) or address(fact.at)[0] in plan.nodes]
    began = next((fact for fact in known if isinstance(fact, RunStarted)), None)
    if began is None:
        raise Conflict("the run has not begun: there is nothing to fork")
    refuse_unknown(plan, facts, steps)
    given = complete_inputs(plan.definition, began.inputs if inputs is None else inputs)
    over = {fact.at for fact in known if isinstance(fact, _ENDS)}
    found: list[Fact] = [
        RunStarted(plan.definition.name, plan.definition.digest, given, now_ms, began.stack, forked_from)
    ]
    for fact in _without(plan, known, [in_full(plan, at) for at in steps], now_ms):
        if isinstance(fact, (*_RUN, StepReasked)):
            continue
        if fact.at in over or not plan.nodes[address(fact.at)[0]].outward:
            found.append(fact._replace(spent=NOTHING) if isinstance(fact, StepCompleted | StepFailed) else fact)
    return [fact._replace(spent=NOTHING) if isinstance(fact, StepRetry) else fact for fact in found]


def broken(plan: Plan, facts: Sequence[Fact]) -> tuple[str, ...]:
    """The steps that made a run fail: not those that failed only because of another one, nor those that somebody took
    care of.
    """
    ends: dict[_Place, Fact] = {address(fact.at): fact for fact in facts if isinstance(fact, _ENDS)}
    begun = {address(fact.at) for fact in facts if isinstance(fact, StepStarted)}
    within: dict[_Place | None, list[_Place]] = {}
    for place, fact in ends.items():
        if isinstance(fact, StepFailed) and not _is_handled(plan, ends, begun, place):
            within.setdefault(_owner(plan, place), []).append(place)
    bad = within.get(None, [])
    found: dict[str, None] = {}
    seen: set[_Place] = set()
    while bad:
        place = bad.pop()
        fact = ends[place]
        if place in seen or not isinstance(fact, StepFailed):
            continue
        seen.add(place)
        if fact.failure.reason != "upstream":
            found[fact.at] = None
            continue
        node = plan.nodes[place[0]]
        bad += within.get(place, [])
        needed = [need.step for need in node.step.needs if need.on == "success"]
        before = [(step, place[1]) for step in needed if (step, place[1]) in ends]
        bad += [one for one in before if not _is_forgiven(plan, ends, begun, one)]
    order = list(plan.nodes)
    return tuple(sorted(found, key=lambda at: (order.index(address(at)[0]), address(at)[1])))


def _is_forgiven(plan: Plan, ends: dict[_Place, Fact], begun: set[_Place], place: _Place) -> bool:
    """See `Spot.is_forgiven`."""
    end = ends[place]
    passed_on = isinstance(end, StepFailed) and end.failure.reason == "upstream" and place not in begun
    return plan.nodes[place[0]].step.on_failure == "go_on" and not passed_on


def _is_handled(plan: Plan, ends: dict[_Place, Fact], begun: set[_Place], place: _Place) -> bool:
    node = plan.nodes[place[0]]
    if _is_forgiven(plan, ends, begun, place):
        return True
    after = [(edge, node.block.nodes[edge.to]) for edge in node.edges]
    return any(
        _takes(plan, ends, one.step.id, place[1], edge)
        or is_left(one, lambda at: _STATUS.get(type(ends.get((at.step.id, place[1])))))
        for edge, one in after
    )


def _takes(plan: Plan, ends: dict[_Place, Fact], after: str, path: tuple[int, ...], edge: PlanEdge) -> bool:
    end = ends.get((after, path))
    if edge.on == "success":
        return isinstance(end, StepFailed) or (plan.nodes[after].quota != 0 and isinstance(end, StepCompleted))
    return isinstance(end, StepCompleted | StepFailed)


# ---------------------------------------------------------------------------------------------------- what is forgotten


def refuse_unknown(plan: Plan, facts: Iterable[Fact], steps: Sequence[str]) -> None:
    """Do nothing if a run has steps, and the passes that they are named with.

    Args:
        plan: the playbook.
        facts: of the run.
        steps: addresses.

    Raises:
        NotFound: it has not, or an address is none.
    """
    places = [address(at) for at in steps]
    passes: dict[_Place, list[int]] = {}
    if any(path for _, path in places):
        for fact in kept(plan, facts):
            if isinstance(fact, PassStarted):
                passes.setdefault(address(fact.at), []).append(fact.number)
    for step, path in places:
        if step not in plan.nodes:
            meant = did_you_mean(step, plan.nodes)
            raise NotFound(f"the playbook {plan.definition.name!r} has no step {step[:60]!r}.{meant}".rstrip("."))
        loops = [owner for owner in _outwards(plan, step) if owner != step and _is_loop(plan, owner)][::-1]
        if len(path) > len(loops):
            raise NotFound(_too_deep(plan, step, path, len(loops)))
        for depth, (loop, number) in enumerate(zip(loops, path, strict=False)):
            there = sorted(set(passes.get((loop, path[:depth]), ())))
            if number not in there:
                raise NotFound(f"{_written(step, path)!r}: {_passes_of(_written(loop, path[:depth]), there)}")


def _too_deep(plan: Plan, step: str, path: tuple[int, ...], depth: int) -> str:
    named = f"{_written(step, path)!r} names {_count(len(path), 'pass', 'es')}"
    if _is_loop(plan, step):
        inner = plan.nodes[step].inner[0].nodes[0].step.id
        within = _written(inner, path[: depth + 1])
        return f"{named}, and {step!r} is the loop itself: name a step within it, such as {within!r}, or the whole loop"
    lies_in = f"lies in {_count(depth, 'loop', 's')}" if depth else "lies in no loop"
    return f"{named}, and the step {lies_in}"


def _passes_of(loop: str, numbers: Sequence[int]) -> str:
    if not numbers:
        return f"the loop {loop!r} began no pass in this run"
    if len(numbers) == 1:
        return f"the loop {loop!r} began one pass in this run, {numbers[0]}"
    return f"the loop {loop!r} began the passes {numbers[0]} to {numbers[-1]} in this run"


def _written(step: str, path: Sequence[int]) -> str:
    """An address as people write it."""
    return step + "".join(f"[{number}]" for number in path)


def _count(number: int, what: str, more: str) -> str:
    return f"{number} {what if number == 1 else what + more}"


def _without(plan: Plan, facts: Sequence[Fact], steps: Sequence[str], now_ms: int) -> Iterator[Fact]:
    """The facts that stay, with loops and branches that are at work again beginning their time anew."""
    places = [_first_pass(plan, address(at)) for at in steps]
    levels = [level for place in places for level in _levels(plan, place)]
    stopped = {fact.at for fact in facts if isinstance(fact, StepCancelled)}
    reopened = [level.place for level in levels if not level.itself]
    for fact in facts:
        if isinstance(fact, RunClosing | RunEnded | RunStopped | RunPaused | RunResumed | StepHeld | StepGoesOn):
            continue
        if isinstance(fact, RunStarted | RunReopened):
            yield fact
            continue
        place = address(fact.at)
        if (
            fact.at in stopped
            or place[0] in plan.closing
            or any(_takes_back(plan, level, place, fact) for level in levels)
        ):
            continue
        anew = isinstance(fact, StepStarted) and any(
            place[0] == step and len(place[1]) == len(path) and _lies_in(place[1], path) for step, path in reopened
        )
        yield fact._replace(at_ms=now_ms) if anew else fact


@dataclass(frozen=True, slots=True)
class _Level:
    """What is taken back beside a step that is done again, or beside something that it lies in."""

    place: _Place
    itself: bool
    """Whether it is the step, and not something around it."""
    after: frozenset[str]
    """What comes after it, beside it; the step too."""
    last: int | None = None
    """The pass to go on from, of a loop around the step whose passes follow each other."""


def _levels(plan: Plan, target: _Place) -> Iterator[_Level]:
    step, path = target
    yield _Level(target, True, frozenset(_after(plan, step)))
    for owner in list(_outwards(plan, step))[1:]:
        does, last = plan.nodes[owner].step.does, None
        if isinstance(does, LoopStep):
            last = max(path[-1], 0) if does.at_once == 1 else None
            path = path[:-1]
        yield _Level((owner, path), False, frozenset(_after(plan, owner)) - {owner}, last)


def _takes_back(plan: Plan, level: _Level, place: _Place, fact: Fact) -> bool:
    step, path = level.place
    if not _lies_in(place[1], path):
        return False
    lies_in = list(_outwards(plan, place[0]))
    if not level.after.isdisjoint(lies_in):
        return True
    if level.itself or step not in lies_in:
        return False
    if place[0] == step:
        is_later = isinstance(fact, PassStarted) and level.last is not None and fact.number > level.last
        return is_later or isinstance(fact, _ENDS)
    return level.last is not None and place[1][len(path)] > level.last


def _lies_in(path: tuple[int, ...], outer: tuple[int, ...]) -> bool:
    """Whether something lies in a pass, or in one of those that are meant."""
    return len(path) >= len(outer) and all(
        wanted in (_EVERY, number) for number, wanted in zip(path, outer, strict=False)
    )


def _after(plan: Plan, step: str) -> Iterator[str]:
    """A step and all that comes after it, beside it."""
    node = plan.nodes[step]
    seen, ahead = {node.number}, [node.number]
    while ahead:
        number = ahead.pop()
        yield node.block.nodes[number].step.id
        for edge in node.block.nodes[number].edges:
            if edge.to not in seen:
                seen.add(edge.to)
                ahead.append(edge.to)


def _outwards(plan: Plan, step: str) -> Iterator[str]:
    """A step, and what it lies in."""
    at: str | None = step
    while at is not None:
        yield at
        at = plan.owners.get(at)


def _owner(plan: Plan, place: _Place) -> _Place | None:
    """The loop or parallel step that a step lies directly in."""
    owner = plan.owners.get(place[0])
    if owner is None:
        return None
    return owner, place[1][:-1] if _is_loop(plan, owner) else place[1]


def _first_pass(plan: Plan, place: _Place) -> _Place:
    """An address in full: where passes are not named, the first is meant."""
    return place[0], (*place[1], *(0 for _ in range(_depth(plan, place[0]) - len(place[1]))))


def _depth(plan: Plan, step: str) -> int:
    return sum(_is_loop(plan, owner) for owner in list(_outwards(plan, step))[1:])


def _is_loop(plan: Plan, step: str) -> bool:
    return isinstance(plan.nodes[step].step.does, LoopStep)
