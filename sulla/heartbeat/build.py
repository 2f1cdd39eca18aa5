"""Agents' own time: what their heartbeats look at, what they may use, and the threads that they beat in."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

from sulla.agent import ActiveAgents, AgentSpec, Children, FileMarks, InputHandler
from sulla.core.errors import SettingsError
from sulla.core.ids import ThreadId, derived_id
from sulla.core.units import MICRO
from sulla.daemon.settings.config import Settings
from sulla.definitions import allows
from sulla.graph import Graph
from sulla.heartbeat.agenda import Agenda, no_playbooks
from sulla.heartbeat.graph import create_heartbeat_graph
from sulla.heartbeat.limits import BeatLimits
from sulla.heartbeat.node import HeartbeatNode
from sulla.heartbeat.settings import HeartbeatSettings
from sulla.models import parse_model
from sulla.people.build import PeopleDesk
from sulla.projects.projects import Projects
from sulla.skills.known import index
from sulla.skills.shelf import SkillShelf
from sulla.threads import ThreadCreated, ThreadState, ThreadStore

GRAPH = "heartbeat"
"""What works on the threads that agents beat in."""


class Heart:
    """Makes what agents beat with.

    Args:
        settings: how long, how often, and for how much.
        threads: where beats are kept.
        children: does the cycles.
        projects: what there is to do.
        shelf: the skills.
        people: who is about, and who is told.
        marks: which files are not to be trusted.

    Raises:
        SettingsError: agents could not beat as the settings say.
    """

    def __init__(
        self,
        settings: Settings,
        threads: ThreadStore,
        children: Children,
        projects: Projects,
        shelf: SkillShelf,
        people: PeopleDesk,
        marks: FileMarks,
    ) -> None:
        check_heartbeat(settings)
        self._settings = settings
        self._threads = threads
        self._children = children
        self.projects = projects
        self._shelf = shelf
        self._people = people
        self._marks = marks

    @property
    def model(self) -> str:
        """What cycles are answered by, where that is not the agent's own model."""
        return self._settings.section(HeartbeatSettings).model

    @property
    def agent(self) -> str:
        """Who beats where nobody is named; empty for the home's own agent."""
        return self._settings.section(HeartbeatSettings).agent

    @property
    def limits(self) -> BeatLimits:
        """What beats may use."""
        return limits_of(self._settings)

    def graph(
        self, spec: AgentSpec, input_handler: InputHandler, playbooks: Callable[[], str] = no_playbooks
    ) -> Graph[ThreadState]:
        """The graph of an agent's beats.

        Args:
            spec: the agent.
            input_handler: its first node.
            playbooks: those that it may start at a beat, a line each.
        """
        wanted = self._settings.section(HeartbeatSettings)

        def skills() -> str:
            return index(known for name, known in self._shelf.known.items() if allows(spec.skills, name))

        active, around = ActiveAgents(self._threads), self._people.around
        workspace, mistrusted = self._settings.workspace, self._marks.mistrusted
        agenda = Agenda(self.projects, skills, active, workspace, around, mistrusted, playbooks)
        node = HeartbeatNode(
            agenda, self._children, self.limits, self._people.tell, wanted.model, wanted.prompt, wanted.zone or "UTC"
        )
        return create_heartbeat_graph(input_handler, node)

    async def thread(self, agent: str) -> ThreadId:
        """The thread that an agent beats in; made at its first use.

        Args:
            agent: its id.
        """
        return await self._threads.create(ThreadCreated(agent, "Heartbeat", graph=GRAPH), _request_of(agent))

    def place(self, agent: str) -> ThreadId:
        """The same thread, whether there is one yet or not."""
        return ThreadId(derived_id("thr", "request", _request_of(agent)))


def _request_of(agent: str) -> str:
    # No client can ask so: its ids have no colon.
    return f"heartbeat:{agent}"


def check_heartbeat(settings: Settings) -> None:
    """Do nothing if agents can beat as the settings say, by the clock or when somebody asks for it.

    Raises:
        SettingsError: they cannot; the message names the setting.
    """
    wanted = settings.section(HeartbeatSettings)
    try:
        ZoneInfo(wanted.zone or "UTC")
    except (LookupError, ValueError, OSError):
        said = f"heartbeat.zone: nobody knows {wanted.zone[:60]!r}; expected a name such as Europe/Berlin or UTC"
        raise SettingsError(said) from None
    if wanted.model:
        try:
            parse_model(wanted.model)
        except SettingsError as error:
            raise SettingsError(f"heartbeat.model: {error.message}") from None


def limits_of(settings: Settings) -> BeatLimits:
    """What beats may use.

    Args:
        settings: say so.
    """
    wanted = settings.section(HeartbeatSettings)

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
