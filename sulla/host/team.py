"""The agents of a home. Pure."""

from __future__ import annotations

from sulla.agent.spec import AgentSpec
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound
from sulla.core.words import ours
from sulla.models.base import PromptSection
from sulla.tools.registry import Toolbox

SPAWN = "spawn_sub_agent"
"""The tool that sets an agent to work."""


@dataclass(slots=True)
class Team:
    """The agents of a home, as they were when the daemon read them last. Whoever uses it keeps the team and asks it
    anew each time: what changes in their folders puts other agents in their place.
    """

    specs: tuple[AgentSpec, ...]
    """The home's own first."""
    faults: tuple[str, ...] = ()
    """Why others cannot work, each with its place."""
    warnings: tuple[str, ...] = ()
    native: tuple[str, ...] = ()
    """The names of tools that models' services run themselves, which lists may name too."""

    def take(self, other: Team) -> None:
        """Be as another one is from now on. The agents stay the same objects where they are equal."""
        if other.specs != self.specs:
            self.specs = other.specs
        self.faults, self.warnings = other.faults, other.warnings

    @property
    def ids(self) -> tuple[str, ...]:
        """Of all of them, the home's own first."""
        return tuple(spec.id for spec in self.specs)

    def find(self, agent: str) -> AgentSpec | None:
        """The agent of that id; None where there is none, or none any more."""
        return next((spec for spec in self.specs if spec.id == agent), None)

    def helpers(self, spec: AgentSpec) -> tuple[tuple[str, str], ...]:
        """The agents that one may set to work, beside one like itself: the id of each, and what it is for.

        Args:
            spec: who sets them to work.
        """
        return tuple((one.id, " ".join(one.description.split())) for one in self.specs if one.id in spec.spawns)

    def helpers_section(self, spec: AgentSpec, box: Toolbox) -> tuple[PromptSection, ...]:
        """What an agent is told of them, in the owner's words; nothing if it has nobody, or no tool for it.

        Args:
            spec: the agent.
            box: what it may use.
        """
        found = self.helpers(spec) if SPAWN in box else ()
        lines = (f"- {name}: {about}" if about else f"- {name}" for name, about in found)
        text = "\n".join((f"Agents that you may set to work with {SPAWN}, and what each is for:", *lines))
        return (PromptSection("helpers", ours(text)),) if found else ()

    def get(self, agent: str) -> AgentSpec:
        """The agent of that id; the home's own if it is empty.

        Raises:
            NotFound: there is none.
        """
        for spec in self.specs:
            if spec.id == (agent or self.specs[0].id):
                return spec
        raise NotFound(f"no agent {agent!r} (known: {', '.join(self.ids)})")
