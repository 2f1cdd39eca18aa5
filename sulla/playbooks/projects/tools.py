"""What an agent can have done with projects: planned, and worked on."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Final

from sulla.core.errors import MessageIdReused
from sulla.core.ids import RunId
from sulla.core.words import ours
from sulla.playbooks.plans.plan import GOAL_CHARS
from sulla.playbooks.projects.asked import MAX_NEXT, Asker, PlanWanted, WorkWanted
from sulla.playbooks.projects.rpc import PlanService, ProjectRun
from sulla.playbooks.run.caller import Caller, caller_of
from sulla.threads.store import ThreadStore
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.schema import Bounds

_NOBODY: Final = (
    "Nobody is here who asked for this: do the next open task yourself, or say in your report what should be planned."
)


def plan_tools(service: PlanService, threads: ThreadStore) -> tuple[Tool, ...]:
    """`plan_project` and `work_on_project`.

    Args:
        service: has projects planned and worked on.
        threads: where agents work.
    """
    tools = _PlanTools(service, threads)
    make = partial(define, effect="idempotent", reach="inward", category="projects", timeout_s=30.0)
    return tuple(
        replace(make(function), return_direct=True, takes_over=True)
        for function in (tools.plan_project, tools.work_on_project)
    )


class _PlanTools:
    """The tools' functions."""

    def __init__(self, service: PlanService, threads: ThreadStore) -> None:
        self._service = service
        self._threads = threads

    async def plan_project(
        self,
        context: ToolContext,
        *,
        project: Annotated[str, Bounds(1, 64)],
        goal: Annotated[str, Bounds(1, GOAL_CHARS)],
    ) -> Result:
        """Have a goal split into the tasks of a project. Ends your turn.

        Args:
            project: Its name, of an old or a new one.
            goal: What is to be reached.
        """
        caller = await caller_of(self._threads, context)
        if refusal := _refusal(caller, context):
            return Done(ours(refusal), is_error=True)
        try:
            begun = await self._service.plan(PlanWanted(project, goal), _asker(caller, context))
        except MessageIdReused:
            return Done(ours(f"A plan for {project} was asked for already in this call."), is_error=True)
        return Done(ours(_told(f"{project} is being planned", begun, caller)))

    async def work_on_project(
        self,
        context: ToolContext,
        *,
        project: Annotated[str, Bounds(1, 64)],
        tasks: Annotated[int, Bounds(1, MAX_NEXT)] = 1,
    ) -> Result:
        """Have a project's plan, or its next open tasks, worked on. Ends your turn.

        Args:
            project: Its name.
            tasks: How many, without a plan.
        """
        caller = await caller_of(self._threads, context)
        if refusal := _refusal(caller, context):
            return Done(ours(refusal), is_error=True)
        try:
            begun = await self._service.work(WorkWanted(project, tasks=tasks), _asker(caller, context))
        except MessageIdReused:
            return Done(ours(f"{project} was worked on already for this call."), is_error=True)
        return Done(ours(_told(f"{project} is being worked on", begun, caller)))


def _refusal(caller: Caller, context: ToolContext) -> str:
    return caller.refusal or (_NOBODY if context.unattended else "")


def _asker(caller: Caller, context: ToolContext) -> Asker:
    # What a sub-agent starts goes on beside the conversation, whose turn has to hear of its end first.
    run_id = context.run_id if caller.thread == context.thread_id else RunId("")
    return Asker(context.by, f"agent:{context.run_id}:{context.call_id}", caller.thread, run_id)


def _told(what: str, begun: ProjectRun, caller: Caller) -> str:
    if caller.thread:
        return f"{what}: {begun.run}. You will be told what comes of it."
    return f"{what}: {begun.run}. `sulla flow show {begun.run}` says how it gets on."
