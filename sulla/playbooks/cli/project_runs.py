"""`sulla project plan` and `sulla project work`: a goal as tasks, and the tasks as a run, by the daemon."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

from sulla.core.clock import Clock
from sulla.core.errors import Conflict, InvalidInput, NotFound, Refused
from sulla.host.system import SystemClock, random_id
from sulla.playbooks.cli.follow_run import follow, how_to_come_back
from sulla.playbooks.cli.inputs import read_object
from sulla.playbooks.projects.book import PLANNER, planner_playbook, to_playbook
from sulla.playbooks.projects.plan import ProjectPlan, in_order, plan_json
from sulla.playbooks.projects.read import read_plan
from sulla.projects.file import RUN
from sulla.projects.projects import PROJECTS, Projects
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.place import door, home_of, settings_of
from sulla.terminal.program import program
from sulla.terminal.table import Table, one_line, paper
from sulla.tools.nearest import did_you_mean

Row = dict[str, Any]

PLANNINGS: Final = 2
"""How often a plan is asked for: one that cannot be worked on is sent back once, with what is wrong with it."""
PATIENCE_S: Final = 5.0
"""How long is waited for the daemon to write a plan into the project's file, which takes it some milliseconds."""
_OPEN: Final = ("queued", "running", "waiting", "paused")
_HEADS: Final = ("TASK", "AFTER", "AGENT", "WHAT")
_WIDTHS: Final = (16, 20, 10)


def plan_project(given: argparse.Namespace) -> Exit:
    """Have a goal planned, and print the tasks."""
    agents = [str(agent["id"]) for agent in _ask(given, lambda client: client.call("agent.list"))["agents"]]
    if given.agent not in agents:
        meant = did_you_mean(given.agent, agents) or f" There are: {', '.join(agents)}."
        more = f" (`{program()} init` brings one along; then start the daemon again)" if given.agent == PLANNER else ""
        raise NotFound(f"there is no agent {given.agent[:80]!r} to plan with{more}.{meant} Name one with --agent")
    remarks, run = given.remark or "", ""
    # What is printed is the plan and nothing else, so that it can be kept in a file and given to `work`.
    shown = argparse.Namespace(**{**vars(given), "json": given.json and given.detach})
    for _ in range(PLANNINGS):
        inputs = {"project": given.name, "goal": given.goal, "agents": agents, "remarks": remarks}
        run, ended = _follow(shown, planner_playbook(given.name, given.agent), inputs, made_by=run)
        if ended is not Exit.OK or given.detach:
            return ended
        found = _planned(given, run, agents)
        if isinstance(found, ProjectPlan):
            _print(given, found)
            asyncio.run(_put_down(given, run, SystemClock()))
            return Exit.OK
        for fault in found:
            tell(f"[the plan cannot be worked on: {one_line(fault, 400)}]")
        remarks = "\n".join([given.remark or "", "Your last plan could not be worked on:", *found]).strip()
    return Exit.FAILED


def work_project(given: argparse.Namespace) -> Exit:
    """Have a project's plan worked on."""
    fields = _fields(given)
    if fields.get("run_state") == "in_progress" and _goes_on(given, fields.get(RUN, "")):
        run = one_line(fields.get(RUN, ""))
        raise Conflict(f"the run {run} works on {given.name} already; {how_to_come_back(run)}")
    if fields.get("run_state") == "blocked" and not given.json:
        tell(
            f"[all is done again; `{program()} flow resume {one_line(fields.get(RUN, ''))}` does what failed alone]",
        )
    agents = [str(agent["id"]) for agent in _ask(given, lambda client: client.call("agent.list"))["agents"]]
    found = read_plan(read_object(given.plan), agents=set(agents)) if given.plan else _kept(given, fields, agents)
    if not isinstance(found, ProjectPlan):
        raise InvalidInput("the plan cannot be worked on: " + " ".join(found))
    plan = replace(found, execution_strategy=given.strategy) if given.strategy else found
    inputs = {"project": given.name, "plan": plan_json(plan)}
    made_by = "" if given.plan else fields["plan"]  # a plan of a file is the person's
    _, ended = _follow(given, to_playbook(plan, given.name), inputs, made_by=made_by, outputs=True)
    return ended


