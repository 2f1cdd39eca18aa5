"""A run that the kill switch has cut off, to go on later. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sulla.threads.log.forms import Fielded


@dataclass(frozen=True, slots=True)
class RunPaused(Fielded):
    """All work stands still; the run goes on where it was when somebody resumes it."""

    kind: ClassVar[str] = "RUN_PAUSED"
    by: str
    """The name of the token that the pause was asked for with."""
    reason: str = ""
    """Why, in that person's words."""
