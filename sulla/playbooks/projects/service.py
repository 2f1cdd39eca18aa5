"""Has a project planned, and its plan worked on: each is a run of a playbook that is written for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final, Literal, Protocol

from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, InvalidInput
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json
from sulla.core.words import Author
from sulla.playbooks.projects.book import PLANNER, planner_playbook, playbook_name, to_playbook
from sulla.playbooks.projects.plan import GOAL_CHARS, ProjectPlan, plan_json
from sulla.playbooks.projects.read import read_plan
from sulla.playbooks.rpc_forms import PlayBegun, PlayDetail, PlayRow
from sulla.playbooks.service import Begin

REMARKS_CHARS: Final = 8_000


class ProjectRuns(Protocol):
    """What projects need of playbooks (`PlaybookService`)."""

    async def start(self, begin: Begin, key: str) -> PlayBegun:
        """Begin a run; the same key begins it once."""

    async def status(self, run: str) -> PlayDetail:
        """One run."""

    async def runs(self, *, after: str = "", limit: int = 100, status: str = "") -> Sequence[PlayRow]:
        """Runs by id."""


@dataclass(frozen=True, slots=True)
class ProjectDesk:
    """Begins runs for projects, and reads what came of them.

    Args:
        runs: begins and knows runs.
        thread: the conversation that hears of them; empty for none.
    """

    runs: ProjectRuns
    thread: ThreadId = ThreadId("")

    async def plan(
        self, project: str, goal: str, key: str, *, agents: Sequence[str] = (), agent: str = PLANNER, remarks: str = ""
    ) -> PlayBegun:
        """Have a goal planned.

        Args:
            project: the project's name.
            goal: what is to be reached.
            key: the same one begins it once.
            agents: the ids of those that tasks may name.
            agent: who plans; empty for the home's own.
            remarks: what was wrong with an earlier plan, or what else is to be thought of.

        Raises:
            InvalidInput: the name is none, there is no goal, or no such agent.
            QueueFull: too many runs are open.
            StoreUnavailable: the store does not answer.
        """
        if not goal.strip() or len(goal) > GOAL_CHARS:
            raise InvalidInput(f"a goal of {len(goal)} characters: expected 1 to {GOAL_CHARS}")
        names: list[Json] = [*agents]
        inputs: dict[str, Json] = {"project": project, "goal": goal.strip(), "agents": names}
        inputs["remarks"] = remarks[:REMARKS_CHARS]
        begin = Begin(
            playbook_name("plan", project),
            inputs,
            "project",
            thread=self.thread,
            source=planner_playbook(project, agent),
            by=Author.PERSON,
        )
        return await self.runs.start(begin, f"project:plan:{key}")

    async def plan_of(self, run: str, agents: Set[str] | None = None) -> ProjectPlan | tuple[str, ...]:
        """The plan that a run came to, or all that is wrong with it.

        Args:
            run: of `plan`.
            agents: the ids of those that there are; None if nobody knows here.

        Raises:
            NotFound: there is no such run.
            Conflict: it planned nothing: it goes on, has failed, or is a run of something else.
            StoreUnavailable: the store does not answer.
        """
        return plan_in(await self.runs.status(run), agents)

    async def work(self, project: str, plan: ProjectPlan, key: str, made_by: str = "") -> PlayBegun:
        """Have a plan worked on.

        Args:
            project: the project's name.
            plan: the plan.
            key: the same one begins it once.
            made_by: the run that made the plan; empty for a person's.

        Raises:
            InvalidInput: the name is none, or a task names an agent or a tool that there is not.
            QueueFull: too many runs are open.
            StoreUnavailable: the store does not answer.
        """
        begin = Begin(
            playbook_name("work", project),
            {"project": project, "plan": plan_json(plan)},
            "project",
            thread=self.thread,
            source=to_playbook(plan, project),
            made_by=ThreadId(made_by),
            by=Author.PERSON,
        )
        return await self.runs.start(begin, f"project:work:{key}")


def plan_in(detail: PlayDetail, agents: Set[str] | None = None) -> ProjectPlan | tuple[str, ...]:
    """The plan that a run came to, or all that is wrong with it.

    Args:
        detail: the run.
        agents: the ids of those that there are; None if nobody knows here.

    Raises:
        Conflict: it planned nothing.
    """
    row = detail.about
    if row.status != "completed":
        why = f": {row.failure}" if row.failure else ""
        raise Conflict(f"the run {row.run} has planned nothing: it is {row.status}{why}")
    if "plan" not in detail.outputs:
        raise Conflict(f"the run {row.run} of {row.playbook!r} is none that plans a project")
    goal = detail.inputs.get("goal")
    return read_plan(detail.outputs["plan"], goal=goal if isinstance(goal, str) else "", agents=agents)


def project_of(detail: PlayDetail) -> tuple[Literal["plan", "work"], str] | None:
    """What a run does for which project; None if it is for none.

    Args:
        detail: the run. What started it does not count: a client that gives the playbook itself is no less in earnest.
    """
    project = detail.inputs.get("project")
    if not isinstance(project, str):
        return None
    for kind, given in _GIVEN.items():
        if given in detail.inputs and detail.about.playbook == f"{kind}-{project}"[:64]:
            return kind, project
    return None


_GIVEN: Final[Mapping[Literal["plan", "work"], str]] = {"plan": "goal", "work": "plan"}
"""The input that tells them from playbooks that are called like them."""
