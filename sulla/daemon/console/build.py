"""What a console asks for, in a daemon."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.core.dataclass import dataclass
from sulla.daemon.console.asked import AskedBoard
from sulla.daemon.console.log_reading import LogReading
from sulla.daemon.console.usage import UsageAccount
from sulla.daemon.settings.config import Settings
from sulla.gateway.methods import asked as asked_rpc
from sulla.gateway.methods import logs as logs_rpc
from sulla.gateway.methods import usage as usage_rpc
from sulla.host.host import Host
from sulla.threads.pulse import ThreadPulse


@dataclass(frozen=True, slots=True)
class ConsoleServices:
    """They; nothing of it has begun."""

    asked: AskedBoard
    usage: UsageAccount
    logs: LogReading

    def services(self) -> Sequence[tuple[str, object]]:
        """Who does which methods: see `Methods.done_by`."""
        return (
            asked_rpc.METHODS.done_by(self.asked),
            usage_rpc.METHODS.done_by(self.usage),
            logs_rpc.METHODS.done_by(self.logs),
        )


def make_console(settings: Settings, host: Host) -> ConsoleServices:
    """Make them.

    Args:
        settings: everything that can be set.
        host: what the daemon stands on.
    """
    pulse, clock, limits = host.needed(ThreadPulse), host.place.clock, settings.limits
    usage = UsageAccount(
        host.store, host.threads, clock, host.place.owner, host.place.zone, lambda: (limits.day_tokens, limits.day_cost)
    )
    pulse.tell_too(usage)
    return ConsoleServices(AskedBoard(host.store, host.threads, pulse, clock), usage, LogReading(settings.home))
