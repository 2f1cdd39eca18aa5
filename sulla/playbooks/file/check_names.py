"""Whether what expressions name is there, and when. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final

from sulla.definitions.yaml_text import YamlMap, YamlScalar
from sulla.playbooks.definition import HumanStep, LoopStep, MergeStep, RouterStep
from sulla.playbooks.expression.expression import ExpressionSpot
from sulla.playbooks.expression.tree import (
    Compare,
    Conditional,
    Const,
    Field,
    Is,
    Items,
    Path,
    Tree,
    parts_of,
    paths_of,
)
from sulla.playbooks.file.check_errors import filtered, lacks_error
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.file.check_order import StepOrder
from sulla.playbooks.file.check_skipped import may_be_skipped
from sulla.playbooks.file.form import LOOP_FIELDS, RUN_FIELDS, STEP_FIELDS
from sulla.playbooks.file.read_sketch import Sketch, StepAt, Use, place_of
from sulla.playbooks.file.read_steps import routes_of
from sulla.playbooks.machine.state import StepStatus
from sulla.playbooks.webhook_key import LEAST_KEY_BYTES
from sulla.tools.nearest import did_you_mean

_WHOLE_WORDS: Final = 3
"""``steps``, the step and its ``output``; what lies deeper is looked into."""
_WRITTEN: Final = re.compile(r"\$\{\{ \d+ \}\}")
"""A count that is written out, as it is kept."""
_WHOLE: Final = (("output",), ("result",))
_ENDS: Final = (("error",), ("status",), ("route",), ("tries",))


class Names:
    """Looks through all expressions of a file."""

    def __init__(self, sketch: Sketch, order: StepOrder, known: KnownNames, faults: list[PlaybookFault]) -> None:
        self._sketch = sketch
        self._order = order
        self._known = known
        self._faults = faults
        self._secrets: set[str] = set()

    def check(self) -> None:
        """Note what is not there."""
        for use in self._sketch.uses:
            for number, (_, tree) in enumerate(use.trees):
                for path in paths_of(tree):
                    self._path(use, number, path)
                    if why := lacks_error(use, tree, path, self._sketch, self._order):
                        self._fault(use, number, str(path), "unguarded", why)
                for path in filtered(tree):
                    target = self._sketch.steps.get(str(path.words[1]))
                    if target is not None and self._been(use, target.id):
                        self._unguarded(use, number, path, target)
                for path, texts in _compared(tree):
                    self._values(use, number, path, texts)
        self._declared_secrets()

    def _fault(self, use: Use, number: int, word: str, rule: str, message: str) -> None:
        line, column = place_of(self._sketch.text, use.node, number, word)
        self._faults.append(PlaybookFault(line, column, rule, f"in {_shown(use, number)}: {message}"))

    def _path(self, use: Use, number: int, path: Path) -> None:
        first = path.words[0]
        names = names_at(use)
        if first not in names:
            self._fault(use, number, str(first), "unknown-name", _no_name(str(first), names))
            return
        match first:
            case "steps":
                self._step(use, number, path)
            case "secrets":
                self._secret(use, number, path)
            case "inputs":
                self._field(use, number, path, self._sketch.definition.inputs)
            case "loop":
                self._field(use, number, path, LOOP_FIELDS)
            case "run":
                self._field(use, number, path, RUN_FIELDS)

    def _field(self, use: Use, number: int, path: Path, known: Collection[str]) -> None:
        """The field of something of which all fields are known."""
        if len(path.words) > 1 and str(path.words[1]) not in known:
            meant = did_you_mean(str(path.words[1]), known) or f" Known: {', '.join(known) or 'none'}."
            if path.words[:2] == ("loop", "item"):
                meant = " The entry itself is `item`, or what the loop's `as` calls it."
            word = f"{path.words[0]}.{path.words[1]}"
            self._fault(use, number, word, "unknown-name", f"{path.words[0]} has no {path.words[1]!r}.{meant}")

    # ------------------------------------------------------------------------------------------------------------ steps

    def _step(self, use: Use, number: int, path: Path) -> None:
        if len(path.words) == 1 or not isinstance(path.words[1], str):
            self._fault(use, number, "steps", "unknown-name", "say which step: steps.<id>.output")
            return
        name = path.words[1]
        target = self._sketch.steps.get(name)
        word = f"steps.{name}"
        if target is None:
            meant = did_you_mean(name, self._sketch.steps) or f" Known: {', '.join(list(self._sketch.steps)[:10])}."
            self._fault(use, number, word, "unknown-step", f"there is no step {name!r}.{meant}")
            return
        if len(path.words) == 2:
            message = f"say what of it: {', '.join(f'{word}.{field}' for field in STEP_FIELDS)}"
            self._fault(use, number, word, "unknown-name", message)
        elif path.words[2] not in STEP_FIELDS:
            meant = did_you_mean(str(path.words[2]), STEP_FIELDS) or f" Known: {', '.join(STEP_FIELDS)}."
            word = f"{word}.{path.words[2]}"
            self._fault(use, number, word, "unknown-name", f"a step has no {path.words[2]!r}.{meant}")
        elif path.words[2] == "route" and target.does is not None and not routes_of(target):
            self._fault(
                use, number, word, "unknown-name", f"{name!r} goes no way of its own: it is a step {_a(target)}"
            )
        elif path.words[2] in ("output", "result") and not path.optional and self._order.has_failed(name, use.step):
            message = f"{name!r} has failed here, so its {path.words[2]} is null; why it failed is {word}.error.message"
            self._fault(use, number, f"{word}.{path.words[2]}", "failed-output", message)
        if not self._been(use, name):
            self._fault(use, number, f"steps.{name}", "too-early", self._early(use, name))
        elif path.words[2:3] in (("output",), ("result",)) and len(path.words) > _WHOLE_WORDS and not path.optional:
            self._unguarded(use, number, path, target)

    def _unguarded(self, use: Use, number: int, path: Path, target: StepAt) -> None:
        """Whether a step may have come to nothing here, and nobody in the file looks at that."""
        loops = (owner for owner in _owners(target) if owner.kind == "loop" and not self._has_passes(owner, target))
        apart = next((loop for loop in loops if use.step is not loop and not _has(loop, use.step)), None)
        goes_on = target.step is not None and target.step.on_failure == "go_on"
        merged = isinstance(target.does, MergeStep) and target.does.need != "first"
        said = target
        if merged:  # it comes to an object of those that were not skipped, by their names
            target = self._sketch.steps.get(
                str(path.words[_WHOLE_WORDS]) if len(path.words) > _WHOLE_WORDS else "", target
            )
        ways = self._order.ways.get(use.step.id, {}) if use.step is not None else {}
        skipped = may_be_skipped(target, use.step, self._sketch, ways)
        if target.id in self._guarded:
            return
        if merged and target is not said:
            if skipped:
                message = f"{said.id!r} has no {target.id!r} where that was skipped: say what then"
                message += f", such as `{path} | default('')`"
                self._fault(use, number, str(path), "unguarded", message)
            return
        if goes_on:
            why, when = "goes on where it has failed", "has failed"
        elif apart is not None:
            why, when = f"stands in the loop {apart.id!r}", "has no pass"
        elif skipped:
            why, when = "need not be done on the way to here", "was skipped"
        else:
            return
        word = ".".join(map(str, path.words[:_WHOLE_WORDS]))
        message = (
            f"{target.id!r} {why}, and {word} is null where it {when}: say what then, such as `{path} | default('')`"
            + (f", or ask for `steps.{target.id}.error` first" if goes_on else "")
        )
        self._fault(use, number, str(path), "unguarded", message)

    def _has_passes(self, loop: StepAt, target: StepAt) -> bool:
        """Whether a loop has a pass in any case, and a step in it its turn before one is broken off."""
        does = loop.does
        if not isinstance(does, LoopStep) or not (
            does.entries or (does.count and _WRITTEN.fullmatch(does.count.source))
        ):
            return False
        breaks = (step for block in loop.blocks for step in block.walk() if step.kind == "break")
        return all(self._order.has_been(target.id, step) for step in breaks)

    @cached_property
    def _guarded(self) -> frozenset[str]:
        """The steps of which somebody in the file asks how they ended."""
        found: set[str] = set()
        for use in self._sketch.uses:
            for path in (path for _, tree in use.trees for path in paths_of(tree)):
                named = len(path.words) > 1 and path.words[0] == "steps"
                if named and (use.role in ("when", "while") or path.words[2:3] in _ENDS):
                    found.add(str(path.words[1]))
            for path in (path for _, tree in use.trees for path in _tested(tree)):
                if path.words[0] == "steps" and path.words[2:] in _WHOLE:
                    found.add(str(path.words[1]))
        return frozenset(found)

    def _been(self, use: Use, name: str) -> bool:
        step = use.step
        if use.role == "while" and step is not None and _lies_in(self._sketch.steps[name], step):
            return True  # the pass before is seen
        return self._order.has_been(name, step)

    def _early(self, use: Use, name: str) -> str:
        step = use.step
        target = self._sketch.steps[name]
        if step is None or target is step:
            return f"{name!r} is this step itself, and has no output yet"
        if _lies_in(step, target):
            return f"{name!r} is what this step stands in, and has not ended yet; the pass before is loop.last"
        if step.id and self._order.has_been(step.id, target):
            return f"{name!r} has its turn after {step.id!r}; within a loop the pass before is loop.last"
        return f"{name!r} need not have had its turn when {step.id!r} has its own; add it to `needs`"

    def _values(self, use: Use, number: int, path: Path, texts: tuple[str, ...]) -> None:
        """What a value of which all that it can be is known is compared with."""
        rule, known = self._possible(path)
        for text in texts:
            if known and text not in known:
                meant = did_you_mean(text, known) or f" It has {', '.join(known)}."
                what = (
                    f"{path.words[1]!r} has no way {text!r}" if rule == "unknown-route" else f"{path} is never {text!r}"
                )
                self._fault(use, number, str(path), rule, f"{what}.{meant}")

    def _possible(self, path: Path) -> tuple[str, Collection[str]]:
        """The rule for what a path may be compared with, and all that it may be; nothing where nobody knows."""
        match path.words:
            case ("steps", str(name), "route"):
                target = self._sketch.steps.get(name)
                return "unknown-route", () if target is None else routes_of(target)
            case ("steps", str(name), "output"):
                target = self._sketch.steps.get(name)
                chooses = target is not None and (
                    isinstance(target.does, RouterStep) or (isinstance(target.does, HumanStep) and target.does.choices)
                )
                return "unknown-route", routes_of(target) if target is not None and chooses else ()
            case ("steps", str(), "status"):
                return "never", [status.name.lower() for status in StepStatus]
            case ("inputs", str(name)):
                spec = self._sketch.definition.inputs.get(name)
                return "never", [str(choice) for choice in spec.choices] if spec is not None else ()
        return "never", ()

    # ---------------------------------------------------------------------------------------------------------- secrets

    def _secret(self, use: Use, number: int, path: Path) -> None:
        declared = self._sketch.definition.secrets
        if len(path.words) < 2:
            self._fault(use, number, "secrets", "secret-place", "say which secret: secrets.<name>")
            return
        name, word = str(path.words[1]), f"secrets.{path.words[1]}"
        self._secrets.add(name)
        if name not in declared:
            meant = did_you_mean(name, declared) or f" Add it: `secrets: [{', '.join([*declared, name])}]`."
            self._fault(use, number, word, "secret-unknown", f"the secret {name!r} is not declared.{meant}")
        if use.role != "args":
            message = "secrets stand in the arguments of tools alone, where no model reads them"
            self._fault(use, number, word, "secret-place", message)
        elif not isinstance(use.trees[number][1], Field):
            # What is made of a secret is not known as one any more, and would not be kept out of logs.
            message = f"a secret stands alone in its expression: ${{{{ {word} }}}}; text may stand around that"
            self._fault(use, number, word, "secret-place", message)

    def _declared_secrets(self) -> None:
        """Declared ones that are not used, or that nobody knows."""
        definition = self._sketch.definition
        self._secrets |= {trigger.text for trigger in definition.on if trigger.kind == "webhook"}
        for trigger, (_, _, place) in zip(definition.on, self._sketch.triggers, strict=False):
            if trigger.kind == "webhook" and trigger.text not in definition.secrets:
                meant = did_you_mean(trigger.text, definition.secrets) or f" Add it: `secrets: [{trigger.text}]`."
                message = f"webhook: the secret {trigger.text!r} is not declared.{meant}"
                self._faults.append(PlaybookFault(*place, "secret-unknown", message))
            elif trigger.kind == "webhook" and trigger.text in self._known.short_secrets:
                message = (
                    f"webhook: the secret {trigger.text!r} is too short: make one of at least {LEAST_KEY_BYTES} bytes"
                )
                self._faults.append(PlaybookFault(*place, "secret-short", message))
        if "secrets" not in self._sketch.keys:
            return
        node = self._sketch.keys["secrets"][1]
        for item in node.items if not isinstance(node, YamlScalar | YamlMap) else []:
            name = item.text if isinstance(item, YamlScalar) else ""
            if self._known.secrets is not None and name not in self._known.secrets:
                meant = did_you_mean(name, self._known.secrets) or (
                    f" Set it in [playbooks.secrets] of sulla.toml, or as SULLA_SECRET_{name.upper()}."
                )
                message = f"this home has no secret {name!r}.{meant}"
                self._faults.append(PlaybookFault(item.place.line, item.place.column, "not-set-up", message))
            elif name and name not in self._secrets:
                message = f"the secret {name!r} is never used; take it out"
                self._faults.append(PlaybookFault(item.place.line, item.place.column, "secret-unused", message))


def names_at(use: Use) -> tuple[str, ...]:
    """The names that an expression may begin with where it stands."""
    if use.role == "key":
        return ("inputs", "run")  # it is worked out before there is anything else
    names = ["inputs", "steps", "secrets", "run"]
    step = use.step
    if step is not None and use.role == "while":
        names.append("loop")
    while step is not None and step.block.owner is not None:
        step = step.block.owner
        if isinstance(step.does, LoopStep) or step.kind == "loop":
            names.append("loop")
            names.extend(_item(step))
    return tuple(dict.fromkeys(names))


def _item(loop: StepAt) -> list[str]:
    """What the entry of a loop is called. Its own step is not whole yet while what stands in it is read."""
    node = loop.keys["loop"][1]
    keys: Mapping[str, object] = {key.text: value for key, value in node.items} if isinstance(node, YamlMap) else {}
    if not {"for_each", "matrix"} & keys.keys():
        return []
    name = keys.get("as")
    return [name.text if isinstance(name, YamlScalar) else "item"]


def _no_name(name: str, names: tuple[str, ...]) -> str:
    if name == "loop":
        return "'loop' is there within a loop alone"
    if name == "item":
        return "'item' is there within a loop with `for_each` or `matrix` alone, where `as` gives it no other name"
    meant = did_you_mean(name, names) or f" Known: {', '.join(names)}; text stands in quotes."
    return f"there is no {name!r}.{meant}"


def _a(step: StepAt) -> str:
    return f"of the kind {step.kind!r}"


def _lies_in(step: StepAt, outer: StepAt) -> bool:
    return any(owner is outer for owner in _owners(step))


def _has(outer: StepAt, step: StepAt | None) -> bool:
    return step is not None and _lies_in(step, outer)


def _owners(step: StepAt) -> Iterator[StepAt]:
    """The steps that it stands in, from within."""
    while (owner := step.block.owner) is not None:
        yield owner
        step = owner


def _shown(use: Use, number: int) -> ExpressionSpot:
    return use.trees[number][0]


def _compared(tree: Tree) -> Iterable[tuple[Path, tuple[str, ...]]]:
    """What is looked up and compared, and the words that it is compared with."""
    waiting = [tree]
    while waiting:
        at = waiting.pop()
        waiting.extend(parts_of(at))
        if isinstance(at, Compare) and len(at.others) == 1:
            how, right = at.others[0]
            pairs = [(at.first, right)] if isinstance(right, Items) else [(at.first, right), (right, at.first)]
            if how not in (("in", "not in") if isinstance(right, Items) else ("==", "!=")):
                continue
            for one, other in pairs:
                path = next(paths_of(one), None)
                if path is not None and isinstance(one, Field) and isinstance(one.key, Const):
                    yield path, _texts(other)


def _texts(tree: Tree) -> tuple[str, ...]:
    if isinstance(tree, Const):
        return (tree.value,) if isinstance(tree.value, str) else ()
    return tuple(text for item in tree.items for text in _texts(item)) if isinstance(tree, Items) else ()


def _tested(tree: Tree) -> Iterator[Path]:
    """What an expression asks of a value before it uses it: ``steps.a.output is not none``."""
    if isinstance(tree, Conditional):
        yield from paths_of(tree.test)
    elif isinstance(tree, Is | Compare):
        yield from paths_of(tree)
    for part in parts_of(tree):
        yield from _tested(part)
