"""Which flow a turn is walked by, decided as it begins. Pure but for the files that the shelf has read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from sulla.agent.spec import AgentSpec
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.event import Fact
from sulla.core.jsontypes import FrozenJson
from sulla.definitions.flow_options import NO_FLOW, FlowOptions, read_flow_options, sub_agent_to_json
from sulla.flows.reading import flow_of
from sulla.flows.roles import roles_of
from sulla.flows.schema import AgentFlow, AgentNode, node_to_json
from sulla.flows.shelf import FlowShelf
from sulla.flows.slice import FlowStarted
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.state import ThreadState
from sulla.tools.nearest import did_you_mean


@dataclass(frozen=True, slots=True)
class FlowBeginnings:
    """Chooses the flow of each turn. It lives as long as the daemon.

    Args:
        shelf: the home's flows.
        specs: gives the agents as they are now.
        roles: gives the shipped roles.
        tools: gives the names of all tools that there are now.
    """

    shelf: FlowShelf
    specs: Callable[[], Sequence[AgentSpec]]
    roles: Callable[[], Collection[str]]
    tools: Callable[[], Collection[str]]

    def begin(self, state: ThreadState, item: WaitingInput, agent: str) -> tuple[Fact, ...]:
        """What to note as a turn begins: its flow, or nothing.

        What a message says counts before what its agent's file says. That of an agent is for people's messages alone:
        sub-agents, playbooks and beats have it do one thing.

        Args:
            state: the thread.
            item: the message that it takes up.
            agent: who answers.
        """
        if item.question is not None or state.identity.graph:
            return ()
        own = next((spec.flow for spec in self.specs() if spec.id == agent), NO_FLOW)
        if item.origin not in ("user", "operator", "web") or state.is_child:
            own = NO_FLOW
        try:
            options = read_flow_options(None if item.flow is None else dict(item.flow), turn=True).over(own)
            if not options:
                return ()
            flow = self.chosen(options)
        except InvalidInput as error:
            return (FlowStarted("", node_to_json(AgentNode(agent)), fault=error.message),)
        agents = tuple(map(sub_agent_to_json, options.custom_sub_agents))
        root = node_to_json(flow.root)
        return (FlowStarted(flow.name, root, options.system_context, flags_of(options), agents),)

    def check(self, value: FrozenJson) -> None:
        """Refuse what a message says of flows if its turn could not be walked so.

        Args:
            value: what it says.

        Raises:
            InvalidInput: it could not; the message says why.
        """
        options = read_flow_options(dict(value), turn=True)
        taken, tools = {*self.roles(), *(spec.id for spec in self.specs())}, self.tools()
        for at, one in enumerate(options.custom_sub_agents):
            if one.agent_key in taken:
                raise InvalidInput(f"custom_sub_agents[{at}].agent_key: there is an agent or role {one.agent_key!r}")
            for name in one.available_tools:
                if name not in tools:
                    said = f"custom_sub_agents[{at}].available_tools: there is no tool {name!r}"
                    raise InvalidInput(f"{said}.{did_you_mean(name, tools)}")
        self.chosen(options)

    def said_of(self, agent: str) -> tuple[str, ...]:
        """What may be a slip of the pen in what an agent's folder says of flows: it is there, and no turn of it begins;
        or it takes the place of a role, which changes every flow.

        Args:
            agent: its id.
        """
        spec = next((one for one in self.specs() if one.id == agent), None)
        if spec is None:
            return ()
        said: list[str] = []
        if agent in self.roles():
            place = f"it takes the place of the role {agent!r} in every flow"
            said.append(f"the agent {agent!r}: {place}; if that is not meant, give it another id")
        try:
            if spec.flow:
                self.chosen(spec.flow)
        except InvalidInput as error:
            said.append(f"the agent {agent!r}: {error.message} Each message to it fails until that is mended")
        return tuple(said)

    def chosen(self, options: FlowOptions) -> AgentFlow:
        """The flow that options choose.

        Args:
            options: something is said in them.

        Raises:
            InvalidInput: there is no such flow, or it cannot be walked.
        """
        if options.custom_flow is not None:
            known = self.shelf.known
            brought = roles_of(options.custom_sub_agents)
            return flow_of(options.custom_flow, known.with_agents(brought))
        if options.flow is not None:
            return self.shelf.named(options.flow)
        return self.shelf.default(options.max_loop_count)


def flags_of(options: FlowOptions) -> FrozenJson:
    """How a turn is to be walked, as conditions see it.

    Args:
        options: what was said of it.
    """
    return {
        "agent_mode": options.agent_mode or "simple",
        "deep_thinking": bool(options.deep_thinking),
        "plan": bool(options.plan),
        "more_suggest": bool(options.more_suggest),
    }
