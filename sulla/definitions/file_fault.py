"""What is wrong with a file that people write, such as a flow, a procedure or routes, and where. Pure."""

from __future__ import annotations

from typing import Literal

from sulla.core.dataclass import dataclass

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class FileFault:
    """One thing that is wrong with a file, or, as a warning, probably not meant."""

    path: str
    """The place in what the file defines, e.g. ``root.steps[1].condition``."""
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
