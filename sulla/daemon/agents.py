"""The agents of a home: who they are, what they can use, and what a model is told of both."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from sulla.agent.packaged import PackagedAgent, wrong_fields
from sulla.agent.prompt import Surroundings
from sulla.agent.spec import SULLA, AgentSpec
from sulla.capabilities import capabilities
from sulla.core.errors import InvalidInput, SettingsError
from sulla.daemon.settings.config import Settings
from sulla.definitions.agent_file import AGENT_FILES, AgentFile, check_id, unknown
from sulla.definitions.agents import AGENTS, ALL, read_agents
from sulla.handoffs.tools import MOST_ID
from sulla.host.capability import find, refuse_twice
from sulla.host.sections import native_name
from sulla.host.team import Team
from sulla.host.tools import MCP, ToolRegistry
from sulla.models.catalog import parse_model
from sulla.tools.nearest import did_you_mean
from sulla.tools.schema import validate


def home_agent(settings: Settings) -> AgentSpec:
    """The home's own agent, as it is unless ``agents/sulla`` says otherwise."""
    return replace(SULLA, completion=settings.agent.completion)


@cache
def packaged_agents() -> Mapping[str, PackagedAgent]:
    """The agents that capabilities bring, by id. They are looked for once in a process.

    Raises:
        SettingsError: one cannot be loaded, or two have the same id.
    """
    named = [(one, dotted) for one in capabilities() for dotted in one.agents]
    found = [(one.name, _packaged(dotted, f"the capability {one.name!r}")) for one, dotted in named]
    refuse_twice(
        "agent", ((SULLA.id, "Sulla"), *((agent.spec.id, f"the capability {name!r}") for name, agent in found))
    )
    return {agent.spec.id: agent for _, agent in found}


def packaged_of(spec: AgentSpec) -> PackagedAgent | None:
    """What an agent is made of beside its spec, if it is a package's and no folder has taken its place.

    Args:
        spec: the agent.
    """
    found = packaged_agents().get(spec.id)
    return found if found is not None and found.spec == spec else None


def _packaged(dotted: str, of: str) -> PackagedAgent:
    found = find(dotted, of)
    if not isinstance(found, PackagedAgent):
        raise SettingsError(f"{dotted} of {of} is no PackagedAgent but {type(found).__name__}")
    if wrong := "; ".join(wrong_fields(found)):
        raise SettingsError(f"{dotted} of {of}: {wrong}")
    try:
        check_id(found.spec.id, "its id")
    except InvalidInput as error:
        raise SettingsError(f"{dotted} of {of}: {error.message}") from error
    if wrong := unusable(found.spec):
        raise SettingsError(f"{dotted} of {of}: {wrong}")
    return replace(found, of=of)


def read_team(settings: Settings, before: Team | None = None) -> Team:
    """The home's own agent, those of packages, and those that its folder describes; one that is wrong there does not
    keep the others away.

    Args:
        settings: name the home.
        before: the agents as they were; one of them whose folder is wrong now stays as it was. None at the start.
    """
    found = read_agents(settings.home / AGENTS, before.ids if before is not None else (SULLA.id,))
    faults = dict(found.faults)
    old = {spec.id: spec for spec in before.specs} if before is not None else {}
    kept = old if ALL in faults else {id_: old[id_] for id_ in old if id_ in faults}
    specs = {SULLA.id: home_agent(settings)} | {id_: one.spec for id_, one in packaged_agents().items()}
    for file in found.good:
        if wrong := unusable(file):
            faults[file.id] = f"{settings.home / AGENTS / file.id}: {wrong}"
        else:
            specs[file.id] = _spec(file, settings)
    kept |= {id_: old[id_] for id_ in old if id_ in faults}
    specs |= kept
    told = (f"{said}{_instead(id_, kept) if before is not None else ''}" for id_, said in faults.items())
    # One agent that goes takes no other away: whom they name in vain is told, and nobody else is.
    vain = (
        f"{settings.home / AGENTS / file.id}: {said}"
        for file in found.good
        for key, names in (
            ("spawns", file.spawns),
            ("hands_to", file.hands_to),
            ("intents", [one.to for one in file.intents if one.kind == "agent"]),
        )
        for said in _named_in_vain(key, names, specs, faults)
    )
    selves = (
        f"{settings.home / AGENTS / file.id}: hands_to names the agent itself, which has its conversations already"
        for file in found.good
        if file.id in file.hands_to
    )
    native = tuple(native_name(tool) for tools in settings.model.native_tools.values() for tool in tools)
    every = tuple(specs[id_] for id_ in sorted(specs, key=_place))
    return Team(every, tuple(told), (*found.warnings, *vain, *selves), native)


