"""A playbook made ready to be walked: numbers and counters in the place of names. Pure.

Built once for a definition, shared by all of its runs. What a step costs afterwards depends on what it needs and on
what needs it, and not on how many others there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import GraphError
from sulla.core.jsontypes import FrozenJson
from sulla.playbooks.definition import (
    MAX_DEPTH,
    MAX_STEPS,
    AgentStep,
    ConditionStep,
    Definition,
    HumanStep,
    LoopStep,
    MergeStep,
    Need,
    ParallelStep,
    PlaybookStep,
    PromptStep,
    RespondStep,
    RouterStep,
    Step,
    ToolStep,
    WaitStep,
    When,
)
from sulla.playbooks.machine.scope import given_of

_OUTWARD: Final = frozenset(
    {AgentStep, ToolStep, RouterStep, PlaybookStep, WaitStep, HumanStep, RespondStep, PromptStep}
)
"""Kinds for which somebody else does something."""
_PARKED: Final = frozenset({WaitStep, HumanStep, PlaybookStep})
"""Kinds that take no place among those that run side by side: they hold nothing while they wait."""

ON_ERROR: Final = "on_error"
FINALLY: Final = "finally"
MAX_NESTING: Final = MAX_DEPTH
"""Loops and branches within each other."""


@dataclass(frozen=True, slots=True)
class PlanEdge:
    """Who is to be told how a step ended, and what they want to hear."""

    to: int
    on: When
    route: str


class PlanNode:
    """A step in its place. Written while the plan is built, and never again.

    Args:
        step: as it is written.
        number: among the steps of its block.
        block: where it stands.
    """

    __slots__ = (
        *("block", "direct", "edges", "follows", "given", "inner", "needs", "number", "outward", "quota", "step"),
        "takes_place",
    )

    def __init__(self, step: Step, number: int, block: Block) -> None:
        self.step = step
        self.number = number
        self.block = block
        self.needs: tuple[tuple[int, Need], ...] = ()
        """What it needs, each with the number of that step."""
        self.edges: tuple[PlanEdge, ...] = ()
        self.follows: tuple[int, ...] | None = None
        """Whom to tell, where all that need it want it to succeed, by whatever way; else None."""
        self.inner: tuple[Block, ...] = ()
        does = step.does
        asked = isinstance(does, ConditionStep) and does.test is None
        self.outward = asked or type(does) in _OUTWARD
        """Whether somebody else does something for it."""
        self.direct = self.outward and not (asked or isinstance(does, RouterStep | HumanStep))
        """Whether it has ended as soon as somebody says so; else its end is an answer that has to be one of several."""
        self.takes_place = self.outward and type(does) not in _PARKED
        """Whether it counts among those that run side by side."""
        self.quota = 0
        """Of a merge: how many it waits for, -1 for all; 0 for any other step."""
        self.given: FrozenJson | None = None
        """What it works with, where it can begin without a look at anything but its needs; else None."""
        if isinstance(does, MergeStep):
            self.quota = {"all": -1, "first": 1}.get(does.need, 0) if isinstance(does.need, str) else does.need
        elif self.takes_place and step.when is None and step.timeout_s is None and step.budget.wall_s is None:
            self.given = given_of(does)


@dataclass(slots=True, eq=False)
class Block:
    """Steps that begin and end together: of the whole playbook, of a branch, of a loop's pass."""

    name: str
    """The branch's; at the top empty, or one of `ON_ERROR` and `FINALLY`."""
    nodes: list[PlanNode] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A definition, ready to be walked."""

    definition: Definition
    root: Block
    nodes: dict[str, PlanNode]
    """All of them, by their ids."""
    owners: dict[str, str]
    """The loop or the parallel step that a step stands directly in, by ids; those at the top are not there."""
    on_error: Block
    finally_: Block
    closing: frozenset[str]
    """The ids of all steps in these two."""

    def closing_blocks(self, status: str, *, unbegun: bool = False) -> list[Block]:
        """What there is to do at the end of a run, in its order.

        Args:
            status: how it is to end.
            unbegun: whether nothing of it was done: then nothing has to be cleaned up.
        """
        wanted = [self.on_error] if status == "failed" else []
        return [block for block in (*wanted, *(() if unbegun else (self.finally_,))) if block.nodes]


def build(definition: Definition) -> Plan:
    """Make a definition ready.

    Raises:
        GraphError: it cannot be walked: an id twice, a need of what is not beside the step, a ring, too many steps, or
            too deep in each other.
    """
    nodes: dict[str, PlanNode] = {}
    owners: dict[str, str] = {}
    root = _block("", definition.steps, nodes, owners, 0)
    own = frozenset(nodes)
    on_error = _block(ON_ERROR, definition.on_error, nodes, owners, 0)
    finally_ = _block(FINALLY, definition.finally_, nodes, owners, 0)
    return Plan(definition, root, nodes, owners, on_error, finally_, frozenset(nodes) - own)


def _block(name: str, steps: Sequence[Step], nodes: dict[str, PlanNode], owners: dict[str, str], depth: int) -> Block:
    if depth > MAX_NESTING:
        raise GraphError(f"loops and branches lie more than {MAX_NESTING} deep in each other")
    block = Block(name)
    here: dict[str, PlanNode] = {}
    for number, step in enumerate(steps):
        if step.id in nodes:
            raise GraphError(f"two steps are called {step.id!r}")
        node = PlanNode(step, number, block)
        here[step.id] = nodes[step.id] = node
        block.nodes.append(node)
    if len(nodes) > MAX_STEPS:
        raise GraphError(f"a playbook has {MAX_STEPS} steps at the most")
    _connect(block, here)
    _refuse_rings(block)
    for node in block.nodes:
        node.inner = tuple(_block(inner, of, nodes, owners, depth + 1) for inner, of in _within(node.step))
        owners.update((child.step.id, node.step.id) for inside in node.inner for child in inside.nodes)
    return block


def _within(step: Step) -> Iterable[tuple[str, Sequence[Step]]]:
    if isinstance(step.does, ParallelStep):
        return step.does.branches.items()
    return [("", step.does.body)] if isinstance(step.does, LoopStep) else []


def _connect(block: Block, here: dict[str, PlanNode]) -> None:
    edges: list[list[PlanEdge]] = [[] for _ in block.nodes]
    for node in block.nodes:
        node.needs = tuple((here[need.step].number, need) for need in node.step.needs if need.step in here)
        for need in node.step.needs:
            before = here.get(need.step)
            if before is None:
                raise GraphError(f"step {node.step.id!r} needs {need.step!r}, which does not stand beside it")
            edges[before.number].append(PlanEdge(node.number, need.on, need.route))
    for node, found in zip(block.nodes, edges, strict=True):
        node.edges = tuple(found)
        if all(edge.on == "success" and not edge.route for edge in found):
            node.follows = tuple(edge.to for edge in found)


def _refuse_rings(block: Block) -> None:
    left = [len(node.step.needs) for node in block.nodes]
    ready = [number for number, count in enumerate(left) if not count]
    for number in ready:  # grows while it is walked
        for edge in block.nodes[number].edges:
            left[edge.to] -= 1
            if not left[edge.to]:
                ready.append(edge.to)
    if len(ready) < len(left):
        ring = ", ".join(repr(node.step.id) for node, count in zip(block.nodes, left, strict=True) if count)
        raise GraphError(f"these steps wait for each other in a ring: {ring:.300}; what repeats belongs into a loop")
