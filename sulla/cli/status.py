"""`sulla status`."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator
from typing import Any

from sulla.core.errors import NotAvailable, StoreReplaced, StoreUnavailable
from sulla.heartbeat.cli.status import heartbeat_line
from sulla.people.cli.notices import notices
from sulla.people.words import ago
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import say
from sulla.terminal.place import Door, door, home_of
from sulla.terminal.program import program
from sulla.terminal.questions import open_questions
from sulla.terminal.screen import paused_head
from sulla.terminal.table import one_line
from sulla.terminal.times import minute
from sulla.threads.pending import ELSEWHERE


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Ask the daemon how it is."""
    where = door(home_of(given))
    try:
        report = asyncio.run(_ask(where))
    except NotAvailable:
        return worker_status(where, as_json=given.json)
    if given.json:
        print(json.dumps(report))
        return Exit.OK
    say(f"sulla {report['version']} at {where.url}")
    for name in ("home", "workspace", "store", "model", "model_why", "running", "queued"):
        say(f"  {name.replace('_', ' ')}: {report[name]}")
    if paused := report.get("paused"):
        since = minute(paused["since"])
        say(f"  {paused_head(paused)}, since {since}: no turn is worked on until `{program()} resume`")
    if runs := report["paused_runs"]:
        say(f"  paused runs: {runs} ({program()} flow runs)")
    for part in (_hands, _people, _at_work, _heartbeats, _troubles, _use, _kept):
        for line in part(report):
            say(f"  {line}")
    if report["offline"]:
        say(report["how_to"])
    return Exit.OK


def worker_status(where: Door, *, as_json: bool) -> Exit:
    """Say what a worker of a cluster tells whoever watches it.

    Args:
        where: it answers.
        as_json: as JSON, for scripts.
    """
    from sulla.daemon.doctor.watched import watched

    told = asyncio.run(watched(where.url, where.token))
    if as_json:
        print(json.dumps({"role": "worker", "url": where.url, **told.readiness, **told.threads}))
        return Exit.OK
    say(f"sulla, a worker, at {where.url}: {'ready' if told.ready else 'not ready'}")
    for state in ("running", "queued"):
        say(f"  {state}: {told.threads.get(state, 0)}")
    for state, troubles in (("blocking", told.blocking), ("degraded", told.degraded)):
        for trouble in troubles:
            say(f"  {state}: {one_line(trouble)}")
    say(f"  all else is asked of a gateway: `{program()} status` with its home")
    return Exit.OK


def _troubles(report: dict[str, Any]) -> Iterator[str]:
    """What does not work as it should."""
    for trouble in report["troubles"]:
        if trouble["what"] == "paused" and report.get("paused"):
            continue  # said above
        effect = "; no turn is taken" if trouble["blocks"] else ""
        yield f"degraded: {trouble['why']} (since {minute(trouble['since'])}{effect})"


def _kept(report: dict[str, Any]) -> Iterator[str]:
    """What was refused, what is written down, and what cannot be."""
    if too_fast := sum(report["rate_limited"].values()):
        yield f"messages refused as too fast: {too_fast}"
    yield f"journal: {report['journal']}"
    if report.get("audit") == "failing":
        yield f"audit: failing, {report['audit_missing']} entries are missing"
    if error := report.get("tokens_error"):
        yield f"no token but the owner's is good: {error}"
    for key in report["failing"]:
        yield f"cannot be worked on for now: {key}"


def _people(report: dict[str, Any]) -> Iterator[str]:
    """Who is there, when each was last active, and what they have not seen."""
    for one in report["people"]:
        where = f", on {one_line(one['client'])}" if one["client"] else ""
        active = "not active yet" if one["idle_s"] is None else f"last active {ago(one['idle_s'])} ago{where}"
        here = f"; connected: {', '.join(map(one_line, one['connected']))}" if one["connected"] else ""
        quiet = "; not to be disturbed" if not one["available"] else ""
        yield f"person: {one_line(one['person'])}, {active}{here}{quiet}"
    if unseen := report["notices"]:
        yield f"notices that you have not seen: {unseen} ({program()} notices)"


def _at_work(report: dict[str, Any]) -> Iterator[str]:
    """Which agents are, and where."""
    for one in report["active"]:
        on = f" on {one['project']}" if one["project"] else ""
        yield f"at work: {one['agent']}{on} in {one['thread_id']} (since {minute(one['since'])})"


def _heartbeats(report: dict[str, Any]) -> Iterator[str]:
    """When agents work by themselves, and what came of it last."""
    for row in report["heartbeats"] or ():
        yield f"heartbeat: {heartbeat_line(row)}"


