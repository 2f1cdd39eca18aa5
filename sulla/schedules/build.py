"""Schedules in a daemon: those that people make, and those that other capabilities ask for."""

from __future__ import annotations

import asyncio
import difflib
import logging
from collections.abc import Mapping
from functools import partial
from typing import Final

from sulla.core.errors import NotFound, SullaError
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.host.host import Built, Host
from sulla.host.place import Place
from sulla.host.sections import WorkSettings
from sulla.host.tools import MCP
from sulla.people.notifier import Notifier
from sulla.schedules.actions import ActionStarter, ExternalActions
from sulla.schedules.answers import AnswerNews
from sulla.schedules.rpc import METHODS
from sulla.schedules.scheduler import Scheduler
from sulla.schedules.service import ScheduleService
from sulla.schedules.spec import MessageAction, PlaybookAction, ReminderAction, Spec, ToolAction
from sulla.schedules.store import ScheduleStore
from sulla.schedules.tools import schedule_tools

log = logging.getLogger(__name__)

RETRY_S: Final = 5.0
"""How long it waits after a failure to make what the settings ask for."""


class Timetable:
    """The schedules of a daemon at work; capabilities add theirs before it runs. It lives as long as the daemon.

    Args:
        scheduler: fires them.
        service: what is asked for about them.
        begins: what they begin that other capabilities have: those name it as they are built.
        place: what the daemon stands on.
    """

    def __init__(self, scheduler: Scheduler, service: ScheduleService, begins: ExternalActions, place: Place) -> None:
        self.service = service
        self.begins = begins
        self.settled = asyncio.Event()
        """Set when all schedules are known, with those that the settings ask for."""
        self._scheduler = scheduler
        self._wanted: dict[str, Spec] = {}
        self._place = place

    def want(self, schedules: Mapping[str, Spec]) -> None:
        """Have schedules made that the settings ask for, before `run`.

        Args:
            schedules: by id; the ids stay as long as the settings do.
        """
        self._wanted |= schedules

    async def status(self) -> JsonObject:
        """What `sulla status` says of it."""
        return {"schedules": self._scheduler.status()}

    async def run(self) -> None:
        """Fire until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._scheduler.run())
            await self._scheduler.opened.wait()
            await self._settle()
            self.settled.set()

    async def follow(self) -> None:
        """Know them all and fire none, until cancelled: for a gateway, whose workers fire."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._scheduler.follow())
            await self._scheduler.opened.wait()
            self.settled.set()  # those that the settings ask for are made by workers, and come as others do

    async def _settle(self) -> None:
        while True:
            try:
                return await self.service.settle(self._wanted)
            except SullaError as error:
                if not error.retryable:
                    return log.error("the schedules that the settings ask for cannot be made: %s", error.message)
                log.warning("the schedules that the settings ask for have to wait: %s", error.message)
                await self._place.clock.sleep(RETRY_S)


def build(host: Host) -> Built:
    """Make what fires schedules; see `host.Built`."""
    place, begins = host.place, ExternalActions()
    schedules = ScheduleStore(host.store, place.clock, place.owner)
    begins.tell = host.needed(Notifier)
    acts = ActionStarter(host.threads, host.waker, host.agents.team.ids[0], begins)
    news = AnswerNews(host.threads, host.store, schedules, begins, place.clock)
    scheduler = Scheduler(schedules, place.clock, news.following(acts.begin), host.switch.holds)

    async def check(spec: Spec) -> None:
        await _check(spec, host, begins)

    def unreadable() -> str:
        return "; ".join(schedules.troubles())[:1_000]

    service = ScheduleService(schedules, scheduler, place.clock, place.make_id, check, place.zone, place.redactor)
    timetable = Timetable(scheduler, service, begins, place)
    fires = host.settings.section(WorkSettings).role != "gateway"
    return Built(
        provides=(timetable,),
        methods=(METHODS.done_by(service),),
        tools=schedule_tools(service),
        tasks={
            "schedules": timetable.run if fires else timetable.follow,
            "schedule_answers": partial(news.run, scheduler),
        },
        at_gateways=frozenset({"schedules"}),
        woken=(news,),
        status=timetable.status,
        troubles={"schedules": unreadable},
    )


async def _check(spec: Spec, host: Host, begins: ExternalActions) -> None:
    """Do nothing if a schedule can do what it is for.

    Raises:
        NotFound: it names an agent, a tool, a thread or a playbook that there is not.
        InvalidInput: it gives a playbook other inputs than it takes.
    """
    if isinstance(spec.action, PlaybookAction):
        return await begins.check_playbook(spec.action.name, spec.action.inputs)
    names = host.agents.team.ids
    if spec.action.agent not in ("", *names):
        raise NotFound(f"no agent {spec.action.agent!r} (known: {', '.join(names)})")
    if isinstance(spec.action, ToolAction):
        _check_tool(host, spec.action)
    if isinstance(spec.action, MessageAction | ReminderAction) and spec.action.thread:
        await host.threads.get(ThreadId(spec.action.thread))
    return None


def _check_tool(host: Host, action: ToolAction) -> None:
    """Do nothing if an agent has a tool, or may have it: those of MCP servers come and go.

    Raises:
        NotFound: it has none of that name.
    """
    box = host.tools.lasting(host.agents.team.get(action.agent))
    if action.name not in box and not action.name.startswith(MCP):
        near = difflib.get_close_matches(action.name, box.names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(box.names)}"
        raise NotFound(f"the agent has no tool {action.name[:80]!r}; {hint}")
