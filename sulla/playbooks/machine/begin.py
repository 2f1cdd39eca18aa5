"""What becomes of a step whose turn it is: the fact that is written for it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import prod
from typing import Any, Final

from sulla.agent.model.retry import FailureClass
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, SullaError
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import (
    MAX_DEPTH,
    MAX_PASSES,
    BreakStep,
    ConditionStep,
    FailStep,
    LoopStep,
    MergeStep,
    ParallelStep,
    PlaybookStep,
    SetStep,
    TransferStep,
    WaitStep,
    moment_of,
)
from sulla.playbooks.durations import read_duration
from sulla.playbooks.machine.decide import NO, YES
from sulla.playbooks.machine.needs import arrivals, pass_of, passed_on, unmet
from sulla.playbooks.machine.records import (
    MESSAGE_CHARS,
    Fact,
    Failure,
    PassStarted,
    StepCompleted,
    StepFailed,
    StepSkipped,
    StepStarted,
)
from sulla.playbooks.machine.run import MachineRun
from sulla.playbooks.machine.run_scope import scope_of
from sulla.playbooks.machine.scope import Evaluate, Scope, fill, holds, rendered, text
from sulla.playbooks.machine.state import UNMET_FAILED, UNMET_SKIPPED, StepSpot

_MAX_WAIT_S: Final = 10 * 366 * 86_400.0
"""Nobody means to wait longer; a figure like that is a mistake."""


@dataclass(frozen=True, slots=True)
class Beginner:
    """Decides what becomes of steps.

    Args:
        run: where they stand.
        evaluate: works expressions out.
        names: that expressions may use besides those of the run itself.
    """

    run: MachineRun
    evaluate: Evaluate
    names: Scope

    def begin(self, spot: StepSpot) -> Fact:
        """What becomes of a step whose needs have all ended."""
        if spot.attempt:
            return self._begin_kind(spot)
        course = self.run.course
        hands_over = course.transfer is not None and course.closing is None
        if self.run.careful and (hands_over or spot.frame.is_closed()):
            return self._skipped(spot, "another playbook takes over" if hands_over else "the loop was left")
        settled = self._merge_unmet(spot) if spot.node.quota else self._unmet(spot)
        if settled is not None:
            return settled
        when = spot.node.step.when
        try:
            if when is not None and not holds(when, self.evaluate, self._scope(spot)):
                return self._skipped(spot, f"{when.source:.200} does not hold")
        except SullaError as error:
            return self._wrong(spot, "expression", f"when: {error.message}")
        return self._begin_kind(spot)

    def go_on(self, spot: StepSpot) -> Fact | None:
        """What becomes of a loop or parallel step at work; None as long as something in it is.

        Behind a failed pass no further one begins; those side by side with it go on to their end.
        """
        inside, does = spot.inside, spot.node.step.does
        if inside is None:
            return None
        if isinstance(does, LoopStep) and not inside.broke and inside.failure is None:
            if inside.active >= does.at_once:
                return None
            try:
                another = self._another_pass(spot, does, inside.begun)
            except SullaError as error:
                another = False
                if not inside.active:
                    return self._wrong(spot, "expression", error.message)
            if another:
                return self._next_pass(spot, does, inside.begun)
        if inside.active:
            return None
        if inside.failure is not None:
            return StepFailed(spot.at, inside.failure[1], self.run.now_ms)
        return StepCompleted(spot.at, None, "", self.run.now_ms)

    # ------------------------------------------------------------------------------------------------- before it begins

    def _unmet(self, spot: StepSpot) -> Fact | None:
        if not spot.unmet:
            return None
        # Not wanted comes first: what lies on a way that was not taken has not failed, whatever else did.
        if spot.unmet & UNMET_SKIPPED:
            return self._skipped(spot, self._why_skipped(spot))
        return self._failed_by_need(spot)

    def _merge_unmet(self, spot: StepSpot) -> Fact | None:
        arrived, quota = arrivals(spot), spot.node.quota
        if quota > 0 and len(arrived) >= quota:
            return None
        if spot.unmet & UNMET_FAILED:
            return self._failed_by_need(spot)
        if not arrived:
            return self._skipped(spot, "all that it waited for was skipped")
        if quota > 0:
            return self._wrong(spot, "merge_short", f"it waits for {quota}, and only {len(arrived)} were not skipped")
        return None

    def _failed_by_need(self, spot: StepSpot) -> Fact:
        for lacks, before in self._needs(spot):
            if lacks & UNMET_FAILED:
                return StepFailed(spot.at, passed_on(before), self.run.now_ms)
        return self._wrong(spot, "upstream", "a step that it needs failed")

    def _why_skipped(self, spot: StepSpot) -> str:
        names = ", ".join(repr(before.at) for lacks, before in self._needs(spot) if lacks & UNMET_SKIPPED)
        return f"not wanted after {names:.300}"

    def _needs(self, spot: StepSpot) -> list[tuple[int, StepSpot]]:
        spots = spot.frame.spots
        return [(unmet(spots[number], need), spots[number]) for number, need in spot.node.needs]

    # -------------------------------------------------------------------------------------------------- as it begins

    def _begin_kind(self, spot: StepSpot) -> Fact:
        handler = _KINDS.get(type(spot.node.step.does), Beginner._outward)
        try:
            return handler(self, spot)
        except SullaError as error:
            return self._wrong(spot, "expression", error.message)

    def _outward(self, spot: StepSpot) -> Fact:
        given = spot.node.given
        if given is None:
            given = rendered(spot.node.step.does, self.evaluate, self._scope(spot))
        return StepStarted(spot.at, spot.attempt + 1, given, self.run.now_ms)

    def _condition(self, spot: StepSpot) -> Fact:
        does: Any = spot.node.step.does
        if does.test is None:
            return self._outward(spot)
        yes = holds(does.test, self.evaluate, self._scope(spot))
        return StepCompleted(spot.at, yes, YES if yes else NO, self.run.now_ms)

    def _merge(self, spot: StepSpot) -> Fact:
        first = spot.node.step.does.need == "first"  # type: ignore[union-attr]  # only merges come here
        route = spot.frame.spots[arrivals(spot)[0]].node.step.id if first else ""
        return StepCompleted(spot.at, None, route, self.run.now_ms)

    def _break(self, spot: StepSpot) -> Fact:
        if pass_of(spot).owner is None:
            return self._wrong(spot, "no_loop", "there is no loop around it")
        return StepCompleted(spot.at, None, "", self.run.now_ms)

    def _set(self, spot: StepSpot) -> Fact:
        does: Any = spot.node.step.does
        return StepCompleted(spot.at, fill(does.values, self.evaluate, self._scope(spot)), "", self.run.now_ms)

    def _fail(self, spot: StepSpot) -> Fact:
        does: Any = spot.node.step.does
        return self._wrong(spot, "said", text(does.reason, self.evaluate, self._scope(spot)))

    def _parallel(self, spot: StepSpot) -> Fact:
        return StepStarted(spot.at, 1, None, self.run.now_ms)

    def _loop(self, spot: StepSpot) -> Fact:
        does: Any = spot.node.step.does
        given: dict[str, Json] = {}
        passes = 0
        most = min(does.most, MAX_PASSES)
        if does.for_each is not None:
            items = fill(does.for_each, self.evaluate, self._scope(spot))
            if not isinstance(items, list | tuple):
                raise InvalidInput(f"for_each: {does.for_each.source:.200} gives {items!r:.60}; expected a list")
            given["items"] = list(items)
            passes = len(items)
        elif does.entries is not None or does.matrix is not None:
            found = fill(does.entries if does.matrix is None else does.matrix, self.evaluate, self._scope(spot))
            passes = len(found) if isinstance(found, list) else _combinations(found)
            given["items"] = [] if passes > most else found if isinstance(found, list) else _combined(found)
        elif does.count is not None:
            count = _whole(fill(does.count, self.evaluate, self._scope(spot)), does.count.source)
            given["count"] = passes = count
        if passes > most:
            said = f"{passes} passes, and the loop takes {most}: raise `most` of it, up to {MAX_PASSES}"
            if passes > MAX_PASSES:
                most_told = f"{passes} passes, and a loop takes {MAX_PASSES}"
                said = f"{most_told}: loop over `… | batches(100)`, and in it over each of these"
            return self._wrong(spot, "limit_passes", said)
        return StepStarted(spot.at, 1, given, self.run.now_ms)

    def _another_pass(self, spot: StepSpot, does: LoopStep, number: int) -> bool:
        if does.while_ is None:
            given: Any = spot.inside.given if spot.inside is not None else {}
            return number < (len(given["items"]) if "items" in given else given.get("count", 0))
        if spot.inside is not None and spot.inside.active:
            return False
        return holds(does.while_, self.evaluate, scope_of(self.run, spot.frame, self.names, spot))

    def _next_pass(self, spot: StepSpot, does: LoopStep, number: int) -> Fact:
        """One more pass; of a `while`, unless it has had as many as it may: others were counted as they began."""
        most = min(does.most, MAX_PASSES)
        if does.while_ is not None and number >= most:
            said = f"{does.while_.source:.200} still holds after {most} passes, the most that it may have"
            return self._wrong(spot, "limit_passes", said)
        return PassStarted(spot.at, number, self.run.now_ms)

    def _playbook(self, spot: StepSpot) -> Fact:
        name: str = spot.node.step.does.playbook  # type: ignore[union-attr]  # only playbook steps come here
        stack = self._stack()
        if name in stack:
            return self._wrong(spot, "recursion", f"{' → '.join((*stack, name))} would never end")
        if len(stack) >= MAX_DEPTH:
            return self._wrong(spot, "limit_depth", f"{' → '.join((*stack, name))} is more than {MAX_DEPTH} deep")
        return self._outward(spot)

    def _transfer(self, spot: StepSpot) -> Fact:
        does: Any = spot.node.step.does
        if len(self._stack()) > 1 or spot.frame.owner is not None:
            where = "within another playbook" if len(self._stack()) > 1 else "within a loop or a branch"
            return self._wrong(spot, "transfer_within", f"a playbook cannot hand over {where}")
        args = rendered(does, self.evaluate, self._scope(spot)).get("args", {})
        return StepCompleted(spot.at, {"playbook": does.playbook, "args": args}, "", self.run.now_ms)

    def _wait(self, spot: StepSpot) -> Fact:
        does: Any = spot.node.step.does
        if does.until is not None:
            until_ms = _moment_ms(fill(does.until, self.evaluate, self._scope(spot)), does.until.source)
        else:
            seconds = _seconds(fill(does.seconds, self.evaluate, self._scope(spot)), does.seconds.source)
            until_ms = self.run.now_ms + round(seconds * 1000)
        return StepStarted(spot.at, spot.attempt + 1, {"until_ms": until_ms}, self.run.now_ms)

    # ---------------------------------------------------------------------------------------------------------- words

    def _stack(self) -> tuple[str, ...]:
        started = self.run.course.started
        return (*started.stack, started.playbook) if started is not None else ()

    def _scope(self, spot: StepSpot) -> dict[str, object]:
        return scope_of(self.run, spot.frame, self.names)

    def _skipped(self, spot: StepSpot, why: str) -> Fact:
        return StepSkipped(spot.at, why[:MESSAGE_CHARS], self.run.now_ms)

    def _wrong(self, spot: StepSpot, reason: str, message: str) -> Fact:
        kind: FailureClass = "permanent"
        return StepFailed(spot.at, Failure(kind, reason, message[:MESSAGE_CHARS]), self.run.now_ms)


def _combinations(lists: Any) -> int:  # noqa: ANN401  - what a matrix came to
    """How many passes a matrix has."""
    for name, entries in lists.items():
        if not isinstance(entries, list):
            raise InvalidInput(f"matrix: {name} gives {entries!r:.60}; expected a list")
    return prod(map(len, lists.values()))


def _combined(lists: Any) -> list[Json]:  # noqa: ANN401  - what a matrix came to
    return [dict(zip(lists, one, strict=True)) for one in product(*lists.values())]


def _whole(value: Json, source: str) -> int:
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text.isascii() and text.isdigit():
        text = int(text[:9])
    if not isinstance(text, int) or isinstance(text, bool) or text < 0:
        raise InvalidInput(f"count: {source:.200} gives {value!r:.60}; expected a whole number from 0")
    return text


def _seconds(value: Json, source: str) -> float:
    named_s = read_duration(value.strip()) if isinstance(value, str) else None
    try:
        seconds = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except (ValueError, OverflowError):
        seconds = -1.0
    seconds = seconds if named_s is None else named_s
    if not 0 <= seconds <= _MAX_WAIT_S:
        raise InvalidInput(
            f"wait: {source:.200} gives {value!r:.60}; expected seconds from 0 to ten years, or a time such as '2h'"
        )
    return seconds


def _moment_ms(value: Json, source: str) -> int:
    moment = moment_of(value) if isinstance(value, str) else None
    if moment is None:
        raise InvalidInput(
            f"wait: {source:.200} gives {value!r:.60}; expected a time with its zone, such as 2030-01-31T09:00:00+01:00"
        )
    return round(moment.timestamp() * 1000)


_KINDS: Final[Mapping[type, Callable[[Beginner, StepSpot], Fact]]] = {
    ConditionStep: Beginner._condition,
    MergeStep: Beginner._merge,
    BreakStep: Beginner._break,
    SetStep: Beginner._set,
    FailStep: Beginner._fail,
    ParallelStep: Beginner._parallel,
    LoopStep: Beginner._loop,
    PlaybookStep: Beginner._playbook,
    TransferStep: Beginner._transfer,
    WaitStep: Beginner._wait,
}
