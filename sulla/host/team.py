"""The agents of a home. Pure."""

from __future__ import annotations

from sulla.agent.spec import AgentSpec
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound


@dataclass(slots=True)
class Team:
    """The agents of a home, as they were when the daemon read them last. Whoever uses it keeps the team and asks it
    anew each time: `sulla reload` puts other agents in their place.
    """

    specs: tuple[AgentSpec, ...]
    """The home's own first."""
    faults: tuple[str, ...] = ()
    """Why others cannot work, each with its place."""
    warnings: tuple[str, ...] = ()

    def take(self, other: Team) -> None:
        """Be as another one is from now on."""
        self.specs, self.faults, self.warnings = other.specs, other.faults, other.warnings

    @property
    def ids(self) -> tuple[str, ...]:
        """Of all of them, the home's own first."""
        return tuple(spec.id for spec in self.specs)

    def get(self, agent: str) -> AgentSpec:
        """The agent of that id; the home's own if it is empty.

        Raises:
            NotFound: there is none.
        """
        for spec in self.specs:
            if spec.id == (agent or self.specs[0].id):
                return spec
        raise NotFound(f"no agent {agent!r} (known: {', '.join(self.ids)})")
