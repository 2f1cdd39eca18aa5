"""Whether a playbook is whole: everything that is wrong with it at once, each with its place. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, cast

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.definitions.yaml_text import YamlList, YamlScalar
from sulla.playbooks.definition import (
    OPENS,
    AgentStep,
    Budget,
    Definition,
    InputSpec,
    PlaybookStep,
    Template,
    ToolStep,
    TransferStep,
)
from sulla.playbooks.durations import read_duration
from sulla.playbooks.events import EVENTS
from sulla.playbooks.file.check_asked import questions
from sulla.playbooks.file.check_changed import appended_beside
from sulla.playbooks.file.check_fault import PlaybookFault, defect
from sulla.playbooks.file.check_known import NOTHING_KNOWN, KnownNames
from sulla.playbooks.file.check_names import Names
from sulla.playbooks.file.check_order import check_order
from sulla.playbooks.file.check_text import clear_texts, hidden_characters, lost_digits
from sulla.playbooks.file.check_types import Arguments, Types, checked_step, schema_of
from sulla.playbooks.file.check_upstream import passed_on_failures
from sulla.playbooks.file.read import read
from sulla.playbooks.file.read_sketch import Keys, Sketch, StepAt
from sulla.playbooks.file.read_values import FileReading
from sulla.tools.nearest import did_you_mean

_OTHER_TOOLS: Final = "Tools of other programs come from MCP servers: see [mcp.servers] in the settings."
_HOST: Final = re.compile(r"https?://[^/?#\s]+[/?#]")
_INPUT: Final = re.compile(r"\$\{\{\s*inputs\.(\w+)\s*\}\}")
_FEW_NAMES: Final = 10
_CRON: Final = re.compile(r"@[a-z]+|\S+( \S+){4,5}")


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found."""

    definition: Definition | None
    """None if there are errors among the faults."""
    faults: tuple[PlaybookFault, ...]
    """In the order of the file."""


def check_playbook(text: str, known: KnownNames = NOTHING_KNOWN) -> Checked:
    """Read a playbook and find everything that is wrong with it. Whatever a text is, nothing is raised.

    Args:
        text: the file.
        known: what its names are held against.
    """
    try:
        return _checked(text, known)
    except Exception as error:  # noqa: BLE001 - whatever a text does to the check is a fault of that text
        return Checked(None, (defect(error),))


def _checked(text: str, known: KnownNames) -> Checked:
    sketch = read(text)
    if isinstance(sketch, list):
        return Checked(None, tuple(sketch))
    _Check(sketch, known).run()
    sketch.faults.extend((*clear_texts(sketch.text), *hidden_characters(sketch.text), *lost_digits(sketch.root.walk())))
    if any(fault.severity == "error" for fault in sketch.faults):
        return Checked(None, tuple(sorted(set(sketch.faults))))
    asked = questions(sketch.definition, sketch.steps, known)
    return Checked(sketch.definition, tuple(sorted({*sketch.faults, *asked})))


