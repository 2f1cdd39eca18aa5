"""What a console asks for, in a daemon."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.core.late import late
from sulla.daemon.console.asked import AskedBoard
from sulla.daemon.console.calendar import Calendar
from sulla.daemon.console.notes import AgentNotes
from sulla.daemon.console.playbook_files import PlaybookFiles
from sulla.daemon.console.rehearsals import HomePrices, Rehearsals
from sulla.daemon.console.usage import UsageAccount
from sulla.daemon.settings.config import Settings
from sulla.finding.index import ThreadIndex
from sulla.flows.shelf import FlowShelf
from sulla.gateway.methods import asked as asked_rpc
from sulla.gateway.methods import calendar as calendar_rpc
from sulla.gateway.methods import copies as copies_rpc
from sulla.gateway.methods import logs as logs_rpc
from sulla.gateway.methods import notes as notes_rpc
from sulla.gateway.methods import playbook_files as playbook_files_rpc
from sulla.gateway.methods import rehearsals as rehearsals_rpc
from sulla.gateway.methods import shown_flows as shown_flows_rpc
from sulla.gateway.methods import usage as usage_rpc
from sulla.heartbeat import rpc as heartbeat_rpc
from sulla.host.host import Built, Host
from sulla.memory.memory import Memory
from sulla.models.catalog import ModelName
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.files import playbook_folder
from sulla.routes.shelf import RouteShelf
from sulla.schedules import rpc as schedules_rpc
from sulla.threads.archive.fork import ThreadForks
from sulla.threads.pulse import ThreadPulse

if TYPE_CHECKING:
    from sulla.daemon.console.copies import ThreadCopies
    from sulla.daemon.console.flows import HomeFlows
    from sulla.daemon.console.log_reading import LogReading


@dataclass(frozen=True, slots=True)
class ConsoleServices:
    """They; nothing of it has begun."""

    asked: AskedBoard
    usage: UsageAccount
    logs: LogReading
    calendar: Calendar
    copies: ThreadCopies
    playbooks: PlaybookFiles
    rehearsals: Rehearsals
    notes: AgentNotes
    flows: HomeFlows

    def services(self) -> Sequence[tuple[str, object]]:
        """Who does which methods: see `Methods.done_by`."""
        return (
            asked_rpc.METHODS.done_by(self.asked),
            usage_rpc.METHODS.done_by(self.usage),
            logs_rpc.METHODS.done_by(self.logs),
            calendar_rpc.METHODS.done_by(self.calendar),
            copies_rpc.METHODS.done_by(self.copies),
            playbook_files_rpc.METHODS.done_by(self.playbooks),
            rehearsals_rpc.METHODS.done_by(self.rehearsals),
            notes_rpc.METHODS.done_by(self.notes),
            shown_flows_rpc.METHODS.done_by(self.flows),
        )


def make_console(settings: Settings, model: ModelName, host: Host, built: Iterable[Built]) -> ConsoleServices:
    """Make them.

    Args:
        settings: everything that can be set.
        model: the home's own.
        host: what the daemon stands on.
        built: the capabilities.
    """
    others = dict(pair for one in built for pair in one.methods)
    pulse, clock, limits = host.needed(ThreadPulse), host.place.clock, settings.limits
    usage = UsageAccount(
        host.store, host.threads, clock, host.place.owner, host.place.zone, lambda: (limits.day_tokens, limits.day_cost)
    )
    pulse.tell_too(usage)
    schedules, beats = schedules_rpc.METHODS.service_in(others), heartbeat_rpc.METHODS.service_in(others)
    calendar = Calendar(schedules, beats, lambda: host.agents.team.ids, host.place.redactor)
    asked = AskedBoard(host.store, host.threads, pulse, clock)
    catalog = host.needed(PlaybookCatalog)
    playbooks = PlaybookFiles(playbook_folder(settings), catalog)
    rehearsals = Rehearsals(catalog, partial(HomePrices, settings, model, clock), clock)
    memory = host.provided.get(Memory)
    notes = AgentNotes(memory if isinstance(memory, Memory) else None)
    copies, flows, logs = late(lambda: _copies(host)), late(lambda: _flows(host)), late(lambda: _logs(settings))
    return ConsoleServices(asked, usage, logs, calendar, copies, playbooks, rehearsals, notes, flows)


# What follows is loaded when a client asks for it.


def _copies(host: Host) -> ThreadCopies:
    from sulla.daemon.console.copies import ThreadCopies

    forks, index = host.provided.get(ThreadForks), host.provided.get(ThreadIndex)
    made = index.wake if isinstance(index, ThreadIndex) else _unlisted
    return ThreadCopies(host.threads, forks if isinstance(forks, ThreadForks) else None, host.place.make_id, made)


def _flows(host: Host) -> HomeFlows:
    from sulla.daemon.console.flows import HomeFlows

    return HomeFlows(host.needed(FlowShelf), host.needed(RouteShelf))


def _logs(settings: Settings) -> LogReading:
    from sulla.daemon.console.log_reading import LogReading

    return LogReading(settings.home)


def _unlisted(thread_id: ThreadId) -> None:
    """Where no list of conversations is kept, none has to know of a copy."""
