"""Reads the tests of a playbook, and finds everything that is wrong with them, each with its place. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Final, cast, get_args

from sulla.agent.model.retry import FailureClass
from sulla.agent.spec import SULLA
from sulla.core.errors import SullaError
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.units import MICRO
from sulla.definitions.yaml_text import YamlFault, YamlList, YamlMap, YamlNode, YamlScalar, read_nodes
from sulla.playbooks.definition import (
    AgentStep,
    ConditionStep,
    Definition,
    PlaybookStep,
    Step,
    ToolStep,
    TransferStep,
)
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.file.form import MAX_PLAYBOOK_BYTES, TRIGGERS, Key
from sulla.playbooks.file.read import fits
from sulla.playbooks.file.read_values import FileReading
from sulla.playbooks.machine.plan import build
from sulla.playbooks.machine.records import NOTHING, Failure, Spent
from sulla.playbooks.rehearsal.base import BEGINS_MS, FIXTURE_REASON, RehearsedAnswer, kind_of_step
from sulla.playbooks.rehearsal.cases import FOR_AGENT, FOR_TOOL, Case, ExpectedOutcome, Fixture, What, split_route
from sulla.playbooks.rehearsal.cases_form import CALL, CASE, ERROR, EXPECT, FIXTURE, MAX_CASES
from sulla.tools.nearest import did_you_mean

_MOST_DEEP: Final = 40

_VALUES: Final = ("output", "answer", "route")
_STATUSES: Final = ("completed", "failed", "waiting")
_SAME: Final = re.compile(r"@[0-9.]+")
_OUTWARD: Final = frozenset({"agent", "tool", "router", "condition", "playbook", "human", "respond", "prompt"})

Find = Callable[[str], Definition]


def read_cases(text: str, definition: Definition, find: Find) -> tuple[tuple[Case, ...], tuple[PlaybookFault, ...]]:
    """Read the tests of a playbook.

    Args:
        text: the file.
        definition: the playbook that is tested.
        find: gives the playbook of a name; raises a `SullaError` if there is none.

    Returns:
        The cases, and what is wrong with them; none of them may be run if anything is.
    """
    node = read_nodes(text.removeprefix("\ufeff"), most_bytes=MAX_PLAYBOOK_BYTES, most_deep=_MOST_DEEP)
    if isinstance(node, YamlFault):
        return (), (PlaybookFault(node.line, node.column, "yaml", node.message),)
    if not isinstance(node, YamlList) or not node.items:
        return (), (PlaybookFault(1, 1, "yaml", "expected a list of tests, such as `- name: all goes well`"),)
    reader = _Reader(text, definition, find)
    cases = tuple(case for item in node.items if (case := reader.case(item)) is not None)
    if len(node.items) > MAX_CASES:
        reader.reading.fault(node.items[MAX_CASES].place, "size", f"a file has {MAX_CASES} tests at the most")
    return cases, tuple(sorted(set(reader.reading.faults)))


class _Reader:
    def __init__(self, text: str, definition: Definition, find: Find) -> None:
        self.reading = FileReading(text)
        self._definition = definition
        self._find = find
        self._names: set[str] = set()
        self._steps: dict[str, dict[str, Step]] = {}

    def case(self, node: YamlNode) -> Case | None:
        reading = self.reading
        keys = reading.keys(node, CASE, "a test")
        if keys is None:
            return None
        name = reading.text(keys["name"][1], "name") if "name" in keys else ""
        if name in self._names:
            reading.fault(keys["name"][1].place, "double-id", f"another test is called {name[:60]!r} already")
        self._names.add(name)
        trigger = reading.word_of(keys["trigger"][1], "trigger", tuple(TRIGGERS)) if "trigger" in keys else "manual"
        fixtures = reading.pairs(keys["fixtures"][1], "fixtures") or {} if "fixtures" in keys else {}
        expect = reading.keys(keys["expect"][1], EXPECT, "expect") or {} if "expect" in keys else {}
        return Case(
            name=name,
            line=node.place.line,
            column=node.place.column,
            inputs=self._inputs(keys["inputs"][1]) if "inputs" in keys else {},
            trigger=trigger,
            payload=reading.json(keys["payload"][1]) if "payload" in keys else None,
            request={name: reading.json(keys[name][1]) for name in ("headers", "query") if name in keys},
            at_ms=self._moment(keys["at"][1]) if "at" in keys else BEGINS_MS,
            fixtures={word: self._fixture(word, key, value) for word, (key, value) in fixtures.items()},
            expect=tuple(
                ExpectedOutcome(cast("What", word), self._wanted(word, value), value.place.line, value.place.column)
                for word, (_, value) in expect.items()
                if word in _EXPECTED
            ),
        )

    def _inputs(self, node: YamlNode) -> FrozenJson:
        found = self.reading.pairs(node, "inputs") or {}
        specs = self._definition.inputs
        values: dict[str, Json] = {}
        for name, (key, value) in found.items():
            values[name] = self.reading.json(value)
            if name not in specs:
                meant = did_you_mean(name, specs)
                said = f"the playbook {self._definition.name!r} has no input {name[:60]!r}.{meant}"
                self.reading.fault(key.place, "argument", said.rstrip("."))
            elif values[name] is not None and not fits(specs[name].type, values[name]):
                kind = specs[name].type
                self.reading.fault(value.place, "type", f"the input {name!r} takes {kind}; this is none")
        return values

    def _moment(self, node: YamlNode) -> int:
        try:
            moment = datetime.fromisoformat(node.text) if isinstance(node, YamlScalar) else None
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            self.reading.wrong(node, "at", "a time with its zone, such as 2030-01-31T09:00:00+01:00")
            return BEGINS_MS
        return round(moment.timestamp() * 1000)

    # -------------------------------------------------------------------------------------------------------- fixtures

    def _fixture(self, word: str, key: YamlScalar, node: YamlNode) -> Fixture:
        form = FIXTURE if self._is_of_tool(word, key) else tuple(one for one in FIXTURE if one.name != "result")
        if isinstance(node, YamlList):
            if not node.items:
                self.reading.wrong(node, word, "an entry for each attempt or pass; an empty list is `output: []`")
            return Fixture(
                key.place.line, tuple(self._entry(item, form) for item in node.items) or (RehearsedAnswer(),), each=True
            )
        return Fixture(key.place.line, (self._entry(node, form),), each=False)

    def _entry(self, node: YamlNode, form: tuple[Key, ...]) -> RehearsedAnswer:
        """A value, or what says more of it."""
        reading = self.reading
        words = {key.text for key, _ in node.items} if isinstance(node, YamlMap) else set()
        if not words & {key.name for key in form}:
            return RehearsedAnswer(reading.json(node))
        what = "a fixture (an output that has such keys itself stands below `output`)"
        keys = reading.keys(node, form, what) or {}
        said = [name for name in (*_VALUES, "error") if name in keys]
        if len(said) > 1:
            reading.fault(keys[said[1]][0].place, "value", f"a fixture comes to one thing: {said[0]!r} or {said[1]!r}")
        if {"result", "error"} <= keys.keys():
            said_twice = "a step that fails has no `result`: what a command came to stands in the message of its error"
            reading.fault(keys["result"][0].place, "value", said_twice)
        value = next((reading.json(keys[name][1]) for name in _VALUES if name in keys), None)
        result = reading.json(keys["result"][1]) if "result" in keys else None
        if "result" in keys and not isinstance(result, dict):
            reading.wrong(keys["result"][1], "result", "the values of a tool, by name")
        tokens = (
            int(reading.number(keys["tokens"][1], Key("tokens", "number", "", high=10**9))) if "tokens" in keys else 0
        )
        money = Key("cost", "money", "", high=1_000_000)
        cost = reading.number(keys["cost"][1], money, whole_one=False) if "cost" in keys else 0
        return RehearsedAnswer(
            value,
            result if isinstance(result, dict) else None,
            self._error(keys["error"][1]) if "error" in keys else None,
            self._after(keys["after"][1]) if "after" in keys else 0,
            Spent(tokens, round(cost * MICRO)) if tokens or cost else NOTHING,
        )

    def _after(self, node: YamlNode) -> int | None:
        if isinstance(node, YamlScalar) and node.text == "never":
            return None
        return round(self.reading.duration(node, "after", least_s=0) * 1000)

    def _error(self, node: YamlNode) -> Failure:
        reading = self.reading
        if isinstance(node, YamlScalar):
            return Failure("permanent", FIXTURE_REASON, reading.text(node, "error"))
        keys = reading.keys(node, ERROR, "an error") or {}
        kinds = get_args(FailureClass)
        kind = reading.word_of(keys["kind"][1], "kind", kinds) if "kind" in keys else "permanent"
        reason = reading.text(keys["reason"][1], "reason") if "reason" in keys else FIXTURE_REASON
        message = reading.text(keys["message"][1], "message") if "message" in keys else "it failed, as the test says"
        return Failure(cast("FailureClass", kind if kind in kinds else "permanent"), reason, message)

    def _is_of_tool(self, word: str, key: YamlScalar) -> bool:
        """Whether a fixture stands for the call of a tool; a fault if it stands for nothing."""
        for mark, rule, names in (
            (FOR_TOOL, "unknown-tool", self._all(lambda step: getattr(step.does, "tool", None))),
            (FOR_AGENT, "unknown-agent", self._all(_agent_of)),
        ):
            if word.startswith(mark):
                if word.removeprefix(mark) not in names:
                    meant = did_you_mean(word.removeprefix(mark), names)
                    self.reading.fault(
                        key.place, rule, f"no step has the {mark[:-1]} {word[5:65]!r}.{meant}".rstrip(".")
                    )
                return mark == FOR_TOOL
        step = self._step(word, key)
        if step is not None and (
            kind_of_step(step) not in _OUTWARD or (isinstance(step.does, ConditionStep) and step.does.question is None)
        ):
            kind = kind_of_step(step)
            self.reading.fault(key.place, "value", f"{word!r} is a {kind}, which is worked out: it takes no fixture")
        return step is not None and isinstance(step.does, ToolStep)

    def _all(self, pick: Callable[[Step], str | None]) -> set[str]:
        """What the steps of the playbook, and of those within it, have."""
        return {found for steps in self._playbooks() for step in steps.values() if (found := pick(step)) is not None}

    def _playbooks(self) -> Iterator[Mapping[str, Step]]:
        ahead, seen = [self._definition.name], set[str]()
        while ahead:
            name = ahead.pop()
            if name not in seen:
                seen.add(name)
                steps = self._steps_of(name)
                yield steps
                ahead += [
                    step.does.playbook for step in steps.values() if isinstance(step.does, PlaybookStep | TransferStep)
                ]

    def _steps_of(self, name: str) -> Mapping[str, Step]:
        """By id; none of a playbook that is not there, which its own check tells."""
        if name not in self._steps:
            try:
                definition = self._definition if name == self._definition.name else self._find(name)
                self._steps[name] = {id_: node.step for id_, node in build(definition).nodes.items()}
            except SullaError:
                self._steps[name] = {}
        return self._steps[name]

    def _step(self, word: str, key: YamlNode) -> Step | None:
        """The step of an address; a fault if there is none."""
        steps, step = self._steps_of(self._definition.name), None
        parts = _SAME.sub("", word).split("/")
        for number, part in enumerate(parts):
            step = steps.get(part)
            inner = step.does.playbook if step and isinstance(step.does, PlaybookStep | TransferStep) else None
            if step is None or (inner is None and number + 1 < len(parts)):
                meant = did_you_mean(part, steps) if step is None else f" {part!r} is no playbook's step."
                self.reading.fault(key.place, "unknown-step", f"there is no step {word[:80]!r}.{meant}".rstrip("."))
                return None
            steps = self._steps_of(inner) if inner is not None else {}
        return step

    # --------------------------------------------------------------------------------------------------------- expected

    def _wanted(self, word: str, node: YamlNode) -> Json:
        return _EXPECTED[word](self, word, node)

    def _status(self, word: str, node: YamlNode) -> Json:
        return self.reading.word_of(node, word, _STATUSES)

    def _text(self, word: str, node: YamlNode) -> Json:
        return self.reading.text(node, word)

    def _outputs(self, word: str, node: YamlNode) -> Json:
        found = self.reading.pairs(node, word) or {}
        known = self._definition.outputs
        if not any(isinstance(step.does, TransferStep) for step in self._definition.steps):
            for name in [name for name in found if name not in known]:
                said = f"the playbook gives back no {name[:60]!r}.{did_you_mean(name, known)}"
                self.reading.fault(found[name][0].place, "argument", said.rstrip("."))
        return {name: self.reading.json(value) for name, (_, value) in found.items()}

    def _steps_named(self, word: str, node: YamlNode) -> Json:
        def one(item: YamlNode) -> str:
            text = self.reading.text(item, word)
            if text:
                self._step(split_route(text)[0], item)
            return text

        return list(self.reading.listed(node, word, one))

    def _calls(self, word: str, node: YamlNode) -> Json:
        def one(item: YamlNode) -> Json:
            if isinstance(item, YamlScalar):
                return {"tool": self.reading.text(item, word)}
            keys = self.reading.keys(item, CALL, "a call") or {}
            found: dict[str, Json] = {"tool": self.reading.text(keys["tool"][1], "tool") if "tool" in keys else ""}
            if "with" in keys:
                pairs = self.reading.pairs(keys["with"][1], "with") or {}
                found["with"] = {name: self.reading.json(value) for name, (_, value) in pairs.items()}
            return found

        return list(self.reading.listed(node, word, one))

    def _texts(self, word: str, node: YamlNode) -> Json:
        return list(self.reading.listed(node, word, lambda item: self.reading.text(item, word)))

    def _time(self, word: str, node: YamlNode) -> Json:
        return round(self.reading.duration(node, word, least_s=0) * 1000)


_EXPECTED: Final[Mapping[str, Callable[[_Reader, str, YamlNode], Json]]] = {
    "status": _Reader._status,
    "reason": _Reader._text,
    "outputs": _Reader._outputs,
    "path": _Reader._steps_named,
    "skipped": _Reader._steps_named,
    "failed": _Reader._steps_named,
    "calls": _Reader._calls,
    "told": _Reader._texts,
    "took": _Reader._time,
}


def _agent_of(step: Step) -> str | None:
    return (step.does.agent or SULLA.id) if isinstance(step.does, AgentStep) else None
