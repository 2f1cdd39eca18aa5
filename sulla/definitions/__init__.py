"""The files that people write: YAML with places, front matter, agents; and how one takes another's place."""

from sulla.definitions.agent_file import AgentFile, allows, unknown
from sulla.definitions.agents import AGENTS, FoundAgents, read_agents
from sulla.definitions.examples import EXAMPLES
from sulla.definitions.front_matter import FrontMatter, read_front, text_of, texts_of
from sulla.definitions.replace import lease, swap, turn, write_beside
from sulla.definitions.yaml_text import YamlFault, YamlList, YamlMap, YamlNode, YamlPlace, YamlScalar, plain, read_nodes

__all__ = [
    "AGENTS",
    "EXAMPLES",
    "AgentFile",
    "FoundAgents",
    "FrontMatter",
    "YamlFault",
    "YamlList",
    "YamlMap",
    "YamlNode",
    "YamlPlace",
    "YamlScalar",
    "allows",
    "lease",
    "plain",
    "read_agents",
    "read_front",
    "read_nodes",
    "swap",
    "text_of",
    "texts_of",
    "turn",
    "unknown",
    "write_beside",
]
