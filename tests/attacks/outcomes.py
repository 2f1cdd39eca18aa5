"""What came of a scenario, and of a harmless task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["held", "asked", "reached"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a scenario."""

    name: str
    suite: str
    verdict: Verdict
    tried: bool
    effects: tuple[str, ...] = ()
    fault: str = ""
    """What is wrong with the scenario itself: for example that the model never read the words."""


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """What came of a harmless task."""

    name: str
    suite: str
    done: bool
    questions: int
    allowed: int
    fault: str = ""
