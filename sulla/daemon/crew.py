"""The agents of a home made ready to work: each with its model, its tools, its limits and its graph."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from sulla.agent import (
    Actor,
    AgentNode,
    AgentSpec,
    Breaker,
    CallNode,
    Calls,
    Chat,
    InputHandler,
    Ledger,
    Model,
    ModelInfo,
    RunLimits,
    TokenEstimator,
    actor_key,
    create_agent_graph,
    create_call_graph,
    sections,
)
from sulla.agent.turn.offers import Offers, tool_tokens
from sulla.core.ids import ThreadId
from sulla.daemon.agents import Kit, Team, skills_section, surroundings, tool_specs
from sulla.daemon.health import Health
from sulla.daemon.models.choice import Choice
from sulla.daemon.models.providers import asker, make_provider
from sulla.daemon.models.ranks import LazyRanks
from sulla.daemon.settings.config import Settings
from sulla.heartbeat.build import GRAPH, Heart
from sulla.host.place import Place
from sulla.journal.training import Frame
from sulla.mcp.hub import McpHub
from sulla.models import Calibrations, Provider, Section, parse_model, read_prices, window_of
from sulla.playbooks.build import Plays
from sulla.threads import PLAYBOOK
from sulla.tools import Effect, Toolbox, catalogue_of

log = logging.getLogger(__name__)


class Models:
    """The models that agents answer with, each made once, however many agents it has.

    Args:
        settings: everything that can be set.
        choice: the daemon's own model.
        place: what the daemon stands on.
        ledger: what all agents use.
        ranks: who counts near a ceiling.
    """

    def __init__(self, settings: Settings, choice: Choice, place: Place, ledger: Ledger, ranks: LazyRanks) -> None:
        self._settings = settings
        self._choice = choice
        self._place = place
        self._ledger = ledger
        self._ranks = ranks
        self._made: dict[str, Model] = {}
        self.home = self.of("")

    def of(self, name: str) -> Model:
        """The model of that name; the daemon's own if it is empty.

        Raises:
            SettingsError: it names no known provider.
        """
        choice = Choice(parse_model(name), "the agent says so") if name else self._choice
        key = str(choice.model)
        if key not in self._made:
            self._made[key] = self._make(choice)
        return self._made[key]

    @property
    def breakers(self) -> Mapping[str, Breaker]:
        """Of each model's service, by the model's name."""
        return {name: model.breaker for name, model in self._made.items()}

    async def close(self) -> None:
        """Let go of every service."""
        for model in self._made.values():
            await model.provider.close()

    def _make(self, choice: Choice) -> Model:
        settings = self._settings
        if choice.model != self._choice.model:
            # The setting speaks of the daemon's own model; another one has what its provider usually has.
            settings = settings.model_copy(update={"model": settings.model.model_copy(update={"window_tokens": 0})})
        provider: Provider = self._place.wrap_provider(make_provider(settings, choice, self._place))
        window = window_of(choice.model, settings.model.window_tokens)
        stand_in = parse_model(settings.model.fallback) if settings.model.fallback else None
        info = ModelInfo(choice.model, window, read_prices(settings.prices), stand_in)
        estimator = TokenEstimator(info, Calibrations(), self._ranks, asker(provider))
        return Model(provider, estimator, self._ledger, Breaker(), self._place.jitter)


@dataclass(frozen=True, slots=True)
class Crew:
    """Everybody who can be set to work."""

    actors: dict[str, Actor]
    frames: dict[str, Frame]
    """What each is told before any conversation."""


def make_crew(
    settings: Settings,
    kit: Kit,
    models: Models,
    limits: RunLimits,
    summarize: Callable[[ThreadId], bool],
    calls_of: Callable[[Toolbox], Calls],
    heart: Heart,
    plays: Plays,
) -> Crew:
    """Make agents ready.

    Args:
        settings: everything that can be set.
        kit: the agents, and all that they have.
        models: what they answer with.
        limits: bounds of each run; an agent may have narrower ones.
        summarize: see `Chat.summarize`.
        calls_of: what runs the calls of tools.
        heart: what agents beat with.
        plays: what playbooks are walked with.
    """
    crew = Crew({}, {})
    for spec, box in kit.boxes:
        offers = Offers(catalogue_of(box, tool_tokens))
        box = offers.catalogue.toolbox
        bounds = replace(limits, model_calls=min(limits.model_calls, spec.max_turns or limits.model_calls))
        known = partial(_known, spec, kit, box)
        effect, where, calls = partial(_effect, box), surroundings(settings), calls_of(box)
        beats = partial(kit.playbooks.beat_lines, box)
        # Beats may be answered by another model than conversations; it is the same agent all the same.
        for name in dict.fromkeys((heart.model, "")):
            model = models.of(name or spec.model)
            chat = Chat(model, spec, offers(()), effect, bounds, where, summarize, known, offers)
            first, node = InputHandler(chat), AgentNode(chat, calls, kit.playbooks.opening)
            answers = model.estimator.info.name.model
            crew.actors[actor_key(spec.id, name)] = Actor(spec, answers, create_agent_graph(first, node))
            crew.actors[actor_key(spec.id, graph=GRAPH)] = Actor(spec, answers, heart.graph(spec, first, beats))
        play = plays.graph(calls, models.of(spec.model))
        crew.actors[actor_key(spec.id, graph=PLAYBOOK)] = Actor(spec, "", play)
        crew.actors[actor_key(spec.id, graph="call")] = Actor(spec, "", create_call_graph(CallNode(calls)))
        crew.frames[spec.id] = Frame(tuple(part.text for part in sections(spec, where)), tool_specs(box))
    return crew


def _known(spec: AgentSpec, kit: Kit, toolbox: Toolbox) -> tuple[Section, ...]:
    """What a model is told that changes with files: skills, and playbooks."""
    return (*skills_section(spec, kit.shelf, toolbox), *kit.playbooks.sections(toolbox))


def _effect(toolbox: Toolbox, name: str) -> Effect:
    tool = toolbox.get(name)
    return tool.effect if tool is not None else "pure"  # a call of no tool does nothing, however often


def look_after_crew(health: Health, team: Team, models: Models, servers: McpHub) -> None:
    """Have what can be wrong with agents looked at, and say what already is.

    Args:
        health: looks.
        team: who was found, and who could not be used.
        models: what they answer with; the daemon's own one is looked after elsewhere.
        servers: may offer other tools than the owner has allowed.
    """
    for said in team.faults:
        log.warning("an agent cannot be used: %s", said)
    for said in team.warnings:
        log.warning("an agent is not quite as it should be: %s", said)

    def resting() -> str:
        names = [name for name, breaker in models.breakers.items() if breaker is not models.home.breaker]
        names = [name for name in names if models.breakers[name].state != "closed"]
        return f"services that failed several times in a row and are left alone: {', '.join(names)}" if names else ""

    def waiting() -> str:
        return servers.waiting()

    health.watch("agents", lambda: "; ".join(team.faults)[:1_000], blocks=False)
    health.watch("agent_models", resting, blocks=False)
    health.watch("mcp_trust", waiting, blocks=False)
