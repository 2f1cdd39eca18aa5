"""The threads that agents beat in, and what the settings allow there."""

from __future__ import annotations

from sulla.core.ids import ThreadId, derived_id
from sulla.core.units import MICRO
from sulla.heartbeat.limits import BeatLimits
from sulla.heartbeat.settings import HeartbeatSettings
from sulla.heartbeat.slice import HEARTBEAT_THREAD
from sulla.threads.log.records import ThreadCreated
from sulla.threads.store import ThreadStore


class BeatThreads:
    """Finds the thread that an agent beats in. It lives as long as the daemon.

    Args:
        threads: where it is kept.
    """

    def __init__(self, threads: ThreadStore) -> None:
        self._threads = threads

    async def open(self, agent: str) -> ThreadId:
        """The thread that an agent beats in; made at its first use.

        Args:
            agent: its id.
        """
        created = ThreadCreated(agent, "Heartbeat", graph=HEARTBEAT_THREAD.graph)
        return await self._threads.create(created, _request_of(agent))

    def id_of(self, agent: str) -> ThreadId:
        """The same thread's id, whether there is one yet or not."""
        return ThreadId(derived_id("thr", "request", _request_of(agent)))


def _request_of(agent: str) -> str:
    # No client can ask so: its ids have no colon.
    return f"heartbeat:{agent}"


def limits_of(wanted: HeartbeatSettings) -> BeatLimits:
    """What beats may use.

    Args:
        wanted: the section `[heartbeat]`.
    """

    def micro(money: float | None) -> int | None:
        return None if money is None else round(money * MICRO)

    return BeatLimits(
        wanted.cycles,
        wanted.wall_s,
        wanted.tokens,
        wanted.day_tokens,
        wanted.month_tokens,
        micro(wanted.cost),
        micro(wanted.day_cost),
        micro(wanted.month_cost),
        standing=wanted.standing,
    )
