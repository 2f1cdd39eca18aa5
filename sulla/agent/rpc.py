"""What clients can ask about agents and their tools."""

from __future__ import annotations

from typing import Annotated, Final, Protocol

from pydantic import Field, JsonValue

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Params
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Time


class AgentList(Params):
    """`agent.list`."""


class ModelList(Params):
    """`model.list`."""


class ToolList(Params):
    """`tool.list`."""


@dataclass(frozen=True, slots=True)
class WorkRow:
    """What an agent is doing at this moment."""

    thread_id: str
    project: str
    """Empty for none."""
    since_ms: Annotated[Time, Field(alias="since")]


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One agent."""

    id: str
    completion: str
    """How it says that it is done: `wrapper` or `plain`."""
    model: str
    tools: tuple[str, ...]
    """The names of those that it may use."""
    working: tuple[WorkRow, ...]
    """The conversations that it works in, in whichever daemon on the same store; the longest first."""
    name: str = ""
    """What it is called."""
    description: str = ""
    """What it is for, as its owner says."""
    spawns: tuple[str, ...] = ()
    """The agents that it may set to work, beside one like itself."""
    hands_to: tuple[str, ...] = ()
    """The agents that it may hand a conversation to."""


@dataclass(frozen=True, slots=True)
class Agents:
    """The answer to `agent.list`."""

    agents: tuple[AgentRow, ...]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model that can answer."""

    name: str
    """Whole, e.g. ``ollama:qwen3:8b``."""
    agents: tuple[str, ...] = ()
    """Those that answer with it."""


@dataclass(frozen=True, slots=True)
class Models:
    """The answer to `model.list`."""

    models: tuple[ModelRow, ...]
    """Those that agents have, and then what else their services offer."""
    troubles: tuple[str, ...] = ()
    """Which services did not say what they have, and why."""


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One tool."""

    name: str
    description: str
    category: str
    effect: str
    """Whether it may be called again after a crash: see docs/inside/retries.md."""
    parameters: dict[str, JsonValue]
    """A JSON Schema."""
    missing: str = ""
    """What the home has to set before it can be used; no agent is told of it until then."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The answer to `tool.list`."""

    tools: tuple[ToolRow, ...]


class AgentService(Protocol):
    """Knows the agents that there are, and what they can use."""

    async def list_agents(self) -> Agents:
        """Everybody who can answer, the default agent first, with what each is doing at this moment.

        Raises:
            StoreUnavailable: the store does not answer.
        """

    async def list_models(self) -> Models:
        """The models that agents have, and what else their services offer, which are asked now."""

    async def list_tools(self) -> Tools:
        """Everything that some agent can use, by name, and then what comes and goes."""


async def _agents(service: AgentService, params: AgentList, context: Context) -> Agents:
    return await service.list_agents()


async def _models(service: AgentService, params: ModelList, context: Context) -> Models:
    return await service.list_models()


async def _tools(service: AgentService, params: ToolList, context: Context) -> Tools:
    return await service.list_tools()


_AGENT: Final[dict[str, JsonValue]] = {
    "id": "sulla",
    "completion": "wrapper",
    "model": "offline",
    "tools": ["read_file"],
    "working": [{"thread_id": "thr_9b2d", "project": "rome", "since": "2027-01-15T08:00:00.000Z"}],
}
_TOOL: Final[dict[str, JsonValue]] = {
    "name": "read_file",
    "description": "Read a file of the workspace.",
    "effect": "pure",
    "category": "files",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
}

METHODS: Final[Methods[AgentService]] = Methods(
    "agents",
    (
        Method(
            "agent.list",
            AgentList,
            Agents,
            "read",
            _agents,
            Rest("GET", "/agents", "The agents that can be talked to."),
            Example({"agents": [_AGENT]}),
            needs="store",
        ),
        Method(
            "model.list",
            ModelList,
            Models,
            "read",
            _models,
            Rest("GET", "/models", "The models that agents have, and that their services offer."),
            Example({"models": [{"name": "ollama:qwen3:8b", "agents": ["sulla"]}], "troubles": []}),
        ),
        Method(
            "tool.list",
            ToolList,
            Tools,
            "read",
            _tools,
            Rest("GET", "/tools", "The tools that agents have."),
            Example({"tools": [_TOOL]}),
        ),
    ),
)
