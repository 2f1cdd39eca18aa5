"""Reads what a step does: one function for each kind. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Final, Literal, cast

from sulla.definitions.yaml_text import YamlList, YamlMap, YamlNode, YamlScalar
from sulla.playbooks.definition import (
    MAX_BRANCHES,
    MAX_PASSES,
    OPENS,
    AgentStep,
    BreakStep,
    ConditionStep,
    FailStep,
    Given,
    HumanStep,
    Kind,
    LoopStep,
    MergeStep,
    ParallelStep,
    PlaybookStep,
    PromptStep,
    RespondStep,
    RouterStep,
    SetStep,
    Template,
    ToolStep,
    TransferStep,
    WaitStep,
    moment_of,
)
from sulla.playbooks.expression.grammar import MAX_EXPRESSION_CHARS
from sulla.playbooks.file.form import PARTS, PLAYBOOK_NAME, ROUTE, TAKEN_NAMES, WORD, Key
from sulla.playbooks.file.read_schema import read_schema
from sulla.playbooks.file.read_sketch import Keys, Role, StepAt
from sulla.playbooks.file.read_values import FileReading
from sulla.tools.nearest import did_you_mean

ReadBlock = Callable[[YamlNode, StepAt], None]
"""Reads a list of steps within a step, and adds it to its blocks."""

_PLAYBOOK_MADE_OF: Final = "small letters, digits, '-' and '_'"


def _agent(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    keys = at.keys
    name = keys["agent"][1]
    empty = isinstance(name, YamlScalar) and name.value is None
    tools = keys.get("tools")
    output = keys.get("output")
    return AgentStep(
        prompt=_template(reading, at, "prompt") or Template(""),
        agent="" if empty else reading.named(name, "agent", WORD, "an agent's id"),
        tools=None if tools is None else reading.listed(tools[1], "tools", lambda item: reading.text(item, "tools")),
        before=_template(reading, at, "before"),
        after=_template(reading, at, "after"),
        success=_template(reading, at, "success"),
        output=None if output is None else read_schema(reading, output[1], "output"),
        memory="memory" in keys and reading.flag(keys["memory"][1], "memory"),
        model=reading.model(keys["model"][1]) if "model" in keys else "",
    )


def _template(reading: FileReading, at: StepAt, key: str) -> Template | None:
    return reading.template(at.keys[key][1], key, "prompt", at) if key in at.keys else None


def _tool(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    check = at.keys.get("check")
    found = "schema" if check is None else reading.word_of(check[1], "check", ("schema", "orchestrator"))
    return ToolStep(
        reading.named(at.keys["tool"][1], "tool", WORD, "a tool's name"),
        _args(reading, at, "args"),
        cast("Literal['schema', 'orchestrator']", found),
        "cut" in at.keys and reading.word_of(at.keys["cut"][1], "cut", ("fail", "allow")) == "allow",
    )


def _args(reading: FileReading, at: StepAt, role: Role) -> Mapping[str, Given]:
    return reading.args(at.keys["with"][1], "with", role, at) if "with" in at.keys else {}


def _router(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    question = reading.template(at.keys["router"][1], "router", "prompt", at)
    routes: dict[str, str] = {}
    if "routes" in at.keys:
        node = at.keys["routes"][1]
        found = (reading.pairs(node, "routes") or {}) if not isinstance(node, YamlList) else {}
        if isinstance(node, YamlList):
            reading.wrong(
                node, "routes", "each way by its name and what it is for, {sales: wants to buy, other: anything else}"
            )
        for name, (key, value) in found.items():
            reading.named(key, "routes", ROUTE, "letters, digits, '_' and '-'")
            routes[name] = reading.text(value, f"routes.{name}")
        if isinstance(node, YamlMap) and len(routes) < 2:
            reading.fault(node.place, "value", f"routes: a router chooses between two ways or more, got {len(routes)}")
    default = ""
    if "default" in at.keys:
        node = at.keys["default"][1]
        default = reading.text(node, "default")
        if default and routes and default not in routes:
            meant = did_you_mean(default, routes) or f" Known: {', '.join(routes)}."
            reading.fault(node.place, "unknown-route", f"default: there is no way {default!r}.{meant}")
    return RouterStep(question, routes, default)


def _condition(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    node = at.keys["condition"][1]
    if isinstance(node, YamlMap):
        found = reading.keys(node, PARTS["condition"], "condition") or {}
        asked = found.get("ask")
        return ConditionStep(
            question=Template("") if asked is None else reading.template(asked[1], "ask", "prompt", at)
        )
    if isinstance(node, YamlScalar) and isinstance(node.value, str) and OPENS not in node.value:
        reading.wrong(node, "condition", "an expression such as ${{ inputs.n > 3 }}, or {ask: …} for a model to say")
        return ConditionStep(test=Template("${{ false }}"))
    return ConditionStep(test=reading.expression(node, "condition", "when", at))


def _parallel(reading: FileReading, at: StepAt, block: ReadBlock) -> Kind:
    node = at.keys["parallel"][1]
    if isinstance(node, YamlList) or (
        isinstance(node, YamlMap) and "branches" not in {key.text for key, _ in node.items}
    ):
        reading.wrong(node, "parallel", "lists of steps by name, {branches: {one: [steps], two: [steps]}}")
        # What stands there is read all the same, so that nobody is told of steps that are not there.
        found: Keys = {"branches": (at.keys["parallel"][0], node)} if isinstance(node, YamlMap) else {}
    else:
        found = reading.keys(node, PARTS["parallel"], "parallel") or {}
    branches = reading.pairs(found["branches"][1], "branches") or {} if "branches" in found else {}
    if "branches" in found and isinstance(found["branches"][1], YamlMap) and not 1 <= len(branches) <= MAX_BRANCHES:
        place = found["branches"][1].place
        reading.fault(place, "size", f"branches: expected 1 to {MAX_BRANCHES}, got {len(branches)}")
    for key, steps in branches.values():
        reading.named(key, "branches")
        block(steps, at)
    return ParallelStep(dict.fromkeys(branches, ()))


def _merge(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    node, rest = at.keys["merge"][1], at.keys.get("rest")
    value = node.value if isinstance(node, YamlScalar) else None
    goes_on = rest is not None and reading.word_of(rest[1], "rest", ("cancel", "go_on")) == "go_on"
    if isinstance(value, str) and value in ("all", "first"):
        return MergeStep(cast("Literal['all', 'first']", value), goes_on)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return MergeStep(value, goes_on)
    reading.wrong(node, "merge", "all, first, or how many")
    return MergeStep()


def _loop(reading: FileReading, at: StepAt, block: ReadBlock) -> Kind:
    node = at.keys["loop"][1]
    found = reading.keys(node, PARTS["loop"], "loop") or {}
    by_name = {key.name: key for key in PARTS["loop"]}
    ways = [name for name in ("count", "while", "for_each", "matrix") if name in found]
    if isinstance(node, YamlMap) and len(ways) != 1:
        place = found[ways[1]][0].place if ways else node.place
        reading.fault(
            place,
            "value",
            f"loop: expected one of count, while, for_each and matrix, got {' and '.join(ways) or 'none'}",
        )
    for name in ("as", "at_once"):
        if name in found and ways and not {"for_each", "matrix"} & set(ways):
            reading.fault(found[name][0].place, "value", f"loop: {name!r} goes with for_each and matrix alone")
    name = "item"
    if "as" in found:
        name = reading.named(found["as"][1], "as")
        if name in TAKEN_NAMES:
            reading.fault(found["as"][1].place, "name", f"as: {name!r} already means something; choose another name")
    if "steps" in found:
        block(found["steps"][1], at)
    default = LoopStep(())
    each = found["for_each"][1] if "for_each" in found else None
    literal = _literal(reading, each) if isinstance(each, YamlList) else None
    return LoopStep(
        body=(),
        count=_count(reading, at, found["count"][1]) if "count" in found else None,
        while_=reading.expression(found["while"][1], "while", "while", at) if "while" in found else None,
        for_each=literal or (None if each is None or isinstance(each, YamlList) else _each(reading, at, each)),
        entries=_entries(reading, at, each) if isinstance(each, YamlList) and literal is None else None,
        matrix=_matrix(reading, at, found["matrix"][1]) if "matrix" in found else None,
        name=name,
        at_once=int(reading.number(found["at_once"][1], by_name["at_once"])) if "at_once" in found else default.at_once,
        most=_most(reading, found, by_name["most"], default.most),
    )


def _most(reading: FileReading, found: Keys, key: Key, default: int) -> int:
    if key.name in found:
        return int(reading.number(found[key.name][1], key))
    count = found["count"][1] if "count" in found else None
    # A count that is written out is its own bound.
    written = count.value if isinstance(count, YamlScalar) else None
    return max(default, written) if isinstance(written, int) and written <= MAX_PASSES else default


def _count(reading: FileReading, at: StepAt, node: YamlNode) -> Template:
    if isinstance(node, YamlScalar) and isinstance(node.value, str) and OPENS in node.value:
        return reading.expression(node, "count", "when", at, "integer")
    passes = int(reading.number(node, Key("count", "number", "", low=1, high=MAX_PASSES)))
    return Template(f"${{{{ {passes} }}}}")


def _each(reading: FileReading, at: StepAt, node: YamlNode) -> Template:
    return reading.expression(node, "for_each", "when", at, "list")


def _literal(reading: FileReading, node: YamlNode) -> Template | None:
    """A short list of plain values as the expression that it is; None for any other."""
    written = json.dumps(reading.json(node), ensure_ascii=False)
    literal = re.sub(r'"(?:\\.|[^"\\])*"|null', lambda word: "none" if word[0] == "null" else word[0], written)
    objects = "{" in re.sub(r'"(?:\\.|[^"\\])*"', "", literal)
    return (
        None
        if OPENS in written or len(literal) + 2 > MAX_EXPRESSION_CHARS or objects
        else Template(f"${{{{ {literal} }}}}")
    )


def _entries(reading: FileReading, at: StepAt, node: YamlList) -> tuple[Given, ...]:
    return tuple(reading.given(item, "when", at) for item in node.items)


def _matrix(reading: FileReading, at: StepAt, node: YamlNode) -> Mapping[str, Given]:
    found = reading.pairs(node, "matrix") or {}
    if isinstance(node, YamlMap) and not found:
        reading.wrong(node, "matrix", "lists by name, such as {zone: [eu, us], size: [s, l]}")
    lists: dict[str, Given] = {}
    for name, (key, value) in found.items():
        reading.named(key, "matrix")
        if isinstance(value, YamlList):
            lists[name] = _entries(reading, at, value)
        else:
            lists[name] = reading.expression(value, f"matrix.{name}", "when", at, "list")
    return lists


def _break(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    node = at.keys["break"][1]
    if not isinstance(node, YamlScalar) or (node.value is not None and node.value is not True):
        reading.wrong(node, "break", "true; say when with `when`")
    return BreakStep()


def _set(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    return SetStep(reading.args(at.keys["set"][1], "set", "values", at))


def _fail(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    return FailStep(reading.template(at.keys["fail"][1], "fail", "prompt", at))


def _playbook(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    name = reading.named(at.keys["playbook"][1], "playbook", PLAYBOOK_NAME, _PLAYBOOK_MADE_OF)
    return PlaybookStep(name, _args(reading, at, "inputs"))


def _transfer(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    name = reading.named(at.keys["transfer"][1], "transfer", PLAYBOOK_NAME, _PLAYBOOK_MADE_OF)
    return TransferStep(name, _args(reading, at, "inputs"))


def _wait(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    node = at.keys["wait"][1]
    if isinstance(node, YamlMap):
        found = reading.keys(node, PARTS["wait"], "wait") or {}
        until = found.get("until")
        if until is None:
            return WaitStep(until=Template(""))
        if isinstance(until[1], YamlScalar) and OPENS not in until[1].text and moment_of(until[1].text) is None:
            reading.wrong(
                until[1], "until", "a time with its zone, such as 2030-01-31T09:00:00+01:00, or an expression"
            )
        return WaitStep(until=reading.template(until[1], "until", "when", at, "string"))
    if isinstance(node, YamlScalar) and OPENS in node.text:
        return WaitStep(seconds=reading.expression(node, "wait", "when", at, "duration"))
    return WaitStep(seconds=Template(f"${{{{ {int(reading.duration(node, 'wait'))} }}}}"))


def _human(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    question = reading.template(at.keys["human"][1], "human", "prompt", at)
    choices: tuple[str, ...] = ()
    if "choices" in at.keys:
        node = at.keys["choices"][1]
        choices = reading.listed(node, "choices", lambda item: reading.text(item, "choices"), least=2)
        if len(set(choices)) < len(choices):
            reading.fault(node.place, "value", "choices: one of them stands there twice")
        if "input" in at.keys:
            reading.fault(at.keys["input"][0].place, "value", "a person either chooses or writes: choices or input")
    schema = at.keys.get("input")
    expires: float | None = HumanStep(question).expires_s
    if "expires" in at.keys:
        node = at.keys["expires"][1]
        never = isinstance(node, YamlScalar) and node.text == "never"
        expires = None if never else reading.duration(node, "expires")
    return HumanStep(question, choices, None if schema is None else read_schema(reading, schema[1], "input"), expires)


def _respond(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    return RespondStep(reading.template(at.keys["respond"][1], "respond", "prompt", at))


def _prompt(reading: FileReading, at: StepAt, _: ReadBlock) -> Kind:
    return PromptStep(reading.template(at.keys["prompt"][1], "prompt", "prompt", at))


KIND_READERS: Final[Mapping[str, Callable[[FileReading, StepAt, ReadBlock], Kind]]] = {
    "agent": _agent,
    "tool": _tool,
    "router": _router,
    "condition": _condition,
    "parallel": _parallel,
    "merge": _merge,
    "loop": _loop,
    "break": _break,
    "set": _set,
    "fail": _fail,
    "playbook": _playbook,
    "transfer": _transfer,
    "wait": _wait,
    "human": _human,
    "respond": _respond,
    "prompt": _prompt,
}
"""Each takes a step that has the kind's key."""