def shell_line(shell: dict[str, Any]) -> str:
    """How commands are run. Pure.

    Args:
        shell: what the daemon says of that; one of an earlier version does not say whether it still looks.
    """
    if not shell.get("here", True):
        return "shell: commands are run at the workers"
    if shell["sandbox"]:
        return "shell: in a sandbox (bubblewrap): no network, and able to write in the workspace alone"
    if not shell.get("tried", True):
        return "shell: the sandbox is being tried"
    return f"shell: no sandbox, so a person is asked before each command ({program()} doctor)"


def _hands(report: dict[str, Any]) -> Iterator[str]:
    """What agents can do and know, and who waits for a person."""
    shell = report["shell"]
    yield shell_line(shell)
    if running := shell["jobs"]:
        yield f"jobs in the background: {running}"
    yield f"agents: {', '.join(map(one_line, report['agents']))}"
    yield f"skills: {_skills(report['skills'])}"
    projects = report["projects"]
    broken = f", {projects['unreadable']} cannot be read ({program()} doctor)" if projects["unreadable"] else ""
    yield f"projects: {projects['known']} with {projects['open']} open tasks{broken}"
    why = f": {one_line(str(report['memory_error']))}" if report.get("memory_error") else ""
    if report.get("memory_vectors") == "failing":
        why += f"; by words alone: {one_line(str(report['memory_vectors_error']))}"
    yield f"memory: {report['memory']}{why}"
    if servers := report["mcp"]:
        down = [one_line(one["name"]) for one in servers if one["state"] not in ("up", ELSEWHERE)]
        more = f", not up: {', '.join(down)} ({program()} mcp list)" if down else ""
        yield f"mcp servers: {len(servers)}{more}"
    if waiting := report["approvals"]:
        yield f"waiting for an answer: {waiting} ({program()} approvals)"
    if changes := report.get("changes"):
        yield f"changes of commands that wait for a yes: {changes} ({program()} changes)"


def _skills(skills: dict[str, Any]) -> str:
    waiting = skills["not_allowed"]
    more = f", {len(waiting)} not allowed yet: {', '.join(map(one_line, waiting))}" if waiting else ""
    return f"{skills['known']}{more}"


def _use(report: dict[str, Any]) -> Iterator[str]:
    """What was used today, and what is unusual about the model."""
    today = report["today"]
    yield f"today: {today['tokens']} of {today['tokens_limit']} tokens"
    if report["unpriced"]:
        yield "cost: unpriced (no price is known for this model: see [prices] in sulla.toml)"
    else:
        most = f" of {today['cost_limit']}" if today["cost_limit"] is not None else ""
        by = report.get("listed")
        listed = f" US dollars, by the list of {by['as_of']} ({by['source']}); [prices] goes before it" if by else ""
        yield f"cost today: {today['cost']:.4f}{most}{listed}"
    for name in report["without_tools"]:
        yield f"model without tools: {one_line(name)}, so agents on it only talk"
    if report["tokens_exact"] is False:
        yield "tokens near a limit are estimated: the tokenizer's file is missing or damaged"


async def _ask(where: Door) -> dict[str, Any]:
    async with open_client(where) as client:
        report: dict[str, Any] = await client.call("system.status")
        found, skills = await asyncio.gather(client.call("project.list"), client.call("skill.list"))
        return report | {
            "approvals": await _approvals(client),
            "paused_runs": await paused_runs(client),
            "notices": await _notices(client),
            "heartbeats": await _beats(client),
            "projects": _counted(found["projects"]),
            "skills": {
                "known": len(skills["skills"]),
                "not_allowed": [one["name"] for one in skills["skills"] if not one["trusted"]],
            },
        }


async def _notices(client: Client) -> int | None:
    """How many are not seen; None while the store is away."""
    try:
        return len([row async for row in notices(client, unseen=True)])
    except (StoreUnavailable, StoreReplaced):
        return None


async def _approvals(client: Client) -> int | None:
    """How many questions wait; None while the store is away, and `degraded` says so."""
    try:
        return len([row async for row in open_questions(client)])
    except (StoreUnavailable, StoreReplaced):
        return None


async def paused_runs(client: Client) -> int | None:
    """How many runs of playbooks somebody has paused, as Live counts them; None while the store is away.

    Args:
        client: asks the daemon.
    """
    found, after = 0, None
    try:
        while True:
            page = await client.call("workflow.runs", status="paused", after=after, limit=200)
            found += len(page["runs"])
            if (after := page["next"]) is None:
                return found
    except (StoreUnavailable, StoreReplaced):
        return None


async def _beats(client: Client) -> list[dict[str, Any]] | None:
    """How heartbeats are; None while the store is away."""
    try:
        rows: list[dict[str, Any]] = (await client.call("heartbeat.status"))["heartbeats"]
        return rows
    except (StoreUnavailable, StoreReplaced):
        return None


def _counted(projects: list[dict[str, Any]]) -> dict[str, int]:
    return {
        "known": len(projects),
        "open": sum(one["open"] for one in projects),
        "unreadable": sum(not one["status"] for one in projects),
    }
