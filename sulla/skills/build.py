"""Skills in a daemon: looked at before each turn, told to agents, and read by them with a tool."""

from __future__ import annotations

from typing import Final

from sulla.agent.spec import AgentSpec
from sulla.core.dataclass import dataclass
from sulla.core.words import ours
from sulla.definitions.agent_file import allows
from sulla.host.host import Built, Host
from sulla.host.team import Team
from sulla.host.tools import AgentTools, ToolRegistry
from sulla.models.base import PromptSection
from sulla.skills.catalog import SkillCatalog
from sulla.skills.folders import SKILLS, catalog_of
from sulla.skills.found import KnownSkill, index
from sulla.skills.load_skill import skill_tools
from sulla.skills.rpc import METHODS, SkillRow, SkillRows
from sulla.tools.base import Tool
from sulla.tools.registry import Toolbox

LOAD_SKILL: Final = "load_skill"


@dataclass(frozen=True, slots=True)
class HomeSkills:
    """Answers `skill.list` with the skills of a home.

    Args:
        catalog: the skills.
        team: the agents.
        tools: say which of the agents can read skills.
    """

    catalog: SkillCatalog
    team: Team
    tools: ToolRegistry

    async def list_skills(self) -> SkillRows:
        """The skills that there are now, by name, and what is wrong with others."""
        await self.catalog.look()
        return SkillRows(tuple(map(self._row, self.catalog.known.values())), self.catalog.troubles)

    def _row(self, known: KnownSkill) -> SkillRow:
        name = known.skill.name
        readers = (spec for spec in self.team.specs if LOAD_SKILL in self.tools.lasting(spec))
        agents = tuple(spec.id for spec in readers if allows(spec.skills, name))
        return SkillRow(name, known.skill.description, known.whose, known.trusted, known.before, known.digest, agents)


def skills_section(spec: AgentSpec, catalog: SkillCatalog, toolbox: Toolbox) -> tuple[PromptSection, ...]:
    """What a model is told of skills; nothing if there are none, or it could not read them.

    Args:
        spec: the agent.
        catalog: the skills.
        toolbox: what the agent may use.
    """
    if LOAD_SKILL not in toolbox:
        return ()
    text = index(known for name, known in catalog.known.items() if allows(spec.skills, name))
    return (PromptSection(SKILLS, ours(text)),) if text else ()


def is_granted(spec: AgentSpec, tool: Tool) -> bool:
    """Whether an agent has a tool for its skills: an agent that names skills needs no other permission to read them."""
    return tool.name == LOAD_SKILL and bool(spec.skills)


def build(host: Host) -> Built:
    """Make what a daemon does with skills; see `host.Built`."""
    catalog = catalog_of(host.settings, host.place.clock)
    return Built(
        provides=(catalog,),
        methods=(METHODS.done_by(HomeSkills(catalog, host.agents.team, host.tools)),),
        agent_tools=AgentTools(lambda spec: skill_tools(catalog, spec.skills), is_granted),
        sections=lambda spec, toolbox: skills_section(spec, catalog, toolbox),
        look_now=catalog.look_now,
        before_work=catalog.look,
    )
