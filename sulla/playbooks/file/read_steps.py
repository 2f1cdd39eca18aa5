"""Reads the steps of a playbook, those within others included. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal, cast

from sulla.definitions.yaml_text import YamlList, YamlMap, YamlNode, YamlScalar
from sulla.playbooks.definition import (
    MAX_STEPS,
    AgentStep,
    Budget,
    ConditionStep,
    HumanStep,
    LoopStep,
    MergeStep,
    Need,
    ParallelStep,
    PromptStep,
    Retry,
    RouterStep,
    Step,
    ToolStep,
)
from sulla.playbooks.file.form import ELSEWHERE, KINDS, NAME, STEP
from sulla.playbooks.file.read_kinds import KIND_READERS
from sulla.playbooks.file.read_sketch import BlockAt, NeedAt, StepAt
from sulla.playbooks.file.read_values import WHEN, FileReading, StepDefaults
from sulla.tools.nearest import did_you_mean

MAX_NESTING: Final = 8
"""Loops and branches within each other."""
_STEP_NAMES: Final = frozenset(key.name for key in STEP)
_ALL_NAMES: Final = _STEP_NAMES | {key.name for keys in KINDS.values() for key in keys}


class StepReader:
    """Reads the steps of one file."""

    def __init__(self, reading: FileReading, defaults: StepDefaults) -> None:
        self._reading = reading
        self._defaults = defaults
        self.steps: dict[str, StepAt] = {}
        """By id, those with a fault included."""
        self._count = 0

    def block(self, node: YamlNode, owner: StepAt | None) -> BlockAt:
        """A list of steps."""
        block = BlockAt(owner, node.place)
        if owner is not None:
            owner.blocks.append(block)
        if not isinstance(node, YamlList) or not node.items:
            self._reading.wrong(node, "steps", "a list of one step or more, such as `- id: ask`")
            return block
        if _depth(block) > MAX_NESTING:
            self._reading.fault(
                node.place, "size", f"loops and branches lie more than {MAX_NESTING} deep in each other"
            )
            return block
        for item in node.items:
            self._count += 1
            if self._count == MAX_STEPS + 1:
                self._reading.fault(item.place, "size", f"a playbook has {MAX_STEPS} steps at the most")
            if self._count <= MAX_STEPS:
                self._step(item, block)
        here = {step.id: step for step in block.steps}
        for step in block.steps:
            self._finish(step, here)
        return block

    def _step(self, node: YamlNode, block: BlockAt) -> None:
        keys = self._reading.pairs(node, "a step")
        if keys is None or not isinstance(node, YamlMap):
            return
        step = StepAt("", node, keys, block)
        before = block.steps[-1] if block.steps else None
        self._name(step)
        step.kind = self._kind(step)
        block.steps.append(step)
        if step.kind:
            known = (*STEP, *KINDS[step.kind])
            self._reading.check_keys(node.place, keys, known, f"a step of the kind {step.kind!r}", KINDS)
            step.does = KIND_READERS[step.kind](self._reading, step, self._inner)
        elif "id" not in keys:
            self._reading.fault(node.place, "missing-key", "a step needs 'id': its name in the whole file")
        self._needs(step, before)

    def _inner(self, node: YamlNode, owner: StepAt) -> None:
        self.block(node, owner)

    def _name(self, step: StepAt) -> None:
        if "id" not in step.keys:
            return
        node = step.keys["id"][1]
        step.id = self._reading.named(node, "id")
        first = self.steps.get(step.id)
        if first is None:
            self.steps[step.id] = step
        elif step.id:
            where = first.place.line
            self._reading.fault(node.place, "double-id", f"a step in line {where} is called {step.id!r} already")

    def _kind(self, step: StepAt) -> str:
        """What it does, told by the key of a kind."""
        found = [name for name in step.keys if name in KINDS]
        if "agent" in found and "prompt" in found:
            found.remove("prompt")
        if len(found) == 1:
            return found[0]
        if found:
            second = step.keys[found[1]][0].place
            message = f"a step does one thing: {found[0]!r} or {found[1]!r}; make two steps of it"
            self._reading.fault(second, "kind", message)
            own = {key.name for key in (*STEP, *KINDS[found[0]])}
            for name in [key.name for kind in found[1:] for key in KINDS[kind] if key.name not in own]:
                step.keys.pop(name, None)  # what belongs to the other step is no mistake of this one
            return found[0]
        strange = [name for name in step.keys if name not in _ALL_NAMES]
        for name in strange:
            meant = ELSEWHERE.get(name) or did_you_mean(name, KINDS) or did_you_mean(name, _STEP_NAMES)
            self._reading.fault(step.keys[name][0].place, "unknown-key", f"a step has no {name!r}.{meant}".rstrip("."))
        if not strange:
            kinds = ", ".join(KINDS)
            self._reading.fault(step.place, "kind", f"this step does nothing; expected one of {kinds}")
        return ""

    # ------------------------------------------------------------------------------------------------------------ needs

    def _needs(self, step: StepAt, before: StepAt | None) -> None:
        written = step.keys.get("needs")
        if written is None:
            if before is not None and before.id:
                step.needs.append(NeedAt(Need(before.id), step.place, written=False))
            return
        node = written[1]
        if isinstance(node, YamlScalar) and node.value is None:
            self._reading.wrong(node, "needs", "the ids of steps; [] for none")
            return
        for item in node.items if isinstance(node, YamlList) else [node]:
            self._need(step, item)

    def _need(self, step: StepAt, node: YamlNode) -> None:
        on = "success"
        place, word = node.place, ""
        if isinstance(node, YamlMap) and len(node.items) == 1:
            key, value = node.items[0]
            word = key.text
            on = self._reading.word_of(value, "needs", WHEN) or on
        elif isinstance(node, YamlScalar) and isinstance(node.value, str):
            word = node.text
        else:
            self._reading.wrong(node, "needs", "a step's id, id.way, or {id: failure}")
            return
        name, dot, route = word.partition(".")
        if not NAME.fullmatch(name) or (dot and not route):
            self._reading.fault(
                place, "name", f"needs: {word[:60]!r} is no step's id; expected id, id.way or {{id: failure}}"
            )
            return
        if route and on != "success":
            self._reading.fault(place, "value", f"needs: a way is taken where {name!r} succeeds; leave out {on!r}")
            on = "success"
        need = Need(name, on if on in WHEN else "success", route)
        if any(other.need == need for other in step.needs):
            self._reading.fault(place, "value", f"needs: {word!r} stands here twice")
            return
        step.needs.append(NeedAt(need, place, written=True))

    # ----------------------------------------------------------------------------------------------------------- wholes

    def _retry(self, step: StepAt) -> Retry | None:
        if "retry" not in step.keys:
            return self._defaults.retry if _asks(step) else None
        key, node = step.keys["retry"]
        if step.kind in _NOT_TRIED_AGAIN:
            message = f"retry: a {step.kind} is not tried again as a whole; say it of the steps"
            self._reading.fault(key.place, "value", message)
        return self._reading.retry(node)

    def _timeout_s(self, step: StepAt) -> float | None:
        if "timeout" in step.keys:
            return self._reading.duration(step.keys["timeout"][1], "timeout")
        return self._defaults.timeout_s if _asks(step) else None

    def _finish(self, step: StepAt, here: dict[str, StepAt]) -> None:
        """Make the step, now that all beside it are known."""
        for at in step.needs:
            target = here.get(at.need.step)
            if target is not None and at.need.on == "success" and not at.need.route and is_approval(target):
                at.need = replace(at.need, route="yes")
        if step.does is None:
            return
        reading, keys = self._reading, step.keys
        does = step.does
        if isinstance(does, AgentStep) and not does.model:
            does = replace(does, model=self._defaults.model)
        if isinstance(does, LoopStep):
            does = replace(does, body=steps_of(step.blocks[0]) if step.blocks else ())
        elif isinstance(does, ParallelStep):
            does = replace(
                does, branches={name: steps_of(of) for name, of in zip(does.branches, step.blocks, strict=True)}
            )
        go_on = "fail"
        if "on_failure" in keys:
            go_on = reading.word_of(keys["on_failure"][1], "on_failure", ("fail", "go_on"))
        step.step = Step(
            id=step.id,
            does=does,
            needs=tuple(at.need for at in step.needs),
            when=reading.expression(keys["when"][1], "when", "when", step) if "when" in keys else None,
            retry=self._retry(step),
            timeout_s=self._timeout_s(step),
            on_failure=cast("Literal['fail', 'go_on']", go_on),
            budget=reading.budget(keys["budget"][1]) if "budget" in keys else Budget(),
            title=reading.text(keys["title"][1], "title") if "title" in keys else "",
        )


_NOT_TRIED_AGAIN: Final = frozenset({"parallel", "merge", "loop", "break", "set", "fail", "transfer"})


def _asks(step: StepAt) -> bool:
    """Whether it asks a model or calls a tool: defaults are for these, and not for what waits for time or people."""
    asks = isinstance(step.does, ConditionStep) and step.does.question is not None
    return asks or isinstance(step.does, AgentStep | ToolStep | RouterStep | PromptStep)


def steps_of(block: BlockAt | None) -> tuple[Step, ...]:
    """The steps of a list that could be read; none where there is no list."""
    return tuple(at.step for at in block.steps if at.step is not None) if block is not None else ()


def _depth(block: BlockAt) -> int:
    depth, owner = 0, block.owner
    while owner is not None:
        depth, owner = depth + 1, owner.block.owner
    return depth


def is_approval(step: StepAt) -> bool:
    """Whether a person says yes or no there."""
    return isinstance(step.does, HumanStep) and not step.does.choices and step.does.input is None


def routes_of(step: StepAt) -> tuple[str, ...]:
    """The ways that a step can go; none for one that has none."""
    match step.does:
        case RouterStep(_, routes):
            return tuple(routes)
        case ConditionStep():
            return ("yes", "no")
        case HumanStep(_, choices) if choices:
            return choices
        case HumanStep(input=None):
            return ("yes", "no")
        case MergeStep(need="first"):
            return tuple(at.need.step for at in step.needs)
    return ()
