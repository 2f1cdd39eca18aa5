"""What clients can have done with projects: planned, and worked on."""

from __future__ import annotations

from typing import Annotated, Final, Protocol

from pydantic import Field, JsonValue, StringConstraints

from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.words import Author
from sulla.playbooks.plans.plan import GOAL_CHARS, Strategy
from sulla.playbooks.projects.asked import (
    MAX_NEXT,
    MAX_TIME_LIMIT_MIN,
    PLANNER,
    TIME_LIMIT_MIN,
    Asker,
    PlanWanted,
    WorkWanted,
)
from sulla.playbooks.rpc_forms import PlayStatus
from sulla.rpc.caller import Context
from sulla.rpc.form import Id, Name, Params
from sulla.rpc.method import Example, Method, Methods, Rest

_REMARKS_CHARS: Final = 8_000


class ProjectPlanning(Params):
    """`project.plan`: have a goal planned; with the same `request_id` again, how that stands."""

    project: Name
    goal: Annotated[str, StringConstraints(min_length=1, max_length=GOAL_CHARS)]
    agent: Id = PLANNER
    """Who plans."""
    remarks: Annotated[str, StringConstraints(max_length=_REMARKS_CHARS)] = ""
    """What else is to be thought of."""
    thread_id: Id | None = None
    """The conversation that hears of it, and is asked; null for none."""
    request_id: Id | None = None
    """The same one plans once."""
    from_model: bool = False
    """Whether a model of the client's asks for it, which may have read anything: then the run is trusted as little."""


class ProjectWork(Params):
    """`project.work`: have a project worked on; with the same `request_id` again, how that stands."""

    project: Name
    plan: dict[str, JsonValue] | None = None
    """The plan; null for the one that the project has, and where it has none for its next open tasks."""
    strategy: Strategy | None = None
    """How tasks follow each other; null for as planned."""
    tasks: Annotated[int, Field(ge=1, le=MAX_NEXT)] = 1
    """How many of the open tasks, where there is no plan."""
    agent: Id | None = None
    """Who does the tasks that name nobody; null for the home's own agent."""
    time_limit_min: Annotated[int, Field(ge=1, le=MAX_TIME_LIMIT_MIN)] = TIME_LIMIT_MIN
    """Minutes after which the run fails, waiting for people left out."""
    tokens: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None
    """Of models, in and out, that all of it may use; null for no limit beside those of its agents."""
    thread_id: Id | None = None
    """The conversation that hears of it, and is asked; null for none."""
    request_id: Id | None = None
    """The same one begins the same run."""
    from_model: bool = False
    """Whether a model of the client's asks for it, which may have read anything: then the run is trusted as little."""


@dataclass(frozen=True, slots=True)
class ProjectRun:
    """The answer to `project.plan` and `project.work`: the run, and how it stands."""

    run: str
    """Its id, and that of its thread, whose events tell how it gets on."""
    first: bool
    """False if the same was asked for before."""
    status: PlayStatus
    plan: dict[str, JsonValue] | None
    """What it came to, or what it works on; null while it is being made, and where it could not be."""
    trouble: str
    """Why it failed; empty for nothing. Of one that works on a plan that failed before: how to do only what failed."""


class PlanService(Protocol):
    """Has projects planned and worked on."""

    async def plan(self, wanted: PlanWanted, asker: Asker) -> ProjectRun:
        """Have a goal planned; the same key plans once.

        Raises:
            InvalidInput: the name is none, or there is no goal.
            NotFound: no such agent.
            MessageIdReused: the key asked for something else.
            QueueFull: too many runs are open.
        """

    async def work(self, wanted: WorkWanted, asker: Asker) -> ProjectRun:
        """Have a project worked on; the same key begins one run.

        Raises:
            InvalidInput: the plan cannot be worked on; the message says all that is wrong with it.
            NotFound: there is no such project, with the nearest name.
            Conflict: a run works on it already, or nothing of it is open.
            MessageIdReused: the key asked for something else.
            QueueFull: too many runs are open.
        """


async def _plan(service: PlanService, params: ProjectPlanning, context: Context) -> ProjectRun:
    wanted = PlanWanted(params.project, params.goal, params.agent, params.remarks)
    return await service.plan(wanted, _asker(params, context))


async def _work(service: PlanService, params: ProjectWork, context: Context) -> ProjectRun:
    wanted = WorkWanted(
        params.project,
        params.plan,
        params.strategy,
        params.tasks,
        params.agent or "",
        params.time_limit_min,
        params.tokens,
    )
    return await service.work(wanted, _asker(params, context))


def _asker(params: ProjectPlanning | ProjectWork, context: Context) -> Asker:
    by = Author.OUTSIDE if params.from_model else Author.PERSON
    return Asker(by, params.request_id or context.make_id("req"), ThreadId(params.thread_id or ""))


_PLAN: Final[JsonObject] = {
    "goal": "vegetables for four",
    "execution_strategy": "dag",
    "tasks": [{"id": "dig", "title": "Dig"}, {"id": "sow", "title": "Sow", "depends_on": ["dig"]}],
}

METHODS: Final[Methods[PlanService]] = Methods(
    "project_plans",
    (
        Method(
            "project.plan",
            ProjectPlanning,
            ProjectRun,
            "write",
            _plan,
            Rest("POST", "/projects/{project}/plan", "Have a goal planned.", 202, "request_id"),
            Example(
                {"run": "thr_51c0", "first": False, "status": "completed", "plan": _PLAN, "trouble": ""},
                {"goal": "vegetables for four", "request_id": "garden-1"},
            ),
        ),
        Method(
            "project.work",
            ProjectWork,
            ProjectRun,
            "write",
            _work,
            Rest("POST", "/projects/{project}/work", "Have a project worked on.", 202, "request_id"),
            Example(
                {"run": "thr_77fe", "first": True, "status": "running", "plan": _PLAN, "trouble": ""},
                {"strategy": "sequential", "time_limit_min": 60, "request_id": "garden-2"},
            ),
        ),
    ),
)
