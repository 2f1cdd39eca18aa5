"""A state, nodes that do as they are told, and a run without a daemon."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import TypeVar

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.event import Fact, Moment
from sulla.core.ids import NodeId, RunId, ThreadId
from sulla.core.run import Run
from sulla.graph.decision import Continue, Decision, EndWalk, Next
from sulla.testing.clock import ManualClock

T = TypeVar("T")

A, B, C = NodeId("a"), NodeId("b"), NodeId("c")
NEXT, CONTINUE, STOP = Next(), Continue(), EndWalk()


@dataclass(slots=True)
class Walk:
    """What the engine needs."""

    node: NodeId = NodeId("")
    iterations: int = 0
    consecutive_same_node: int = 0
    cycle_complete: bool = False
    waiting_for_user: bool = False


@dataclass(slots=True)
class State:
    """What the engine needs, and a trace of which nodes have run."""

    walk: Walk = field(default_factory=Walk)
    trace: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Does:
    """A node that leaves a trace, does `act` if there is one, and decides `decision`."""

    decision: Decision = NEXT
    act: Callable[[State, Run], None] | None = None

    async def __call__(self, state: State, run: Run) -> Decision:
        state.trace.append(state.walk.node)
        if self.act is not None:
            self.act(state, run)
        return self.decision


@dataclass(slots=True)
class Script:
    """A node that decides one thing after the other and fails when it is asked too often."""

    decisions: list[Decision]

    async def __call__(self, state: State, run: Run) -> Decision:
        state.trace.append(state.walk.node)
        return self.decisions.pop(0)


def times(count: int, decision: Decision, then: Decision) -> Script:
    """A node that decides `decision` `count` times, then `then` once."""
    return Script([decision] * count + [then])


class _NoJournal:
    def note(self, *facts: Fact) -> None:
        raise AssertionError(f"the engine wrote {facts!r}")

    async def commit(self, *facts: Fact) -> None:
        raise AssertionError(f"the engine wrote {facts!r}")


def make_run(control: Control | None = None, clock: Clock | None = None) -> Run:
    """A run whose journal and events the engine has no business with."""

    def emit(moment: Moment) -> None:
        raise AssertionError(f"the engine emitted {moment!r}")

    return Run(
        id=RunId("run_1"),
        thread_id=ThreadId("thr_1"),
        agent="nobody",
        clock=clock or ManualClock(),
        control=control or Control(),
        emit=emit,
        journal=_NoJournal(),
    )


def finish(coroutine: Coroutine[object, object, T]) -> T:
    """The result of a coroutine that never waits for anything; no event loop is needed for it."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise AssertionError("it waited")
