"""What a console asks for, kept by nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sulla.core.jsontypes import Json
from sulla.gateway.methods import calendar as calendar_rpc
from sulla.gateway.methods import copies as copies_rpc
from sulla.gateway.methods import logs as logs_rpc
from sulla.gateway.methods import notes as notes_rpc
from sulla.gateway.methods import playbook_files as playbook_files_rpc
from sulla.gateway.methods import rehearsals as rehearsals_rpc
from sulla.gateway.methods import shown_flows as shown_flows_rpc
from sulla.gateway.methods import usage as usage_rpc
from sulla.gateway.methods.calendar import CalendarRows
from sulla.gateway.methods.copies import Form, ThreadForked, ThreadText
from sulla.gateway.methods.logs import AuditEntry, AuditPage, AuditRead, LogEntry, LogPage, LogRead
from sulla.gateway.methods.notes import NoteKind, NotePage, NotesForgotten, NotesFound
from sulla.gateway.methods.playbook_files import PlaybookSaved
from sulla.gateway.methods.rehearsals import PlaybookTested, PlaybookWays
from sulla.gateway.methods.shown_flows import FlowBrief, FlowBriefs, FlowGraph, RouteFile
from sulla.gateway.methods.usage import AgentUse, PlaybookUse, UsageDay, UsageDaysRows

_USED = (10, 2, 12, None)


class MemoryUsage:
    """One agent has worked for one playbook today."""

    async def days(self, days: int) -> UsageDaysRows:
        """That day."""
        agents, plays = (AgentUse("sulla", *_USED),), (PlaybookUse("triage", *_USED),)
        return UsageDaysRows((UsageDay("2027-01-15", *_USED, 1_000, None, agents, plays),))


class MemoryLogs:
    """An entry of each."""

    async def log(self, asked: LogRead, page_bytes: int) -> LogPage:
        """It."""
        return LogPage((LogEntry("2027-01-15T08:00:00.000Z", "info", "sulla", "started", "", "", {}),), None)

    async def audit(self, asked: AuditRead, page_bytes: int) -> AuditPage:
        """It."""
        one = AuditEntry("2027-01-15T08:00:00.000Z", "owner", "thread.delete", "ok", "ws", "127.0.0.1", {}, {})
        return AuditPage((one,), None)


class MemoryCalendar:
    """Nothing was, and nothing will be."""

    async def list(self, since_ms: int, until_ms: int) -> CalendarRows:
        """Nothing."""
        return CalendarRows((), False)


class MemoryCopies:
    """Copies nothing."""

    def __init__(self, known: Callable[[str], object]) -> None:
        self._known = known

    async def fork(self, thread_id: str, at_seq: int, request_id: str | None) -> ThreadForked:
        """A name."""
        self._known(thread_id)
        return ThreadForked("thr_2", 1)

    async def export(self, thread_id: str, form: Form, after: int, page_bytes: int) -> ThreadText:
        """A heading."""
        self._known(thread_id)
        return ThreadText("# Trip to Rome\n", None)


class MemoryPlaybookFiles:
    """Writes nothing."""

    async def save(self, name: str, text: str, digest: str | None) -> PlaybookSaved:
        """As if it was."""
        return PlaybookSaved(name, f"workflows/{name}.yaml", "sha256:1", ())

    async def delete(self, name: str, digest: str) -> None:
        """As if it was."""


class MemoryRehearsals:
    """Tries nothing out."""

    async def test(self, name: str, text: str | None, most_bytes: int) -> PlaybookTested:
        """No tests."""
        return PlaybookTested((), (), cut=False)

    async def dry_run(self, name: str, inputs: Mapping[str, Json], text: str | None, most_bytes: int) -> PlaybookWays:
        """No ways."""
        return PlaybookWays((), cut=False)


class MemoryNotes:
    """Remembers nothing."""

    async def search(self, agent: str, words: str, limit: int) -> NotesFound:
        """Nothing."""
        return NotesFound(())

    async def newest(self, agent: str, kind: NoteKind | None, before_ms: int | None, limit: int) -> NotePage:
        """Nothing."""
        return NotePage((), None)

    async def forget(self, agent: str, ids: list[str], code: str | None) -> NotesForgotten:
        """Nothing goes."""
        return NotesForgotten(0, (), "")


class MemoryFlows:
    """The shipped flow is one agent, and there are no routes."""

    async def flows(self) -> FlowBriefs:
        """The shipped one."""
        return FlowBriefs((FlowBrief("default", "", ()),))

    async def flow(self, name: str) -> FlowGraph:
        """It."""
        return FlowGraph(FlowBrief(name, "", ()), (), (), None)

    async def routes(self) -> RouteFile:
        """None."""
        return RouteFile((), (), (), "")


def console_services(known: Callable[[str], object]) -> Sequence[tuple[str, object]]:
    """Who does which methods.

    Args:
        known: refuses a conversation that is not there.
    """
    return (
        usage_rpc.METHODS.done_by(MemoryUsage()),
        logs_rpc.METHODS.done_by(MemoryLogs()),
        calendar_rpc.METHODS.done_by(MemoryCalendar()),
        copies_rpc.METHODS.done_by(MemoryCopies(known)),
        playbook_files_rpc.METHODS.done_by(MemoryPlaybookFiles()),
        rehearsals_rpc.METHODS.done_by(MemoryRehearsals()),
        notes_rpc.METHODS.done_by(MemoryNotes()),
        shown_flows_rpc.METHODS.done_by(MemoryFlows()),
    )
