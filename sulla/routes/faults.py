"""What is wrong with a file of routes, what such a file may name, and what has come of reading one. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from sulla.core.dataclass import dataclass
from sulla.routes.plan import RouteTable
from sulla.routes.schema import Names

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class RouteFault:
    """One thing that is wrong with a file of routes, or, as a warning, probably not meant."""

    path: str
    """The place in the file, e.g. ``gates[2].any[0]``."""
    line: int
    column: int
    """The place in the text, counted from 1 as editors do."""
    message: str
    """What is wrong, and what was expected."""
    severity: Severity = "error"

    def told(self, file: str) -> str:
        """One line, as compilers write it.

        Args:
            file: its name.
        """
        return f"{file}:{self.line}:{self.column}: {self.severity}: {self.path}: {self.message}"


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
    faults: tuple[RouteFault, ...] = ()
    """All errors, or, if there are none, all warnings, in the order of the text."""

    @property
    def errors(self) -> tuple[RouteFault, ...]:
        """Without the warnings."""
        return tuple(fault for fault in self.faults if fault.severity == "error")
