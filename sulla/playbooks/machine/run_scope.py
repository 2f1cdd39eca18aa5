"""What an expression sees of a run. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sulla.core.errors import SullaError
from sulla.core.jsontypes import Json, JsonObject
from sulla.playbooks.definition import LoopStep, ToolStep
from sulla.playbooks.machine import result
from sulla.playbooks.machine.plan import Block
from sulla.playbooks.machine.records import MESSAGE_CHARS, Failure
from sulla.playbooks.machine.run import MachineRun
from sulla.playbooks.machine.scope import Evaluate, Scope, fill
from sulla.playbooks.machine.state import COMPLETED, FAILED, LoopFrame, StepSpot, StepStatus

_PENDING: Final[dict[str, Json]] = {
    "output": None,
    "result": None,
    "route": None,
    "status": "pending",
    "error": None,
    "tries": 0,
}


class StepsScope(Mapping[str, Mapping[str, Json]]):
    """What has become of each step, as it looks from a frame.

    A step beside or around it is that of the same pass. Of a loop that it does not lie in, the last pass is seen.

    Args:
        run: the run.
        frame: from where.
    """

    __slots__ = ("_around", "_run")

    def __init__(self, run: MachineRun, frame: LoopFrame) -> None:
        self._run = run
        self._around: dict[str, LoopFrame] = {}
        while frame.owner is not None:
            self._around[frame.owner.node.step.id] = frame
            frame = frame.owner.frame

    def __getitem__(self, step: str) -> Mapping[str, Json]:
        """Its ``output``, ``result``, ``route``, ``status``, ``error`` and ``tries``.

        Raises:
            KeyError: the playbook has no such step.
        """
        node = self._run.plan.nodes[step]
        frame = self._frame_of(step)
        return _PENDING if frame is None else seen(frame.spots[node.number])

    def __iter__(self) -> Iterator[str]:
        """The ids of all steps."""
        return iter(self._run.plan.nodes)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._run.plan.nodes)

    def _frame_of(self, step: str) -> LoopFrame | None:
        owner = self._run.plan.owners.get(step)
        if owner is None:
            return self._run.tops.get(self._run.plan.nodes[step].block.name)
        around = self._around.get(owner)
        if around is not None and around.block is self._run.plan.nodes[step].block:
            return around
        outer = self._frame_of(owner)
        node = self._run.plan.nodes[owner]
        inside = outer.spots[node.number].inside if outer is not None else None
        if inside is None or not inside.frames:
            return None
        number = max(inside.frames) if isinstance(node.step.does, LoopStep) else _branch(node.inner, step)
        return inside.frames.get(number)


def _branch(blocks: tuple[Block, ...], step: str) -> int:
    for number, block in enumerate(blocks):
        if any(node.step.id == step for node in block.nodes):
            return number
    return -1


def seen(spot: StepSpot) -> dict[str, Json]:
    """What an expression sees of a step."""
    # What an attempt failed of stays with the step, also where a later one succeeded.
    failure = spot.past.failure if spot.status == FAILED else None
    gives = spot.status == COMPLETED and isinstance(spot.node.step.does, ToolStep)
    return {
        "output": spot.value,
        "result": result.seen(spot.past.result, spot.value) if gives else None,
        "route": spot.past.route or None,
        "status": StepStatus(spot.status).name.lower(),
        "error": failure.shown() if failure is not None else None,
        "tries": spot.attempt,
    }


def scope_of(run: MachineRun, frame: LoopFrame, names: Scope, coming: StepSpot | None = None) -> dict[str, object]:
    """The names that an expression may use.

    Args:
        run: the run.
        frame: where the expression stands.
        names: further ones, the driver's.
        coming: a loop of that frame whose next pass it is about.
    """
    started = run.course.started
    found: dict[str, object] = {
        **names,
        "inputs": started.inputs if started is not None else {},
        "steps": StepsScope(run, frame),
    }
    closing, about = run.course.closing, names.get("run")
    if closing is not None and isinstance(about, Mapping):
        error = closing.failure.shown() if closing.failure is not None else None
        found["run"] = {**about, "status": closing.status, "error": error}
    owners: list[tuple[StepSpot, int]] = [(coming, coming.inside.begun)] if coming and coming.inside else []
    at: LoopFrame | None = frame
    while at is not None and at.owner is not None:
        owners.append((at.owner, at.number))
        at = at.owner.frame
    for owner, number in reversed(owners):
        if isinstance(owner.node.step.does, LoopStep) and owner.inside is not None:
            found |= _loop(owner.node.step.does, owner, number)
    return found


def _loop(does: LoopStep, owner: StepSpot, number: int) -> dict[str, object]:
    assert owner.inside is not None  # noqa: S101  - the caller has looked
    found: dict[str, object] = {"loop": {"index": number, "last": owner.inside.outputs.get(number - 1)}}
    items = owner.inside.given.get("items")
    if isinstance(items, list) and number < len(items):
        found[does.name] = items[number]
    return found


def outputs_of(run: MachineRun, root: LoopFrame, names: Scope, evaluate: Evaluate) -> tuple[JsonObject, Failure | None]:
    """What a run gives back; none of it, and why, where one of its outputs cannot be worked out.

    Args:
        run: the run.
        root: the frame of its steps.
        names: what expressions may use besides.
        evaluate: works expressions out.
    """
    scope = scope_of(run, root, names)
    outputs: JsonObject = {}
    for name, given in run.plan.definition.outputs.items():
        try:
            outputs[name] = fill(given, evaluate, scope)
        except SullaError as error:
            said = f"outputs: {name}: {error.message}"[:MESSAGE_CHARS]
            return {}, Failure("permanent", "expression", said)
    return outputs, None
