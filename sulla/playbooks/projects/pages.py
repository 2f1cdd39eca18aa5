"""Keeps the files of projects as the runs of their plans stand.

What is written follows from how a run stands and never from a single event: so it does not matter which events were
seen, how often, or by which daemon, and after a crash one look makes up for all that was missed.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from sulla.agent.calls.file_marks import FileMarks
from sulla.core.clock import Clock
from sulla.core.errors import Conflict, NotFound, StoreUnavailable, SullaError
from sulla.playbooks.plans.plan import ProjectPlan
from sulla.playbooks.plans.read import read_plan
from sulla.playbooks.projects.service import OPEN, ProjectRuns, plan_in, project_of
from sulla.playbooks.projects.states import state_of, states_of
from sulla.playbooks.rpc_forms import PlayDetail, PlayRow
from sulla.projects.file import PLAN, RUN, read_project, set_field
from sulla.projects.page import ProjectPage
from sulla.projects.projects import Projects
from sulla.projects.tasks import PlannedTask, mark_task, put_down
from sulla.projects.write import change_project
from sulla.threads.pending import Intervals
from sulla.threads.wake_loop import WakeLoop, Wording

log = logging.getLogger(__name__)

STATE: Final = "run_state"
"""The field that says how the run of the plan stood when that last changed."""
MAX_OTHERS: Final = 10_000
"""Runs that are known to be of no project."""
RETRY_S: Final = 5.0
"""How long it waits after a failure."""
NEW_S: Final = 3600.0
"""How long after its end a run still may be written down for the first time: longer than a daemon takes to start."""
_PAGE: Final = 100
_NAMES: Final = ("plan-", "work-")
"""How the playbooks of projects are called."""
_STATUS: Final = {"in_progress": "in_progress", "completed": "completed", "blocked": "blocked", "cancelled": "active"}
"""What is written as a project's status when its run comes to a state. One that was cancelled leaves it open, and so
does one that has done all of its own tasks while others are left.
"""


class ProjectPages:
    """Writes down how the tasks of projects stand.

    Args:
        runs: knows how runs stand.
        projects: the home's.
        clock: all time.
        marks: which files are not to be trusted: what a run that had read a page makes of a project is marked there.
    """

    def __init__(self, runs: ProjectRuns, projects: Projects, clock: Clock, marks: FileMarks) -> None:
        self._runs = runs
        self._marks = marks
        self._projects = projects
        self._clock = clock
        self._others: OrderedDict[str, None] = OrderedDict()
        wording = Wording("projects are brought up to date later: %s", "projects are brought up to date again")
        self._loop = WakeLoop(self._round, clock, wording, Intervals(retry_s=(RETRY_S,)))

    def wake(self, run: str) -> None:
        """Have a run looked at soon: something has happened in it. Never waits, never fails.

        Args:
            run: its id. A thread that is no run of a project's is looked at once.
        """
        if run not in self._others:
            self._loop.wake(run)

    async def run(self) -> None:
        """Follow until cancelled; run this as one task."""
        await self._loop.run()

    async def catch_up(self) -> bool:
        """Look at all that is known to have news; whether nothing is left for later."""
        return await self._loop.catch_up()

    async def _round(self) -> None:
        pending = self._loop.pending
        if pending.begin_sweep():
            for run in await self._open_or_newest():
                await self._deal_with(run)
        while (woken := pending.next()) is not None:
            await self._deal_with(woken)

    async def _open_or_newest(self) -> Sequence[str]:
        """The runs that work on projects, and the newest one of each project's playbooks, open or not: what was missed
        of other daemons' and what a crash cut off is among them.
        """
        after, found, newest = "", dict[str, None](), dict[str, PlayRow]()
        while page := await self._runs.runs(after=after, limit=_PAGE):
            for row in page:
                known = newest.get(row.playbook)
                if not row.playbook.startswith(_NAMES):
                    continue
                if row.status in OPEN:
                    found[row.run] = None
                if known is None or known.started_ms <= row.started_ms:
                    newest[row.playbook] = row
            after = page[-1].run
        return [*found | dict.fromkeys(row.run for row in newest.values())]

    async def _deal_with(self, run: str) -> None:
        """Bring the project of a run up to date, now or soon; one project's trouble is not the others'."""
        try:
            await self.look_at(run)
        except (StoreUnavailable, Conflict) as error:
            log.info("the project of run %s is brought up to date later: %s", run, error)
            self._loop.pending.put_back(run)
        except NotFound:
            pass  # the run or the project was deleted meanwhile
        except (SullaError, OSError) as error:
            log.warning("the project of run %s cannot be brought up to date: %s", run, error)

    async def look_at(self, run: str) -> None:
        """Bring the project of a run up to date.

        Args:
            run: its id.

        Raises:
            NotFound: the project was taken away meanwhile.
            Conflict: somebody is writing the project's file.
            CorruptRecord, InvalidInput: the project's file cannot be changed; the message says why.
            StoreUnavailable: the store does not answer.
        """
        try:
            detail = await self._runs.status(run)
        except NotFound:
            self._forget(run)  # a conversation, or deleted
            return
        found = project_of(detail)
        if found is None:
            # One that has begun says what it is for; until then its name may.
            if detail.about.playbook and (detail.steps or not detail.about.playbook.startswith(_NAMES)):
                self._forget(run)
            return
        kind, project = found
        if kind == "work":
            plan = read_plan(detail.inputs["plan"])
            if isinstance(plan, ProjectPlan):
                await self._work(project, detail, plan)
        elif detail.about.status == "completed":
            plan = plan_in(detail)
            if isinstance(plan, ProjectPlan):  # else whoever asked for it is told
                await self._plan(project, detail, plan)

    def _forget(self, run: str) -> None:
        """It is of no project: nobody need look at it again."""
        self._others[run] = None
        if len(self._others) > MAX_OTHERS:
            self._others.popitem(last=False)

    async def _work(self, project: str, detail: PlayDetail, plan: ProjectPlan) -> None:
        if await self._counts(project, detail, RUN, plan):
            await self._change(project, partial(worked, detail=detail, plan=plan), detail)

    async def _plan(self, project: str, detail: PlayDetail, plan: ProjectPlan) -> None:
        if await self._counts(project, detail, PLAN, plan) and await self._counts(project, detail, RUN, plan):
            await self._change(project, partial(planned, run=detail.about.run, plan=plan), detail)

    async def _change(self, project: str, change: Callable[[str], str], detail: PlayDetail) -> None:
        async with self._marks.writing(self._projects.place(project), tainted=detail.about.tainted):
            await change_project(self._projects, self._clock, project, change)

    async def _counts(self, project: str, detail: PlayDetail, field: str, plan: ProjectPlan) -> bool:
        """Whether what a project's file says in a field leaves room for a run. The file is made if there is none.

        A run that ended long ago says nothing new to a file that does not name it: whoever took its name, or the whole
        project, away has meant that.
        """
        row = detail.about
        is_old = row.ended_ms is not None and self._clock.now() * 1000 - row.ended_ms > NEW_S * 1000
        try:
            found = await asyncio.to_thread(self._projects.read, project)
        except NotFound:
            if is_old:
                return False
            async with self._marks.writing(self._projects.place(project), tainted=row.tainted):
                found = await asyncio.to_thread(self._projects.create, project, page_of(project, plan))
        named = found.project.fields.get(field, "")
        return named == row.run or not (is_old or await self._is_older(detail, named))

    async def _is_older(self, detail: PlayDetail, other: str) -> bool:
        """Whether a run began before another one that the project names."""
        if not other:
            return False
        try:
            return (await self._runs.status(other)).about.started_ms > detail.about.started_ms
        except NotFound:
            return False


def page_of(project: str, plan: ProjectPlan) -> str:
    """The file of a project that there was not."""
    text = set_field("", "title", project.replace("-", " ").replace("_", " ").capitalize())
    return f"{set_field(text, 'status', 'planning')}\n{' '.join(plan.goal.split())}\n"


def worked(text: str, *, detail: PlayDetail, plan: ProjectPlan) -> str:
    """A project's file as a run of its plan stands.

    Args:
        text: the file.
        detail: the run.
        plan: what it works on.

    Raises:
        InvalidInput, Conflict: the tasks have no place in it.
    """
    fields = read_project(text).fields
    begins = fields.get(RUN) != detail.about.run
    if begins:
        text = set_field(put_down(text, _rows(plan)), RUN, detail.about.run)
        if detail.inputs.get("given") is True:
            text = set_field(text, PLAN, detail.about.run)
    for now in states_of(plan, detail.steps, is_over=detail.about.status not in OPEN):
        text = mark_task(text, now.id, now.state, now.why)
    state = state_of(detail.about.status)
    if begins or fields.get(STATE) != state:  # else a status of a person's stays
        is_left = state == "completed" and any(not task.done for task in ProjectPage(text).tasks())
        text = set_field(set_field(text, STATE, state), "status", "active" if is_left else _STATUS[state])
    return text


def planned(text: str, *, run: str, plan: ProjectPlan) -> str:
    """A project's file with a plan that nobody works on yet.

    Args:
        text: the file.
        run: made the plan.
        plan: the plan.

    Raises:
        InvalidInput, Conflict: the tasks have no place in it.
    """
    found = read_project(text)
    if found.fields.get(PLAN) == run:
        return text
    if not (found.status == "in_progress" and found.fields.get(RUN)):  # else a run still works on another one
        text = set_field(put_down(text, _rows(plan)), "status", "planning")
    return set_field(text, PLAN, run)


def _rows(plan: ProjectPlan) -> list[PlannedTask]:
    return [PlannedTask(task.id, task.title, task.depends_on) for task in plan.tasks]
