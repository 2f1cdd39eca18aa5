"""What a model is told before any conversation, for people who want to see it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sulla.agent.prompt import sections
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.offers import tool_specs, tool_tokens
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound
from sulla.core.jsontypes import FrozenJson, JsonObject
from sulla.core.message import ToolCall
from sulla.daemon.core import offline_core
from sulla.daemon.runtimes import sections_of
from sulla.daemon.settings.config import Settings
from sulla.definitions.agent_file import allows
from sulla.handoffs.routing import supervisor_section
from sulla.handoffs.tools import REQUEST_HELP
from sulla.host.tools import MCP
from sulla.models.base import PromptSection, ToolSpec
from sulla.models.tokens.estimate import count_head, estimate_text
from sulla.tools.base import Result, Tool, ToolContext
from sulla.tools.registry import Toolbox
from sulla.tools.web.browse import catalogue_of


@dataclass(frozen=True, slots=True)
class Known:
    """What a running daemon says of its tools."""

    tools: Sequence[JsonObject]
    """The rows of `tool.list`."""
    agents: Sequence[JsonObject]
    """The rows of `agent.list`."""
    thread: JsonObject | None = None
    """The answer to `thread.get` of the conversation that is asked for; None for none."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told before any conversation."""

    sections: tuple[PromptSection, ...]
    tools: tuple[Tool, ...]
    """Those that it is told of, in this order."""
    others: tuple[str, ...]
    """The names of those that it can find with `browse_tools`."""

    def tokens(self, section: PromptSection) -> int:
        """Of one section, by estimate."""
        return count_head((section,), (), estimate_text)

    @property
    def tool_tokens(self) -> int:
        """Of all tools together, by estimate."""
        return count_head((), self.specs, estimate_text)

    @property
    def told_tokens(self) -> int:
        """Of all of it, by estimate."""
        return self.tool_tokens + sum(map(self.tokens, self.sections))

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as a model gets them."""
        return tool_specs(self.tools)


def prompt_of(
    settings: Settings, clock: Clock, agent: str = "", known: Known | None = None, calls: Iterable[ToolCall] = ()
) -> Prompt:
    """The prompt of an agent.

    Args:
        settings: name the home.
        clock: all time.
        agent: its id; empty for whoever has the conversation that `known` tells of, or else the home's own.
        known: what a running daemon says; None if none runs, and then the tools of MCP servers are not known.
        calls: those of a conversation, oldest first: they decide what of very many tools is told.

    Raises:
        NotFound: there is no such agent.
    """
    thread = known.thread if known is not None and known.thread is not None else {}
    agent = agent or str(thread.get("active_agent", ""))
    above = str(thread.get("supervisor", "")) if agent == thread.get("active_agent") else ""
    core = offline_core(settings, clock)
    for one in core.built.values():
        if one.look_now is not None:
            one.look_now()
    spec = core.host.agents.team.get(agent)
    toolbox = core.host.tools.lasting(spec) if known is None else _running(known, spec)
    catalogue = catalogue_of(toolbox, tool_tokens)
    told = tuple(tool for tool in catalogue.offered(calls) if above or tool.name != REQUEST_HELP)
    names = {tool.name for tool in told}
    names |= {REQUEST_HELP}
    others = tuple(tool.name for tool in catalogue.toolbox if tool.name not in names and tool.told and not tool.missing)
    led = (supervisor_section(core.host.agents.team.get(above).name),) if above else ()
    helpers = core.host.agents.team.helpers_section(spec, toolbox)
    own = (*helpers, *sections_of(tuple(core.built.values()), spec, toolbox))
    return Prompt((*led, *sections(spec, core.host.agents.where), *own), told, others)


def _running(known: Known, spec: AgentSpec) -> Toolbox:
    """What an agent of a running daemon can use; its folder may have changed since the daemon read it."""
    mine = [row["tools"] for row in known.agents if row["id"] == spec.id]
    if not mine or not isinstance(mine[0], list):
        raise NotFound(f"the daemon does not know the agent {spec.id!r} yet: it reads agents when it starts")
    names = mine[0]
    found = [_shown(row) for row in known.tools]
    return Toolbox(
        tool for tool in found if tool.name in names or (tool.name.startswith(MCP) and allows(spec.tools, tool.name))
    )


def _shown(row: JsonObject) -> Tool:
    schema = row["parameters"]
    given: FrozenJson = schema if isinstance(schema, dict) else {}
    return Tool(str(row["name"]), str(row["description"]), given, _only_shown, category=str(row["category"]))


async def _only_shown(args: FrozenJson, context: ToolContext) -> Result:
    raise AssertionError("this tool is only looked at")
