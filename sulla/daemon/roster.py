"""Who and what there is to work with, as clients are told."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sulla.agent import AgentSpec, Permissions
from sulla.agent.rpc import AgentRow, Agents, ToolRow, Tools, WorkRow
from sulla.daemon.agents import LOAD_SKILL, Kit
from sulla.daemon.models.choice import Choice
from sulla.daemon.scene import Scene
from sulla.definitions import allows
from sulla.heartbeat.office import BeatOffice
from sulla.memory.build import Remembering
from sulla.people.build import PeopleDesk
from sulla.playbooks.service import PlaybookOffice
from sulla.projects.projects import Projects
from sulla.schedules.office import ScheduleOffice
from sulla.skills.known import Known
from sulla.skills.rpc import SkillRow, SkillRows
from sulla.skills.shelf import SkillShelf
from sulla.speech import StreamBufferManager
from sulla.tools import Tool, Toolbox, ToolSource


@dataclass(frozen=True, slots=True)
class Offices:
    """Who does what clients ask for about what agents do by themselves."""

    schedules: ScheduleOffice
    """What is done at its time."""
    beats: BeatOffice
    """Agents' own time."""
    people: PeopleDesk
    """Who is there, and what they are told."""
    playbooks: PlaybookOffice
    """What is done step by step."""
    speech: StreamBufferManager
    """What people say aloud."""


@dataclass(frozen=True, slots=True)
class Roster:
    """Who and what there is to work with, for clients."""

    agents: tuple[AgentRow, ...]
    """The home's own first."""
    tools: tuple[ToolRow, ...]
    """Those that are always there."""
    projects: Projects
    rules: Permissions
    """What people have allowed."""
    remembering: Remembering
    """Hears of threads that are deleted."""
    source: ToolSource
    """Tools that come and go."""
    scene: Scene
    """Who is at work, and what people look at."""
    shelf: SkillShelf
    readers: tuple[AgentSpec, ...]
    """The agents that can read skills."""
    offices: Offices

    async def list_tools(self) -> Tools:
        """Everything that can be used at this moment."""
        return Tools((*self.tools, *map(_tool, self.source())))

    async def list_agents(self) -> Agents:
        """The agents, with what each is doing at this moment.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        active = await self.scene.active.now()
        return Agents(
            tuple(
                replace(
                    agent,
                    working=tuple(
                        WorkRow(one.thread_id, one.project, one.since_ms) for one in active if one.name == agent.id
                    ),
                )
                for agent in self.agents
            )
        )

    async def list_skills(self) -> SkillRows:
        """The skills that there are at this moment."""
        await self.shelf.look()
        return SkillRows(tuple(map(self._skill, self.shelf.known.values())), self.shelf.troubles)

    def _skill(self, known: Known) -> SkillRow:
        name = known.skill.name
        agents = tuple(spec.id for spec in self.readers if allows(spec.skills, name))
        return SkillRow(name, known.skill.description, known.whose, known.trusted, known.before, known.digest, agents)


def roster_of(
    kit: Kit,
    choice: Choice,
    projects: Projects,
    rules: Permissions,
    remembering: Remembering,
    source: ToolSource,
    scene: Scene,
    offices: Offices,
) -> Roster:
    """Who there is, and what there is to use.

    Args:
        kit: the agents, and all that they have.
        choice: the daemon's model.
        projects: the home's.
        rules: what people have allowed.
        remembering: hears of threads that are deleted.
        source: the tools that come and go.
        scene: who is at work, and what people look at.
        offices: do what is asked for about what agents do by themselves.
    """
    agents = tuple(_agent(spec, box, choice) for spec, box in kit.boxes)
    tools = {tool.name: tool for _, box in kit.boxes for tool in box}
    infos = tuple(_tool(tool) for _, tool in sorted(tools.items()))
    readers = tuple(spec for spec, box in kit.boxes if LOAD_SKILL in box)
    return Roster(agents, infos, projects, rules, remembering, source, scene, kit.shelf, readers, offices)


def _agent(spec: AgentSpec, box: Toolbox, choice: Choice) -> AgentRow:
    return AgentRow(spec.id, spec.completion, spec.model or str(choice.model), box.names, ())


def _tool(tool: Tool) -> ToolRow:
    return ToolRow(tool.name, tool.description, tool.category, tool.effect, dict(tool.schema))
