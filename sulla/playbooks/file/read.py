"""A playbook's file, read: what it says, and where each thing stands. Pure.

Reading knows nothing but the file; whether its names are known elsewhere is for `check`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal, cast

from sulla.core.jsontypes import FrozenJson, Json
from sulla.definitions.yaml_text import YamlFault, YamlList, YamlMap, YamlNode, YamlScalar, read_nodes
from sulla.playbooks.definition import Budget, Definition, InputSpec, PlaybookStep, TransferStep, Trigger
from sulla.playbooks.file.check_fault import PlaybookFault, defect
from sulla.playbooks.file.form import (
    MAX_PLAYBOOK_BYTES,
    NAME,
    PARTS,
    PLAYBOOK,
    PLAYBOOK_NAME,
    TRIGGER_INPUTS,
    TRIGGERS,
    WORD,
)
from sulla.playbooks.file.read_digest import digest_of
from sulla.playbooks.file.read_sketch import BlockAt, Keys, Sketch
from sulla.playbooks.file.read_steps import StepReader, steps_of
from sulla.playbooks.file.read_values import FileReading, StepDefaults
from sulla.playbooks.file.read_webhook import read_webhook
from sulla.tools.nearest import did_you_mean

_MAX_YAML_DEPTH: Final = 60
"""Room for loops in loops, each some levels of YAML."""
_AT_ONCE: Final = next(key for key in PLAYBOOK if key.name == "at_once")
_TYPES: Final = ("string", "number", "integer", "boolean", "list", "object")

InputType = Literal["string", "number", "integer", "boolean", "list", "object"]


def read(text: str) -> Sketch | list[PlaybookFault]:
    """Read a playbook.

    Args:
        text: the file.

    Returns:
        What it says, with all the faults that were found on the way; those alone where it is not YAML, or says nothing.
        Whatever a text is, nothing is raised.
    """
    try:
        return _read(text)
    except Exception as error:  # noqa: BLE001 - whatever a text does to the reader is a fault of that text
        return [defect(error)]


def mentioned(text: str) -> tuple[str, ...]:
    """The playbooks that a playbook's text names, as steps or to hand over to; none where it cannot be read."""
    sketch = read(text)
    if isinstance(sketch, list):
        return ()
    found = (step.does for step in sketch.root.walk())
    names = dict.fromkeys(does.playbook for does in found if isinstance(does, PlaybookStep | TransferStep))
    return tuple(filter(PLAYBOOK_NAME.fullmatch, names))