def _named_in_vain(
    key: str, names: Sequence[str], specs: Mapping[str, AgentSpec], faults: Iterable[str]
) -> Iterator[str]:
    """Agents that one names and that there are not. Those whose folder is wrong are told of by themselves."""
    called = {spec.name.casefold(): id_ for id_, spec in specs.items()}
    for name in names:
        if (id_ := called.get(name.casefold())) is not None and name not in specs:
            yield f"{key} names {name!r}, which is what the agent {id_!r} is called: write its id {id_!r}"
        else:
            yield from unknown(key, [name], (*specs, *faults))


def model_written(settings: Settings, team: Team, name: str) -> str:
    """Where the name of a model that is not the daemon's own is written, for messages.

    Args:
        settings: name the home.
        team: the agents.
        name: the model, as it is written there.
    """
    folders = (settings.home / AGENTS / spec.id for spec in team.specs if spec.model == name)
    files = (next((file for file in map(one.joinpath, AGENT_FILES) if file.exists()), one) for one in folders)
    # Whoever may only talk is told it too, and not where the home is.
    written = ", ".join(str(file.relative_to(settings.home)) for file in files)
    return f"{written} of the home" if written else "the playbook's step that names it"


def doubts(team: Team, tools: ToolRegistry, skills: Sequence[str] | None = None) -> Iterator[str]:
    """What agents name that there is not or they cannot use: a slip of the pen takes something away, and nobody would
    see it.

    Args:
        team: the agents.
        tools: those that there are.
        skills: the names of the skills; None while nobody has looked.
    """
    for spec in team.specs:
        missing = unknown("skills", spec.skills, skills) if skills is not None else ()
        # The tools of MCP servers come and go with the servers.
        lasting = [name for name in spec.tools or () if not name.startswith(MCP)]
        for said in (*unknown("tools", lasting, (*tools, *team.native)), *missing, *_intent_doubts(spec, tools)):
            yield f"the agent {spec.id!r}: {said}"


def _intent_doubts(spec: AgentSpec, tools: ToolRegistry) -> Iterator[str]:
    """Intents that lead to tools which cannot be called so."""
    box = tools.lasting(spec)
    for intent in spec.led_by("tool"):
        tool = box.get(intent.to)
        if tool is None and not intent.to.startswith(MCP):
            why = f"it has no tool of that name.{did_you_mean(intent.to, box.names)}"
        elif tool is not None and (problems := validate(intent.args, tool.schema)):
            why = f"it cannot be called with the `args` of the intent: {' '.join(problems)}"
        else:
            continue
        said = f"its intent {intent.phrases[0]!r} leads to the tool {intent.to!r}, and {why}"
        yield f"{said} Until that is mended the agent answers"


def surroundings(settings: Settings) -> Surroundings:
    """Where agents work."""
    return Surroundings(platform.system(), str(settings.workspace))


def _place(id_: str) -> tuple[bool, str]:
    """Where an agent stands among the others: the home's own comes first."""
    return id_ != SULLA.id, id_


def _instead(id_: str, kept: Mapping[str, AgentSpec]) -> str:
    """What works in the place of an agent whose folder is wrong."""
    if id_ in kept or id_ == ALL:
        return "; what was read before stays in force"
    return "" if id_ == SULLA.id else "; until that is mended there is no such agent"


def unusable(file: AgentFile | AgentSpec) -> str:
    """Why an agent that could be read cannot work; empty if it can.

    Args:
        file: the agent.
    """
    if file.model:
        try:
            parse_model(file.model)
        except SettingsError as error:
            return error.message
    return "; ".join(
        f"hands_to names {one!r}, longer than {MOST_ID} characters: no tool can be called that; rename its folder"
        for one in file.hands_to
        if len(one) > MOST_ID
    )


def _spec(file: AgentFile, settings: Settings) -> AgentSpec:
    return AgentSpec(
        file.id,
        file.name,
        file.prompt or (SULLA.prompt if file.id == SULLA.id else f"You are {file.name}. {file.description}".strip()),
        file.completion or settings.agent.completion,
        file.tools,
        file.model,
        file.directives,
        file.environment,
        file.max_turns,
        file.spawns,
        file.hands_to,
        file.description,
        file.skills,
        file.intents,
        file.reply_tokens,
        file.tuning,
        file.flow,
        file.memory,
    )
