"""A cancellation that nobody asked for ends the turn, wherever it comes from; it is not taken up again for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

import pytest

from sulla.agent.turn.actor import Actor
from sulla.agent.turn.graph import create_agent_graph
from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import AgentNode, Opened
from sulla.agent.turn.route import AGENT, INPUT_HANDLER
from sulla.core.run import Run
from sulla.graph.decision import Decision
from sulla.graph.draft import GraphDraft
from sulla.graph.graph import Node
from sulla.models.base import ChatRequest, Delta, PromptSection
from sulla.store.memory import MemoryStore
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.state import ThreadState


async def node(state: ThreadState, run: Run) -> Decision:
    raise asyncio.CancelledError


async def cancels_itself(state: ThreadState, run: Run) -> Decision:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await run.clock.sleep(1)
    raise AssertionError("it was cancelled")


async def leaves(state: ThreadState, run: Run) -> Decision:
    raise SystemExit(3)


async def opening(state: ThreadState, run: Run) -> Opened:
    raise asyncio.CancelledError


def section() -> tuple[PromptSection, ...]:
    raise asyncio.CancelledError


def with_node(world: World, other: Node[ThreadState]) -> None:
    def patch(draft: GraphDraft[ThreadState]) -> GraphDraft[ThreadState]:
        draft.nodes[INPUT_HANDLER] = other
        return draft

    walk(world, usual(world), patch)


def usual(world: World) -> AgentNode:
    found = world.actors["sulla"].graph.nodes[AGENT]
    assert isinstance(found, AgentNode)
    return found


def walk(
    world: World, agent: AgentNode, patch: Callable[[GraphDraft[ThreadState]], GraphDraft[ThreadState]] | None = None
) -> None:
    graph = create_agent_graph(InputHandler(agent.chat), agent, patcher=patch)
    world.actors["sulla"] = Actor(world.actors["sulla"].spec, "scripted", graph)


def with_opening(world: World) -> None:
    walk(world, replace(usual(world), opening=opening))


def with_section(world: World) -> None:
    agent = usual(world)
    walk(world, replace(agent, chat=replace(agent.chat, known=section)))


async def cancelled() -> Delta:
    raise asyncio.CancelledError


class Cancelled(ScriptedProvider):
    """Its replies await what was cancelled."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        yield await cancelled()


@pytest.mark.parametrize(
    "broken",
    [
        lambda world: with_node(world, node),
        lambda world: with_node(world, cancels_itself),
        lambda world: with_node(world, leaves),
        with_opening,
        with_section,
        lambda world: None,
    ],
    ids=["node", "own task", "exit", "opening", "section", "model"],
)
async def test_what_is_cancelled_from_within_fails_its_turn(
    store: MemoryStore, broken: Callable[[World], object], caplog: pytest.LogCaptureFixture
) -> None:
    world = World(store, Cancelled())
    broken(world)
    thread = await world.thread()
    await world.ask(thread, "hi")
    *_, last = await world.log(thread)
    assert (last.kind, last.data["code"]) == ("RUN_ERROR", "internal")
    assert any(record.exc_info for record in caplog.records), "the log says where it came from"
    assert not await store.find(ready=True), "nobody takes it up again"
