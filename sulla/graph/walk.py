"""The cursor of a walk: where it stands, where it goes next, why it stops. Never awaits, never reads a clock. Pure."""

from __future__ import annotations

from typing import Generic, Literal, Protocol, TypeVar

from sulla.core.dataclass import dataclass
from sulla.core.errors import GraphError, NoSuchNode
from sulla.core.ids import NodeId
from sulla.graph.decision import Continue, Decision, EndWalk, Goto, Next, Revise, Target
from sulla.graph.graph import Graph, Node
from sulla.graph.limits import GraphLimits, LimitName, LimitReason

Why = Literal[
    "ended",
    "cycle_complete",
    "waiting_for_user",
    "drained",
    "repeat_limit",
    "step_limit",
    "time_limit",
    "token_limit",
]


class WalkState(Protocol):
    """What a walk keeps of a run, so that it outlives the walk, and what ends it."""

    @property
    def cycle_complete(self) -> bool:
        """Stop before the next node."""

    @property
    def waiting_for_user(self) -> bool:
        """Stop before the input node."""

    node: NodeId
    """Kept by the walk: the node that runs, or that was to run next. A resumed run enters there."""
    iterations: int
    """Kept by the walk: executions of nodes in this run."""
    consecutive_same_node: int
    """Kept by the walk: how often `node` has already run in a row and was to run again."""


class GraphState(Protocol):
    """All that the engine sees of a state, however large the rest of it is."""

    @property
    def walk(self) -> WalkState:
        """The same one for as long as a walk goes on."""


S = TypeVar("S", bound=GraphState)


@dataclass(frozen=True, slots=True)
class WalkStop:
    """Why and where a walk stopped."""

    why: Why
    node: NodeId
    """The last node that ran if the walk `ended`, else the one that was to run next."""
    steps: int
    """Executions of nodes in this walk; earlier walks of the same run don't count."""
    over: LimitReason | None = None
    """For a limit: which one, and by how much."""

    def __str__(self) -> str:
        """One line for people."""
        line = f"{self.why} at node {self.node!r} after {self.steps} steps"
        return line if self.over is None else f"{line}: {self.over}"


_WHY: dict[LimitName, Why] = {
    "max_repeat": "repeat_limit",
    "max_steps": "step_limit",
    "wall_s": "time_limit",
    "tokens": "token_limit",
}


class GraphWalk(Generic[S]):
    """One walk through a graph: `enter` once, then run `node` and `advance` in turns until there is a `WalkStop`.

    Args:
        graph: where to walk.
        state: what the edges read. The walk keeps its counters there, so that they outlive it.
        start: the node to re-enter, with the counters as the state has them; None begins at the entry, with none.
        limits: what the run may use.

    Raises:
        NoSuchNode: `start` is not a node of the graph.
    """

    __slots__ = (
        "_first",
        "_graph",
        "_limits",
        "_max_steps",
        "_stage",
        "_stages",
        "_state",
        "_tokens",
        "_walk",
        "_wall_s",
        "at",
        "node",
    )

    at: NodeId
    """Where the walk stands."""
    node: Node[S]
    """The node there."""

    def __init__(self, graph: Graph[S], state: S, *, start: NodeId | None, limits: GraphLimits) -> None:
        self._graph = graph
        self._state = state
        walk = self._walk = state.walk
        self._limits = limits
        self._max_steps, self._wall_s, self._tokens = limits.max_steps, limits.wall_s, limits.tokens
        self._stages = graph.stages
        self.at = graph.entry if start is None else start
        if self.at not in self._stages:
            raise NoSuchNode(f"cannot start at {start!r}: {self._unknown()}")
        if start is None:
            walk.iterations = 0
        if start is None or walk.node != start:
            walk.consecutive_same_node = 0
        walk.node = self.at
        self._first = walk.iterations
        self._stage = self._stages[self.at]
        self.node = self._stage[0]

    def enter(self, elapsed_s: float, tokens: int, draining: bool) -> WalkStop | None:
        """Look whether the node at `at` may run, and count it if so.

        Args:
            elapsed_s: seconds since the run began.
            tokens: what the run has used.
            draining: whether the run was asked to stop at a step border.

        Returns:
            None if the node is to be run now, else why not.
        """
        walk = self._walk
        if walk.cycle_complete:
            return self._stop("cycle_complete")
        if walk.waiting_for_user and self.at == self._graph.input_node:
            return self._stop("waiting_for_user")
        over = self._limits.check(walk.iterations, elapsed_s, tokens)
        if over is not None:
            return self._stop(_WHY[over.limit], over)
        if draining:
            return self._stop("drained")
        walk.iterations += 1
        return None

    def advance(self, decision: Decision, elapsed_s: float, tokens: int, draining: bool) -> WalkStop | None:
        """Take what the node decided, move on, and `enter` the node reached.

        Returns:
            None if the node at `at` is to be run now, else why the walk is over.

        Raises:
            NoSuchNode: the decision or the edge leads to a node that the graph does not have.
            GraphError: `decision` is not a decision.
        """
        walk = self._walk
        if type(decision) is Next:
            _, target, choose, targets = self._stage
            if choose is not None:
                target = choose(self._state)
                if target not in targets:
                    self._check_choice(target, targets)
        else:
            target = self._decided(decision)
        if target == self.at:
            walk.consecutive_same_node += 1
            if walk.consecutive_same_node >= self._graph.max_repeat:
                return self._stop(
                    "repeat_limit", LimitReason("max_repeat", self._graph.max_repeat, walk.consecutive_same_node)
                )
        elif type(target) is EndWalk:
            return self._stop("ended")
        else:
            walk.consecutive_same_node = 0
            self.at = walk.node = target
            self._stage = self._stages[target]
            self.node = self._stage[0]
        # `enter` decides; what follows only knows the usual case, where it has nothing to stop for, without the call.
        done = walk.iterations
        if (
            draining
            or walk.cycle_complete
            or walk.waiting_for_user
            or done >= self._max_steps
            or elapsed_s >= self._wall_s
            or tokens >= self._tokens
        ):
            return self.enter(elapsed_s, tokens, draining)
        walk.iterations = done + 1
        return None

    def _decided(self, decision: Decision) -> Target:
        match decision:
            case EndWalk():
                return decision
            case Continue():
                return self.at
            case Goto(node):
                if node not in self._stages:
                    raise NoSuchNode(f"node {self.at!r} decided to go to {node!r}: {self._unknown()}")
                return node
            case Revise():
                if self._graph.reviser is None:
                    raise NoSuchNode(f"node {self.at!r} decided to revise, but the graph declares no reviser")
                return self._graph.reviser
            case _:
                raise GraphError(
                    f"node {self.at!r} returned {decision!r}; expected EndWalk, Next, Continue, Goto or Revise"
                )

    def _check_choice(self, target: Target, declared: tuple[Target, ...]) -> None:
        if declared:
            named = ", ".join(map(repr, declared))
            raise NoSuchNode(f"the edge from {self.at!r} chose {target!r}; it declares {named}")
        if not isinstance(target, EndWalk) and target not in self._stages:
            raise NoSuchNode(f"the edge from {self.at!r} chose {target!r}: {self._unknown()}")

    def _unknown(self) -> str:
        return f"not a node of this graph (nodes: {', '.join(map(repr, self._stages))})"

    def _stop(self, why: Why, over: LimitReason | None = None) -> WalkStop:
        return WalkStop(why, self.at, self._walk.iterations - self._first, over)
