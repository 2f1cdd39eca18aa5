"""A daemon, wired: what every daemon has, the capabilities, and what runs both."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from sulla.agent import environment_rpc, files_rpc
from sulla.agent import rpc as agents_rpc
from sulla.agent.approvals import permissions_rpc
from sulla.agent.calls.calls import ToolCalls, nobody_is_told
from sulla.agent.door import Door
from sulla.agent.turn.ambient_context import TurnContext
from sulla.agent.turn.turns import TurnDriver
from sulla.capabilities import capabilities
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.late import late
from sulla.core.words import Words, joined, said_by
from sulla.daemon.access.access import Access, make_access
from sulla.daemon.access.door import ServiceDoor
from sulla.daemon.access.switch_effect import obey
from sulla.daemon.agent_list import AgentList
from sulla.daemon.capability_tasks import worker
from sulla.daemon.checkup import BUDGET_S, Ask, Checkup, StoreReport, check_store
from sulla.daemon.cluster.work import make_work, no_workers
from sulla.daemon.console.build import ConsoleServices, make_console
from sulla.daemon.core import Core, make_core, summarize_of
from sulla.daemon.day_account import Account
from sulla.daemon.environment import Scene, make_scene
from sulla.daemon.health import look_after, look_after_team
from sulla.daemon.home.agent_writer import AgentWriter
from sulla.daemon.home.lifecycle import Lifecycle
from sulla.daemon.intake import Intake
from sulla.daemon.models.check import ModelCheck
from sulla.daemon.models.choice import Choice
from sulla.daemon.models.offered import OfferedModels
from sulla.daemon.models.pool import ModelPool
from sulla.daemon.report import report_elsewhere, report_settings, report_troubles, report_use
from sulla.daemon.runtimes import AgentRuntimes, answerer_of, urgent_of
from sulla.daemon.service import Forget, Service
from sulla.daemon.settings import bounds
from sulla.daemon.settings.config import Examined, Settings
from sulla.daemon.store_watch import StoreWatch, room_of
from sulla.daemon.stores import store_reader, store_source
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.flows.begin import FlowBeginnings
from sulla.gateway.methods import lifecycle as lifecycle_rpc
from sulla.gateway.methods import switch as switch_rpc
from sulla.handoffs.groups import TurnGroups
from sulla.host.home import Home
from sulla.host.host import Built, Host
from sulla.host.place import Place
from sulla.host.store_url import store_file
from sulla.store.base import Store
from sulla.threads.readable import ReadableThreads
from sulla.threads.store import ThreadStore
from sulla.tools.shell.jobs import ParentOf
from sulla.work.base import Work

if TYPE_CHECKING:
    from sulla.daemon.doctor.within import DoctorWithin

log = logging.getLogger(__name__)

STATUS_S: Final = 2.0
"""How long a capability may take to say how it is, in seconds."""


@dataclass(frozen=True, slots=True)
class System:
    """A daemon's parts, as `run` opens, starts and ends them."""

    core: Core
    turns: TurnDriver
    work: Work
    service: Service
    account: Account
    watch: StoreWatch
    access: Access
    scene: Scene
    model_check: ModelCheck
    lifecycle: Lifecycle
    console: ConsoleServices

    @property
    def store(self) -> Store:
        """Where everything is kept."""
        return self.core.host.store

    @property
    def threads(self) -> ThreadStore:
        """Where conversations are."""
        return self.core.host.threads

    @property
    def models(self) -> ModelPool:
        """What agents answer with."""
        return self.core.models

    @property
    def host(self) -> Host:
        """What the capabilities were built with."""
        return self.core.host

    @property
    def built(self) -> tuple[Built, ...]:
        """What they bring."""
        return tuple(self.core.built.values())


