"""What is asked of projects' plans. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.ids import RunId, ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.core.words import Author
from sulla.playbooks.plans.plan import Strategy

PLANNER: Final = "planner"
"""The agent that plans, unless somebody names another: one of those that a new home has."""
TIME_LIMIT_MIN: Final = 120
"""How long the tasks of a plan may be worked on, unless somebody says otherwise; waiting for people is left out."""
MAX_TIME_LIMIT_MIN: Final = 7 * 24 * 60
MAX_NEXT: Final = 20
"""Open tasks of a project without a plan that are worked on at one go."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for something, and who hears what comes of it."""

    by: Author
    """Whose words it is asked with."""
    key: str
    """The same one begins the same run."""
    thread: ThreadId = ThreadId("")
    """The conversation that hears of it; empty for none."""
    run_id: RunId = RunId("")
    """The run of that conversation that ends with it; empty for none."""


@dataclass(frozen=True, slots=True)
class PlanWanted:
    """A goal that is to be planned."""

    project: str
    goal: str
    agent: str = PLANNER
    """Who plans."""
    remarks: str = ""
    """What else is to be thought of."""


@dataclass(frozen=True, slots=True)
class WorkWanted:
    """A project that is to be worked on."""

    project: str
    plan: FrozenJson | None = None
    """The plan; None for the one that the project has, and where it has none for its next open tasks."""
    strategy: Strategy | None = None
    """How tasks follow each other; None for as planned."""
    tasks: int = 1
    """How many of the open tasks, where there is no plan."""
    agent: str = ""
    """Who does the tasks that name nobody; empty for the home's own agent."""
    time_limit_min: int = TIME_LIMIT_MIN
    """Minutes after which the run fails."""
    tokens: int | None = None
    """Of models, in and out, that all of it may use; None for what its agents may use anyway."""
