"""The door to what is known from files: skills, agents and projects."""

from sulla.registry.agent_file import AgentFile, allows, unknown
from sulla.registry.agents import AGENTS, Agents, read_agents
from sulla.registry.bundle import read_bundle
from sulla.registry.example import EXAMPLE, EXAMPLE_FILES
from sulla.registry.known import Known, Whose, index, question
from sulla.registry.load_skill import skill_tools
from sulla.registry.project_file import Project
from sulla.registry.project_hands import project_tools
from sulla.registry.projects import PROJECTS, Listed, Projects
from sulla.registry.skill import SKILL_FILE, Skill, read_skill
from sulla.registry.skills import Root, SkillShelf
from sulla.registry.trust import TrustBook
from sulla.registry.yaml_text import YamlFault, YamlList, YamlMap, YamlNode, YamlPlace, YamlScalar, plain, read_nodes

__all__ = [
    "AGENTS",
    "EXAMPLE",
    "EXAMPLE_FILES",
    "PROJECTS",
    "SKILL_FILE",
    "AgentFile",
    "Agents",
    "Known",
    "Listed",
    "Project",
    "Projects",
    "Root",
    "Skill",
    "SkillShelf",
    "TrustBook",
    "Whose",
    "YamlFault",
    "YamlList",
    "YamlMap",
    "YamlNode",
    "YamlPlace",
    "YamlScalar",
    "allows",
    "index",
    "plain",
    "project_tools",
    "question",
    "read_agents",
    "read_bundle",
    "read_nodes",
    "read_skill",
    "skill_tools",
    "unknown",
]
