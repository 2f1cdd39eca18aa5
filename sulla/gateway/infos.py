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


@dataclass(frozen=True, slots=True)
class ProjectInfo:
    """One project, as a row of a list."""

    name: str
    title: str
    status: str
    priority: str
    open: int
    """Tasks that can be worked on now."""
    tasks: int
    last_activity_at: str
    trouble: str
    """Why it cannot be read, or what was not understood; empty for nothing."""


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """One task of a project."""

    text: str
    done: bool
    blocked: str
    depth: int
    state: str = "pending"
    """`pending`, `in_progress`, `completed`, `failed` or `blocked`."""
    id: str = ""
    """In a plan; empty for a task of no plan."""
    depends_on: tuple[str, ...] = ()
    """The ids of tasks of the plan."""


@dataclass(frozen=True, slots=True)
class ProjectText:
    """One project, whole."""

    info: ProjectInfo
    tasks: tuple[TaskInfo, ...]
    digest: str
    text: str
