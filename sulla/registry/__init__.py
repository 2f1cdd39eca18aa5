"""The door to what is known from files: skills, agents and projects."""

from sulla.registry.agent_file import AgentFile, allows, unknown
from sulla.registry.agents import AGENTS, Agents, read_agents
from sulla.registry.bundle import read_bundle
from sulla.registry.example import EXAMPLES
from sulla.registry.known import Known, Whose, index, question
from sulla.registry.load_skill import skill_tools
from sulla.registry.project_file import RUN, Project, read_project, set_field
from sulla.registry.project_hands import project_tools
from sulla.registry.project_page import TaskState
from sulla.registry.project_tasks import WAITS, Planned, mark_task, put_down
from sulla.registry.project_write import change_project
from sulla.registry.projects import PROJECTS, Found, Listed, Projects
from sulla.registry.skill import SKILL_FILE, Skill, read_skill
from sulla.registry.skills import Root, SkillShelf
from sulla.registry.trust import TrustBook
from sulla.registry.yaml_text import YamlFault, YamlList, YamlMap, YamlNode, YamlPlace, YamlScalar, plain, read_nodes

__all__ = [
    "AGENTS",
    "EXAMPLES",
    "PROJECTS",
    "RUN",
    "SKILL_FILE",
    "WAITS",
    "AgentFile",
    "Agents",
    "Found",
    "Known",
    "Listed",
    "Planned",
    "Project",
    "Projects",
    "Root",
    "Skill",
    "SkillShelf",
    "TaskState",
    "TrustBook",
    "Whose",
    "YamlFault",
    "YamlList",
    "YamlMap",
    "YamlNode",
    "YamlPlace",
    "YamlScalar",
    "allows",
    "change_project",
    "index",
    "mark_task",
    "plain",
    "project_tools",
    "put_down",
    "question",
    "read_agents",
    "read_bundle",
    "read_nodes",
    "read_project",
    "read_skill",
    "set_field",
    "skill_tools",
    "unknown",
]
