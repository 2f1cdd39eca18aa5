"""A home whose turns take routes, and a model that obeys them, or does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sulla.agent.approvals.open_questions import OpenQuestions
from sulla.agent.calls.calls import ToolCalls
from sulla.agent.calls.guard import CallGuard
from sulla.agent.part import whole_turn
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.actor import Actor, actor_key_for
from sulla.agent.turn.ambient_context import TurnContext
from sulla.agent.turn.graph import create_agent_graph
from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import AgentNode, Opening, nobody_else, nobody_takes_over
from sulla.agent.turn.speakers import Answerer, SpeakerNode, own_agent
from sulla.agent.turn.turns import TurnDriver
from sulla.core.ids import MessageId, ThreadId
from sulla.core.message import ToolCall
from sulla.models.base import PromptSection
from sulla.procedures.definition import Procedure
from sulla.routes.begin import RouteBeginnings
from sulla.routes.node import with_routes
from sulla.routes.plan import RouteTable
from sulla.routes.slice import RouteEnded, RouteMoved, RouteTaken
from sulla.routes.turn import RouteSteps
from sulla.store.base import Store
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.records import Input, RunError, TextMessageEnd
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Tool
from sulla.tools.policy import effect_of
from sulla.tools.registry import Toolbox

SPECS = (
    AgentSpec("sulla", "Sulla", "You are Sulla.", completion="plain"),
    AgentSpec("helper", "Helper", "You help at once.", completion="plain"),
)


def _own(state: ThreadState) -> str:
    return state.identity.agent


class RouteWorld(World):
    """A world with routes.

    Args:
        store: where everything is kept; open.
        table: the routes.
        provider: plays the model.
        tools: what the agents can use.
        styles: what skills say of how to reply, by their names.
        opening: what may answer in the place of an agent.
        routed: whether the capability is there at all.
        **more: see `World`.
    """

    def __init__(
        self,
        store: Store,
        table: RouteTable | None,
        provider: ScriptedProvider,
        tools: Sequence[Tool] = (),
        styles: dict[str, PromptSection] | None = None,
        opening: Opening = nobody_else,
        routed: bool = True,
        **more: Any,
    ) -> None:
        super().__init__(store, provider, tools=tuple(tools), **more)
        self.table, self.provider = table, provider
        self.procedures: dict[str, Procedure] = {}
        box = Toolbox(tools)

        def effect(agent: str, call: ToolCall) -> Any:
            return effect_of(box.get(call.name), call.args)

        steps = RouteSteps(lambda: self.table, (styles or {}).get, effect, lambda: self.procedures)
        begins = RouteBeginnings(
            lambda: self.table,
            _own,
            lambda: [spec.id for spec in SPECS],
            lambda: self.procedures,
        )
        guard = CallGuard(self.permissions, asked=OpenQuestions(self.threads, self.clock))
        nodes: dict[str, AgentNode] = {}

        def speakers(agent: str, state: ThreadState) -> AgentNode | None:
            return nodes.get(actor_key_for(agent, state))

        for spec in SPECS:
            part, over = (steps.part, steps.over) if routed else (whole_turn, nobody_takes_over)
            chat = replace(self.chat, spec=spec, part=part)
            calls = ToolCalls(box, Path("workspace"), lambda: 0.0, guard, part=part)
            nodes[spec.id] = AgentNode(chat, calls, opening, over)
            speaker = SpeakerNode(nodes[spec.id], speakers, lambda agent, state: ())
            patcher = partial(with_routes, steps, box) if routed else None
            graph = create_agent_graph(InputHandler(chat), speaker, patcher=patcher)
            self.actors[spec.id] = Actor(spec, "scripted", graph)

        def answerer(state: ThreadState, item: WaitingInput) -> Answerer:
            decided = begins.gate(state, item)
            if decided is not None:
                return replace(decided, agent=decided.agent or state.identity.agent)
            found = own_agent(state, item)
            facts = begins.begin(state, item, found.agent)
            agent = begins.instead(state, item, found.agent) or found.agent
            return replace(found, agent=agent, facts=facts) if facts else found

        told = TurnContext(self.clock, answerer=answerer if routed else own_agent, urgent=begins.urgent)
        limits, ledger = self.chat.limits, self.model.ledger
        children = self.family.children
        self.turns = TurnDriver(self.threads, store, self.clock, self.actors, limits, ledger, children, told)

    async def say(self, thread_id: ThreadId, text: str) -> None:
        """Say something, and work until all threads rest."""
        await self.offer(thread_id, text)
        await self.work()

    async def offer(self, thread_id: ThreadId, text: str, quoted: str = "", said_chars: int = 0) -> None:
        """Say something, and nobody works on it yet."""
        said = Input(MessageId(self._make_id("msg")), text, quoted=quoted, said_chars=said_chars)
        await self.threads.send(thread_id, said)

    async def shown(self, thread_id: ThreadId) -> list[str]:
        """What people see of the replies."""
        facts = [entry.fact for entry in await self.log(thread_id)]
        return [fact.text for fact in facts if isinstance(fact, TextMessageEnd) and not fact.hidden and fact.text]

    async def went(self, thread_id: ThreadId) -> list[tuple[str, str]]:
        """How turns got on with their routes: what it was, and the route or why."""
        found: list[tuple[str, str]] = []
        for entry in await self.log(thread_id):
            match entry.fact:
                case RouteTaken(plan=plan):
                    found.append(("taken", str(plan["route"]["name"])))  # type: ignore[index,call-overload]  # JSON
                case RouteMoved(what=what, why=why):
                    found.append((what, why))
                case RouteEnded(route=route, mode=mode):
                    found.append((f"ended {mode}", route))
        return found

    async def status(self, thread_id: ThreadId) -> tuple[str, str]:
        """How the newest turn ended, and what is told of it."""
        _, state = await self.threads.get(thread_id)
        assert state is not None
        errors = [entry.fact.message for entry in await self.log(thread_id) if isinstance(entry.fact, RunError)]
        return state.newest.outcome.status, errors[-1] if errors else ""