def build(settings: Settings, choice: Choice, place: Place, examine: Callable[[], Examined] | None = None) -> System:
    """Wire a daemon together; nothing is opened or started yet.

    Args:
        settings: everything that can be set.
        choice: the daemon's own model.
        place: what it stands on.
        examine: reads the settings again; None where they are nowhere written down.

    Raises:
        SettingsError: a setting asks for something that there is not.
    """
    core = make_core(settings, choice, place)
    host, built, clock = core.host, tuple(core.built.values()), place.clock
    told_of = next((one.told_of_waits for one in built if one.told_of_waits is not None), nobody_is_told)
    calls = partial(
        ToolCalls, workspace=settings.workspace, jitter=place.jitter, guard=core.guarding.guard, told=told_of
    )
    actors = AgentRuntimes(host, built, calls, summarize_of(core, settings, choice))
    scene = make_scene(host.store, host.threads, place, host.waker.held)
    children, limits = host.agents.children, host.agents.limits
    turns = TurnDriver(
        host.threads, host.store, clock, actors, limits, core.ledger, children, _told(scene, core, built)
    )
    looks = {"agents": Built(before_work=core.agent_folders.look)}
    handle = worker(partial(core.models.before, turns.attend), looks | core.built)
    groups = TurnGroups(host.threads)
    work = host.waker.connect(make_work(settings, host, handle, groups), groups.passed)
    access, watch = make_access(settings, host.store, place), _watch(settings, core, turns)
    takers = (Built(take_up=core.tools.web.take_up), *built)
    examine = examine or (lambda: Examined(settings, (), {}))
    lifecycle = Lifecycle(settings, examine, host, takers, work, core.agent_folders)
    offered, flows = OfferedModels(settings.model, clock), host.needed(FlowBeginnings)
    agents = AgentList(host.agents, host.tools, str(choice.model), scene.active, offered)
    console = make_console(settings, choice.model, host, built)
    services = dict(
        (
            agents_rpc.METHODS.done_by(agents),
            files_rpc.METHODS.done_by(AgentWriter(settings.home, core.agent_folders, flows)),
            environment_rpc.METHODS.done_by(scene),
            permissions_rpc.METHODS.done_by(core.guarding.rules),
            *console.services(),
            switch_rpc.METHODS.done_by(host.switch),
            lifecycle_rpc.METHODS.done_by(lifecycle),
            *(pair for one in built for pair in one.methods),
        )
    )
    model_check = ModelCheck(settings.model, choice, clock)
    report = _report(settings, choice, core, scene, access)
    look = _checkup(settings, host.store, place, model_check, examine)
    readable = ReadableThreads(host.threads, host.store, THREAD_SCHEMA)
    intake = Intake(host.threads, readable, bounds.rates(settings), clock)
    service = Service(host, intake, watch, work, services, _forgetting(core, scene, built), report, look)
    host.needed(Door).connect(ServiceDoor(host, service, intake, work))
    look_after(host.health, watch, service, core.models, access)
    _watch_troubles(host, model_check, lifecycle, work)
    look_after_team(host.health, host.agents.team, host.tools)
    obey(host.switch, turns, work, host.health)
    account = Account(core.ledger, host.store, clock, place.owner)
    return System(core, turns, work, service, account, watch, access, scene, model_check, lifecycle, console)


def _watch_troubles(host: Host, model: ModelCheck, lifecycle: Lifecycle, work: Work) -> None:
    """Have what stops nobody from working told with how the daemon is."""
    host.health.watch("model", model.trouble, blocks=False)
    host.health.watch("no_workers", partial(no_workers, work), blocks=False)
    host.health.watch("restart", lifecycle.waiting, blocks=False)
    host.health.watch("damaged_threads", host.threads.damage, blocks=False)


def _forgetting(core: Core, scene: Scene, built: Sequence[Built]) -> tuple[Forget, ...]:
    """What forgets a thread that is deleted."""
    jobs = partial(core.tools.jobs.forget, parent_of=_parents(core.host.threads))
    kept: tuple[Forget, ...] = (jobs, core.tools.forget, scene.feed.forget)
    return (*kept, *(one.forget for one in built if one.forget is not None))


def _watch(settings: Settings, core: Core, turns: TurnDriver) -> StoreWatch:
    store, clock, replaced = core.host.store, core.host.place.clock, partial(_replaced, turns)
    return StoreWatch(store, clock, replaced, room_of(store_file(settings)), core.refusals)


def _replaced(turns: TurnDriver) -> None:
    turns.abort("store_replaced")


def _remembered(built: Iterable[Built]) -> Callable[[str, str], Awaitable[Words]]:
    """What an agent is told before a conversation, by every capability that has something to say."""
    tell = [one.remembered for one in built if one.remembered is not None]

    async def remembered(agent: str, message: str) -> Words:
        said = [await one(agent, message) for one in tell]
        return joined(filter(None, map(said_by, said)), "\n\n")

    return remembered


