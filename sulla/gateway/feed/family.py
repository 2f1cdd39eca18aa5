"""Keeps a subscription going to a thread and to all that it sets to work: a follower for each, and one way out.

Each thread's events come in the order of its log. Between threads it is certain that a sub-agent's begin behind the
event by which it was set to work, and that all that it had done when it reported comes before that report.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import Busy, SullaError
from sulla.gateway.commands import Commands, Event
from sulla.gateway.feed.follower import EventFollower, EventSink
from sulla.gateway.rpc import ended_frame, fault_of, gap_frame
from sulla.rpc.family_place import CHILD_STARTED, FamilyPlace
from sulla.rpc.limits import Limits
from sulla.threads.log.family import CHILD_WAIT, child_thread, is_child_wait

MOST_FOLLOWED = 64
"""Sub-agents that are followed at once; of those that are one too many the log is read when another one is done."""
MOST_KNOWN = 1024
"""Sub-agents that are followed or wait for that. One more is not told, and the client hears so."""
_ANSWER = "ANSWER"
_CANCELLED = "CHILD_CANCELLED"
_HELD_UP = frozenset({CHILD_STARTED, _ANSWER, _CANCELLED})
"""Types of events before or behind which something may have to be waited for."""


def _ended(thread_id: str, error: SullaError) -> bytes:
    return ended_frame(thread_id, fault_of(None, error))


@dataclass(frozen=True, slots=True)
class FamilyFrames:
    """What there is on the wire beside events."""

    gap: Callable[[str, int, int], bytes] = gap_frame
    """A hole in a log: the thread, the number before, and the next one."""
    ended: Callable[[str, SullaError], bytes] = _ended
    """A sub-agent can be followed no longer."""


@dataclass(frozen=True, slots=True)
class FollowMeans:
    """What every follower needs."""

    commands: Commands
    clock: Clock
    limits: Limits


class _Member:
    """One thread of a family: takes its events for the client, and knows how its follower gets on."""

    __slots__ = ("_family", "_sink", "follower", "is_done", "opened", "task", "thread_id")

    def __init__(self, family: FamilyFollower, thread_id: str, after: int, sink: EventSink) -> None:
        self._family = family
        self._sink = sink
        self.thread_id = thread_id
        means, gap = family.means, family.frames.gap
        self.follower = EventFollower(
            means.commands, self, means.clock, means.limits, thread_id, after, gap, watch=self
        )
        self.opened: set[str] = set()
        """Its sub-agents that had begun before what the client was told, and had not reported."""
        self.is_done = False
        """Whether nothing of it is told any more."""
        self.task: asyncio.Task[None] | None = None
        """What follows it; None while it waits for that."""

    async def put(self, frame: bytes) -> None:
        """See `EventSink`."""
        await self._sink.put(frame)

    async def put_event(self, event: Event) -> None:
        """See `EventSink`."""
        if self.is_done:
            return
        await self._family.go_before(event)
        await self._sink.put_event(event)
        if (refusal := self._family.took(self, event)) is not None:
            await self._sink.put(refusal)

    def add_event(self, event: Event) -> bool:
        """See `EventSink`."""
        if self.is_done:
            return True
        if event.seq is not None and event.type in _HELD_UP:
            return False
        if not self._sink.add_event(event):
            return False
        self._family.took(self, event)
        return True

    def recalled(self, event: Event) -> None:
        """See `FollowWatch`."""
        self._family.recalled(event)

    def caught_up(self) -> None:
        """See `FollowWatch`."""
        self._family.begin_opened(self)


class FamilyFollower:
    """A thread and all that it sets to work, followed for one client; see `EventFollower` for one alone.

    Args:
        means: where logs and signals come from.
        place: what the client has; it is moved on as the client is told.
        sink: where the thread's own events go.
        child_sink: where those of its sub-agents go.
        frames: what the rest looks like.
    """

    def __init__(
        self,
        means: FollowMeans,
        place: FamilyPlace,
        sink: EventSink,
        child_sink: EventSink,
        frames: FamilyFrames | None = None,
    ) -> None:
        self.means = means
        self.frames = frames or FamilyFrames()
        self._place = place
        self._child_sink = child_sink
        self._members: dict[str, _Member] = {}
        self._root = _Member(self, place.thread_id, place.after, sink)
        self._tasks: asyncio.TaskGroup | None = None

    async def run(self) -> SullaError:
        """Follow until the thread itself cannot be followed any more.

        Returns:
            Why it ended.

        Raises:
            TooSlow: the client does not read (in an exception group).
        """
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            for thread_id, after in list(self._place.children.items()):
                self._add(thread_id, after)
            try:
                error = await self._follow(self._root, self._place.after)
            finally:
                self._tasks = None
            for member in self._members.values():
                if member.task is not None:
                    member.task.cancel()
        return error

    async def settle(self) -> None:
        """Show what the logs hold by now, without waiting to be told.

        Raises:
            SullaError: one cannot be read.
        """
        await self._root.follower.settle()
        for member in list(self._members.values()):
            await member.follower.settle()

    # ------------------------------------------------------------------------------------------ what its members say

    async def go_before(self, event: Event) -> None:
        """Have what a sub-agent has done told before the event that says that it has reported.

        Args:
            event: any that is about to be told.
        """
        if (member := self._members.get(_reporter(event))) is None:
            return
        while member.thread_id in self._members:
            try:
                await member.follower.settle()
                break
            except SullaError as error:
                if not error.retryable:
                    await self._lose(member, error)
                    return
                await self.means.clock.sleep(self.means.limits.heal_s)
        if not member.follower.cursor:  # it was never made, or is gone
            self._release(member)

    def took(self, member: _Member, event: Event) -> bytes | None:
        """Learn from an event that was told.

        Args:
            member: the thread.
            event: it.

        Returns:
            What the client has to be told about it, too.
        """
        if event.seq is None:
            return None
        place, known = self._place, len(self._place.children)
        place.take(event.thread_id, event.seq, event.type, event.data)
        if event.type == CHILD_STARTED and len(place.children) > known:
            child = str(event.data["thread_id"])
            member.opened.discard(child)
            if known >= MOST_KNOWN:
                place.forget(child)
                busy = Busy(f"{MOST_KNOWN} sub-agents are followed or wait for that: follow this one by itself")
                return self.frames.ended(child, busy)
            self._add(child, 0)
        self._drop_done(member)
        return None

    def recalled(self, event: Event) -> None:
        """Learn from an event that the client has already.

        Args:
            event: it.
        """
        self._place.recall(event.thread_id, event.type)
        if (member := self._members.get(event.thread_id)) is not None:
            self._drop_done(member)

    def begin_opened(self, member: _Member) -> None:
        """The client has been told what is in a log: follow those, too, that began before what it was told.

        Args:
            member: the thread.
        """
        for child in sorted(member.opened - {self._place.thread_id} - self._members.keys()):
            self._place.children[child] = 0
            self._add(child, 0)
        member.opened.clear()

    # ------------------------------------------------------------------------------------------------------- private

    def _add(self, thread_id: str, after: int) -> None:
        self._members[thread_id] = _Member(self, thread_id, after, self._child_sink)
        self._start_some()

    def _start_some(self) -> None:
        """Follow those that wait, as many as may be followed."""
        if self._tasks is None:
            return
        room = MOST_FOLLOWED - sum(member.task is not None for member in self._members.values())
        for member in [one for one in self._members.values() if one.task is None][: max(0, room)]:
            member.task = self._tasks.create_task(self._keep(member))

    async def _keep(self, member: _Member) -> None:
        error = await self._follow(member, member.follower.cursor)
        member.task = None  # this one, which has still to say why
        await self._lose(member, error)

    async def _follow(self, member: _Member, after: int) -> SullaError:
        if after:
            opened = await self._opened(member.thread_id)
            member.opened = set(opened) - self._place.children.keys()
        return await member.follower.run()

    async def _opened(self, thread_id: str) -> tuple[str, ...]:
        means = self.means
        while True:
            try:
                async with means.clock.timeout(means.limits.call_s):
                    return tuple(await means.commands.open_children(thread_id))
            except TimeoutError:
                continue
            except SullaError as error:
                if not error.retryable:
                    return ()  # its follower says why
            await means.clock.sleep(means.limits.heal_s)

    def _drop_done(self, member: _Member) -> None:
        if member is not self._root and member.thread_id not in self._place.children:
            self._release(member)

    def _release(self, member: _Member) -> None:
        """Let a sub-agent go."""
        if self._members.pop(member.thread_id, None) is not member:
            return
        member.is_done = True
        self._place.forget(member.thread_id)
        if member.task is not None:
            member.task.cancel()
        self._start_some()

    async def _lose(self, member: _Member, error: SullaError) -> None:
        """A sub-agent can be followed no longer."""
        if member.thread_id in self._members:
            self._release(member)
            await self._child_sink.put(self.frames.ended(member.thread_id, error))


Follower = EventFollower | FamilyFollower


def follower_of(
    means: FollowMeans,
    place: FamilyPlace,
    sinks: tuple[EventSink, EventSink],
    frames: FamilyFrames,
    *,
    children: bool,
) -> Follower:
    """What follows a thread for one client.

    Args:
        means: where logs and signals come from.
        place: what the client has.
        sinks: where the thread's own events go, and where those of its sub-agents do.
        frames: what the rest looks like.
        children: whether its sub-agents are followed, too.
    """
    if children:
        return FamilyFollower(means, place, *sinks, frames)
    return EventFollower(means.commands, sinks[0], means.clock, means.limits, place.thread_id, place.after, frames.gap)


def _reporter(event: Event) -> str:
    """The thread of the sub-agent that an event says has reported, or was cancelled; empty for none."""
    match event.type, event.data:
        case "ANSWER", {"wait_id": str(wait_id)} if is_child_wait(wait_id):
            return child_thread(wait_id.removeprefix(CHILD_WAIT))
        case "CHILD_CANCELLED", {"id": str(child)}:
            return child_thread(child)
    return ""
