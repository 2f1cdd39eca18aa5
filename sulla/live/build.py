"""What shows the work that goes on, in a daemon. Pure."""

from __future__ import annotations

from sulla.core.ids import ThreadId
from sulla.host.host import Built, Host
from sulla.live.rpc import METHODS
from sulla.live.service import Live, Woken
from sulla.threads.pulse import ThreadPulse


def build(host: Host) -> Built:
    """Make what shows it; see `host.Built`."""
    pulse, team = host.needed(ThreadPulse), host.agents.team

    def most_calls(agent: str) -> int | None:
        spec = team.find(agent)
        return spec.max_turns if spec is not None else None

    async def forget(thread_id: ThreadId) -> None:
        pulse.note(thread_id)

    live = Live(host.store, host.threads, pulse, host.place.clock, host.switch, host.agents.limits, most_calls)
    return Built(
        methods=(METHODS.done_by(live),),
        tasks={"pulse": pulse.run, "live": live.board.run},
        at_gateways=frozenset({"pulse", "live"}),
        woken=(Woken(pulse),),
        forget=forget,
    )
