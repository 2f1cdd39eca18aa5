"""What a playbook comes to, worked out another way: from its last steps back, without time, queues or counters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sulla.playbooks.definition import (
    ConditionStep,
    Definition,
    LoopStep,
    MergeStep,
    Need,
    ParallelStep,
    Step,
)

End = tuple[str, Any]

PASSED_ON = "failed because of a step before it"
"""A status and an output."""


class Reference:
    """A whole run.

    Args:
        definition: its conditions and ``when`` are inputs.
        inputs: each true or false.
        fails: whether the step with this address fails.
    """

    def __init__(self, definition: Definition, inputs: dict[str, Any], fails: Callable[[str], bool]) -> None:
        self.inputs = inputs
        self.fails = fails
        self.ends: dict[str, str] = {}
        self.status = "completed" if self._block(definition.steps, ())[0] else "failed"

    def _block(self, steps: Sequence[Step], path: tuple[int, ...]) -> End:
        by_id = {step.id: step for step in steps}
        known: dict[str, End] = {}

        def end(step: Step) -> End:
            if step.id not in known:
                befores = [(need, by_id[need.step], end(by_id[need.step])) for need in step.needs]
                known[step.id] = self._step(step, path, befores)
                mark = "@" + ".".join(map(str, path)) if path else ""
                self.ends[step.id + mark] = known[step.id][0]
            return known[step.id]

        def handled(step: Step) -> bool:
            after = [(other, need) for other in steps for need in other.needs if need.step == step.id]
            heard = any(end(other)[0] != "skipped" for other, need in after if need.on != "success")
            passed = any(end(other)[0] == "failed" for other, need in after if need.on == "success")
            done_without = any(
                end(other)[0] == "completed" for other, need in after if isinstance(other.does, MergeStep)
            )
            return heard or passed or done_without or _is_forgiven(step, end(step))

        ends = [end(step) for step in steps]
        output = next((value for status, value in reversed(ends) if status == "completed"), None)
        well = all(end(step)[0] != "failed" or handled(step) for step in steps)
        return "completed" if well else "", output

    def _step(self, step: Step, path: tuple[int, ...], befores: list[tuple[Need, Step, End]]) -> End:
        met = [_met(need, before, end) for need, before, end in befores]
        arrived = [before.id for (_, before, _), found in zip(befores, met, strict=True) if found == ""]
        if isinstance(step.does, MergeStep):
            need = step.does.need
            wanted = need if isinstance(need, int) else len(arrived) if need == "all" else 1
            enough = len(arrived) >= wanted and (need != "all" or "failed" not in met)
            if not arrived or not enough:
                if "failed" in met:
                    return "failed", PASSED_ON
                return ("failed" if arrived else "skipped"), None
        elif "skipped" in met or "failed" in met:
            return ("skipped", None) if "skipped" in met else ("failed", PASSED_ON)
        if step.when is not None and not self.inputs[step.when.source.strip("${ }").removeprefix("inputs.")]:
            return "skipped", None
        return self._kind(step, path, {before.id: end[1] for _, before, end in befores if before.id in arrived})

    def _kind(self, step: Step, path: tuple[int, ...], arrived: dict[str, Any]) -> End:
        match step.does:
            case ConditionStep(test=test) if test is not None:
                return "completed", self.inputs[test.source.strip("${ }").removeprefix("inputs.")]
            case MergeStep(need="all"):
                return "completed", arrived
            case MergeStep():
                return "completed", None  # whichever came first
            case ParallelStep(branches):
                ends = {name: self._block(body, path) for name, body in branches.items()}
                return _all(list(ends.values()), {name: end[1] for name, end in ends.items()})
            case LoopStep(body=body, at_once=at_once, count=count, for_each=for_each):
                source = count or for_each
                assert source is not None
                many: Any = eval(source.source.strip("${ }"))  # noqa: S307  - a literal of the test's own
                passes: list[End] = []
                for number in range(many if isinstance(many, int) else len(many)):
                    passes.append(self._block(body, (*path, number)))
                    if not passes[-1][0] and at_once == 1:
                        break
                return _all(passes, [end[1] for end in passes])
        at = step.id + ("@" + ".".join(map(str, path)) if path else "")
        return ("failed", None) if self.fails(at) else ("completed", at)


def _is_forgiven(step: Step, end: End) -> bool:
    """``go_on`` is for a step's own failure, not for one that was passed on to it."""
    return step.on_failure == "go_on" and end[1] != PASSED_ON


def _all(ends: list[End], output: Any) -> End:
    return ("completed", output) if all(status for status, _ in ends) else ("failed", None)


def _met(need: Need, before: Step, end: End) -> str:
    """Empty if the need is met, else what becomes of the step that has it."""
    status, value = end
    if need.on == "always":
        return ""
    if need.on == "failure":
        return "" if status == "failed" else "skipped"
    if status == "failed" and not _is_forgiven(before, end):
        return "failed"
    if status == "skipped":
        return "skipped"
    route = "" if status == "failed" or not isinstance(before.does, ConditionStep) else "yes" if value else "no"
    return "skipped" if need.route and need.route != route else ""
