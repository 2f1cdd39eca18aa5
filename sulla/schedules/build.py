"""What is done at its time: schedules that people make, and those that the settings ask for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from difflib import get_close_matches

from sulla.core.errors import InvalidInput, NotAvailable, NotFound, SettingsError, SullaError
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import FrozenJson, JsonObject
from sulla.daemon.agents import MCP, Kit
from sulla.daemon.health import Health
from sulla.daemon.settings.config import Settings
from sulla.heartbeat.settings import BeatSettings, HeartbeatSettings
from sulla.host.place import Place
from sulla.schedules.acts import Acts, BeatThread, BeginPlaybook, no_beats, no_playbooks
from sulla.schedules.book import ScheduleBook
from sulla.schedules.hours import parse_hours
from sulla.schedules.office import Schedules
from sulla.schedules.scheduler import Scheduler
from sulla.schedules.spec import BeatAction, Cron, Every, MessageAction, PlaybookAction, Spec, ToolAction, check_spec
from sulla.store import Store
from sulla.threads import ThreadStore

log = logging.getLogger(__name__)

RETRY_S = 5.0


async def no_check(name: str, inputs: FrozenJson) -> None:
    """No playbook can be known.

    Raises:
        NotAvailable: always.
    """
    raise NotAvailable(f"a schedule cannot begin the playbook {name!r}: no playbooks are kept here")


@dataclass(frozen=True, slots=True)
class Begins:
    """What schedules begin that is kept elsewhere."""

    beat_thread: BeatThread = no_beats
    """Where an agent wakes up."""
    playbook: BeginPlaybook = no_playbooks
    """Begins a playbook."""
    check_playbook: Callable[[str, FrozenJson], Awaitable[None]] = no_check
    """Does nothing if a playbook is known and these are all its inputs; raises what is wrong."""


NOTHING_BEGINS = Begins()


@dataclass(frozen=True, slots=True)
class Timetable:
    """What was built for it."""

    book: ScheduleBook
    scheduler: Scheduler
    office: Schedules
    wanted: dict[str, Spec]
    """What the settings ask for, by id."""
    place: Place
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when all schedules are known, with those that the settings ask for."""

    def status(self) -> JsonObject:
        """What `sulla status` says of it."""
        return {"schedules": self.scheduler.status()}

    async def run(self) -> None:
        """Fire until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.scheduler.run())
            await self.scheduler.opened.wait()
            await self._settle()
            self.settled.set()

    async def _settle(self) -> None:
        while True:
            try:
                return await self.office.settle(self.wanted)
            except SullaError as error:
                if not error.retryable:
                    return log.error("the schedules that the settings ask for cannot be made: %s", error.message)
                log.warning("the schedules that the settings ask for have to wait: %s", error.message)
                await self.place.clock.sleep(RETRY_S)


def make_schedules(
    settings: Settings,
    store: Store,
    threads: ThreadStore,
    place: Place,
    kit: Kit,
    wake: Callable[[ThreadId], None],
    begins: Begins = NOTHING_BEGINS,
    held: Callable[[], bool] = lambda: False,
) -> Timetable:
    """Not opened yet.

    Args:
        settings: ask for some.
        store: where schedules are kept.
        threads: where what they do is offered.
        place: what the daemon stands on.
        kit: the agents that can be named, and their tools.
        wake: has somebody work on a thread now.
        begins: what is begun that is kept elsewhere.
        held: whether all work is paused.

    Raises:
        SettingsError: one that they ask for cannot be.
    """
    names = [spec.id for spec in kit.team.specs]

    async def check(spec: Spec) -> None:
        if isinstance(spec.action, PlaybookAction):
            return await begins.check_playbook(spec.action.name, spec.action.inputs)
        if spec.action.agent not in ("", *names):
            raise NotFound(f"no agent {spec.action.agent!r} (known: {', '.join(names)})")
        if isinstance(spec.action, ToolAction):
            _check_tool(kit, spec.action)
        if isinstance(spec.action, MessageAction) and spec.action.thread:
            await threads.get(ThreadId(spec.action.thread))
        return None

    acts = Acts(threads, wake, names[0], begins.beat_thread, begins.playbook)
    book = ScheduleBook(store, place.clock, place.owner)
    scheduler = Scheduler(book, place.clock, acts.begin, held)
    office = Schedules(book, scheduler, place.clock, place.make_id, check)
    return Timetable(book, scheduler, office, wanted_by(settings, names), place)


def _check_tool(kit: Kit, action: ToolAction) -> None:
    """Do nothing if an agent has a tool, or may have it: those of MCP servers come and go.

    Raises:
        NotFound: it has none of that name.
    """
    box = next(box for spec, box in kit.boxes if action.agent in ("", spec.id))
    if action.name not in box and not action.name.startswith(MCP):
        near = get_close_matches(action.name, box.names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(box.names)}"
        raise NotFound(f"the agent has no tool {action.name[:80]!r}; {hint}")


def look_after_schedules(health: Health, timetable: Timetable) -> None:
    """Have it said where some cannot be read.

    Args:
        health: looks.
        timetable: knows.
    """

    def unreadable() -> str:
        return "; ".join(timetable.book.troubles())[:1_000]

    health.watch("schedules", unreadable, blocks=False)


def wanted_by(settings: Settings, agents: list[str]) -> dict[str, Spec]:
    """The schedules that the settings ask for, by id; the ids stay as long as the names do.

    Raises:
        SettingsError: one cannot be.
    """
    beats = settings.section(HeartbeatSettings)
    if not beats.enabled:
        return {}
    own = BeatSettings(agent=beats.agent)
    given = {f"heartbeat_{beats.agent or agents[0]}": ("heartbeat", own)}
    given |= {f"heartbeat.{name}": (f"heartbeat.schedules.{name}", one) for name, one in beats.schedules.items()}
    found: dict[str, Spec] = {}
    for schedule_id, (where, one) in given.items():
        agent = one.agent or agents[0]
        if agent not in agents:
            raise SettingsError(f"{where}.agent: no agent {agent!r} (known: {', '.join(agents)})")
        try:
            found[schedule_id] = _spec(settings, one, agent)
            check_spec(found[schedule_id])
        except InvalidInput as error:
            raise SettingsError(f"{where}: {error.message}") from None
    return found


def _spec(settings: Settings, one: BeatSettings, agent: str) -> Spec:
    """What is not said of one is as it is said of all."""
    beats = settings.section(HeartbeatSettings)
    cron = one.cron or ("" if one.period_s else beats.cron)
    every = Every(one.period_s or beats.period_s, jitter_s=beats.jitter_s if one.jitter_s is None else one.jitter_s)
    hours = one.active_hours or beats.active_hours
    return Spec(
        Cron(cron) if cron else every,
        BeatAction(agent, one.project),
        one.zone or beats.zone,
        parse_hours(hours) if hours else None,
        one.missed or beats.missed,
    )
