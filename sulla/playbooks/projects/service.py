"""Has projects planned, and their plans worked on: each is a run of a playbook that is written for it.

Clients, the command line and agents' tools all ask here. Nothing is kept beside the runs: a run is found again by the
key it was asked for with, so whatever is asked twice, also over a kill, is done once.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal, Protocol

from sulla.agent.calls.file_marks import FileMarks
from sulla.core.errors import Conflict, InvalidInput, MessageIdReused, NotFound
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json
from sulla.core.words import Author, worst
from sulla.playbooks.plans.plan import GOAL_CHARS, ProjectPlan, in_order, plan_json
from sulla.playbooks.plans.read import read_plan
from sulla.playbooks.projects.asked import MAX_NEXT, PLANNER, Asker, PlanWanted, WorkWanted
from sulla.playbooks.projects.book import WorkLimits, planner_playbook, playbook_name, to_playbook
from sulla.playbooks.projects.next_tasks import left_of, next_tasks
from sulla.playbooks.projects.rpc import ProjectRun
from sulla.playbooks.rpc_forms import PlayBegun, PlayDetail, PlayRow, PlayStatus
from sulla.playbooks.service import Begin
from sulla.projects.file import PLAN, RUN
from sulla.projects.projects import FoundProject, Projects
from sulla.tools.nearest import did_you_mean

REMARKS_CHARS: Final = 8_000
MOST_BEGUN: Final = 1_000
"""Projects of which it is remembered which run was last begun for them, until their files say so."""
OPEN: Final[tuple[PlayStatus, ...]] = ("queued", "running", "waiting", "paused")
"""How a run stands that has not ended."""


class ProjectRuns(Protocol):
    """What projects need of playbooks (`PlaybookService`)."""

    def run_of(self, key: str) -> str:
        """The id of the run that a key begins, or has begun."""

    async def start(self, begin: Begin, key: str) -> PlayBegun:
        """Begin a run; the same key begins it once."""

    async def status(self, run: str) -> PlayDetail:
        """One run."""

    async def runs(self, *, after: str = "", limit: int = 100, status: str = "") -> Sequence[PlayRow]:
        """Runs by id."""


class ProjectDesk:
    """Begins runs for projects, and says how they stand. It lives as long as the daemon.

    Args:
        runs: begins and knows runs.
        projects: the home's.
        agents: gives the ids of those that there are, the home's own first.
        marks: which files are not to be trusted.
    """

    def __init__(
        self, runs: ProjectRuns, projects: Projects, agents: Callable[[], Sequence[str]], marks: FileMarks
    ) -> None:
        self._runs = runs
        self._projects = projects
        self._agents = agents
        self._marks = marks
        self._begun: OrderedDict[str, str] = OrderedDict()
        self._lock = asyncio.Lock()  # between the look whether a project is worked on and the begin

    async def plan(self, wanted: PlanWanted, asker: Asker) -> ProjectRun:
        """Have a goal planned; asked again with the same key, say what has come of it.

        An answer that is no plan which can be worked on goes back to the planner with all that is wrong with it; how
        often is the step's business (`machine.moves.MAX_MISFITS`, and the attempts of the class `llm_error`).

        Raises:
            InvalidInput: the name is none, or there is no goal.
            NotFound: no such agent.
            MessageIdReused: the key asked for something else.
            QueueFull: too many runs are open.
            StoreUnavailable: the store does not answer.
        """
        goal = wanted.goal.strip()
        if not goal or len(goal) > GOAL_CHARS:
            raise InvalidInput(f"a goal of {len(goal)} characters: expected 1 to {GOAL_CHARS}")
        if len(wanted.remarks) > REMARKS_CHARS:
            raise InvalidInput(f"remarks of {len(wanted.remarks)} characters: expected at most {REMARKS_CHARS}")
        name, key = playbook_name("plan", wanted.project), f"project:plan:{asker.key}"
        if (known := await self._known(key)) is not None:
            if (known.inputs["project"], known.inputs.get("goal")) != (wanted.project, goal):
                raise _reused()
            return _planned(known)
        agents = self._agents()
        _check_planner(wanted.agent, agents)
        names: list[Json] = [*agents]
        inputs: dict[str, Json] = {"project": wanted.project, "goal": goal, "agents": names}
        inputs["remarks"] = wanted.remarks
        source = planner_playbook(wanted.project, wanted.agent, agents)
        return await self._start(name, inputs, source, asker, key)

    async def work(self, wanted: WorkWanted, asker: Asker) -> ProjectRun:
        """Have a project worked on; asked again with the same key, say how that stands.

        Raises:
            InvalidInput: the name is none, the plan cannot be worked on, or a task names a tool that there is not.
            NotFound: there is no such project, or agent.
            Conflict: a run works on it already, or nothing of it is open.
            MessageIdReused: the key asked for something else.
            QueueFull: too many runs are open.
            StoreUnavailable: the store does not answer.
        """
        name, key = playbook_name("work", wanted.project), f"project:work:{asker.key}"
        if not 1 <= wanted.tasks <= MAX_NEXT:
            raise InvalidInput(f"tasks: {wanted.tasks}; expected 1 to {MAX_NEXT}")
        async with self._lock:
            if (known := await self._known(key)) is not None:
                if known.inputs["project"] != wanted.project:
                    raise _reused()
                return _worked(known)
            found = await self._project(wanted.project, needed=wanted.plan is None)
            await self._refuse_second(wanted.project, found)
            plan, made_by, by = await self._plan_for(wanted, found, asker.by)
            plan = plan if wanted.strategy is None else replace(plan, execution_strategy=wanted.strategy)
            inputs: dict[str, Json] = {"project": wanted.project, "plan": plan_json(plan)}
            inputs["given"] = wanted.plan is not None
            source = to_playbook(plan, wanted.project, WorkLimits(wanted.time_limit_min, wanted.tokens))
            asked = replace(asker, by=by)
            begun = await self._start(name, inputs, source, asked, key, made_by, wanted.agent)
            self._begun[wanted.project] = begun.run
            self._begun.move_to_end(wanted.project)
            if len(self._begun) > MOST_BEGUN:
                self._begun.popitem(last=False)
            failed_before = found is not None and found.project.fields.get("run_state") == "blocked"
            if failed_before and found is not None:
                run = found.project.fields.get(RUN, "")[:80]
                done = "all is done again" if wanted.plan is not None else "what is ticked is left out"
                return replace(begun, trouble=f"{done}; `sulla flow resume {run}` does what failed alone")
            return begun

    # -------------------------------------------------------------------------------------------------------- private

    async def _known(self, key: str) -> PlayDetail | None:
        """The run that a key has begun; None if it has begun none, or was cut off before it was told."""
        try:
            detail = await self._runs.status(self._runs.run_of(key))
        except NotFound:
            return None
        return detail if "project" in detail.inputs else None

    async def _start(
        self,
        name: str,
        inputs: Mapping[str, Json],
        source: str,
        asker: Asker,
        key: str,
        made_by: str = "",
        agent: str = "",
    ) -> ProjectRun:
        begin = Begin(
            name,
            inputs,
            "project",
            thread=asker.thread,
            agent=agent,
            project=str(inputs["project"]),
            source=source,
            made_by=ThreadId(made_by),
            by=asker.by,
            run_id=asker.run_id,
        )
        begun = await self._runs.start(begin, key)
        plan = inputs.get("plan")
        return ProjectRun(begun.run, begun.first, "running", plan if isinstance(plan, dict) else None, "")

    async def _project(self, name: str, *, needed: bool) -> FoundProject | None:
        try:
            return await asyncio.to_thread(self._projects.read, name)
        except NotFound:
            if not needed:
                return None
            known = [one.slug for one in await asyncio.to_thread(self._projects.all)]
            hint = did_you_mean(name, known) or " Plan one first, or list those that there are."
            raise NotFound(f"there is no project {name[:100]!r}.{hint}") from None

    async def _refuse_second(self, name: str, found: FoundProject | None) -> None:
        """Do nothing if no run works on a project.

        Raises:
            Conflict: one does.
        """
        named = found.project.fields.get(RUN, "") if found is not None else ""
        for run in dict.fromkeys(filter(None, (self._begun.get(name, ""), named))):
            try:
                status = (await self._runs.status(run)).about.status
            except NotFound:
                continue  # the file may name one that was deleted
            if status in OPEN:
                raise Conflict(
                    f"the run {run} works on {name} already: `sulla flow show {run} --watch` shows it, "
                    f"`sulla flow cancel {run}` ends it"
                )

    async def _plan_for(
        self, wanted: WorkWanted, found: FoundProject | None, by: Author
    ) -> tuple[ProjectPlan, str, Author]:
        """The plan that is worked on, the run that made it or that it was given to, and whose words it is of.

        Of a plan that the file names, only what is not done there is worked on; then the other open tasks.
        """
        agents = set(self._agents())
        if wanted.plan is not None or found is None:
            return _good(read_plan(dict(wanted.plan or {}), agents=agents)), "", by
        place = self._projects.place(found.slug)
        if await self._marks.mistrusted(place, place.parent):
            by = worst((by, Author.OUTSIDE))
        made = found.project.fields.get(PLAN, "")
        if not made:
            return next_tasks(found, wanted.tasks), "", by
        try:
            detail = await self._runs.status(made)
        except NotFound:
            gone = f"the plan of {found.slug} was made by the run {made[:80]}, which is gone"
            raise NotFound(f"{gone}: plan it again, or give a plan") from None
        left = left_of(_good(plan_in(detail, agents)), found)
        return (next_tasks(found, wanted.tasks), "", by) if left is None else (left, made, by)


def plan_in(detail: PlayDetail, agents: set[str] | None = None) -> ProjectPlan | tuple[str, ...]:
    """The plan that a run came to or was given, or all that is wrong with it.

    Args:
        detail: the run.
        agents: the ids of those that there are; None if nobody knows here.

    Raises:
        Conflict: it planned nothing.
    """
    row, found = detail.about, project_of(detail)
    if found is not None and found[0] == "work":
        return read_plan(detail.inputs["plan"], agents=agents)
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


def _planned(detail: PlayDetail) -> ProjectRun:
    row = detail.about
    if row.status != "completed":
        return ProjectRun(row.run, False, row.status, None, row.failure)
    found = plan_in(detail)
    if isinstance(found, ProjectPlan):
        return ProjectRun(row.run, False, row.status, plan_json(replace(found, tasks=tuple(in_order(found.tasks)))), "")
    return ProjectRun(row.run, False, row.status, None, _refusal(found))


def _worked(detail: PlayDetail) -> ProjectRun:
    row, plan = detail.about, detail.inputs.get("plan")
    return ProjectRun(row.run, False, row.status, plan if isinstance(plan, dict) else None, row.failure)


def _good(found: ProjectPlan | tuple[str, ...]) -> ProjectPlan:
    if isinstance(found, ProjectPlan):
        return found
    raise InvalidInput(_refusal(found))


def _refusal(faults: Sequence[str]) -> str:
    return f"the plan cannot be worked on: {'; '.join(fault.rstrip('.') for fault in faults)}"


def _check_planner(agent: str, agents: Sequence[str]) -> None:
    if not agent or agent in agents:
        return
    meant = did_you_mean(agent, agents) or f" There are: {', '.join(agents)}."
    more = " (`sulla init` brings one along; then start the daemon again)" if agent == PLANNER else ""
    raise NotFound(f"there is no agent {agent[:80]!r} to plan with{more}.{meant} Name another one")


def _reused() -> MessageIdReused:
    return MessageIdReused("the same key asked for something else before: take a new one")
