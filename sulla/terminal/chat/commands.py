"""What the commands of a talk do that ask the daemon."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, Protocol

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound
from sulla.core.named import mention_of
from sulla.terminal.chat import orders
from sulla.terminal.chat.changes import change_lines, of_rows, waiting
from sulla.terminal.chat.current import Current
from sulla.terminal.chat.orders import Known, Mode, Order
from sulla.terminal.chat.pieces import Piece
from sulla.terminal.chat.view import View
from sulla.terminal.client import Client
from sulla.terminal.framed import brief
from sulla.terminal.questions import Question, asked_by, from_row, open_questions
from sulla.terminal.screen import short_id, status_word
from sulla.terminal.table import Paper, Table, columns_of_terminal, harmless, one_line
from sulla.terminal.times import minute, zone_word
from sulla.terminal.turn import Said
from sulla.terminal.wrap import in_two

Row = dict[str, Any]

_SHOWN: Final = 15
"""So many conversations are shown."""
_OFFERED: Final = 20
_NEAR: Final = 5
"""So many models are shown that no agent has, and so many that are called nearly as what was asked for."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Who answers what is said, and how it is sent."""

    agent: str = ""
    """Who alone answers, and whose a new conversation is; empty for whoever has the conversation."""
    named: str = ""
    """Who gets the conversation with the next message, which begins with its name; empty for nobody."""
    mode: Mode = "queue"


class Talk(Protocol):
    """Where a command is given."""

    clock: Clock
    choices: Choices
    known: Known
    view: View
    current: Current

    def show(self, *pieces: Piece) -> None:
        """Print something for good."""

    def note(self, text: str) -> None:
        """Tell the person something."""

    async def open(self, thread_id: str) -> None:
        """Go on in another conversation; an empty id is for a new one."""

    async def send(self, said: Said, mode: Mode) -> None:
        """Say something."""

    async def ask_again(self, question: Question) -> None:
        """Have a question asked that was left open, or that another conversation has."""


async def learn(talk: Talk) -> list[Row]:
    """Learn which agents there are.

    Args:
        talk: learns it.

    Returns:
        the rows of `agent.list`.

    Raises:
        SullaError: no daemon runs.
    """
    rows: list[Row] = (await _call(talk, "agent.list"))["agents"]
    agents = tuple((str(row["id"]), str(row["model"])) for row in rows)
    models = tuple((model, f"agent {agent}") for agent, model in agents)
    talk.known = replace(talk.known, agents=agents, models=talk.known.models or models)
    return rows


async def addressed(talk: Talk, said: Said, mode: Mode) -> Said:
    """A message as it is sent: to whom, and with the name of whoever was chosen to have the conversation. `@` counts
    also where an agent was chosen to answer alone, and one that reaches nobody is explained.

    Args:
        talk: where it was said.
        said: the message.
        mode: how it is sent; one that joins a turn chooses nobody.

    Raises:
        SullaError: no daemon runs.
    """
    said, named = replace(said, agent=talk.choices.agent or None), talk.choices.named
    if mode == "steer":
        return said
    if not said.text.lstrip().startswith("@"):
        talk.choices = replace(talk.choices, named="")
        return replace(said, text=f"@{named} {said.text}") if named else said
    rows = await learn(talk)
    reached = (await _here(talk, rows))["reached"]
    if mention_of(said.text, _called(row for row in rows if row["id"] in reached)):
        alone = talk.current.conversation.thread_id and talk.current.alone(talk.choices.agent)
        talk.choices = replace(talk.choices, agent="" if alone else talk.choices.agent, named="")
        return replace(said, agent=None) if alone else said
    if agent := mention_of(said.text, _called(rows)):
        talk.note(f"[@{agent} is text here: nobody here may hand to {agent}. /agent {agent} has it answer alone]")
    return said


