"""Who and what there is, as values between the gateway and the daemon. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from sulla.core.jsontypes import JsonObject


@dataclass(frozen=True, slots=True)
class WorkInfo:
    """What an agent is doing at this moment."""

    thread_id: str
    project: str
    since_ms: int


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """One agent."""

    id: str
    completion: str
    """How it says that it is done."""
    model: str
    tools: tuple[str, ...]
    """The names of those that it may use."""
    working: tuple[WorkInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillInfo:
    """One skill."""

    name: str
    description: str
    source: str
    trusted: bool
    changed: bool
    """Whether it was trusted before somebody changed it."""
    digest: str
    agents: tuple[str, ...]
    """Who may use it."""


@dataclass(frozen=True, slots=True)
class SkillInfos:
    """The skills, and what is wrong with others."""

    skills: tuple[SkillInfo, ...]
    troubles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeenInfo:
    """One thing that a person looked at, as a client tells it."""

    kind: str
    title: str
    url: str
    text: str
    ago_s: float


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """One tool."""

    name: str
    description: str
    category: str
    effect: str
    parameters: JsonObject
    """A JSON Schema."""
