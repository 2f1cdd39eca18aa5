"""All wiring, by hand, top to bottom."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from sulla.agent import (
    Calls,
    Ledger,
    RunLimits,
    Summarizer,
    TurnDriver,
)
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.trail import trail
from sulla.daemon.access import Access, make_access
from sulla.daemon.account import Account
from sulla.daemon.agents import Team
from sulla.daemon.checkup import BUDGET_S, Checkup, StoreReport, check_store
from sulla.daemon.crew import Models, look_after_crew, make_crew
from sulla.daemon.guarding import make_guarding
from sulla.daemon.hands import Hands
from sulla.daemon.health import look_after
from sulla.daemon.instruments import Instruments, make_instruments
from sulla.daemon.intake import Intake
from sulla.daemon.models.choice import Choice
from sulla.daemon.models.providers import exact_count
from sulla.daemon.models.ranks import LazyRanks
from sulla.daemon.outfit import make_outfit
from sulla.daemon.play_starts import PlayStarts, begins_of, make_followers, make_play_starts
from sulla.daemon.report import report_hands, report_settings, report_troubles, report_use
from sulla.daemon.roster import Offices, roster_of
from sulla.daemon.scene import Scene, make_scene
from sulla.daemon.service import Service
from sulla.daemon.settings import bounds
from sulla.daemon.settings.config import Settings
from sulla.daemon.shifts import Shifts
from sulla.daemon.standstill import obey
from sulla.daemon.stores import make_store, store_reader, store_source
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.daemon.watch import StoreWatch
from sulla.heartbeat.build import Heart
from sulla.heartbeat.service import make_beats
from sulla.host.place import Place
from sulla.host.waker import Waker
from sulla.journal.build import journal_status, make_journal
from sulla.mcp.hub import McpHub
from sulla.memory.build import Memories, Remembering, make_remembering
from sulla.models import (
    OFFLINE,
)
from sulla.people.build import PeopleDesk, make_people
from sulla.playbooks.build import Around, make_plays
from sulla.schedules.build import Timetable, look_after_schedules, make_schedules
from sulla.skills.shelf import SkillShelf
from sulla.speech.build import look_after_speech, make_speech
from sulla.speech.sessions.manager import StreamBufferManager
from sulla.store import Store
from sulla.threads import LogFollower, ThreadStore
from sulla.work import Group, GroupOf, Job, LocalWork, Switch


@dataclass(frozen=True, slots=True)
class System:
    """Everything that was built."""

    store: Store
    threads: ThreadStore
    models: Models
    turns: TurnDriver
    work: LocalWork
    service: Service
    account: Account
    summarizer: Summarizer
    journal: LogFollower | None
    watch: StoreWatch
    access: Access
    instruments: Instruments
    hands: Hands
    memories: Memories
    remembering: Remembering
    servers: McpHub
    shelf: SkillShelf
    timetable: Timetable
    scene: Scene
    switch: Switch
    people: PeopleDesk
    starts: PlayStarts
    speech: StreamBufferManager


def build(settings: Settings, choice: Choice, place: Place) -> System:
    """Wire a daemon together; nothing is opened or started yet.

    Raises:
        SettingsError: a setting asks for something that there is not.
    """
    store = place.wrap_store(make_store(settings, place))
    switch = Switch(store, place.clock)
    hands, memories, servers, family, always, kit = make_outfit(settings, place)
    instruments = make_instruments(settings, choice, place, kit.tool_names)
    threads = _make_threads(settings, store, place, instruments)
    people = make_people(store, threads, hands.notices, place)
    mind = _make_mind(settings, choice, place, threads)
    models, limits = mind.models, mind.limits
    guarding = make_guarding(settings, store, threads, place)
    calls = partial(Calls, workspace=settings.workspace, jitter=place.jitter, guard=guarding.guard)
    wake = Waker()
    children = family.open(threads, kit.team.specs, wake, limits)
    heart = Heart(settings, threads, children, hands.projects, kit.shelf, people, guarding.marks)
    plays = make_plays(settings, place, kit, servers.current, Around(threads, children, hands.notices, wake, limits))
    crew = partial(make_crew, settings, models=models, limits=limits, summarize=mind.summarize, calls_of=calls)
    shifts = Shifts(kit, always, servers.current, lambda kit: crew(kit, heart=heart, plays=plays))
    scene = make_scene(store, threads, place, lambda: work.held)
    told = scene.told(memories, hands.ended_jobs)
    turns = TurnDriver(threads, store, place.clock, shifts.actors, limits, mind.ledger, children, told)
    remembering = make_remembering(memories, threads, store, place.clock)
    journal = make_journal(settings, threads, store, place.clock, place.redactor, shifts.frames)
    followers = make_followers(plays, hands.projects, store, place)
    handle = _handler(kit.shelf, turns, (*([journal] if journal is not None else []), remembering, followers))
    work = wake.connect(LocalWork(store, handle, _groups(threads), place.clock, bounds.work(settings)))
    access = make_access(settings, store, place)

    def report() -> JsonObject:
        said = report_settings(settings, choice, store_source(settings)) | report_hands(hands, kit.team, servers)
        used = report_use(settings, models.home, mind.ranks, place.clock) | journal_status(journal, settings.home)
        said |= used | remembering.status() | access.status() | timetable.status() | speech.status()
        return said | report_troubles(instruments.health.troubles())

    watch = StoreWatch(store, place.clock, lambda: turns.abort("store_replaced"))
    timetable = make_schedules(settings, store, threads, place, kit, wake, begins_of(heart.thread, plays), switch.holds)
    starts = make_play_starts(plays, followers, kit, models, timetable, instruments.health)
    beats = make_beats(heart, threads, timetable, kit.team, wake, place)
    speech = make_speech(settings, store, threads, place, wake)
    offices = Offices(timetable.office, beats, people, plays.desk, speech)
    roster = roster_of(kit, choice, hands.projects, guarding.rules, remembering, servers.current, scene, offices)
    intake, look = Intake(threads, bounds.rates(settings), place.clock), _checkup(settings, store, place).run
    service = Service(threads, intake, watch, work, roster, report, look, switch)
    # fmt: off
    system = System(
        store, threads, models, turns, work, service, mind.account(store, place), mind.summarizer, journal, watch,
        access, instruments, hands, memories, remembering, servers, kit.shelf, timetable, scene, switch, people, starts,
        speech,
    )
    # fmt: on
    return _looked_after(system, kit.team)


def _looked_after(system: System, team: Team) -> System:
    """The same; what goes wrong with it is told."""
    health = system.instruments.health
    look_after(health, system.watch, system.service, system.models.home.breaker, system.journal, system.access)
    obey(system.switch, system.turns, system.work, health)
    look_after_crew(health, team, system.models, system.servers)
    look_after_schedules(health, system.timetable)
    look_after_speech(health, system.speech)
    return system


@dataclass(frozen=True, slots=True)
class _Mind:
    """What models are asked with, and for how much."""

    models: Models
    ledger: Ledger
    ranks: LazyRanks
    limits: RunLimits
    summarizer: Summarizer
    summarize: Callable[[ThreadId], bool]

    def account(self, store: Store, place: Place) -> Account:
        """Keeps what was used over restarts."""
        return Account(self.ledger, store, place.clock, place.owner)


def _make_mind(settings: Settings, choice: Choice, place: Place, threads: ThreadStore) -> _Mind:
    ledger, ranks = Ledger(bounds.day(settings)), LazyRanks(exact_count)
    models, limits = Models(settings, choice, place, ledger, ranks), bounds.run(settings)
    summarizer = Summarizer(threads, models.home, place.clock, place.make_id, limits)
    summarize = summarizer.ask if _can_sum_up(settings, choice) else _no_summary
    return _Mind(models, ledger, ranks, limits, summarizer, summarize)


def _make_threads(settings: Settings, store: Store, place: Place, instruments: Instruments) -> ThreadStore:
    kept, stream = bounds.threads(settings), instruments.stream
    return ThreadStore(store, place.clock, place.make_id, place.owner, THREAD_SCHEMA, kept, stream)


def _groups(threads: ThreadStore) -> GroupOf:
    """Whose job it is: so many of one agent may run at once."""

    async def group_of(key: str) -> Group:
        return Group(*await threads.whose(ThreadId(key)))

    return group_of


def _checkup(settings: Settings, store: Store, place: Place) -> Checkup:
    async def check() -> StoreReport:
        return await check_store(store_reader(settings, place.clock, quiet=False), store, place.clock, BUDGET_S)

    return Checkup(check)


class _Follower(Protocol):
    """Reads threads behind the turns."""

    def wake(self, thread_id: ThreadId) -> None:
        """Have a thread looked at soon."""
        ...


def _handler(shelf: SkillShelf, turns: TurnDriver, followers: Sequence[_Follower]) -> Callable[[Job], Awaitable[None]]:
    """What is done for a thread that has something to do."""

    async def handle(job: Job) -> None:
        try:
            await shelf.look()
            with trail(thread_id=job.key):
                await turns.attend(ThreadId(job.key))
        finally:
            for follower in followers:
                follower.wake(ThreadId(job.key))

    return handle


def _can_sum_up(settings: Settings, choice: Choice) -> bool:
    return settings.model.summaries and choice.model.provider != OFFLINE


def _no_summary(thread_id: ThreadId) -> bool:
    """Nobody could make one: the rules that answer offline cannot sum anything up."""
    return False
