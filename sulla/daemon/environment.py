"""Who is at work, and what people look at: what turns are told of it, and what clients tell."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import Final

from sulla.agent.active import ActiveAgents
from sulla.agent.environment import Observation
from sulla.agent.environment_rpc import EnvironmentEvent
from sulla.agent.feed import EnvironmentFeed
from sulla.agent.limits.rate import RateLimits, Rates, TooFast
from sulla.agent.prompt import ActiveAgent
from sulla.agent.turn.ambient_context import TurnContext
from sulla.agent.turn.speakers import FindAnswerer
from sulla.core.clock import Clock
from sulla.core.errors import RateLimited, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json
from sulla.core.stamp import stamp
from sulla.core.words import Words
from sulla.host.place import Place
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.threads.store import ThreadStore

RATES: Final = RateLimits(min_interval_ms=250, burst=20, token_burst=100)
"""How fast reports are taken: four a second, and no more than two a second for long."""

Remembered = Callable[[str, str], Awaitable[Words]]
"""Gives what an agent (by its id) remembers for a conversation that begins with a message."""


class Scene:
    """Who is at work, and what people look at.

    Args:
        active: the registry of agents at work.
        feed: what people look at.
        threads: where they talk.
        clock: all time.
        zone: the time zone in which agents are told the time.
    """

    def __init__(
        self, active: ActiveAgents, feed: EnvironmentFeed, threads: ThreadStore, clock: Clock, zone: str = "UTC"
    ) -> None:
        self._zone = zone
        self.active = active
        self.feed = feed
        self._threads = threads
        self._clock = clock
        self._rates = Rates(RATES)
        self._numbers = count(1)

    def told(
        self,
        remembered: Remembered,
        jobs: Callable[[ThreadId], tuple[Words, ...]],
        about_project: Callable[[str], Awaitable[Words]],
        answerer: FindAnswerer,
    ) -> TurnContext:
        """What turns are told of it, beside what agents remember, how their jobs have ended, their project and who
        answers."""
        active, seen = self.active.lately, self.feed.seen
        return TurnContext(self._clock, remembered, active, seen, self._zone, jobs, about_project, answerer)

    async def report_environment(self, thread_id: str, seen: Sequence[EnvironmentEvent], caller: str) -> int:
        """See `environment_rpc.EnvironmentService`."""
        await self._threads.get(ThreadId(thread_id))
        taken = self._rates.take(thread_id, caller, str(next(self._numbers)), self._clock.elapsed())
        if isinstance(taken, TooFast):
            wait_s = taken.retry_after_s
            said = f"too fast: what a person looks at is taken some times a second; report it again in {wait_s:g} s"
            raise RateLimited(said, retry_after_s=wait_s)
        now_ms = round(self._clock.now() * 1000)
        sights = [Observation(one.kind, now_ms - round(one.ago_s * 1000), one.title, one.url, one.text) for one in seen]
        return await self.feed.report(ThreadId(thread_id), sights)

    async def status(self) -> list[Json]:
        """Who is at work, for people; nobody is known to be while the store is away, and `degraded` says so."""
        try:
            return [_shown(agent) for agent in await self.active.now()]
        except StoreUnavailable:
            return []


def make_scene(store: Store, threads: ThreadStore, place: Place, held: Callable[[], Sequence[LogInfo]]) -> Scene:
    """Nothing is read yet.

    Args:
        store: keeps what people look at.
        threads: where they talk.
        held: gives the logs that somebody worked on a moment ago.
        place: what the daemon stands on.
    """
    return Scene(
        ActiveAgents(threads, held),
        EnvironmentFeed(store, place.clock, place.redactor),
        threads,
        place.clock,
        place.zone,
    )


def _shown(agent: ActiveAgent) -> Json:
    return {
        "agent": agent.name.text,
        "thread_id": agent.thread_id,
        "project": agent.project.text,
        "since": stamp(agent.since_ms),
    }
