"""The agents of a home ready to work: each with its model, its tools, its limits and its graphs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from sulla.agent.calls.call_node import CallNode, create_call_graph
from sulla.agent.calls.calls import ToolCalls
from sulla.agent.model.model import Model
from sulla.agent.packaged_graph import patched_by
from sulla.agent.part import first_part
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.actor import Actor, actor_key, actor_key_for
from sulla.agent.turn.chat import AgentChat
from sulla.agent.turn.graph import create_agent_graph
from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import AgentNode, Opened
from sulla.agent.turn.offers import Offers, tool_tokens
from sulla.agent.turn.speakers import AgentRouting, Answerer, FindAnswerer, OwnAgentRouting, SpeakerNode
from sulla.core.errors import GraphError, SettingsError
from sulla.core.event import Fact
from sulla.core.ids import ThreadId
from sulla.core.message import ToolCall
from sulla.core.run import Run
from sulla.core.words import said_by
from sulla.daemon.agents import packaged_of
from sulla.graph.draft import GraphDraft, Patcher
from sulla.host.host import AgentParts, Built, Host
from sulla.models.base import PromptSection
from sulla.threads.log.inputs import Urgent, WaitingInput
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Effect, Tool
from sulla.tools.policy import effect_of
from sulla.tools.registry import Toolbox
from sulla.tools.web.browse import catalogue_of

log = logging.getLogger(__name__)
T = TypeVar("T")

MOST_ACTORS: Final = 1_000
"""With each model that playbooks name; what is more cannot be set to work until the next start."""


class AgentRuntimes(Mapping[str, Actor]):
    """Everybody who can be set to work, by `agent.actor_key`, with the tools that there are at that moment.

    A turn keeps the actor that it began with, and so the tools: what comes or goes meanwhile is for the next one. It
    lives as long as the daemon.

    Args:
        host: has the agents, their tools and their models.
        built: what the capabilities bring.
        calls_of: makes what runs the calls of tools.
        summarize: see `AgentChat.summarize`.

    Raises:
        SettingsError: a model cannot be what the settings ask for.
    """

    def __init__(
        self,
        host: Host,
        built: Sequence[Built],
        calls_of: Callable[[Toolbox], ToolCalls],
        summarize: Callable[[ThreadId], bool],
    ) -> None:
        self._host = host
        self._built = built
        self._calls_of = calls_of
        self._summarize = summarize
        self._tools: tuple[Tool, ...] = ()
        self._specs: tuple[AgentSpec, ...] = ()
        self._actors: dict[str, Actor] = {}
        self._nodes: dict[str, AgentNode] = {}
        self._routing = routing_of(built)
        self._part = first_part([one.part for one in built if one.part is not None])
        self._now()  # so that each model is there from the start, and what cannot be made stops the start

    def __getitem__(self, key: str) -> Actor:
        """Who has a key.

        Raises:
            KeyError: nobody.
            SettingsError: the model that the key names cannot be what the settings ask for.
        """
        actors = self._now()
        return actors[key] if key in actors else self._asked_by(key)

    def get(self, key: str, default: T | None = None) -> Actor | T | None:  # type: ignore[override]  # wider than it is
        """Who has a key; `default` where nobody has, or its model cannot be used."""
        try:
            return self[key]
        except (KeyError, SettingsError):
            return default

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    def _now(self) -> Mapping[str, Actor]:
        tools, specs = self._host.tools.moving(), self._host.agents.team.specs
        if not self._actors or tools is not self._tools or specs is not self._specs:
            self._nodes = {}  # a new one: a turn that is under way goes on with those that it began with
            self._actors = {key: actor for spec in specs for key, actor in self._of(spec)}
            self._tools, self._specs = tools, specs
        return self._actors

    def _asked_by(self, key: str) -> Actor:
        """An agent with a model that nobody has named before: a playbook's step names one."""
        agent, _, name = key.partition(" ")
        spec = next((spec for spec in self._specs if spec.id == agent), None)
        if spec is None or ":" not in name or " " in name or len(self._actors) >= MOST_ACTORS:
            raise KeyError(key)
        actor = self._actors[key] = self._with_model(spec, name)
        return actor

    def _of(self, spec: AgentSpec) -> Iterator[tuple[str, Actor]]:
        """An agent with each model that it may be asked by, and for each kind of thread that it works on."""
        chat_with, calls, box = self._chats(spec)
        agents = self._host.agents
        for name in dict.fromkeys(model for built in self._built for model in built.models):
            yield actor_key(spec.id, name), self._with_model(spec, name)
        chat = chat_with(agents.model_of(spec.model))
        first = InputHandler(chat)
        yield actor_key(spec.id), self._conversation(spec, first, chat, calls)
        yield actor_key(spec.id, graph="call"), Actor(spec, "", create_call_graph(CallNode(calls)))
        parts = AgentParts(spec, box, calls, first, chat.model)
        for built in self._built:
            for graph, actor in built.actors(parts).items() if built.actors is not None else ():
                yield actor_key(spec.id, graph=graph), actor

    def _with_model(self, spec: AgentSpec, name: str) -> Actor:
        chat_with, calls, _ = self._chats(spec)
        chat = chat_with(self._host.agents.model_of(name))
        return self._conversation(spec, InputHandler(chat), chat, calls, name)

    def _chats(self, spec: AgentSpec) -> tuple[Callable[[Model], AgentChat], ToolCalls, Toolbox]:
        """What asks a model for an agent, what runs its calls, and its tools."""
        agents = self._host.agents
        offers = Offers(catalogue_of(self._host.tools.now(spec), tool_tokens))
        box = offers.catalogue.toolbox
        most = agents.limits.model_calls
        tokens = spec.reply_tokens or agents.limits.reply_tokens
        bounds = replace(agents.limits, model_calls=min(most, spec.max_turns or most), reply_tokens=tokens)
        effect, known = partial(_effect, box), partial(self._sections, spec, box)
        calls = replace(self._calls_of(box), part=self._part)

        told, routing, packaged = offers(()), self._routing, packaged_of(spec)
        led, withheld = partial(routing.led, spec.id), partial(routing.withheld, spec.id)

        def chat_with(model: Model) -> AgentChat:
            beside = (known, offers, led, withheld, packaged.prompt if packaged is not None else None, self._part)
            return AgentChat(model, spec, told, effect, bounds, agents.where, self._summarize, *beside)

        return chat_with, calls, box

    def _conversation(
        self, spec: AgentSpec, first: InputHandler, chat: AgentChat, calls: ToolCalls, model: str = ""
    ) -> Actor:
        nodes = self._nodes
        node = nodes[actor_key(spec.id, model)] = AgentNode(chat, calls, self._opening, self._hand_over)

        def speakers(agent: str, state: ThreadState) -> AgentNode | None:
            if model := self._part(state).model:
                return self._with_own_model(agent, model, nodes)
            return nodes.get(actor_key_for(agent, state)) or nodes.get(actor_key(agent))

        parts = AgentParts(spec, calls.toolbox, calls, first, chat.model)
        patchers = [built.graph(parts, self._opening) for built in self._built if built.graph is not None]
        if (packaged := packaged_of(spec)) is not None:
            patchers.append(partial(patched_by, packaged))
        try:
            speaker = SpeakerNode(node, speakers, self._routing.give_back, self._host.waker.pass_to, self._part)
            graph = create_agent_graph(first, speaker, patcher=partial(patched, patchers))
        except GraphError as error:
            raise SettingsError(f"the agent {spec.id!r}: {error}; mend its package, or uninstall it") from error
        return Actor(spec, chat.model.estimator.info.name.model, graph)

    def _with_own_model(self, agent: str, model: str, nodes: dict[str, AgentNode]) -> AgentNode | None:
        """What an agent works with where a part of its turn names a model, made when it is first needed.

        Raises:
            SettingsError: the model cannot be what the settings ask for.
        """
        key = actor_key(agent, model)
        spec = next((spec for spec in self._specs if spec.id == agent), None)
        if key not in nodes and spec is not None and len(nodes) < MOST_ACTORS:
            chat_with, calls, _ = self._chats(spec)
            chat = chat_with(self._host.agents.model_of(model))
            nodes[key] = AgentNode(chat, calls, self._opening, self._hand_over)
        return nodes.get(key)

    def _sections(self, spec: AgentSpec, box: Toolbox) -> tuple[PromptSection, ...]:
        """What a model is told that changes with files."""
        return (*self._host.agents.team.helpers_section(spec, box), *sections_of(self._built, spec, box))

    def _hand_over(self, state: ThreadState, run: Run) -> tuple[Fact, ...]:
        """See `agent.HandOver`."""
        for built in self._built:
            if built.part_over is not None and (facts := built.part_over(state, run)):
                return facts
        return self._routing.hand_over(state, run)

    async def _opening(self, state: ThreadState, run: Run) -> Opened:
        """What takes up a person's message in the place of the agent: see `agent.Opening`."""
        for built in reversed(self._built):  # who needs others is built behind them, and asked before them
            if built.opening is not None and (opened := await built.opening(state, run)):
                return opened
        return ""


