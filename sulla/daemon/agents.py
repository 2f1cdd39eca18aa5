"""The agents of a home: who they are, what they can use, and what a model is told of both."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass

from sulla.agent import SULLA, AgentSpec, Surroundings, sections
from sulla.daemon.config import Settings
from sulla.providers import Section, ToolSpec, count_head, estimate_text
from sulla.tools import Tool, Toolbox, builtin_tools


def home_agent(settings: Settings) -> AgentSpec:
    """The home's own agent."""
    return AgentSpec(SULLA.id, SULLA.name, SULLA.prompt, settings.agent.completion)


def surroundings(settings: Settings) -> Surroundings:
    """Where agents work."""
    return Surroundings(platform.system(), str(settings.workspace))


def toolbox_of(spec: AgentSpec, extra: Iterable[Tool] = ()) -> Toolbox:
    """The tools that an agent may use."""
    toolbox = Toolbox((*builtin_tools(), *extra))
    return toolbox if spec.tools is None else toolbox.select(spec.tools)


def tool_specs(toolbox: Toolbox) -> tuple[ToolSpec, ...]:
    """What a model is told of tools."""
    return tuple(ToolSpec(tool.name, tool.description, tool.schema) for tool in toolbox)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told before any conversation."""

    sections: tuple[Section, ...]
    tools: tuple[ToolSpec, ...]

    def tokens(self, section: Section) -> int:
        """Of one section, by estimate."""
        return count_head((section,), (), estimate_text)

    @property
    def tool_tokens(self) -> int:
        """Of all tools together, by estimate."""
        return count_head((), self.tools, estimate_text)


def prompt_of(settings: Settings) -> Prompt:
    """The prompt of the home's own agent. Nothing has to run for it."""
    spec = home_agent(settings)
    return Prompt(sections(spec, surroundings(settings)), tool_specs(toolbox_of(spec)))
