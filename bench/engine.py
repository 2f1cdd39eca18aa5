"""The engine's step beside a bare loop that awaits the same nodes (design §5)."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import TypedDict

from bench.frame import Frame, Row, Work
from sulla.core.control import Control
from sulla.core.event import Fact, Moment
from sulla.core.ids import MessageId, NodeId, RunId, ThreadId
from sulla.core.message import Message, Text
from sulla.core.run import Run
from sulla.graph.decision import END, Decision, Next, Target
from sulla.graph.engine import GraphHooks, run_graph
from sulla.graph.graph import Edge, Graph, Node
from sulla.graph.limits import GraphLimits, RunMeter
from sulla.graph.walk import WalkStop
from sulla.host.system import SystemClock
from sulla.threads.log.state import ThreadWalk

NAME = "engine"

STEPS = 4_000
YIELDING_STEPS = 1_500
PEER_STEPS = 1_000
MESSAGES = 5_000

INPUT, AGENT = NodeId("input_handler"), NodeId("agent")


@dataclass(slots=True)
class State:
    """A state as the engine wants it, with a conversation that it must not notice."""

    rounds: int
    """How often the agent is still to run."""
    messages: list[Message] = field(default_factory=list)
    tokens: int = 0
    walk: ThreadWalk = field(default_factory=lambda: ThreadWalk(INPUT))


class _Silent:
    def note(self, *facts: Fact) -> None:
        """Nothing is kept."""

    async def commit(self, *facts: Fact) -> None:
        """Nothing is kept."""


def _emit(moment: Moment) -> None:
    pass


def _run() -> Run:
    return Run(RunId("run_1"), ThreadId("thr_1"), "bench", SystemClock(), Control(), _emit, _Silent())


# ------------------------------------------------------------------------------------------------------------ nodes


async def handle_input(state: State, run: Run) -> Decision:
    """Does nothing."""
    return Next()


async def be_agent(state: State, run: Run) -> Decision:
    """Does next to nothing."""
    state.rounds -= 1
    return Next()


async def handle_input_yielding(state: State, run: Run) -> Decision:
    """Lets the event loop have a turn."""
    await asyncio.sleep(0)
    return Next()


async def be_agent_yielding(state: State, run: Run) -> Decision:
    """Lets the event loop have a turn."""
    await asyncio.sleep(0)
    state.rounds -= 1
    return Next()


@dataclass(frozen=True, slots=True)
class InputHandler:
    """A node as Sulla writes them."""

    async def __call__(self, state: State, run: Run) -> Decision:
        """Does nothing."""
        return Next()


@dataclass(frozen=True, slots=True)
class Agent:
    """A node as Sulla writes them."""

    async def __call__(self, state: State, run: Run) -> Decision:
        """Does next to nothing."""
        state.rounds -= 1
        return Next()


def after_agent(state: State) -> Target:
    """Back to the input, or the end."""
    return INPUT if state.rounds > 0 else END


# -------------------------------------------------------------------------------------------------------- contenders


async def bare(first: Node[State], second: Node[State], state: State) -> None:
    """The limit: nothing but a loop."""
    run = _run()
    at: Node[State] | None = first
    while at is not None:
        await at(state, run)
        at = second if at is first else first if state.rounds > 0 else None


def engine(first: Node[State], second: Node[State], state: State) -> Coroutine[object, object, WalkStop]:
    """Everything on: hooks, abort, every limit, tokens counted."""
    return run_graph(
        _graph(first, second),
        state,
        _run(),
        limits=GraphLimits(max_steps=2 * state.rounds + 1),
        hooks=GraphHooks[State](lambda node, state: None, lambda node, state, decision: None),
        meter=RunMeter(tokens=lambda: state.tokens),
    )


def engine_alone(first: Node[State], second: Node[State], state: State) -> Coroutine[object, object, WalkStop]:
    """Without hooks and tokens; the rest cannot be switched off."""
    return run_graph(_graph(first, second), state, _run(), limits=GraphLimits(max_steps=2 * state.rounds + 1))


def _graph(first: Node[State], second: Node[State]) -> Graph[State]:
    edges = {INPUT: Edge[State](AGENT), AGENT: Edge(after_agent, (INPUT, END))}
    return Graph(INPUT, {INPUT: first, AGENT: second}, edges, input_node=INPUT)


def _work(
    loop: Callable[[Node[State], Node[State], State], Coroutine[object, object, WalkStop | None]],
    nodes: tuple[Node[State], Node[State]],
    steps: int,
    messages: tuple[Message, ...] = (),
) -> Work:
    async def work() -> None:
        stop = await loop(*nodes, state := State(steps // 2, list(messages)))
        assert state.rounds == 0, state.rounds
        assert stop is None or (stop.why, stop.steps) == ("ended", steps), stop

    return work


class PeerState(TypedDict):
    """The same for langgraph."""

    rounds: int


async def _peer_input(state: PeerState) -> dict[str, int]:
    return {}


async def _peer_agent(state: PeerState) -> dict[str, int]:
    return {"rounds": state["rounds"] - 1}


def _peers(frame: Frame) -> list[Row]:
    if importlib.util.find_spec("langgraph") is None:
        print("langgraph is not installed; the dependency group `peers` has it")
        return []
    # By name, at run time: nothing else in the repository needs it, so a type checker need not find it.
    langgraph = importlib.import_module("langgraph.graph")
    builder = langgraph.StateGraph(PeerState)
    builder.add_node(INPUT, _peer_input)
    builder.add_node(AGENT, _peer_agent)
    builder.add_edge(langgraph.START, INPUT)
    builder.add_edge(INPUT, AGENT)
    builder.add_conditional_edges(AGENT, lambda state: INPUT if state["rounds"] > 0 else langgraph.END)
    peer = builder.compile()

    async def walk() -> None:
        await peer.ainvoke({"rounds": PEER_STEPS // 2}, {"recursion_limit": 2 * PEER_STEPS})

    short = "engine, 1,000 steps"
    samples = frame.compare_cpu(
        {short: _work(engine, (handle_input, be_agent), PEER_STEPS), "langgraph, 1,000 steps": walk},
        PEER_STEPS,
        rounds=5,
    )
    return [samples.row(short), samples.row("langgraph, 1,000 steps", short)]


def run(frame: Frame) -> list[Row]:
    """The bars are issue 1's."""
    functions, objects = (handle_input, be_agent), (InputHandler(), Agent())
    yielding = (handle_input_yielding, be_agent_yielding)
    talk = tuple(Message(MessageId(f"msg_{n}"), "user", (Text("word " * 100),)) for n in range(MESSAGES))

    steps = frame.compare_cpu(
        {
            "bare loop": _work(bare, functions, STEPS),
            "engine, no hooks": _work(engine_alone, functions, STEPS),
            "engine": _work(engine, functions, STEPS),
            "bare loop, node objects": _work(bare, objects, STEPS),
            "engine, node objects": _work(engine, objects, STEPS),
            "engine, 5,000 messages": _work(engine, functions, STEPS, talk),
        },
        STEPS,
    )
    turns = frame.compare_cpu(
        {
            "bare loop, nodes yield": _work(bare, yielding, YIELDING_STEPS),
            "engine, nodes yield": _work(engine, yielding, YIELDING_STEPS),
        },
        YIELDING_STEPS,
    )
    return [
        steps.row("bare loop"),
        steps.row("engine, no hooks", "bare loop"),
        steps.row("engine", "bare loop", bar=5.0),
        steps.row("bare loop, node objects"),
        steps.row("engine, node objects", "bare loop, node objects", bar=5.0),
        steps.row("engine, 5,000 messages", "engine", bar=1.05),
        turns.row("bare loop, nodes yield"),
        turns.row("engine, nodes yield", "bare loop, nodes yield", bar=1.3),
        *(_peers(frame) if frame.peers else ()),
    ]