def patched(patchers: Sequence[Patcher[ThreadState]], draft: GraphDraft[ThreadState]) -> GraphDraft[ThreadState]:
    """A graph after all who change it.

    Args:
        patchers: those, in their order.
        draft: the graph.
    """
    for patcher in patchers:
        draft = patcher(draft)
    return draft


def answerer_of(built: Sequence[Built]) -> FindAnswerer:
    """What says who answers a message, and what is to be noted as that turn begins.

    Args:
        built: the capabilities.
    """
    routing, begins = routing_of(built), [one.begins for one in built if one.begins is not None]
    instead = [one.instead for one in built if one.instead is not None]
    gates = [one.gate for one in built if one.gate is not None]

    def find(state: ThreadState, item: WaitingInput) -> Answerer:
        for gate in gates:
            if (decided := gate(state, item)) is not None:
                sent_to = item.agent if item.agent != state.identity.agent else ""
                return replace(decided, agent=decided.agent or sent_to or routing.current(state))
        found = routing.answerer(state, item)
        facts = (*found.facts, *(fact for begin in begins for fact in begin(state, item, found.agent)))
        named = (other(state, item, found.agent) for other in instead)
        return replace(found, agent=next(filter(None, named), found.agent), facts=facts)

    return find


def urgent_of(built: Sequence[Built]) -> Urgent | None:
    """What says whether a message must not wait; None where all do.

    Args:
        built: the capabilities.
    """
    return next((one.urgent for one in built if one.urgent is not None), None)


def routing_of(built: Sequence[Built]) -> AgentRouting:
    """What decides which agent speaks: each conversation's own, unless a capability says otherwise.

    Args:
        built: the capabilities.
    """
    return next((one.routing for one in built if one.routing is not None), OwnAgentRouting())


def sections_of(built: Sequence[Built], spec: AgentSpec, box: Toolbox) -> tuple[PromptSection, ...]:
    """What capabilities tell models that changes with files.

    Nothing that others say: it would stand among what the owner says, in every conversation, and mark none.

    Args:
        built: the capabilities.
        spec: the agent.
        box: what it may use.
    """
    every = [section for one in built if one.sections is not None for section in one.sections(spec, box)]
    for section in every:
        if said_by(section.words).tainted:
            log.warning("the section %r is left out of prompts: it does not say that it is the owner's", section.name)
    return tuple(section for section in every if not said_by(section.words).tainted)


def _effect(toolbox: Toolbox, call: ToolCall) -> Effect:
    return effect_of(toolbox.get(call.name), call.args)