def _read(text: str) -> Sketch | list[PlaybookFault]:
    text = text.removeprefix("\ufeff")
    node = read_nodes(text, most_bytes=MAX_PLAYBOOK_BYTES, most_deep=_MAX_YAML_DEPTH)
    if isinstance(node, YamlFault):
        return [PlaybookFault(node.line, node.column, "yaml", node.message)]
    if not isinstance(node, YamlMap):
        return [PlaybookFault(1, 1, "yaml", "expected keys and values, such as `name: morning-brief`")]
    return _Reader(text).playbook(node)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._reading = FileReading(text)
        self._triggers: list[tuple[str, Keys, tuple[int, int]]] = []

    def playbook(self, node: YamlMap) -> Sketch:
        reading = self._reading
        keys = reading.keys(node, PLAYBOOK, "a playbook") or {}
        defaults = reading.defaults(keys["defaults"][1]) if "defaults" in keys else StepDefaults()
        steps = StepReader(reading, defaults)
        root = steps.block(keys["steps"][1], None) if "steps" in keys else BlockAt(None, node.place)
        closing = {name: steps.block(keys[name][1], None) if name in keys else None for name in ("on_error", "finally")}
        root.closing += [block for block in closing.values() if block is not None]
        secrets: tuple[str, ...] = ()
        if "secrets" in keys:
            secrets = reading.listed(keys["secrets"][1], "secrets", lambda item: reading.named(item, "secrets"))
        name = ""
        if "name" in keys:
            name = reading.named(keys["name"][1], "name", PLAYBOOK_NAME, "small letters, digits, '-' and '_'")
        definition = Definition(
            name=name,
            digest="",
            steps=steps_of(root),
            description=reading.text(keys["description"][1], "description") if "description" in keys else "",
            on=self._on(keys["on"][1]) if "on" in keys else (Trigger("manual"),),
            inputs=self._inputs(keys["inputs"][1]) if "inputs" in keys else {},
            outputs=reading.args(keys["outputs"][1], "outputs", "outputs", None) if "outputs" in keys else {},
            secrets=secrets,
            budget=reading.budget(keys["budget"][1]) if "budget" in keys else Budget(),
            at_once=int(reading.number(keys["at_once"][1], _AT_ONCE)) if "at_once" in keys else None,
            concurrency=reading.concurrency(keys["concurrency"][1]) if "concurrency" in keys else None,
            on_error=steps_of(closing["on_error"]),
            finally_=steps_of(closing["finally"]),
        )
        if not any(fault.severity == "error" for fault in reading.faults):
            definition = replace(definition, digest=digest_of(definition))
        return Sketch(self._text, keys, root, steps.steps, definition, reading.uses, reading.faults, self._triggers)

    # ----------------------------------------------------------------------------------------------------------- inputs

    def _inputs(self, node: YamlNode) -> dict[str, InputSpec]:
        found = self._reading.pairs(node, "inputs") or {}
        for key, _ in found.values():
            self._reading.named(key, "inputs")
        return {name: self._input(name, value) for name, (_, value) in found.items()}

    def _input(self, name: str, node: YamlNode) -> InputSpec:
        reading = self._reading
        if isinstance(node, YamlScalar):
            kind = "string" if node.value is None else reading.word_of(node, f"inputs.{name}", _TYPES)
            return InputSpec(_type(kind))
        keys = reading.keys(node, PARTS["input"], f"the input {name!r}") or {}
        kind = _type(reading.word_of(keys["type"][1], "type", _TYPES)) if "type" in keys else "string"
        choices = reading.listed(keys["choices"][1], "choices", reading.json, least=1) if "choices" in keys else ()
        default = reading.literal(keys["default"][1], "default") if "default" in keys else None
        if "choices" in keys and isinstance(keys["choices"][1], YamlList):
            for value, item in zip(choices, keys["choices"][1].items, strict=False):
                self._fits(name, kind, value, item, said="type" in keys)
        if "default" in keys and default is not None:
            self._fits(name, kind, default, keys["default"][1], said="type" in keys)
            if choices and default not in choices:
                listed = ", ".join(map(str, choices))
                reading.fault(keys["default"][1].place, "input", f"default: expected one of its choices: {listed}")
        return InputSpec(
            type=kind,
            required=reading.flag(keys["required"][1], "required") if "required" in keys else "default" not in keys,
            default=default,
            choices=choices,
            description=reading.text(keys["description"][1], "description") if "description" in keys else "",
        )

    def _fits(self, name: str, kind: InputType, value: Json, node: YamlNode, *, said: bool) -> None:
        if fits(kind, value):
            return
        message = f"the input {name!r} is of the type {kind}, and this is not"
        meant = next((one for one in ("boolean", "integer", "number", "list", "object") if fits(_type(one), value)), "")
        if not said and meant:
            message = f"the input {name!r} has no type, so it is a string, and this is none: write `type: {meant}`"
        self._reading.fault(node.place, "input", message)

    # --------------------------------------------------------------------------------------------------------- triggers

    def _on(self, node: YamlNode) -> tuple[Trigger, ...]:
        items = node.items if isinstance(node, YamlList) else [node]
        if not items:
            self._reading.wrong(node, "on", f"one of {', '.join(TRIGGERS)}, or several")
        return tuple(trigger for item in items if (trigger := self._trigger(item)) is not None)

    def _trigger(self, node: YamlNode) -> Trigger | None:
        reading = self._reading
        if isinstance(node, YamlScalar):
            kind = reading.word_of(node, "on", tuple(TRIGGERS))
            if kind not in ("manual", "heartbeat"):
                if kind in TRIGGERS:
                    reading.wrong(node, "on", f"more about it, such as {_EXAMPLES[kind]}")
                return None
            self._triggers.append((kind, {}, node.place[:2]))
            return Trigger(cast("Literal['manual', 'heartbeat']", kind))
        keys = reading.pairs(node, "on")
        if keys is None or not isinstance(node, YamlMap):
            return None
        kinds = [name for name in keys if name in TRIGGERS]
        if len(kinds) != 1:
            self._no_trigger(node, keys, kinds)
            return None
        kind = kinds[0]
        reading.check_keys(node.place, keys, (*TRIGGERS[kind], TRIGGER_INPUTS), f"a trigger of the kind {kind!r}")
        given = keys.get("inputs")
        pairs = reading.pairs(given[1], "inputs") or {} if given is not None else {}
        values = {name: reading.literal(value, name) for name, (_, value) in pairs.items()}
        self._triggers.append((kind, pairs, keys[kind][1].place[:2]))
        zone = reading.text(keys["zone"][1], "zone") if "zone" in keys and kind == "schedule" else ""
        form = read_webhook(reading, keys) if kind == "webhook" else None
        about = self._about(kind, keys[kind][1])
        return Trigger(kind, about, zone, cast("FrozenJson", values), form)  # type: ignore[arg-type]  # one of TRIGGERS

    def _about(self, kind: str, node: YamlNode) -> str:
        """What its key says."""
        if kind in ("manual", "heartbeat"):
            self._reading.flag(node, kind)
            return ""
        forms: dict[str, tuple[re.Pattern[str], str]] = {"webhook": (NAME, ""), "event": (WORD, "an event's type")}
        return self._reading.named(node, kind, *forms[kind]) if kind in forms else self._reading.text(node, kind)

    def _no_trigger(self, node: YamlMap, keys: Keys, kinds: list[str]) -> None:
        if kinds:
            self._reading.fault(
                keys[kinds[1]][0].place, "kind", f"a trigger is of one kind; make {kinds[1]!r} another entry"
            )
            return
        name = next(iter(keys), "")
        meant = did_you_mean(name, TRIGGERS) or f" Known: {', '.join(TRIGGERS)}."
        place = keys[name][0].place if name else node.place
        self._reading.fault(place, "unknown-key", f"on: there is no trigger {name!r}.{meant}")


_EXAMPLES: Final = {
    "schedule": '{schedule: "0 9 * * 1-5"}',
    "chat": "{chat: a new lead}",
    "webhook": "{webhook: github_secret}",
    "event": "{event: run.failed}",
}


def _type(word: str) -> InputType:
    return cast("InputType", word) if word in _TYPES else "string"


_FITS: Final[dict[str, Callable[[Json], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def fits(kind: str, value: Json) -> bool:
    """Whether a value is of an input's type."""
    return _FITS[kind](value)
