"""A playbook's file as it was read, with the place of everything: what is checked, and made a definition of. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Literal

from sulla.core.dataclass import dataclass
from sulla.definitions.yaml_text import YamlMap, YamlNode, YamlPlace, YamlScalar
from sulla.playbooks.definition import OPENS, Definition, Kind, Need, Step
from sulla.playbooks.expression.expression import ExpressionSpot
from sulla.playbooks.expression.tree import Tree
from sulla.playbooks.file.check_fault import PlaybookFault

Keys = dict[str, tuple[YamlScalar, YamlNode]]
"""What stands behind each key, and the key itself."""

Role = Literal["prompt", "args", "inputs", "values", "when", "while", "outputs", "key"]
"""What a template is for: a text for a model or a person, a tool's arguments, the inputs of another playbook, values
that are made of others, what a step needs to begin, whether a loop goes on, what the playbook gives back, which of its
runs count together."""


@dataclass(slots=True, eq=False)
class Use:
    """A template in its place."""

    node: YamlScalar
    role: Role
    step: StepAt | None
    """Whose it is; None for the playbook's own."""
    whole: bool
    """Whether it is a single expression."""
    wants: str
    """The type that it has to have, in the words of `expression_types`; ``any`` for any."""
    trees: list[tuple[ExpressionSpot, Tree]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class NeedAt:
    """A need in its place."""

    need: Need
    place: YamlPlace
    written: bool
    """Whether it stands in the file; else it is the step above."""


@dataclass(slots=True, eq=False)
class StepAt:
    """A step in its place."""

    id: str
    node: YamlMap
    keys: Keys
    block: BlockAt
    kind: str = ""
    does: Kind | None = None
    step: Step | None = None
    needs: list[NeedAt] = field(default_factory=list, init=False)
    blocks: list[BlockAt] = field(default_factory=list, init=False)
    """Of a loop its body, of a parallel step its branches."""

    @property
    def place(self) -> YamlPlace:
        """Where its id stands, else where it begins."""
        return self.keys["id"][1].place if "id" in self.keys else self.node.place


@dataclass(slots=True, eq=False)
class BlockAt:
    """Steps beside each other."""

    owner: StepAt | None
    place: YamlPlace
    steps: list[StepAt] = field(default_factory=list)
    closing: list[BlockAt] = field(default_factory=list, init=False)
    """Of the playbook's own: `on_error` and `finally`, as far as it has them."""

    def walk(self) -> Iterator[StepAt]:
        """All steps, those within others included, as they are written."""
        for step in self.steps:
            yield step
            for block in step.blocks:
                yield from block.walk()
        for block in self.closing:
            yield from block.walk()


@dataclass(slots=True, eq=False)
class Sketch:
    """What was read."""

    text: str
    keys: Keys
    root: BlockAt
    steps: dict[str, StepAt]
    """By id; of two with the same one the first."""
    definition: Definition
    uses: list[Use]
    faults: list[PlaybookFault]
    triggers: list[tuple[str, Keys, tuple[int, int]]]
    """Of each trigger: its kind, what it gives, and where it stands."""
    use_at: dict[int, Use] = field(init=False)
    """Templates by where they begin."""
    watched: set[str] = field(init=False)
    """The steps for whose failure another one waits."""

    def __post_init__(self) -> None:
        self.use_at = {use.node.place.start: use for use in self.uses}
        self.watched = {at.need.step for step in self.root.walk() for at in step.needs if at.need.on == "failure"}


def place_of(text: str, node: YamlScalar, number: int, word: str = "") -> tuple[int, int]:
    """Where the expression `number` of a scalar stands, or a word in it: line and column, from 1.

    Args:
        text: the file.
        node: the scalar, in whatever style it is written.
        number: which of its expressions, from 0.
        word: a name such as ``steps.kind``; the expression's beginning if it is not found.
    """
    raw = text[node.place.start : node.place.end]
    at = -1
    for _ in range(number + 1):
        at = raw.find(OPENS, at + 1)
    if at < 0:  # written with escapes: the value's own place is the best there is
        return node.place.line, node.place.column
    if word:
        spelled = r"\s*(?:\.|\[\s*\\?['\"]?)\s*".join(re.escape(part) for part in word.split("."))
        found = re.compile(rf"(?<![\w.]){spelled}(?!\w)").search(raw, at)
        at = found.start() if found is not None else at
    return at_offset(node, raw, at)


def at_offset(node: YamlScalar, raw: str, at: int) -> tuple[int, int]:
    """Line and column of an offset in a scalar as it is written."""
    line_begins = raw.rfind("\n", 0, at) + 1
    if not line_begins:
        return node.place.line, node.place.column + at
    return node.place.line + raw.count("\n", 0, at), at - line_begins + 1