def _goes_on(given: argparse.Namespace, run: str) -> bool:
    """Whether a run does, which its project's file may not know: somebody may have deleted it."""
    try:
        found = _ask(given, lambda client: client.call("workflow.status", run=run, limit=1))
    except Refused as refused:
        if refused.retryable:
            raise
        return False
    return str(found["about"]["status"]) in _OPEN


def _kept(given: argparse.Namespace, fields: dict[str, str], agents: list[str]) -> ProjectPlan | tuple[str, ...]:
    run = fields.get("plan", "")
    if not run:
        raise NotFound(
            f"{given.name} has no plan: make one with `sulla project plan {given.name} GOAL`, or give --plan"
        )
    return _planned(given, run, agents)


def _planned(given: argparse.Namespace, run: str, agents: list[str]) -> ProjectPlan | tuple[str, ...]:
    """The plan that a run came to, or all that is wrong with it."""
    found = _ask(given, lambda client: client.call("workflow.status", run=run, limit=1))
    if "plan" not in found["outputs"]:
        raise Conflict(f"the run {one_line(run)} has no plan: it is {found['about']['status']}")
    return read_plan(found["outputs"]["plan"], goal=str(found["inputs"].get("goal", "")), agents=set(agents))


def _fields(given: argparse.Namespace) -> dict[str, str]:
    """The front matter of a project that is there; nothing of one that is not."""
    try:
        return Projects(settings_of(given).place(PROJECTS)).read(given.name).project.fields
    except NotFound:
        return {}


async def _put_down(given: argparse.Namespace, run: str, clock: Clock) -> None:
    """Wait until the project's file names a plan, so that `work` finds it."""
    until_s = clock.elapsed() + PATIENCE_S
    while _fields(given).get("plan") != run:
        if clock.elapsed() >= until_s:
            tell(f"[the file of {given.name} does not name the plan {one_line(run)} yet]")
            return
        await clock.sleep(0.05)


def _follow(
    given: argparse.Namespace, source: str, inputs: Row, *, made_by: str, outputs: bool = False
) -> tuple[str, Exit]:
    """Begin a run and show it to its end, unless it is to be left at work; its id, and how that went."""
    wanted = {"source": source, "inputs": inputs, "request_id": random_id("req"), "made_by": made_by or None}
    begun = Row()

    async def begin(client: Client) -> Row:
        # The same id at every attempt: a run that was acknowledged before a break is not begun twice.
        begun.update(await client.call("workflow.start", **wanted))
        return begun

    if given.detach:
        run = str(_ask(given, begin)["run"])
        print(json.dumps({"run": run}) if given.json else run)
        if not given.json:
            tell(f"[{how_to_come_back(run)}]")
        return run, Exit.OK
    ended = follow(given, "", begin, outputs=outputs)
    return str(begun.get("run", "")), ended


def _print(given: argparse.Namespace, plan: ProjectPlan) -> None:
    if given.json:
        print(json.dumps(plan_json(plan)))
        return
    table = Table(_HEADS, _WIDTHS, paper())
    print(table.head())
    for task in in_order(plan.tasks):
        print(table.row((task.id, ", ".join(task.depends_on), task.agent, task.title)))
    tell(f"[`{program()} project work {given.name}` has it done, {plan.execution_strategy}]")


def _ask(given: argparse.Namespace, what: Callable[[Client], Awaitable[Row]]) -> Row:
    async def ask() -> Row:
        async with open_client(door(home_of(given))) as client:
            return await what(client)

    return asyncio.run(ask())


RUNS = {"plan": plan_project, "work": work_project}
"""What does each command."""
