"""What names in a playbook's file stand for, and everywhere that they stand. Pure.

Places are lines and columns from 1, in code points, as a check tells them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sulla.core.dataclass import dataclass
from sulla.definitions.yaml_text import YamlList, YamlMap, YamlPlace, YamlScalar, read_nodes
from sulla.playbooks.expression.filters import FILTERS
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.file.form import (
    KINDS,
    LOOP_FIELDS,
    MAX_PLAYBOOK_BYTES,
    NAME,
    PARTS,
    PLAYBOOK,
    RUN_FIELDS,
    STEP,
    STEP_FIELDS,
    TRIGGERS,
)
from sulla.playbooks.file.read import read
from sulla.playbooks.file.read_sketch import Sketch, StepAt, at_offset

_WORD: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_MOST_DEEP: Final = 40
_PLAYBOOK_KEYS: Final = ("playbook", "transfer")


class Spot(NamedTuple):
    """A place in a text, with the length of what stands there."""

    line: int
    column: int
    length: int


@dataclass(frozen=True, slots=True)
class Named:
    """What stands under the cursor."""

    what: str
    """`step`, `input`, `playbook`, `tool`, `agent`, `key`, `filter` or `field`."""
    name: str
    spot: Spot


def word_at(text: str, line: int, column: int) -> tuple[str, Spot] | None:
    """The word at a place, or right before it; None where there is none."""
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return None
    for found in _WORD.finditer(lines[line - 1]):
        if found.start() < column <= found.end() + 1:
            return found[0], Spot(line, found.start() + 1, len(found[0]))
    return None


def named_at(text: str, line: int, column: int) -> Named | None:
    """What a name stands for at a place; None where it is nothing that is known.

    Args:
        text: the file; with faults, too.
        line: from 1.
        column: from 1.
    """
    found = word_at(text, line, column)
    sketch = read(text)
    if found is None or not isinstance(sketch, Sketch):
        return None
    word, spot = found
    for name, places in (*_steps(sketch), *_inputs(sketch)):
        for place in places:
            if place.line == spot.line and place.column <= column <= place.column + place.length:
                return Named("input" if name[0] == "." else "step", name.lstrip("."), place)
    raw = text.split("\n")[line - 1]
    before, after = raw[: spot.column - 1], raw[spot.column - 1 + len(word) :]
    if key := re.search(r"([A-Za-z_]+):\s*[\"']?$", before):
        kinds = {"tool": "tool", "agent": "agent", "playbook": "playbook", "transfer": "playbook"}
        return Named(kinds[key[1]], word, spot) if key[1] in kinds else None
    if re.match(r"\s*:", after):
        return Named("key", word, spot)
    if re.search(r"\|\s*$", before) and word in FILTERS:
        return Named("filter", word, spot)
    return Named("field", word, spot) if before.endswith(".") else None


def spots_of(text: str, what: str, name: str) -> list[Spot]:
    """Everywhere that a step or an input of the file is named, its own place first."""
    sketch = read(text)
    if not isinstance(sketch, Sketch):
        return []
    pairs = _steps(sketch) if what == "step" else _inputs(sketch)
    return [spot for found, spots in pairs if found.lstrip(".") == name for spot in spots]


def why_not_named(text: str, named: Named, new: str) -> str:
    """Why a step or an input cannot be called otherwise; empty where it can.

    Args:
        text: the file.
        named: the step or the input.
        new: what it is to be called.
    """
    if NAME.fullmatch(new) is None:
        return f"{new[:80]!r} is no name: it takes letters, digits and '_', 64 at the most, and begins with no digit"
    sketch = read(text)
    if not isinstance(sketch, Sketch) or new == named.name:
        return ""
    taken = sketch.steps if named.what == "step" else sketch.definition.inputs
    what = "a step" if named.what == "step" else "an input"
    return f"there is {what} {new!r} already: choose another name" if new in taken else ""


def spots_in_tests(text: str, what: str, name: str) -> list[Spot]:
    """Everywhere that a step or an input of a playbook is named in the file of its tests.

    Args:
        text: that file.
        what: `step` or `input`.
        name: its name.
    """
    node = read_nodes(text.removeprefix("\ufeff"), most_bytes=MAX_PLAYBOOK_BYTES, most_deep=_MOST_DEEP)
    cases = node.items if isinstance(node, YamlList) else []
    found = [named for case in cases if isinstance(case, YamlMap) for named in _named_in(case, what)]
    wanted = re.compile(rf"[\"']?(?P<name>{re.escape(name)})(?![\w-])")
    spots: list[Spot] = []
    for one in found:
        raw = text.split("\n")[one.place.line - 1]
        if (hit := wanted.match(raw, one.place.column - 1)) is not None:
            spots.append(Spot(one.place.line, hit.start("name") + 1, len(name)))
    return spots


def _named_in(case: YamlMap, what: str) -> Iterator[YamlScalar]:
    """What stands in a test where steps, or inputs, are named."""
    keys = {key.text: value for key, value in case.items}
    by_name = keys.get("inputs" if what == "input" else "fixtures")
    if isinstance(by_name, YamlMap):
        yield from (key for key, _ in by_name.items)
    expected = keys.get("expect")
    for key, value in expected.items if isinstance(expected, YamlMap) and what == "step" else ():
        if key.text in ("path", "skipped", "failed") and isinstance(value, YamlList):
            yield from (item for item in value.items if isinstance(item, YamlScalar))


def told_of(text: str, named: Named, known: KnownNames) -> str:
    """What is told of a name, as Markdown; empty for nothing.

    Args:
        text: the file.
        named: the name.
        known: what names are held against.
    """
    match named.what:
        case "step":
            return _told_of_step(text, named.name)
        case "input":
            sketch = read(text)
            spec = sketch.definition.inputs.get(named.name) if isinstance(sketch, Sketch) else None
            return f"input `{named.name}`: {spec.type}\n\n{spec.description}".rstrip() if spec is not None else ""
        case "tool":
            return _told_of_tool(named.name, known)
        case "playbook":
            inputs = (known.playbooks or {}).get(named.name)
            listed = "".join(f"\n- `{name}`: {spec.type}" for name, spec in (inputs or {}).items())
            return f"playbook `{named.name}`{listed}" if inputs is not None else ""
        case "filter":
            return f"`{named.name}`: {FILTERS[named.name].about}"
        case "key":
            return _told_of_key(text, named)
        case "field":
            fields = {**STEP_FIELDS, **LOOP_FIELDS, **RUN_FIELDS}
            return f"`{named.name}`: {fields[named.name]}" if named.name in fields else ""
    return ""


def keys_of(step: StepAt | None) -> dict[str, str]:
    """What each key of a step is for; of the playbook itself for None."""
    keys = PLAYBOOK if step is None else (*STEP, *KINDS.get(step.kind, ()))
    return {key.name: key.about for key in keys}


def step_around(sketch: Sketch, line: int) -> StepAt | None:
    """The innermost step that a line stands in."""
    found = [at for at in sketch.root.walk() if at.node.place.line <= line <= _last_line(sketch, at)]
    return max(found, key=lambda at: (at.node.place.line, at.node.place.column), default=None)


# ------------------------------------------------------------------------------------------------------------- private


def _last_line(sketch: Sketch, at: StepAt) -> int:
    return sketch.text.count("\n", 0, at.node.place.end) + 1


def _told_of_step(text: str, name: str) -> str:
    sketch = read(text)
    at = sketch.steps.get(name) if isinstance(sketch, Sketch) else None
    if at is None:
        return ""
    title = at.step.title if at.step is not None and at.step.title else ""
    return f"step `{name}`: {at.kind}, in line {at.place.line}" + (f"\n\n{title}" if title else "")


def _told_of_tool(name: str, known: KnownNames) -> str:
    tool = (known.tools or {}).get(name)
    if tool is None:
        return ""
    properties = tool.schema.get("properties")
    required = tool.schema.get("required")
    needed = required if isinstance(required, list) else []
    listed = [
        f"- `{key}`{' *' if key in needed else ''}: {said.get('description', said.get('type', ''))}"
        for key, said in (properties.items() if isinstance(properties, dict) else ())
        if isinstance(said, dict)
    ]
    gives = [f"- `result.{key}`" for key in tool.gives]
    return "\n".join([f"tool `{name}` ({tool.effect})", "", *listed, *gives])


def _told_of_key(text: str, named: Named) -> str:
    sketch = read(text)
    step = step_around(sketch, named.spot.line) if isinstance(sketch, Sketch) else None
    indent = len(text.split("\n")[named.spot.line - 1]) - len(text.split("\n")[named.spot.line - 1].lstrip())
    found = keys_of(None if indent == 0 else step)
    parts = {key.name: key.about for keys in (*PARTS.values(), *TRIGGERS.values()) for key in keys}
    about = found.get(named.name) or parts.get(named.name, "")
    return f"`{named.name}`: {about}" if about else ""


def _steps(sketch: Sketch) -> Iterator[tuple[str, list[Spot]]]:
    """Each step with everywhere that it is named."""
    for id_, at in sketch.steps.items():
        spots = [Spot(at.place.line, at.place.column, len(id_))]
        for step in sketch.root.walk():
            for need in step.needs:
                if need.written and need.need.step == id_:
                    spots += _stands(sketch.text, need.place, id_)
        spots += _in_expressions(sketch, "steps", id_)
        yield id_, list(dict.fromkeys(spots))


def _inputs(sketch: Sketch) -> Iterator[tuple[str, list[Spot]]]:
    """Each input, with a dot before its name, and everywhere that it is named."""
    node = sketch.keys["inputs"][1] if "inputs" in sketch.keys else None
    for key, _ in node.items if isinstance(node, YamlMap) else ():
        if NAME.fullmatch(key.text):
            own = Spot(key.place.line, key.place.column, len(key.text))
            yield f".{key.text}", [own, *_in_expressions(sketch, "inputs", key.text)]


def _stands(text: str, place: YamlPlace, word: str) -> Iterator[Spot]:
    """A need's step, also where how it has to end stands with it."""
    raw = text.split("\n")[place.line - 1]
    found = re.compile(rf"\{{?\s*[\"']?(?P<name>{re.escape(word)})").match(raw, place.column - 1)
    if found is not None:
        yield Spot(place.line, found.start("name") + 1, len(word))


def _in_expressions(sketch: Sketch, of: str, name: str) -> Iterator[Spot]:
    """Where an expression names a field of `steps` or `inputs`."""
    wanted = re.compile(rf"(?<![\w.]){of}\s*(?:\.\s*|\[\s*\\?['\"])(?P<name>{re.escape(name)})(?!\w)")
    for use in sketch.uses:
        raw = sketch.text[use.node.place.start : use.node.place.end]
        for found in wanted.finditer(raw):
            yield Spot(*at_offset(use.node, raw, found.start("name")), len(name))
