"""A home whose turns are walked by flows, and a model that plays each part by its name."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sulla.agent.approvals.open_questions import OpenQuestions
from sulla.agent.calls.calls import ToolCalls
from sulla.agent.calls.guard import CallGuard
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.actor import Actor, actor_key_for
from sulla.agent.turn.ambient_context import TurnContext
from sulla.agent.turn.graph import create_agent_graph
from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import AgentNode, Opened, Opening, nobody_else
from sulla.agent.turn.offers import tool_specs
from sulla.agent.turn.speakers import Answerer, SpeakerNode, own_agent
from sulla.agent.turn.turns import TurnDriver
from sulla.core.event import Fact
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Text, ToolCall, ToolResult
from sulla.core.run import Run
from sulla.flows.begin import FlowBeginnings
from sulla.flows.branches import ANSWER
from sulla.flows.conditions import Condition, ConditionRegistry
from sulla.flows.node import FlowWalk, with_flow
from sulla.flows.parts import FlowCast, calls_over, turn_part
from sulla.flows.roles import read_roles
from sulla.flows.shelf import FlowShelf
from sulla.flows.slice import FlowMoved, FlowPartStarted
from sulla.flows.tools import DELEGATE, FlowTools
from sulla.models.base import ChatRequest, Delta, PromptSection
from sulla.store.base import Store
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.records import Input, TextMessageEnd
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Tool
from sulla.tools.registry import Toolbox

SPECS = (
    AgentSpec("sulla", "Sulla", "You are Sulla.", spawns=("archivist",)),
    AgentSpec("archivist", "Archie", "You keep papers.", completion="plain"),
)

PASSES: Mapping[str, Sequence[JsonObject]] = {
    "plan": ({"plan": "1. look 2. say", "status": "start_execution"},),
    "task_completion_judge": (
        {"status": "in_progress", "reason": "half is missing"},
        {"status": "completed", "reason": "all is there"},
    ),
    "self_check": ({"passed": False, "missing": "the end"}, {"passed": True}),
    "query_suggest": ({"suggestions": ["And tomorrow?"]},),
}
"""What the parts that give a value give by turns; the last one from then on."""


class PartsProvider(ScriptedProvider):
    """Plays every part: says its name, or gives the next of its values.

    Args:
        values: what parts give by a forced call, by their keys.
        says: what others say in the place of their name, by turns.
    """

    def __init__(
        self, values: Mapping[str, Sequence[JsonObject]] = PASSES, says: Mapping[str, Sequence[Say]] | None = None
    ) -> None:
        super().__init__()
        self._values = values
        self._says = says or {}
        self.asked: list[str] = []
        """The part of each request, in order."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """Answer for the part that is asked."""
        parts = parts_of(request)
        key = parts[-1] if parts else "whole"
        number = max(0, parts.count(key) - 1)  # by what is told, so that a call that is made again gets the same
        self.asked.append(key)
        if request.force:
            given = self._values[key]
            call = ToolCall(CallId(f"{key}{number}"), ANSWER, given[min(number, len(given) - 1)])
            self.add(Say("", (call,)))
        else:
            said = self._says.get(key, ())
            self.add(said[number] if number < len(said) else Say(f"{key} {number + 1}"))
        async for delta in super().stream(request):
            yield delta


class DelegatingProvider(PartsProvider):
    """Says its next line at each call of a part, and passes the check at once."""

    def __init__(self, says: Mapping[str, Sequence[Say]]) -> None:
        super().__init__({"self_check": ({"passed": True},)})
        self._lines = {key: list(lines) for key, lines in says.items()}

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        parts = parts_of(request)
        lines = self._lines.get(parts[-1] if parts else "whole")
        self._says = {parts[-1] if parts else "whole": [lines.pop(0)] * 9} if lines else {}
        async for delta in super().stream(request):
            yield delta


def parts_of(request: ChatRequest) -> list[str]:
    """The parts that the conversation of a request has had, the newest last; none in a turn without a flow."""
    said = [message.parts[0] for message in request.messages if message.role == "user" and message.parts]
    texts = [one.text for one in said if isinstance(one, Text) and one.text.startswith("[A part of this turn: ")]
    return [text.partition(": ")[2].partition(".]")[0] for text in texts]


class FlowWorld(World):
    """A world with flows.

    Args:
        store: where everything is kept; open.
        provider: plays the model.
        home: the folder whose ``flows/`` are read.
        tools: what the agents can use beside delegating.
        conditions: beside the built-in ones.
        specs: the agents.
        opening: what may answer in the place of a flow.
        known: what stands at the end of each prompt.
        **more: see `World`.
    """

    def __init__(
        self,
        store: Store,
        provider: PartsProvider | None = None,
        folder: Path = Path("no home"),
        tools: tuple[Tool, ...] = (),
        conditions: Sequence[Condition] = (),
        specs: tuple[AgentSpec, ...] = SPECS,
        opening: Opening = nobody_else,
        known: Callable[[], tuple[PromptSection, ...]] = tuple,
        **more: Any,
    ) -> None:
        self.parts = provider if provider is not None else PartsProvider()
        super().__init__(store, self.parts, tools=tools, **more)
        roles, registry = read_roles(), ConditionRegistry(conditions)
        children = self.family.children
        made = FlowTools(children, self.threads, lambda: specs, lambda: roles).made()
        box = Toolbox((*tools, *made))
        self.shelf = FlowShelf(folder, lambda: (*(spec.id for spec in specs), *roles), registry, self.clock)
        self.begin = FlowBeginnings(self.shelf, lambda: specs, lambda: roles, lambda: [tool.name for tool in tools])
        tells = {"fibre": tool_specs(tool for tool in made if tool.name == DELEGATE)}
        part = partial(turn_part, tells=tells)
        guard = CallGuard(self.permissions, asked=OpenQuestions(self.threads, self.clock))
        nodes: dict[str, AgentNode] = {}

        def speakers(agent: str, state: ThreadState) -> AgentNode | None:
            return nodes.get(actor_key_for(agent, state))

        for spec in specs:
            chat = replace(self.chat, spec=spec, part=part, known=known)
            calls = ToolCalls(box, Path("workspace"), lambda: 0.0, guard, part=part)
            nodes[spec.id] = AgentNode(chat, calls, opening, calls_over)
            walk = FlowWalk(FlowCast(spec, box, lambda: specs, lambda: roles, registry), opening)
            speaker = SpeakerNode(nodes[spec.id], speakers, lambda agent, state: ())
            graph = create_agent_graph(InputHandler(chat), speaker, patcher=partial(with_flow, walk))
            self.actors[spec.id] = Actor(spec, "scripted", graph)

        def answerer(state: ThreadState, item: WaitingInput) -> Answerer:
            found = own_agent(state, item)
            return replace(found, facts=self.begin.begin(state, item, found.agent))

        told = TurnContext(self.clock, answerer=answerer)
        limits, ledger = self.chat.limits, self.model.ledger
        self.turns = TurnDriver(self.threads, store, self.clock, self.actors, limits, ledger, children, told)

    async def walk(self, thread_id: ThreadId, text: str = "do it", **flow: Any) -> None:
        """Say something whose turn is walked by a flow, and work until all threads rest."""
        await self.offer(thread_id, text, **flow)
        await self.work()

    async def offer(self, thread_id: ThreadId, text: str = "do it", **flow: Any) -> None:
        """The same, and nobody works on it yet."""
        await self.threads.send(thread_id, Input(MessageId(self._make_id("msg")), text, flow=flow or None))

    async def begun(self, thread_id: ThreadId) -> list[str]:
        """The parts that have begun, in order."""
        facts = [entry.fact for entry in await self.log(thread_id)]
        return [fact.part.key for fact in facts if isinstance(fact, FlowPartStarted)]

    async def moved(self, thread_id: ThreadId) -> list[tuple[str, str, object]]:
        """Each move: what it was, its name and its value."""
        facts = [entry.fact for entry in await self.log(thread_id)]
        return [(fact.what, fact.name, fact.value.get("value")) for fact in facts if isinstance(fact, FlowMoved)]

    async def shown(self, thread_id: ThreadId) -> list[str]:
        """What people see of the replies."""
        facts = [entry.fact for entry in await self.log(thread_id)]
        return [fact.text for fact in facts if isinstance(fact, TextMessageEnd) and not fact.hidden and fact.text]

    async def status(self, thread_id: ThreadId) -> tuple[str, str]:
        """How the newest turn ended, and why."""
        _, state = await self.threads.get(thread_id)
        assert state is not None
        return state.newest.outcome.status, state.newest.outcome.reason


async def answered(text: str, state: ThreadState, run: Run) -> Opened:
    """An opening that answers with a text."""
    return text


async def facts_of(world: FlowWorld, thread: ThreadId) -> list[Fact | None]:
    """All that a thread's log says, in order."""
    return [entry.fact for entry in await world.log(thread)]


def results_in(request: ChatRequest) -> list[str]:
    """The results of tools that a model was shown."""
    parts = [part for message in request.messages for part in message.parts]
    return [part.text for part in parts if isinstance(part, ToolResult)]
