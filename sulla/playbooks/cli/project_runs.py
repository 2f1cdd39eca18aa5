"""`sulla project plan` and `sulla project work`: a goal as tasks, and the tasks as a run, by the daemon."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from sulla.core.clock import Clock
from sulla.core.errors import Refused
from sulla.host.system import SystemClock, random_id
from sulla.playbooks.cli.follow_run import follow, how_to_come_back
from sulla.playbooks.cli.inputs import read_object
from sulla.projects.file import PLAN, read_project
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.table import Table, one_line, paper

Row = dict[str, Any]

PATIENCE_S: Final = 5.0
"""How long is waited for the daemon to write a plan into the project's file, which takes it some milliseconds."""
_HEADS: Final = ("TASK", "AFTER", "AGENT", "WHAT")
_WIDTHS: Final = (16, 20, 10)


def plan_project(given: argparse.Namespace) -> Exit:
    """Have a goal planned, and print the tasks."""
    wanted = Row(project=given.name, goal=given.goal, agent=given.agent, remarks=given.remark or "")
    # What is printed is the plan and nothing else, so that it can be kept in a file and given to `work`.
    shown = argparse.Namespace(**{**vars(given), "json": given.json and given.detach})
    asked = _Asked("project.plan", wanted)
    ended = _follow(shown, asked)
    if ended is not Exit.OK or given.detach:
        return ended
    found = _ask(given, asked)  # how it stands now: the same request is done once
    if found["plan"] is None:
        tell(f"[{one_line(str(found['trouble']), 400)}]")
        return Exit.FAILED
    _print(given, found["plan"])
    asyncio.run(_put_down(given, str(found["run"]), SystemClock()))
    return Exit.OK


def work_project(given: argparse.Namespace) -> Exit:
    """Have a project worked on."""
    options = {
        "plan": read_object(given.plan) if given.plan else None,
        "strategy": given.strategy,
        "tasks": given.tasks,
        "time_limit_min": given.minutes,
        "tokens": given.tokens,
    }
    wanted = Row(project=given.name) | {name: value for name, value in options.items() if value is not None}
    return _follow(given, _Asked("project.work", wanted), outputs=True)


class _Asked:
    """Asks for a run. The same id at every attempt: one that was acknowledged before a break is not begun twice."""

    def __init__(self, method: str, wanted: Row) -> None:
        self._method = method
        self._wanted = wanted | {"request_id": random_id("req")}

    async def __call__(self, client: Client) -> Row:
        found: Row = await client.call(self._method, **self._wanted)
        if found["first"] and found["trouble"]:
            tell(f"[{one_line(str(found['trouble']), 400)}]")
        return found


async def _put_down(given: argparse.Namespace, run: str, clock: Clock) -> None:
    """Wait until the project's file names a plan, so that `work` finds it."""
    until_s = clock.elapsed() + PATIENCE_S
    async with open_client(door(home_of(given))) as client:
        while await _plan_of(client, given.name) != run:
            if clock.elapsed() >= until_s:
                tell(f"[the file of {given.name} does not name the plan {one_line(run)} yet]")
                return
            await clock.sleep(0.05)


async def _plan_of(client: Client, name: str) -> str:
    """The run that made a project's plan, as its file says; empty where it says none."""
    try:
        text = str((await client.call("project.get", project=name))["text"])
    except Refused as refused:
        if refused.retryable:
            raise
        return ""
    return read_project(text).fields.get(PLAN, "")


def _follow(given: argparse.Namespace, asked: _Asked, *, outputs: bool = False) -> Exit:
    """Begin a run and show it to its end, unless it is to be left at work."""
    if not given.detach:
        return follow(given, "", asked, outputs=outputs)
    run = str(_ask(given, asked)["run"])
    print(json.dumps({"run": run}) if given.json else run)
    if not given.json:
        tell(f"[{how_to_come_back(run)}]")
    return Exit.OK


def _print(given: argparse.Namespace, plan: Row) -> None:
    if given.json:
        print(json.dumps(plan))
        return
    table = Table(_HEADS, _WIDTHS, paper())
    print(table.head())
    for task in plan["tasks"]:
        cells = (task["id"], ", ".join(task.get("depends_on", ())), task.get("agent", ""), task["title"])
        print(table.row(tuple(map(str, cells))))
    tell(f"[`{program()} project work {given.name}` has it done, {plan['execution_strategy']}]")


def _ask(given: argparse.Namespace, what: Callable[[Client], Awaitable[Row]]) -> Row:
    async def ask() -> Row:
        async with open_client(door(home_of(given))) as client:
            return await what(client)

    return asyncio.run(ask())


RUNS = {"plan": plan_project, "work": work_project}
"""What does each command."""
