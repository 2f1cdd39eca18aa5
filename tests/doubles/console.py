"""What a console asks for, kept by nobody."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.gateway.methods import logs as logs_rpc
from sulla.gateway.methods import usage as usage_rpc
from sulla.gateway.methods.logs import AuditEntry, AuditPage, AuditRead, LogEntry, LogPage, LogRead
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


def console_services() -> Sequence[tuple[str, object]]:
    """Who does which methods."""
    return (usage_rpc.METHODS.done_by(MemoryUsage()), logs_rpc.METHODS.done_by(MemoryLogs()))
