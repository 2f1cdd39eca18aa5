"""What people see of heartbeats and do with them."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Awaitable, Callable
from typing import Final

from sulla.core.errors import Busy, CorruptRecord, NotFound, QueueFull
from sulla.core.ids import MessageId, ThreadId
from sulla.core.units import DAY_MS
from sulla.heartbeat.beats import BeatState, month_of
from sulla.heartbeat.limits import BeatLimits
from sulla.heartbeat.log import read_ticks
from sulla.heartbeat.plan import quiet_until
from sulla.heartbeat.rpc_forms import BeatScheduleRow, BudgetRow, HeartbeatBegun, HeartbeatRow, next_wake, tick_row
from sulla.heartbeat.slice import beats_of
from sulla.heartbeat.threads import BeatThreads
from sulla.heartbeat.ticks import WAKE, TickPage
from sulla.host.host import Host
from sulla.projects.projects import Projects
from sulla.rpc.row import money_of
from sulla.schedules.build import Timetable
from sulla.schedules.rows import ScheduleRow
from sulla.schedules.spec import BeatAction
from sulla.threads.log.records import Input
from sulla.threads.log.state import ThreadState

LOOK_BACK: Final = 50
"""Wakes among which `status` looks for the newest beat."""


class HeartbeatService:
    """Shows heartbeats, begins beats, pauses and resumes them. It lives as long as the daemon.

    Args:
        beat_threads: where agents beat.
        limits: what they may use there.
        chosen: who beats where nobody is named.
        host: the daemon, with its agents and its projects.
        timetable: what wakes them.
    """

    def __init__(
        self, beat_threads: BeatThreads, limits: BeatLimits, chosen: str, host: Host, timetable: Timetable
    ) -> None:
        self._beat_threads = beat_threads
        self._limits = limits
        self._chosen = chosen
        self._threads = host.threads
        self._projects = host.needed(Projects)
        self._schedules = timetable.service
        self._settled = timetable.settled
        self._team = host.agents.team
        self._wake = host.waker
        self._clock = host.place.clock
        self._make_id = host.place.make_id

    @property
    def _agents(self) -> tuple[str, ...]:
        return self._team.ids

    async def status(self, agent: str | None) -> tuple[HeartbeatRow, ...]:
        """How heartbeats are: of one agent, or of all that have one and the home's own.

        Raises:
            NotFound: there is no such agent.
        """
        if agent:
            return (await self._info(self._known(agent)),)
        infos = [await self._info(name) for name in self._agents]
        return tuple(info for info in infos if info.thread_id or info.schedules or info.agent == self._agents[0])

    async def trigger(self, agent: str | None, project: str, request_id: str | None) -> HeartbeatBegun:
        """Begin a beat now, once for each `request_id`. Beats that pause by themselves are no reason against it;
        budgets are.

        Args:
            agent: whose; None for the home's own.
            project: the only project that it is for; empty for any.
            request_id: the same one begins the same beat.

        Raises:
            NotFound: there is no such agent, or no such project.
            Busy: one is at work already.
        """
        name = self._known(agent)
        if project:
            await asyncio.to_thread(self._projects.read, project)  # there has to be one
        thread_id = await self._beat_threads.open(name)
        asked = Input(MessageId(f"{WAKE}{request_id or self._make_id('req')}"), project, origin="beat")
        _, state = await self._threads.get(thread_id)
        busy = state is not None and (state.run is not None or bool(state.inbox.waiting))
        try:
            # While one is at work, only a caller that asks again for that very one is answered.
            sent = await self._threads.send(thread_id, asked, max_waiting=0 if busy else None)
        except QueueFull:
            if not busy:
                raise
            raise Busy(f"a beat of {name!r} is at work already: wait for its end, or stop it") from None
        self._wake(thread_id)
        return HeartbeatBegun(name, thread_id, sent.run_id, sent.seq)

    async def pause(self, agent: str | None, by: str) -> tuple[HeartbeatRow, ...]:
        """Have the clock wake agents no more until resumed, also after a restart.

        Args:
            agent: whom; None for all.
            by: the name of the token that it came with.

        Raises:
            NotFound: no schedule wakes them.
        """
        return await self._turn(agent, lambda schedule: self._schedules.pause(schedule, by))

    async def resume(self, agent: str | None, by: str) -> tuple[HeartbeatRow, ...]:
        """Have the clock wake agents again; see `pause`."""
        return await self._turn(agent, lambda schedule: self._schedules.resume(schedule, by))

    async def log(self, agent: str | None, limit: int, before: int | None) -> TickPage:
        """Wakes of one agent, newest first; none if it was never woken.

        Args:
            agent: whose; None for the home's own.
            limit: how many at most.
            before: only those before this place, as the page before said; None for the newest.

        Raises:
            NotFound: there is no such agent.
        """
        place = self._beat_threads.id_of(self._known(agent))
        if await self._state(place) is None:
            return TickPage((), None)
        return await read_ticks(self._threads, place, limit, before)

    async def _turn(self, agent: str | None, turn: Callable[[str], Awaitable[ScheduleRow]]) -> tuple[HeartbeatRow, ...]:
        chosen = self._known(agent) if agent else ""
        await self._settled.wait()  # right after a start not all are known
        found = [(info.schedule, self._whose(action)) for info, action in self._schedules.waking()]
        found = [(schedule, name) for schedule, name in found if chosen in ("", name)]
        if not found:
            whom = f"the agent {chosen!r}" if chosen else "any agent"
            raise NotFound(f"no schedule wakes {whom}: set heartbeat.enabled = true in sulla.toml (docs/heartbeat.md)")
        for schedule, _ in found:
            await turn(schedule)
        return tuple([await self._info(name) for name in dict.fromkeys(name for _, name in found)])

    async def _info(self, agent: str) -> HeartbeatRow:
        place = self._beat_threads.id_of(agent)
        state = await self._state(place)
        await self._settled.wait()
        schedules = tuple(_schedule(*one) for one in self._schedules.waking() if self._whose(one[1]) == agent)
        if state is None:
            beat, thread_id, running, page = BeatState(), "", None, TickPage((), None)
        else:
            beat, thread_id = beats_of(state), str(place)
            running = state.run.id if state.run is not None else None
            page = await read_ticks(self._threads, place, LOOK_BACK)
        now_ms = round(self._clock.now() * 1000)
        last, newest = next(iter(page.ticks), None), next((tick for tick in page.ticks if tick.fired), None)
        return HeartbeatRow(
            agent=agent,
            thread_id=thread_id,
            enabled=any(not one.paused for one in schedules),
            next_ms=next_wake(schedules),
            schedules=schedules,
            running=running,
            last=tick_row(last) if last is not None else None,
            beat=tick_row(newest) if newest is not None else None,
            budgets=budgets(beat, self._limits, now_ms),
            quiet_until_ms=quiet_until(beat, self._limits, now_ms),
            failures=beat.failures,
            standing=beat.standing,
            skipped=beat.skipped,
            beats=beat.beats,
        )

    async def _state(self, place: ThreadId) -> ThreadState | None:
        """The thread without its messages; None if there is none yet."""
        try:
            _, state = await self._threads.get(place)
        except NotFound:
            return None
        if state is None:
            raise CorruptRecord(f"the heartbeat's thread {place} cannot be read: `sulla doctor` says more")
        return state

    def _whose(self, action: BeatAction) -> str:
        return action.agent or self._agents[0]

    def _known(self, agent: str | None) -> str:
        agent = agent or self._chosen
        if agent in self._agents:
            return agent
        near = difflib.get_close_matches(agent, self._agents, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f" (known: {', '.join(self._agents)})"
        raise NotFound(f"no agent {agent!r}{hint}")


def budgets(beat: BeatState, limits: BeatLimits, now_ms: int) -> tuple[BudgetRow, ...]:
    """What beats have used of what they may, by day and month.

    Args:
        beat: the beats so far.
        limits: the bounds.
        now_ms: UTC milliseconds.
    """
    spent = beat.spent.at(now_ms // DAY_MS, month_of(now_ms))
    day, month = money_of(spent.day_micro, spent.day_tokens), money_of(spent.month_micro, spent.month_tokens)
    return (
        BudgetRow("day", spent.day_tokens, limits.day_tokens, day, limits.day_micro),
        BudgetRow("month", spent.month_tokens, limits.month_tokens, month, limits.month_micro),
    )


def _schedule(info: ScheduleRow, action: BeatAction) -> BeatScheduleRow:
    following = info.next_ms[0] if info.next_ms else None
    return BeatScheduleRow(info.schedule, info.explain, info.status == "paused", info.why, following, action.project)
