"""What starts playbooks by the clock: the schedules that their files ask for, and what those begin."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, SullaError
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.core.words import Author
from sulla.playbooks.catalog import CatalogEntry, PlaybookCatalog
from sulla.playbooks.definition import Trigger
from sulla.playbooks.durations import read_duration
from sulla.playbooks.machine.lane import SKIPPED
from sulla.playbooks.machine.scope_inputs import complete_inputs
from sulla.playbooks.service import Begin, PlaybookService
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.schedules.scheduler import PlaybookEnd
from sulla.schedules.service import PLAYBOOKS, ScheduleService
from sulla.schedules.spec import Cron, Every, PlaybookAction, Spec, check_spec
from sulla.threads.log.state import ThreadState

log = logging.getLogger(__name__)

LOOK_S: Final = 5.0
"""How often it is seen whether playbooks have changed, in seconds."""


def schedule_of(trigger: Trigger, playbook: str, zone: str = "UTC") -> Spec:
    """The schedule that a trigger asks for.

    Args:
        trigger: one by the clock.
        playbook: the name of what it starts.
        zone: the home's time zone, for a trigger that names none.

    Raises:
        InvalidInput: no schedule can be like that.
    """
    seconds = read_duration(trigger.text)
    when = Cron(trigger.text) if seconds is None else Every(seconds)
    action = PlaybookAction(playbook, dict(trigger.inputs))
    spec = Spec(when, action, trigger.zone or zone, title=f"playbook {playbook}")
    check_spec(spec)
    return spec


@dataclass(frozen=True, slots=True)
class WantedSchedules:
    """The schedules that playbooks ask for."""

    specs: dict[str, Spec]
    """By their ids, ``playbook_<name>_<n>``."""
    unclear: frozenset[str]
    """Playbooks with faults: nobody can say what they ask for, so what they have stays as it is."""
    blind: bool = False
    """Whether files could not be read: nobody can say whose."""

    def keeps(self, schedule_id: str) -> bool:
        """Whether a schedule is that of a playbook of which nothing is known now.

        Args:
            schedule_id: its id.
        """
        name, _, number = schedule_id.removeprefix("playbook_").rpartition("_")
        return self.blind or (name in self.unclear and number.isdecimal())


def wanted_by(playbooks: Iterable[CatalogEntry], zone: str = "UTC", *, blind: bool = False) -> WantedSchedules:
    """The schedules that playbooks ask for.

    Args:
        playbooks: all that the home has.
        zone: the home's time zone.
        blind: whether there are files that could not be read.
    """
    specs: dict[str, Spec] = {}
    unclear: set[str] = set()
    for one in playbooks:
        if one.definition is None:
            unclear.add(one.name)
            continue
        timed = [trigger for trigger in one.definition.on if trigger.kind == "schedule"]
        try:
            found = {f"playbook_{one.name}_{n}": schedule_of(each, one.name, zone) for n, each in enumerate(timed, 1)}
        except InvalidInput:  # the check of the file says so, with its place
            unclear.add(one.name)
        else:
            specs |= found
    return WantedSchedules(specs, frozenset(unclear), blind)


def end_of_run(state: ThreadState) -> PlaybookEnd | None:
    """How a run that a schedule began has ended; None while it goes on, or where it is none.

    Args:
        state: its thread.
    """
    play = PLAYBOOK_RUN.of(state)
    if play is None or not play.ended or state.inbox.waiting:
        return None
    match play.status:
        case "failed":
            return PlaybookEnd("failed", play.failure)
        case "cancelled":
            return PlaybookEnd("skipped" if play.failure.startswith(SKIPPED) else "cancelled", play.failure)
    return PlaybookEnd("succeeded")


class TriggerSchedules:
    """Keeps the schedules that playbooks ask for, as their files change.

    Args:
        catalog: the playbooks.
        schedules: where schedules are made.
        clock: all time.
    """

    def __init__(self, catalog: PlaybookCatalog, schedules: ScheduleService, clock: Clock) -> None:
        self._catalog = catalog
        self._schedules = schedules
        self._clock = clock
        self._settled: WantedSchedules | None = None
        self._trouble = ""

    async def run(self, ready: asyncio.Event) -> None:
        """Follow the files until cancelled.

        Args:
            ready: set when all schedules are known.
        """
        await ready.wait()
        await self._catalog.known_in_time(self._clock)
        while True:
            await self.look()
            await self._clock.sleep(LOOK_S)

    async def look(self) -> None:
        """See whether files have changed, and make, change and remove schedules. A failure is said once and tried again
        at the next look.
        """
        await (self._catalog.look() if self._schedules.has_any(PLAYBOOKS) else self._catalog.look_for_triggers())
        wanted = wanted_by(self._catalog.playbooks.values(), self._schedules.zone, blind=bool(self._catalog.troubles))
        if wanted == self._settled:
            return
        try:
            await self._schedules.settle(wanted.specs, PLAYBOOKS, wanted.keeps)
        except SullaError as error:
            if error.message != self._trouble:
                log.warning("the schedules that playbooks ask for have to wait: %s", error.message)
            self._trouble = error.message
        else:
            self._settled, self._trouble = wanted, ""

    def trouble(self) -> str:
        """Why the schedules are not as the playbooks ask for; empty if they are."""
        return self._trouble


class ScheduledStarts:
    """Begins playbooks for schedules.

    Args:
        catalog: the playbooks.
        service: begins them.
    """

    def __init__(self, catalog: PlaybookCatalog, service: PlaybookService) -> None:
        self._catalog = catalog
        self._service = service

    async def begin(self, name: str, inputs: FrozenJson, key: str) -> ThreadId:
        """Begin a run: see `schedule.BeginPlaybook`.

        Raises:
            NotFound: there is no such playbook.
            InvalidInput: it has faults, or the inputs are not what it asks for.
            QueueFull: too many runs are open; it may go later.
        """
        begun = await self._service.start(Begin(name, inputs, "schedule", by=Author.OPERATOR), key)
        return ThreadId(begun.run)

    async def check(self, name: str, inputs: FrozenJson) -> None:
        """Do nothing if a schedule can begin that.

        Raises:
            NotFound: there is no such playbook.
            InvalidInput: it has faults, or the inputs are not what it asks for.
        """
        await self._catalog.look()
        complete_inputs(self._catalog.get(name).definition, inputs)
