"""What a file of routes may name, and what has come of reading one. Pure."""

from __future__ import annotations

from collections.abc import Collection

from sulla.core.dataclass import dataclass
from sulla.definitions.file_fault import FileFault
from sulla.routes.plan import RouteTable
from sulla.routes.schema import Names


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What routes may name; None where it is not known, and then any name is taken."""

    agents: Collection[str] | None = None
    models: Collection[str] | None = None
    tools: Collection[str] | None = None
    skills: Collection[str] | None = None
    procedures: Collection[str] | None = None
    projects: Collection[str] | None = None

    def of(self, what: Names) -> Collection[str] | None:
        """The names of one kind.

        Args:
            what: the kind.
        """
        match what:
            case "agent":
                return self.agents
            case "model":
                return self.models
            case "tool":
                return self.tools
            case "skill":
                return self.skills
            case "procedure":
                return self.procedures
            case "project":
                return self.projects
            case _:
                return None


@dataclass(frozen=True, slots=True)
class RoutesRead:
    """What a text has come to."""

    table: RouteTable | None
    """The routes; None if there is an error."""
    faults: tuple[FileFault, ...] = ()
    """All errors, or, if there are none, all warnings, in the order of the text."""

    @property
    def errors(self) -> tuple[FileFault, ...]:
        """Without the warnings."""
        return tuple(fault for fault in self.faults if fault.severity == "error")