async def _here(talk: Talk, rows: list[Row]) -> Row:
    """Whose the conversation is, who has it, and whom `@` reaches in it."""
    if thread_id := talk.current.conversation.thread_id:
        return await _call(talk, "thread.get", thread_id=thread_id)
    own = talk.choices.agent or str(rows[0]["id"])
    reached = [own, *next((row["hands_to"] for row in rows if row["id"] == own), ())]
    return {"agent": own, "active_agent": own, "reached": reached}


def _called(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """What agents are called, each with its id."""
    return [(str(name), str(row["id"])) for row in rows for name in (row["id"], row["name"])]


def check_agent(talk: Talk, agent: str) -> None:
    """See that there is such an agent.

    Args:
        talk: knows them.
        agent: its id; empty for whoever is the thread's own.

    Raises:
        NotFound: there is none.
    """
    known = [one for one, _ in talk.known.agents]
    if agent and agent not in known:
        near = difflib.get_close_matches(agent, known, 1)
        raise NotFound(
            f"no agent {agent!r}; " + (f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}")
        )


async def do(talk: Talk, order: Order) -> None:
    """Do what a command says.

    Args:
        talk: where it was said.
        order: the command.

    Raises:
        SullaError: the daemon refuses it, or is away.
    """
    await _DOES[order.name](talk, order.argument)


async def _new(talk: Talk, _: str) -> None:
    await talk.open("")
    talk.note("[a new conversation begins with what is said next]")


async def _agent(talk: Talk, argument: str) -> None:
    rows = await learn(talk)
    here, begun = await _here(talk, rows), bool(talk.current.conversation.thread_id)
    active = str(here["active_agent"])
    if not argument:
        speaks = talk.choices.named or talk.current.alone(talk.choices.agent) or active
        told = [(f"{'*' if row['id'] == speaks else ' '} {row['id']}", _about(row, here)) for row in rows]
        _tell_rows(talk, "agents; /agent ID has another one answer; * answers next", told)
        return
    agent = mention_of(f"@{argument}", _called(rows)) or argument
    check_agent(talk, agent)
    said = f"{agent} answers from now on, with {dict(talk.known.agents)[agent]}"
    chosen = replace(talk.choices, agent="" if begun else agent, named="")
    if begun and agent != active and agent in here["reached"]:
        chosen, said = replace(chosen, named=agent), f"{said}: your next message gives it the conversation"
    elif begun and agent != active:
        chosen = replace(chosen, agent=agent)
        said = f"{said}, alone: the conversation stays with {active}, and /agent {active} goes back to it"
    talk.choices = chosen
    talk.note(f"[{said}]")


def _about(row: Row, here: Row) -> str:
    """An agent in a row: its name, its model, what it is for, and whether `@` reaches it."""
    name = row["name"] if row["name"] != row["id"] else ""
    near = row["id"] in here["reached"] and row["id"] != here["active_agent"]
    at = f"@{row['id']} gives it the conversation" if near else ""
    return " · ".join(filter(None, (name, row["model"], at, row["description"])))


async def _model(talk: Talk, argument: str) -> None:
    """A model belongs to an agent, which the settings say: so another model is another agent."""
    found = await _call(talk, "model.list")
    whose = {str(row["name"]): list(map(str, row["agents"])) for row in found["models"]}
    talk.known = replace(talk.known, models=tuple((name, _has(ids)) for name, ids in whose.items()))
    agents = [ids[0] for name, ids in whose.items() if ids and argument in (name, name.partition(":")[2])]
    if agents and argument:
        await _agent(talk, agents[0])
        return
    head = f"no agent has the model {argument}: these have" if argument else "models; /model NAME has its agent answer"
    had = [(name, about) for name, about in talk.known.models if whose[name]]
    _tell_rows(talk, head, had)
    free = [name for name, ids in whose.items() if not ids]
    first = free[: _OFFERED + (len(free) == _OFFERED + 1)]  # one more takes no more room than a word about it
    near = (difflib.get_close_matches(argument, free, _NEAR) if argument else []) or first
    if near:
        left = len(free) - len(near)
        _tell_rows(talk, "offered, and no agent's", [(name, "") for name in near])
        if left:
            talk.note(f"… {left} more; Tab behind /model completes them")
    for said in map(str, found["troubles"]):
        talk.note(f"[{one_line(said)}]")
    talk.note(
        "an agent's model is set by `model` in its settings, `agents/ID/agent.toml` in the home (docs/agents.md); "
        "`sulla reload` has it taken up"
    )


def _has(ids: Sequence[str]) -> str:
    """Whose a model is."""
    return f"agent{'s' if len(ids) > 1 else ''} {', '.join(ids)}" if ids else "no agent's"


async def _mode(talk: Talk, argument: str) -> None:
    if argument and argument not in orders.MODES:
        talk.note(f"[there is no mode {argument}: {', '.join(orders.MODES)}]")
        return
    for mode in orders.MODES:
        if mode == argument:
            talk.choices = replace(talk.choices, mode=mode)
    chosen = talk.choices.mode
    rows = [(f"{'*' if mode == chosen else ' '} {mode}", orders.MODE_MEANS[mode]) for mode in orders.MODES]
    if argument:
        talk.note(f"[{chosen}: a message {orders.MODE_MEANS[chosen]}]")
    else:
        _tell_rows(talk, "what a message does to an answer that comes", rows)


async def _steer(talk: Talk, argument: str) -> None:
    if not talk.view.running:
        talk.note("[nothing goes on that it could join: it begins a turn]")
    await talk.send(Said(argument), "steer")


async def _cost(talk: Talk, _: str) -> None:
    status = await _call(talk, "system.status")
    today, used = status["today"], talk.view.used
    turns = f"{used.turns} answer{'s' if used.turns != 1 else ''}"
    money = "no price is known for this model" if status["unpriced"] else f"{today['cost']:.4f} in money"
    most = f" of {today['cost_limit']}" if today["cost_limit"] is not None and not status["unpriced"] else ""
    talk.note(
        f"here: {turns}, {used.shown}\n"
        f"today, in all: {today['tokens']:,} of {today['tokens_limit']:,} tokens; {money}{most}"
    )


async def _help(talk: Talk, argument: str) -> None:
    rows = orders.help_rows(argument)
    _tell_rows(talk, "" if rows else f"[there is no command {argument}; /help lists them]", rows)


async def _approvals(talk: Talk, argument: str) -> None:
    async def listed(client: Client) -> list[Row]:
        return [row async for row in open_questions(client)]

    rows = await talk.current.conversation.call_with(listed)
    numbers = tuple((str(number), brief(str(row["prompt"]))) for number, row in enumerate(rows, 1))
    talk.known = replace(talk.known, questions=numbers)
    if argument.isdecimal() and 1 <= int(argument) <= len(rows):
        await talk.ask_again(from_row(rows[int(argument) - 1]))
        return
    if argument:
        talk.note(f"[there is no question {argument}: {len(rows)} wait for an answer]")
    elif not rows:
        talk.note("[nobody waits for an answer]")
    for (number, about), row in zip(numbers, rows, strict=True):
        by = asked_by(row, talk.clock.now())
        talk.show(Piece("fold", f"{number}. {about}"), Piece("faint", f"   {by}"))
    if rows:
        talk.note("/approvals NUMBER shows one whole and takes the answer")


async def _changes(talk: Talk, argument: str) -> None:
    rows = await talk.current.conversation.call_with(waiting)
    talk.known = replace(talk.known, changes=tuple((short_id(row["changes"]), one_line(row["told"])) for row in rows))
    first, _, rest = argument.partition(" ")
    what, named = (first, rest.strip()) if first in orders.DECISIONS else ("show", argument)
    if not rows or not argument:
        _tell_rows(talk, "changes of commands that wait; /changes ID shows them" if rows else "", [*talk.known.changes])
        if not rows:
            talk.note("[no changes of commands wait for a yes]")
        return
    changes = of_rows(rows, named) if named else str(rows[0]["changes"]) if len(rows) == 1 else ""
    if not changes:
        talk.note(
            f"[/changes {what} wants to know which: {', '.join(name for name, _ in talk.known.changes) or 'none'}]"
        )
    elif what == "drop" or (what == "keep" and changes in talk.known.looked_at):
        done = await _call(talk, f"changes.{what}", changes=changes)
        talk.note(f"[{short_id(changes)}: {done['text']}]")
    else:
        await _look(talk, changes)


async def _look(talk: Talk, changes: str) -> None:
    shown = await _call(talk, "changes.show", changes=changes)
    talk.known = replace(talk.known, looked_at=talk.known.looked_at | {changes})
    name = short_id(changes)
    talk.show(Piece("plain", "\n".join(change_lines(shown, columns_of_terminal()))))
    talk.note(f"/changes keep {name} puts it into the workspace, /changes drop {name} gives it up")


async def _threads(talk: Talk, argument: str) -> None:
    shown = talk.known.threads
    if argument.isdecimal() and 1 <= int(argument) <= len(shown):
        await talk.open(shown[int(argument) - 1][0])
        return

    async def found(client: Client) -> list[Row]:
        if not argument:
            rows: list[Row] = (await client.call("thread.recent", limit=_SHOWN))["threads"]
            return rows
        with suppress(NotFound, InvalidInput):  # it is the beginning of no id, or of several
            thread_id = (await client.call("thread.resolve", begins=argument))["thread_id"]
            return [{"thread_id": thread_id}]
        answer = await client.call("thread.search", words=argument, limit=_SHOWN)
        return [one["thread"] for one in answer["found"]]

    rows = await talk.current.conversation.call_with(found)
    if argument and len(rows) == 1:
        await talk.open(str(rows[0]["thread_id"]))
        return
    if not rows:
        said = f"no conversation is called {argument}, begins so or says so" if argument else "there is none yet"
        talk.note(f"[{said}]")
        return
    threads = tuple((str(row["thread_id"]), str(row["title"])) for row in rows)
    talk.known = replace(talk.known, threads=threads)
    heads = ("", "THREAD", f"LAST ({zone_word()})", "STATUS", "TITLE")
    table = Table(heads, (3, 12, 16, 9), Paper(columns_of_terminal() - 1))
    lines = [table.head()]
    for number, row in enumerate(rows, 1):
        here = "*" if row["thread_id"] == talk.current.conversation.thread_id else ""
        cells = (
            f"{number}{here}",
            str(row["thread_id"])[:12],
            minute(row["active_at"]),
            status_word(row["status"]),
            row["title"],
        )
        lines.append(table.row(cells))
    talk.show(Piece("plain", "\n".join(lines)), Piece("faint", "/threads NUMBER, ID or WORDS goes on in one"))


def _tell_rows(talk: Talk, head: str, rows: list[tuple[str, str]]) -> None:
    lines = "\n".join(in_two(((harmless(name), one_line(about)) for name, about in rows), columns_of_terminal() - 1))
    talk.show(*([Piece("faint", head)] if head else []), *([Piece("plain", lines)] if lines else []))


async def _call(talk: Talk, method: str, **params: object) -> Row:
    async def call(client: Client) -> Row:
        return await client.call(method, **params)

    return await talk.current.conversation.call_with(call)


_DOES: Final[dict[str, Callable[[Talk, str], Awaitable[None]]]] = {
    "new": _new,
    "threads": _threads,
    "model": _model,
    "agent": _agent,
    "mode": _mode,
    "steer": _steer,
    "approvals": _approvals,
    "changes": _changes,
    "cost": _cost,
    "help": _help,
}
"""What does each command; the talk does the others itself."""
