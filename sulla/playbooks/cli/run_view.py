"""`sulla flow runs` and `sulla flow show`: runs of playbooks as they stand."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from sulla.playbooks.cli.run_lines import IN_FINALLY, WHY, cause_of, short, took
from sulla.playbooks.machine.counts import UPSTREAM
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import say, tell
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.questions import Question, questions_of
from sulla.terminal.table import Paper, Table, harmless, one_line, paper
from sulla.terminal.times import moment, second

Row = dict[str, Any]

_PAGE = 200
_STANDING = ("failed", "paused", "cancelled")
"""How a run stands that somebody may have go on."""
_RUN_HEADS = ("RUN", "PLAYBOOK", "STATUS", "BEGAN", "TOOK", "STEPS", "TOKENS", "ABOUT")
_RUN_WIDTHS = (28, 18, 11, 19, 7, 5, 7)
_STEP_HEADS = ("STEP", "KIND", "STATE", "TRIES", "TOOK", "TOKENS", "WHAT CAME OF IT")
_STEP_WIDTHS = (18, 9, 9, 5, 7, 7)


def list_runs(given: argparse.Namespace) -> Exit:
    """The newest runs, a line each."""

    async def ask() -> list[Row]:
        async with open_client(door(home_of(given))) as client:
            return [row async for row in runs_of(client, given.status)]

    found = sorted(asyncio.run(ask()), key=lambda row: (str(row["started_at"]), str(row["run"])), reverse=True)
    table = Table(_RUN_HEADS, _RUN_WIDTHS, paper())
    if found and not given.json:
        print(table.head())
    for row in found[: given.limit]:
        print(json.dumps(row) if given.json else table.row(_run_cells(row)))
    if len(found) > given.limit:
        tell(f"and {len(found) - given.limit} more: --limit N shows so many")
    if not found and not given.json:
        tell(f"no runs; begin one with `{program()} flow run NAME`")
    return Exit.OK


def show_run(given: argparse.Namespace) -> Exit:
    """One run, with its steps."""

    async def ask() -> tuple[Row, list[Question]]:
        async with open_client(door(home_of(given))) as client:
            run = await _whole(client, given.run, given.step)
            return run, await questions_of(client, run["about"]["run"]) if run["about"]["ended_at"] is None else []

    found, asked = asyncio.run(ask())
    if given.json:
        print(json.dumps(found))
        return Exit.OK
    if given.step:
        for row in found["steps"]:
            print(harmless("\n".join(in_full(row, paper()))))
        return Exit.OK
    for line in lines_of(found, paper(), asked):
        say(line)
    return Exit.OK


def lines_of(found: Row, on: Paper, asked: Sequence[Question] = ()) -> Iterator[str]:
    """A run for people. Pure.

    Args:
        found: as `workflow.status` tells it, with all steps.
        on: what it is printed on.
        asked: what people are to tell it.
    """
    about = found["about"]
    yield on.bold(f"{one_line(about['playbook'])} {about['status']}") + f"  {one_line(about['run'])}"
    yield f"  began {moment(about['started_at'])} by {one_line(about['trigger'])}" + _ended(about)
    if about["thread_id"]:
        yield f"  for the thread {one_line(about['thread_id'])}"
    for name, word in (("parent", "a step of"), ("forked_from", "took over from")):
        if value := about.get(name) or found.get(name):
            yield f"  {word} {one_line(value)}"
    yield from _place(about)
    if found["inputs"]:
        yield f"  with {short(found['inputs'], 200)}"
    yield f"  {_steps(about)}, {about['tokens']} tokens, {_cost(about)}"
    if about["failure"]:
        word = "why" if about["status"] == "cancelled" else "failed"
        yield f"  {word}: {one_line(about['failure'])}"
    for question in asked:
        yield f"  asks: {one_line(question.prompt, WHY)}"
        first, words = question.how
        yield f"    `{program()} approvals answer {one_line(question.short_id)} {first}`: {words}"
    if about["status"] in _STANDING:
        yield f"  `{program()} flow resume {one_line(about['run'])}` {_resumed(about)}"
    if found["steps"]:
        wide = (max([_STEP_WIDTHS[0], *(len(row["at"]) for row in found["steps"])]), *_STEP_WIDTHS[1:])
        table = Table(_STEP_HEADS, wide, on)
        yield ""
        yield table.head()
        yield from (table.row(_step_cells(row)) for row in found["steps"])
    if found["outputs"]:
        yield ""
        yield on.bold("outputs")
        yield from (f"  {one_line(name)}: {short(value, 400)}" for name, value in found["outputs"].items())


def _resumed(about: Row) -> str:
    """What becomes of a run that somebody has go on."""
    if not about["failure"].startswith(IN_FINALLY):
        return "has it go on"
    again = "a mistake of its file fails again: mend it and start another run"
    return f"does `finally` again and nothing else; {again}"


def _place(about: Row) -> Iterator[str]:
    """Among other runs."""
    if behind := about.get("behind"):
        yield f"  waits for its turn, behind {', '.join(map(one_line, behind))}"
    if about.get("chain_ends"):
        yield f"  number {about['chain']} in a chain of events, the last: what it sets off starts no playbook"


async def runs_of(client: Client, status: str | None) -> AsyncIterator[Row]:
    """All runs, page by page.

    Args:
        client: connected.
        status: those alone that stand like this; None for all.
    """
    after: str | None = None
    while True:
        page = await client.call("workflow.runs", after=after, limit=_PAGE, status=status)
        for row in page["runs"]:
            yield row
        after = page["next"]
        if after is None:
            return


async def _whole(client: Client, run: str, step: str | None = None) -> Row:
    """A run with all its steps, or with one of them: told in pages."""
    only = {"step": step} if step else {}
    found = await client.call("workflow.status", run=run, **only)
    while (after := found["next"]) is not None:
        page = await client.call("workflow.status", run=run, after=after, **only)
        found = {**page, "steps": [*found["steps"], *page["steps"]]}
    del found["next"]
    return found


def _run_cells(row: Row) -> tuple[object, ...]:
    about = one_line(row["failure"], WHY) or ", ".join(row["open"])
    if row.get("behind"):
        about = f"behind {', '.join(row['behind'])}"
    span = took(row["started_at"], row["ended_at"])
    steps = f"{row['done']}/{row['steps']}" + (f", {row['failed']} failed" if row.get("failed") else "")
    return (
        row["run"], row["playbook"], row["status"], second(row["started_at"]), span, steps, row["tokens"], about,
    )  # fmt: skip


def in_full(row: Row, on: Paper) -> Iterator[str]:
    """A step with all that it was given and what came of it. Pure.

    Args:
        row: as `workflow.status` tells it where it is named.
        on: what it is printed on.
    """
    span = took(row["started_at"], row["ended_at"])
    went = f" -> {row['route']}" if row["route"] else ""
    tries = f", {row['tries']} tries" if row["tries"] > 1 else ""
    yield on.bold(f"{row['at']} {row['kind']} {row['status']}{went}") + f"  {span}{tries}"
    for name in ("given", "output", "result", "error", "note"):
        value = row.get(name)
        if value not in (None, ""):
            yield on.faint(name)
            said = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
            yield from (f"  {line}" for line in said.splitlines())


def _step_cells(row: Row) -> tuple[object, ...]:
    said = _error(row["error"]) or one_line(row["note"], WHY) or short(row["output"])
    route = f"-> {row['route']} " if row["route"] else ""
    span = took(row["started_at"], row["ended_at"])
    return (row["at"], row["kind"], row["status"], row["tries"], span, row["tokens"] or "", f"{route}{said}")


def _error(error: str) -> str:
    reason, _, message = error.partition(": ")
    return cause_of(message) if reason == UPSTREAM else one_line(error, WHY)


def _cost(about: Row) -> str:
    return "no price known" if about["cost"] is None else f"cost {about['cost']:.4f}"


def _steps(about: Row) -> str:
    """How many steps have come to what."""
    words = {"failed": "failed", "skipped": "skipped", "cancelled": "cancelled", "not_begun": "not begun"}
    others = (f", {about[name]} {word}" for name, word in words.items() if about.get(name))
    return f"{about['done']} of {about['steps']} steps done{''.join(others)}"


def _ended(about: Row) -> str:
    if about["ended_at"] is None:
        waits = ", ".join(about["open"])
        return f"; at work: {one_line(waits)}" if waits else ""
    return f", ended after {took(about['started_at'], about['ended_at'])}"
