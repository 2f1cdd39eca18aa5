"""What says by which flow a turn is walked: the table `[flow]` of an agent, `flow` of a message (seed 002 §3). Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.tools.nearest import did_you_mean

AGENT_MODES: Final = ("simple", "multi", "fibre")
MOST_LOOPS: Final = 100
MOST_SUB_AGENTS: Final = 32
NAME_CHARS: Final = 64
PROMPT_CHARS: Final = 16_000
CONTEXT_CHARS: Final = 16_000
_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


@dataclass(frozen=True, slots=True)
class SubAgent:
    """An agent that one turn brings along, for others to have work for them."""

    agent_key: str
    description: str
    system_prompt: str
    available_tools: tuple[str, ...] = ()
    """Of the tools of whoever has it work."""


@dataclass(frozen=True, slots=True)
class FlowOptions:
    """How a turn is to be walked. What nobody has said is None; if nothing at all is said, no flow is walked."""

    agent_mode: str | None = None
    """One of `AGENT_MODES`: which body of the default flow."""
    deep_thinking: bool | None = None
    plan: bool | None = None
    more_suggest: bool | None = None
    max_loop_count: int | None = None
    """How often the body of `multi` is walked at the most."""
    flow: str | None = None
    """The name of a flow of the home, in the place of the default one."""
    custom_flow: FrozenJson | None = field(default=None, hash=False)
    """A flow, in the place of any other; see `flows.schema`."""
    custom_sub_agents: tuple[SubAgent, ...] = ()
    system_context: FrozenJson = field(default_factory=dict, hash=False)
    """What conditions and switches may look at."""

    def __bool__(self) -> bool:
        """Whether anything was said."""
        return self is not NO_FLOW and self != NO_FLOW

    def over(self, others: FlowOptions) -> FlowOptions:
        """These, and of what they do not say what others say.

        Args:
            others: those of the agent.
        """
        if self is NO_FLOW:  # as with nearly every message
            return others
        said = {one.name: getattr(self, one.name) for one in fields(self)}
        values = {name: value for name, value in said.items() if value not in (None, (), {})}
        if values.keys() & {"agent_mode", "flow", "custom_flow"}:  # whoever chooses one chooses no other
            others = FlowOptions(
                None, others.deep_thinking, others.plan, others.more_suggest, others.max_loop_count,
                None, None, others.custom_sub_agents, others.system_context,
            )  # fmt: skip
        rest = {one.name: getattr(others, one.name) for one in fields(others)}
        return FlowOptions(**{**rest, **values})


NO_FLOW: Final = FlowOptions()


def read_flow_options(value: Json, *, turn: bool) -> FlowOptions:
    """Read what somebody says of a flow.

    Args:
        value: an object; None for nothing.
        turn: whether it is said with a message. An agent's file names a flow and holds none.

    Raises:
        InvalidInput: something is wrong; the message begins with the key, and says what was expected.
    """
    if value is None:
        return NO_FLOW
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{repr(value)[:100]}; expected keys and values such as `agent_mode`")
    readers = {key: read for key, read in _READERS.items() if turn or key not in _OF_TURNS}
    found: dict[str, object] = {}
    for key, given in value.items():
        if key not in readers:
            known = f"expected {', '.join(readers)}.{did_you_mean(key, readers)}"
            raise InvalidInput(f"there is no key {str(key)[:NAME_CHARS]!r}; {known}")
        if given is not None:
            found[key] = readers[key](key, given)
    options = FlowOptions(**found)  # type: ignore[arg-type]  # each reader gives what its field holds
    if options.flow is not None and options.custom_flow is not None:
        raise InvalidInput("flow and custom_flow: expected one of them")
    return options


def options_to_json(options: FlowOptions) -> JsonObject:
    """Options as a message holds them; `read_flow_options` reads that back.

    Args:
        options: those.
    """
    found: JsonObject = {}
    for one in fields(options):
        value = getattr(options, one.name)
        if one.name == "custom_sub_agents":
            value = [sub_agent_to_json(sub) for sub in value]
        if value not in (None, [], {}):
            found[one.name] = dict(value) if isinstance(value, Mapping) else value
    return found


def sub_agent_to_json(agent: SubAgent) -> JsonObject:
    """An agent that a turn brings along, as a message holds it.

    Args:
        agent: that.
    """
    found: JsonObject = {
        "agent_key": agent.agent_key,
        "description": agent.description,
        "system_prompt": agent.system_prompt,
    }
    return {**found, "available_tools": list(agent.available_tools)} if agent.available_tools else found


def _mode(key: str, value: Json) -> str:
    if value not in AGENT_MODES:
        near = did_you_mean(value, AGENT_MODES) if isinstance(value, str) else ""
        raise InvalidInput(f"{key} is {repr(value)[:NAME_CHARS]}; expected one of {', '.join(AGENT_MODES)}.{near}")
    return str(value)


def _flag(key: str, value: Json) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{key} is {repr(value)[:NAME_CHARS]}; expected true or false")
    return value


def _count(key: str, value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_LOOPS:
        raise InvalidInput(f"{key} is {repr(value)[:NAME_CHARS]}; expected a whole number from 1 to {MOST_LOOPS}")
    return value


def _name(key: str, value: Json) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= NAME_CHARS or not _NAME.issuperset(value):
        said = f"{key} is {repr(value)[:NAME_CHARS]}"
        raise InvalidInput(
            f"{said}; expected a name of letters, digits, `_` and `-`, of {NAME_CHARS} characters at most"
        )
    return value


def _text(key: str, value: Json) -> str:
    if not isinstance(value, str) or not 0 < len(value.strip()) <= PROMPT_CHARS:
        raise InvalidInput(f"{key} is {repr(value)[:NAME_CHARS]}; expected a text of up to {PROMPT_CHARS:,} characters")
    return value


def _object(key: str, value: Json) -> FrozenJson:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{key} is {repr(value)[:NAME_CHARS]}; expected an object")
    if key == "system_context" and len(str(value)) > CONTEXT_CHARS:
        raise InvalidInput(f"{key} has more than {CONTEXT_CHARS:,} characters")
    return value


def _sub_agents(key: str, value: Json) -> tuple[SubAgent, ...]:
    if not isinstance(value, list) or len(value) > MOST_SUB_AGENTS:
        raise InvalidInput(f"{key} is {repr(value)[:NAME_CHARS]}; expected a list of up to {MOST_SUB_AGENTS} agents")
    found = tuple(_sub_agent(f"{key}[{at}]", one) for at, one in enumerate(value))
    names = [one.agent_key for one in found]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"{key}: two agents are called {name!r}")
    return found


def _sub_agent(key: str, value: Json) -> SubAgent:
    keys = ("agent_key", "description", "system_prompt", "available_tools")
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{key} is {repr(value)[:NAME_CHARS]}; expected an object with {', '.join(keys)}")
    for name in value:
        if name not in keys:
            near = did_you_mean(name, keys)
            raise InvalidInput(f"{key}: there is no key {str(name)[:NAME_CHARS]!r}; expected {', '.join(keys)}.{near}")
    tools = value.get("available_tools")
    if tools is not None and not (isinstance(tools, list) and all(isinstance(tool, str) and tool for tool in tools)):
        raise InvalidInput(f"{key}.available_tools is {repr(tools)[:NAME_CHARS]}; expected a list of names of tools")
    return SubAgent(
        _name(f"{key}.agent_key", value.get("agent_key")),
        _text(f"{key}.description", value.get("description", value.get("agent_key"))),
        _text(f"{key}.system_prompt", value.get("system_prompt")),
        tuple(map(str, tools or ())),
    )


_READERS: Final[Mapping[str, Callable[[str, Json], object]]] = {
    "agent_mode": _mode,
    "deep_thinking": _flag,
    "plan": _flag,
    "more_suggest": _flag,
    "max_loop_count": _count,
    "flow": _name,
    "custom_flow": _object,
    "custom_sub_agents": _sub_agents,
    "system_context": _object,
}
_OF_TURNS: Final = ("custom_flow", "custom_sub_agents", "system_context")
"""What only a message can say."""
