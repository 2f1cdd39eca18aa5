"""What starts playbooks beside people who ask for them: agents, messages, the clock, and what happens."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from sulla.agent import Decider
from sulla.core.ids import ThreadId
from sulla.daemon.agents import Kit
from sulla.daemon.crew import Models
from sulla.daemon.health import Health
from sulla.host.place import Place
from sulla.playbooks.build import Plays
from sulla.playbooks.projects.pages import ProjectPages
from sulla.playbooks.shelf import PlaybookShelf
from sulla.playbooks.triggers.chat import chooser
from sulla.playbooks.triggers.events import event_follower
from sulla.playbooks.triggers.timed import PlayTriggers, TimedPlays
from sulla.playbooks.triggers.webhooks import PlaybookHooks
from sulla.projects.projects import Projects
from sulla.schedules.acts import BeatThread
from sulla.schedules.build import Begins, Timetable
from sulla.store import Store
from sulla.threads import LogFollower


@dataclass(frozen=True, slots=True)
class PlayFollowers:
    """What follows the threads for playbooks."""

    events: LogFollower
    """Starts them where something happens."""
    pages: ProjectPages
    """Writes down how those stand that work on projects."""

    def wake(self, thread_id: ThreadId) -> None:
        """Have a thread looked at soon."""
        self.events.wake(thread_id)
        self.pages.wake(thread_id)


@dataclass(frozen=True, slots=True)
class PlayStarts:
    """What was built for it."""

    shelf: PlaybookShelf
    """The playbooks: looked at before anybody is let in, for whom there would be none."""
    triggers: PlayTriggers
    followers: PlayFollowers
    hooks: PlaybookHooks
    """What takes messages from outside."""
    ready: asyncio.Event
    """Set when all schedules are known."""

    async def run(self) -> None:
        """Start playbooks until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.triggers.run(self.ready))
            group.create_task(self.followers.events.run())
            group.create_task(self.followers.pages.run())

    def trouble(self) -> str:
        """Why some have to wait; empty if none do."""
        return "; ".join(filter(None, (self.triggers.trouble(), self.followers.events.error)))


def begins_of(beat_thread: BeatThread, plays: Plays) -> Begins:
    """What schedules begin.

    Args:
        beat_thread: where agents wake up.
        plays: the playbooks, and who begins them.
    """
    timed = TimedPlays(plays.shelf, plays.desk)
    return Begins(beat_thread, timed.begin, timed.check)


def make_followers(plays: Plays, projects: Projects, store: Store, place: Place) -> PlayFollowers:
    """What follows the threads; not begun yet.

    Args:
        plays: the playbooks, and who begins them.
        projects: whose pages are kept.
        store: finds threads.
        place: what the daemon stands on.
    """
    events = event_follower(plays.shelf, plays.desk, plays.threads, store, place.clock)
    return PlayFollowers(events, ProjectPages(plays.desk, projects, place.clock))


def make_play_starts(
    plays: Plays, followers: PlayFollowers, kit: Kit, models: Models, timetable: Timetable, health: Health
) -> PlayStarts:
    """Let agents and messages start playbooks from now on; the clock and events from `run` on.

    Args:
        plays: the playbooks, and who begins them.
        followers: follow the threads.
        kit: the agents.
        models: what they answer with.
        timetable: keeps the schedules that playbooks ask for.
        health: is told where some have to wait.
    """

    def decider_of(agent: str) -> Decider:
        return Decider(models.of(kit.team.get(agent).model))

    kit.playbooks.open(plays.desk, plays.shelf, plays.threads, chooser(decider_of))
    triggers = PlayTriggers(plays.shelf, timetable.office, timetable.place.clock)
    hooks = PlaybookHooks(plays.desk, plays.shelf, plays.secret)
    starts = PlayStarts(plays.shelf, triggers, followers, hooks, timetable.settled)
    health.watch("playbook_starts", starts.trouble, blocks=False)
    return starts
