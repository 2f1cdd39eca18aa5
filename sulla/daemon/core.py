"""What every daemon has, with the capabilities built upon it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sulla.agent.door import Door
from sulla.agent.limits.ledger import Ledger
from sulla.agent.model.summarizer import Summarizer
from sulla.agent.subagents.child_tools import Subagents, sub_agent_tools
from sulla.agent.subagents.children import Children
from sulla.capabilities import capabilities
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.daemon.access.guarding import Guarding, make_guarding
from sulla.daemon.agents import model_written, read_team, surroundings
from sulla.daemon.home.agent_folders import AgentFolders
from sulla.daemon.instruments import Instruments, make_instruments
from sulla.daemon.models.choice import Choice
from sulla.daemon.models.pool import ModelPool
from sulla.daemon.models.providers import exact_count
from sulla.daemon.models.ranks import LazyRanks
from sulla.daemon.settings import bounds
from sulla.daemon.settings.config import Settings
from sulla.daemon.stores import make_store, refusals_of
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.daemon.tools import HomeTools, make_home_tools
from sulla.host.capability import find
from sulla.host.host import Agents, Built, Host, build_each
from sulla.host.place import Place
from sulla.host.store_url import MEMORY
from sulla.host.system import random_id, random_part
from sulla.host.tools import ToolRegistry
from sulla.host.waker import Waker
from sulla.host.zone import home_zone
from sulla.models.catalog import OFFLINE, ModelName
from sulla.store.base import Store
from sulla.store.refusals import Refusals
from sulla.threads.pulse import ThreadPulse
from sulla.threads.store import ThreadStore
from sulla.tools.program_files import ProgramFiles
from sulla.work.switch import WorkSwitch


@dataclass(frozen=True, slots=True)
class Core:
    """What every daemon has. Nothing of it is opened or started."""

    host: Host
    built: dict[str, Built]
    """What each capability brings, by its name, each behind what it needs."""
    models: ModelPool
    ledger: Ledger
    ranks: LazyRanks
    summarizer: Summarizer
    guarding: Guarding
    instruments: Instruments
    tools: HomeTools
    agent_folders: AgentFolders
    refusals: Refusals
    """Of the store."""


def make_core(settings: Settings, choice: Choice, place: Place, *, lenient: bool = False) -> Core:
    """Make it.

    Args:
        settings: everything that can be set.
        choice: the daemon's own model.
        place: what the daemon stands on.
        lenient: see `host.build_each`.

    Raises:
        SettingsError: a setting asks for something that there is not.
    """
    kept = make_store(settings, place)
    store = place.wrap_store(kept)
    team, home_tools, waker = read_team(settings), make_home_tools(settings, place.clock), Waker()
    programs = ProgramFiles(settings.shell.program_files)
    tools = ToolRegistry(team, (*home_tools.tools, *place.extra_tools), programs, place.zone)
    instruments = make_instruments(settings, choice, place, tools)
    pulse = ThreadPulse(store, place.clock, instruments.stream)
    threads = _make_threads(settings, store, place, pulse)
    ledger, ranks, limits = Ledger(bounds.day(settings)), LazyRanks(exact_count), bounds.run(settings)
    models = ModelPool(settings, choice, place, ledger, ranks, partial(model_written, settings, team))
    guarding, children = make_guarding(settings, store, threads, place), Children(threads, waker, limits)

    # A turn under way may be that of an agent that is gone.
    def spawns(agent: str) -> tuple[str, ...]:
        return tuple(one for one, _ in team.helpers(spec)) if (spec := team.find(agent)) is not None else ()

    def tools_of(agent: str) -> tuple[str, ...]:
        return tools.now(spec).names if (spec := team.find(agent)) is not None else ()

    subagents = Subagents(children, threads, spawns, tools_of)
    tools.add(sub_agent_tools(lambda: subagents))
    marks, held = guarding.marks, home_tools.held_back
    folders = AgentFolders(settings, team, tools, place.clock)
    agents = Agents(team, models.of, limits, children, marks, held, surroundings(settings), folders.look_now)
    switch = WorkSwitch(store, place.clock)
    named = [(one, f"the capability {of.name!r}") for of in capabilities() for one in of.conditions]
    conditions = {f"{one} of {of}": find(one, of) for one, of in named}
    watched = instruments.health, instruments.tally
    host = Host(
        settings,
        place,
        store,
        threads,
        waker,
        switch,
        *watched,
        tools,
        agents,
        conditions,
        {ThreadPulse: pulse, Door: Door()},
    )
    built = build_each(capabilities(), host, lenient=lenient)
    summarizer = Summarizer(threads, models.home, place.clock, place.make_id, limits)
    return Core(
        host, built, models, ledger, ranks, summarizer, guarding, instruments, home_tools, folders, refusals_of(kept)
    )


def offline_core(settings: Settings, clock: Clock) -> Core:
    """The same for a home on which no daemon runs, to be looked at: its threads are in no store, and nothing is sent
    anywhere.

    Args:
        settings: name the home.
        clock: all time.

    Raises:
        SettingsError: a setting asks for something that there is not.
    """
    store = settings.store.model_copy(update={"url": MEMORY})
    telemetry = settings.telemetry.model_copy(update={"otlp_endpoint": ""})
    settings = settings.model_copy(update={"store": store, "telemetry": telemetry})
    place = Place(clock, random_id, "nobody", random_part, zone=home_zone(settings.daemon.zone).name)
    return make_core(settings, Choice(ModelName(OFFLINE), "no daemon runs"), place, lenient=True)


def summarize_of(core: Core, settings: Settings, choice: Choice) -> Callable[[ThreadId], bool]:
    """What asks for a summary of a long conversation: see `Chat.summarize`.

    Args:
        core: has the summarizer.
        settings: say whether summaries are wanted.
        choice: the daemon's own model; the rules that answer offline cannot sum anything up.
    """
    if settings.model.summaries and choice.model.provider != OFFLINE:
        return core.summarizer.ask
    return lambda thread_id: False


def _make_threads(settings: Settings, store: Store, place: Place, pulse: ThreadPulse) -> ThreadStore:
    kept = bounds.threads(settings)
    return ThreadStore(store, place.clock, place.make_id, place.owner, THREAD_SCHEMA, kept, pulse)
