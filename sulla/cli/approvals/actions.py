"""What each command of `sulla approvals` does; each asks the daemon."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import replace

from sulla.core.errors import InvalidInput, NotFound
from sulla.host.system import SystemClock
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.framed import WHOLE_COLUMNS, is_cut, tool_in
from sulla.terminal.output import say, tell
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.questions import (
    Given,
    Question,
    Row,
    always_allows,
    asked_by,
    choices_of,
    chosen_of,
    framed,
    from_row,
    given_by,
    open_questions,
)
from sulla.terminal.table import Table, columns_of_terminal, one_line, paper
from sulla.terminal.times import minute, zone_word


def _list(given: argparse.Namespace) -> Exit:
    rows = asyncio.run(_all(given))
    for row in rows:
        if given.json:
            print(json.dumps(row))
            continue
        until = f" (until {minute(row['expires_at'])} {zone_word()})" if row["expires_at"] else ""
        question = from_row(row)
        print(paper().bold(one_line(question.short_id)))
        say(f"  {asked_by(row, SystemClock().now())}{until}")
        _print_framed(question, "  ")
        if choices := choices_of(question):
            say(choices.rstrip("\n"))
        first, words = question.how
        say(f"  `{program()} approvals answer {one_line(question.short_id)} {first}`: {words}")
        if row["target"]:
            say(f"  `always` would allow {one_line(row['tool'])} for {always_allows(row['target'])}")
    if not rows and not given.json:
        tell("nobody waits for an answer")
    return Exit.OK


def _show(given: argparse.Namespace) -> Exit:
    """Print one open question, its choices, and the tool call that it is about, with all arguments."""
    row, call = asyncio.run(_question_and_call(given))
    if given.json:
        print(json.dumps({**row, "call": call}))
        return Exit.OK
    question = from_row(row)
    _print_framed(question)
    print(choices_of(question), end="")
    cut = is_cut(question.prompt)
    if call is not None and (cut or not tool_in(question.prompt)):  # else the frame has it whole
        # In ASCII, so that no character can pass for another one.
        print(f"\nthe call, whole:\n{one_line(call['name'])} {json.dumps(call['args'], indent=2)}")
    elif call is None and cut:
        tell("the history of the thread does not have this call: nothing shows the part that is left out")
    return Exit.OK


def _print_framed(question: Question, indent: str = "") -> None:
    """The question as it is asked at a terminal; in a file or a pipe each line is whole."""
    columns = columns_of_terminal() - len(indent) if sys.stdout.isatty() else WHOLE_COLUMNS
    for line in framed(question, columns):
        print(f"{indent}{line}")


async def _question_and_call(given: argparse.Namespace) -> tuple[Row, Row | None]:
    """The question, and its call if the thread's history has it: a question's id holds the call's."""
    async with open_client(door(home_of(given))) as client:
        row = await _one(client, given.id)
        after = 0
        while events := (await client.call("thread.history", thread_id=row["thread_id"], after=after))["events"]:
            for event in events:
                call = event["data"]
                if event["type"] == "TOOL_CALL_START" and call["call_id"] in row["id"].split(":"):
                    return row, {"name": call["name"], "args": call.get("args", {})}
            after = events[-1]["seq"]
        return row, None


async def _all(given: argparse.Namespace) -> list[Row]:
    async with open_client(door(home_of(given))) as client:
        return [row async for row in open_questions(client)]


def _answer(given: argparse.Namespace) -> Exit:
    return _said(given, " ".join(given.answer), given.text)


def _always(given: argparse.Namespace) -> Exit:
    return _said(given, "always", "")


def _said(given: argparse.Namespace, said: str, text: str) -> Exit:
    row, answer, seq = asyncio.run(_give(given, said, text))
    if given.json:
        print(json.dumps({"thread_id": row["thread_id"], "id": row["id"], "verdict": answer.verdict, "seq": seq}))
    else:
        told = one_line(answer.text, 80) if answer.verdict == "result" and answer.text else answer.verdict
        print(f"{one_line(from_row(row).short_id)}: {told}")
    return Exit.OK


async def _give(given: argparse.Namespace, said: str, text: str) -> tuple[Row, Given, int]:
    async with open_client(door(home_of(given))) as client:
        row = await _one(client, given.id)
        answer = _meant(row, said, text)
        answered = await client.call(
            "approval.answer", thread_id=row["thread_id"], id=row["id"], verdict=answer.verdict, text=answer.text
        )
        return row, answer, int(answered["seq"])


def _meant(row: Row, said: str, text: str) -> Given:
    """What somebody has answered."""
    question = from_row(row)
    answer = given_by(question, said, text)
    if answer is not None:
        return replace(answer, text=_chosen(row, answer.text)) if answer.verdict == "result" else answer
    if text and given_by(question, said, "") is not None:
        raise InvalidInput(f"--text: {one_line(said, 80)!r} is the whole answer here: leave --text out")
    choices = choices_of(question).rstrip("\n")
    more = f":\n{choices}" if choices else ""
    raise InvalidInput(f"got {one_line(said, 80)!r}, and this is answered with {question.how[1]}{more}")


def _chosen(row: Row, text: str) -> str:
    """What somebody chose, who may have given its number."""
    question = from_row(row)
    chosen = chosen_of(question, text)
    if chosen is None:
        raise InvalidInput(
            f"--text: got {one_line(text, 80)!r}, and this is answered with one of these, or its number:\n"
            + choices_of(question).rstrip("\n")
        )
    return chosen


async def _one(client: Client, begins: str) -> Row:
    """The question whose id begins so."""
    found = [row async for row in open_questions(client) if from_row(row).is_called(begins)]
    if not found:
        raise NotFound(f"nobody asks {one_line(begins, 80)!r} (any more); `sulla approvals` lists the questions")
    if len({row["id"] for row in found}) > 1:
        ids = ", ".join(one_line(row["id"]) for row in found)
        raise InvalidInput(f"{len(found)} questions begin with {one_line(begins, 80)!r}; give more of it: {ids}")
    return found[0]


def _rules(given: argparse.Namespace) -> Exit:
    rows = asyncio.run(_ask(given, "approval.rules"))["rules"]
    if not rows and not given.json:
        tell("nothing is allowed with always")
        return Exit.OK
    table = Table(("RULE", f"EXPIRES ({zone_word()})", "AGENT", "TOOL", "TARGET"), (29, 16, 12, 20), paper())
    if not given.json:
        print(table.head())
    for row in rows:
        cells = (row["rule"], minute(row["expires_at"]), row["agent"], row["tool"], always_allows(row["target"]))
        print(json.dumps(row) if given.json else table.row(cells))
    return Exit.OK


def _forget(given: argparse.Namespace) -> Exit:
    gone = asyncio.run(_ask(given, "approval.forget", rule=given.rule))
    print(json.dumps(gone) if given.json else f"forgot {one_line(given.rule)}: people are asked again")
    return Exit.OK


async def _ask(given: argparse.Namespace, method: str, **params: object) -> Row:
    async with open_client(door(home_of(given))) as client:
        return await client.call(method, **params)


DOES = {"list": _list, "show": _show, "answer": _answer, "always": _always, "rules": _rules, "forget": _forget}
"""What does each command."""