class _Check:
    def __init__(self, sketch: Sketch, known: KnownNames) -> None:
        self._sketch = sketch
        self._known = known
        self._faults = sketch.faults
        self._types = Types(sketch, known, self._faults)
        self._arguments = Arguments(self._types, self._faults, sketch.text)

    def run(self) -> None:
        reading = FileReading(self._sketch.text)
        reading.faults = self._faults
        order = check_order(self._sketch, reading)
        Names(self._sketch, order, self._known, self._faults).check()
        self._types.check()
        self._faults.extend((*passed_on_failures(self._sketch), *appended_beside(self._sketch)))
        for step in self._sketch.root.walk():
            self._step(step)
        if any(isinstance(step.does, AgentStep) for step in self._sketch.root.walk()):
            self._budget(self._sketch.keys, self._sketch.definition.budget, "of a run")
        self._triggers()

    def _fault(self, place: tuple[int, ...], rule: str, message: str) -> None:
        self._faults.append(PlaybookFault(place[0], place[1], rule, message))

    # ------------------------------------------------------------------------------------------------------------ steps

    def _step(self, step: StepAt) -> None:
        match step.does:
            case ToolStep():
                self._tool(step, step.does)
            case AgentStep():
                self._agent(step, step.does)
            case PlaybookStep(name) | TransferStep(name):
                self._playbook(step, name)

    def _tool(self, step: StepAt, does: ToolStep) -> None:
        name = does.tool
        if self._known.tools is None or not name:
            return
        place = step.keys["tool"][1].place
        tool = self._known.tools.get(name)
        if tool is None and self._known.is_elsewhere(name):
            return
        if tool is None:
            self._fault(
                place,
                "unknown-tool",
                f"there is no tool {name!r}.{did_you_mean(name, self._known.tools)} {_OTHER_TOOLS}",
            )
            return
        if tool.missing:
            self._fault(place, "not-set-up", f"the tool {name!r} cannot be used in this home: {tool.missing}")
        given = checked_step(step)
        self._arguments.check(place[:2], given, tool.schema, f"the tool {name!r}")
        if tool.refuses is not None and (why := tool.refuses(_written(does, self._sketch.definition.inputs))):
            self._fault(given["url"][1].place if "url" in given else place, "refused", f"this home refuses it: {why}")
        retry = step.step.retry if step.step is not None else None
        written = retry is not None and retry.tries > 1 and "retry" in step.keys
        if written and tool.effect_with(does.args) == "once":
            message = (
                f"the tool {name!r} is declared `once`: what it does could be done twice, so it is not tried again by "
                "itself. "
            )
            key = "Give it the header `Idempotency-Key`, or take" if tool.effect_of is not None else "Take"
            message += f"{key} `retry` out, and take care of its failure (`needs: [{{{step.id}: failure}}]`); where "
            message += "doing it twice does no harm, try it in a loop: `loop: {count: 3, steps: […]}`, with "
            message += "`on_failure: go_on` at it and a `break` behind it"
            self._fault(step.keys["retry"][0].place, "retry-once", message)

    def _budget(self, keys: Keys, budget: Budget, whose: str) -> None:
        least = self._known.reply_tokens
        if budget.tokens is not None and budget.tokens < least and "budget" in keys:
            message = f"{budget.tokens} tokens {whose} are too few for an agent: its reply alone may take {least}"
            said = f"budget: {message}, besides what it reads; say {3 * least} or more"
            self._fault(keys["budget"][0].place, "budget", said)

    def _agent(self, step: StepAt, does: AgentStep) -> None:
        if step.step is not None:
            self._budget(step.keys, step.step.budget, "of a step")
        if self._known.agents is not None and does.agent and does.agent not in self._known.agents:
            meant = did_you_mean(does.agent, self._known.agents)
            self._fault(
                step.keys["agent"][1].place, "unknown-agent", f"there is no agent {does.agent!r}.{meant}".rstrip(".")
            )
        if self._known.tools is None or "tools" not in step.keys:
            return
        node = step.keys["tools"][1]
        for item in node.items if isinstance(node, YamlList) else []:
            name = item.text if isinstance(item, YamlScalar) else ""
            if name and "*" not in name and name not in self._known.tools and not self._known.is_elsewhere(name):
                meant = did_you_mean(name, self._known.tools)
                self._fault(item.place, "unknown-tool", f"there is no tool {name!r}.{meant}".rstrip("."))

    def _playbook(self, step: StepAt, name: str) -> None:
        place = step.keys[step.kind][1].place
        own = self._sketch.definition
        if name == own.name and step.kind == "playbook":
            self._fault(place, "cycle", f"{name!r} cannot stand in itself; what repeats stands in a loop")
            return
        inputs = own.inputs if name == own.name else (self._known.playbooks or {}).get(name)
        if inputs is None:
            if self._known.playbooks is not None and name:
                meant = did_you_mean(name, self._known.playbooks) or _there_are(self._known.playbooks)
                if name in self._known.faulty:
                    message = (
                        f"the playbook {name!r} has faults of its own: `sulla flow check` with its file names them"
                    )
                    self._fault(place, "unknown-playbook", message)
                    return
                self._fault(place, "unknown-playbook", f"there is no playbook {name!r}.{meant}".rstrip("."))
            return
        self._arguments.check(place[:2], checked_step(step), schema_of(inputs), f"the playbook {name!r}")

    # --------------------------------------------------------------------------------------------------------- triggers

    def _triggers(self) -> None:
        """Whether what starts it can, and gives what is required."""
        definition = self._sketch.definition
        schema = dict(schema_of(definition.inputs))
        required = schema.pop("required")
        for kind, given, place in self._sketch.triggers:
            self._arguments.check(place, given, schema, "this playbook")
            missing = [name for name in required if name not in given] if isinstance(required, list) else []
            if kind in ("schedule", "event") and missing:
                names = ", ".join(map(repr, missing))
                message = f"nobody is there to give {names} then: add `inputs` here, or a default; it will not start"
                self._fault(place, "trigger-inputs", message)
        for trigger, (_, _, place) in zip(definition.on, self._sketch.triggers, strict=False):
            if trigger.kind == "schedule" and trigger.text:
                self._schedule(trigger.text, trigger.zone, place)
            if trigger.kind == "event" and trigger.text and trigger.text not in EVENTS:
                meant = did_you_mean(trigger.text, EVENTS) or f" There are: {', '.join(EVENTS)}."
                self._fault(place, "unknown-event", f"there is no event {trigger.text[:60]!r}.{meant}")
            output = trigger.webhook.output if trigger.webhook is not None else ""
            if output and output not in definition.outputs:
                meant = did_you_mean(output, definition.outputs) or f" There are: {', '.join(definition.outputs)}."
                self._fault(place, "unknown-name", f"answer: this playbook has no output {output!r}.{meant}")

    def _schedule(self, text: str, zone: str, place: tuple[int, int]) -> None:
        if read_duration(text) is None and not _CRON.fullmatch(text):
            message = f"expected a period such as 30m, or five fields such as `0 9 * * 1-5`, got {text[:60]!r}"
            self._fault(place, "schedule", message)
        elif self._known.schedule is not None:
            try:
                self._known.schedule(text, zone)
            except InvalidInput as error:
                self._fault(place, "schedule", error.message)


def _written(does: ToolStep, inputs: Mapping[str, InputSpec]) -> dict[str, Json]:
    """The arguments that are written out, an input at their beginning by its default; of an address also what stands
    before an expression, if it is all of its host.
    """
    found = {name: value for name, value in does.args.items() if not isinstance(value, Template)}
    for name, value in does.args.items():
        if isinstance(value, Template):
            first = _INPUT.match(value.source)
            spec = inputs.get(first[1]) if first is not None else None
            default = spec.default if spec is not None and isinstance(spec.default, str) else None
            text = value.source if first is None or default is None else default + value.source[first.end() :]
            known = text if OPENS not in text else _HOST.match(text.partition(OPENS)[0])
            if known is not None:
                found[name] = known if isinstance(known, str) else known[0]
    return cast("dict[str, Json]", found)


def _there_are(names: Iterable[str]) -> str:
    few = sorted(names)[:_FEW_NAMES]
    return f" There are: {', '.join(few)}." if few else " This home has none."
