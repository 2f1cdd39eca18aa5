"""What a console asks for, kept by nobody."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.gateway.methods import usage as usage_rpc
from sulla.gateway.methods.usage import AgentUse, PlaybookUse, UsageDay, UsageDaysRows

_USED = (10, 2, 12, None)


class MemoryUsage:
    """One agent has worked for one playbook today."""

    async def days(self, days: int) -> UsageDaysRows:
        """That day."""
        agents, plays = (AgentUse("sulla", *_USED),), (PlaybookUse("triage", *_USED),)
        return UsageDaysRows((UsageDay("2027-01-15", *_USED, 1_000, None, agents, plays),))


def console_services() -> Sequence[tuple[str, object]]:
    """Who does which methods."""
    return (usage_rpc.METHODS.done_by(MemoryUsage()),)
