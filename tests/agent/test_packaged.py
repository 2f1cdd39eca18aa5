"""What the prompt function of a package is asked with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sulla.agent.turn.actor import Actor
from sulla.agent.turn.graph import create_agent_graph
from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import AgentNode
from sulla.agent.turn.route import AGENT
from sulla.core.message import Message
from sulla.store.memory import MemoryStore
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World


async def test_a_prompt_is_made_of_what_was_said_and_of_nothing_beside_it(store: MemoryStore) -> None:
    provider = ScriptedProvider(["Hello.", "<AGENT_DONE>ok</AGENT_DONE>", "Bye. <AGENT_DONE>ok</AGENT_DONE>"])
    world, seen = World(store, provider), list[Sequence[Message]]()

    def prompt(messages: Sequence[Message]) -> str:
        seen.append(messages)
        return "You are Sulla."

    actor = world.actors["sulla"]
    agent = actor.graph.nodes[AGENT]
    assert isinstance(agent, AgentNode)
    chat = replace(agent.chat, prompt=prompt)
    graph = create_agent_graph(InputHandler(chat), replace(agent, chat=chat))
    world.actors["sulla"] = Actor(actor.spec, actor.model, graph)
    thread = await world.thread()
    await world.ask(thread, "hi")
    await world.ask(thread, "bye")
    assert "<context>" in str(provider.requests[-1].messages)
    assert "completion wrapper" in str(provider.requests[-1].messages), "the first reply was asked about"
    assert [(one.role, one.text) for one in seen[-1]] == [
        ("user", "hi"),
        ("assistant", "Hello."),
        ("user", "bye"),
    ]