def _told(scene: Scene, core: Core, built: Sequence[Built]) -> TurnContext:
    """What turns are told beside their messages."""
    told = scene.told(_remembered(built), core.tools.ended_jobs, _about_project(built), answerer_of(built))
    return replace(told, recalled=_recalled(built), urgent=urgent_of(built))


def _recalled(
    built: Iterable[Built],
) -> Callable[[str, Mapping[str, int], str, Iterable[str]], Awaitable[Words]]:
    """What an agent is told beside a later message, by every capability that has something to say."""
    tell = [one.recalled for one in built if one.recalled is not None]

    async def recalled(agent: str, stands: Mapping[str, int], message: str, told: Iterable[str]) -> Words:
        said = [await one(agent, stands, message, told) for one in tell]
        return joined(filter(None, map(said_by, said)), "\n\n")

    return recalled


def _about_project(built: Iterable[Built]) -> Callable[[str], Awaitable[Words]]:
    """How it is with a project, by every capability that has something to say."""
    tell = [one.about_project for one in built if one.about_project is not None]

    async def about_project(name: str) -> Words:
        said = [await one(name) for one in tell]
        return joined(filter(None, map(said_by, said)), "; ")

    return about_project


def _report(
    settings: Settings, choice: Choice, core: Core, scene: Scene, access: Access
) -> Callable[[], Awaitable[JsonObject]]:
    """What `sulla status` says."""
    fixed = report_settings(settings, choice, store_source(settings))
    brought = {name: one.status for name, one in core.built.items() if one.status is not None}
    absent = set[str]()
    if settings.work.role == "gateway":
        absent.update(*(one.absent_at_gateways for one in core.built.values()))

    async def report() -> JsonObject:
        await core.host.agents.look()
        said = (
            fixed
            | {"agents": [*core.host.agents.team.ids]}
            | core.tools.status()
            | {"without_tools": core.models.without_tools}
            | report_use(settings, core.models.home, core.ranks, core.host.place.clock)
        )
        said |= access.status() | {"active": await scene.status()}
        for name, status in brought.items():
            said = await _status_of(name, status, core.host.place.clock) | said  # nobody takes another's key
        if settings.work.role == "gateway":
            said |= report_elsewhere(said, absent)
        return said | report_troubles(core.host.health.troubles())

    return report


async def _status_of(name: str, status: Callable[[], Awaitable[JsonObject]], clock: Clock) -> JsonObject:
    """What a capability says of itself; that it could not, where it fails or takes too long."""
    try:
        async with clock.timeout(STATUS_S):
            said = await status()
        json.dumps(said)
    except Exception as error:  # noqa: BLE001 - `sulla status` and `sulla ask` have to work whatever it is
        log.warning("the capability %r cannot say how it is: %s: %s", name, type(error).__name__, error)
        return {f"{name}_status": f"failed: {type(error).__name__}: {error}"}
    return said


def _parents(threads: ThreadStore) -> ParentOf:
    """For which thread a sub-agent's works."""

    async def parent_of(thread_id: ThreadId) -> ThreadId | None:
        state = await threads.load(thread_id, messages=False)
        birth = None if state is None else state.identity.birth
        return None if birth is None else birth.parent

    return parent_of


def _checkup(
    settings: Settings, store: Store, place: Place, model_check: ModelCheck, examine: Callable[[], Examined]
) -> Callable[[Ask | None], Awaitable[JsonObject]]:
    """What `sulla doctor` asks of a daemon that runs: its store, and whether its model can answer; or all that it looks
    at itself.
    """

    async def check() -> StoreReport:
        return await check_store(store_reader(settings, place.clock, quiet=False), store, place.clock, BUDGET_S)

    checkup = Checkup(check)

    def make() -> DoctorWithin:
        from sulla.daemon.doctor.doctor import checks
        from sulla.daemon.doctor.within import DoctorWithin

        return DoctorWithin(Home(settings.home), examine, place.clock, lambda: checks(capabilities()))

    doctor = late(make)

    async def look() -> JsonObject:
        found = await checkup.run()
        return found | {"model_check": asdict(await model_check.look())}

    return lambda ask: look() if ask is None else doctor.look(ask, look())
