"""Three agents over one store: Sulla hands to the researcher and the writer, the researcher to the archivist."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sulla.agent.approvals.open_questions import OpenQuestions
from sulla.agent.calls.calls import ToolCalls
from sulla.agent.calls.guard import CallGuard
from sulla.agent.model.choosing import NONE
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.actor import Actor, actor_key_for
from sulla.agent.turn.ambient_context import TurnContext
from sulla.agent.turn.graph import create_agent_graph
from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import AgentNode
from sulla.agent.turn.offers import tool_specs
from sulla.agent.turn.speakers import SpeakerNode
from sulla.agent.turn.turns import TurnDriver
from sulla.core.control import Control
from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import ToolCall
from sulla.core.run import Run
from sulla.core.words import Words, ours
from sulla.handoffs.routing import AgentRouter
from sulla.handoffs.slice import AgentRouted
from sulla.handoffs.tools import handoff_tools
from sulla.intents.opening import IntentOpening
from sulla.store.base import Store
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Tool
from sulla.tools.registry import Toolbox

SPECS = (
    AgentSpec("sulla", "Sulla", "You are Sulla.", hands_to=("researcher", "writer")),
    AgentSpec("researcher", "Rosa", "You look things up.", hands_to=("archivist",), description="Looks things up."),
    AgentSpec("archivist", "Archie", "You keep papers.", completion="plain"),
    AgentSpec("writer", "Old Writer", "You write.", hands_to=("sulla",)),
)


def call(number: int, name: str, **args: Any) -> ToolCall:
    return ToolCall(CallId(f"c{number}"), name, args)


class TeamWorld(World):
    """A world with more than one agent.

    Args:
        store: where everything is kept; open.
        provider: plays the model of all of them.
        tools: what each can use beside handing over.
        own: agents that have only some of them, by name.
        specs: the agents.
        gone: agents that are not there any more.
        **more: see `World`.
    """

    def __init__(
        self,
        store: Store,
        provider: ScriptedProvider,
        tools: tuple[Tool, ...] = (),
        own: Mapping[str, Collection[str]] = MappingProxyType({}),
        specs: tuple[AgentSpec, ...] = SPECS,
        gone: Collection[str] = (),
        **more: Any,
    ) -> None:
        super().__init__(store, provider, tools=tools, **more)
        self._own = own
        self.specs = specs = tuple(spec for spec in specs if spec.id not in gone)
        self.router = AgentRouter(lambda: specs)
        self.begun: list[tuple[str, FrozenJson]] = []
        """The playbooks that messages have started, and with what."""
        self.asked: list[list[str]] = []
        """Among what the model was to choose."""
        self.choice = NONE
        self.remembered: dict[str, str] = {}
        """What each agent remembers."""
        self.passed: list[tuple[ThreadId, str]] = []
        """The turns that were counted, and for whom."""
        self.opening = IntentOpening(lambda: specs, self._box, self.router, self._begin, self._trouble, self._choose)
        self._tools = tools
        nodes = {spec.id: self._node(spec) for spec in specs}

        def speakers(agent: str, state: ThreadState) -> AgentNode | None:
            return nodes.get(actor_key_for(agent, state))

        for spec in specs:
            node = nodes[spec.id]
            speaker = SpeakerNode(node, speakers, self.router.give_back, self._pass_to)
            graph = create_agent_graph(InputHandler(node.chat), speaker)
            self.actors[spec.id] = Actor(spec, "scripted", graph)
        told = TurnContext(self.clock, self._remembered, answerer=self.router.answerer)
        children = self.family.children
        limits = self.chat.limits
        self.turns = TurnDriver(self.threads, store, self.clock, self.actors, limits, self.model.ledger, children, told)

    async def _begin(self, playbook: str, inputs: FrozenJson, state: ThreadState, run: Run) -> str:
        self.begun.append((playbook, inputs))
        return f"Playbook {playbook} runs."

    async def _remembered(self, agent: str, message: str) -> Words:
        return ours(self.remembered.get(agent, ""))

    async def _trouble(self, playbook: str, inputs: FrozenJson) -> str:
        return "" if playbook == "week" else f"there is no playbook {playbook!r}."

    async def _pass_to(self, thread_id: ThreadId, agent: str, control: Control) -> None:
        self.passed.append((thread_id, agent))

    async def _choose(self, question: str, choices: Mapping[str, str], call_id: str, run: Run) -> str:
        self.asked.append(list(choices))
        return self.choice

    def _box(self, spec: AgentSpec) -> Toolbox:
        own = [tool for tool in self._tools if tool.name in self._own.get(spec.id, (tool.name,))]
        return Toolbox((*own, *handoff_tools(spec, lambda: self.specs, self._read)))

    def _node(self, spec: AgentSpec) -> AgentNode:
        box = self._box(spec)
        chat = replace(
            self.chat,
            spec=spec,
            tools=tool_specs(box),
            led=partial(self.router.led, spec.id),
            withheld=partial(self.router.withheld, spec.id),
            limits=replace(self.chat.limits, model_calls=spec.max_turns or self.chat.limits.model_calls),
        )
        guard = CallGuard(self.permissions, asked=OpenQuestions(self.threads, self.clock))
        calls = ToolCalls(box, Path("workspace"), lambda: 0.0, guard)
        return AgentNode(chat, calls, self.opening, self.router.hand_over)

    async def _read(self, thread_id: ThreadId) -> ThreadState | None:
        return (await self.threads.get(thread_id))[1]

    async def routed(self, thread_id: ThreadId) -> list[tuple[str, str]]:
        """Who was given the conversation, and how, in order."""
        facts = [entry.fact for entry in await self.log(thread_id)]
        return [(fact.agent, fact.by) for fact in facts if isinstance(fact, AgentRouted)]

    async def speaker(self, thread_id: ThreadId) -> list[str]:
        """Who said each reply, by who is named in the envelope of the model calls."""
        return [entry.origin.agent for entry in await self.log(thread_id) if entry.kind == "TEXT_MESSAGE_END"]
