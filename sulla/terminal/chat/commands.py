"""What the commands of a talk do that ask the daemon."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound
from sulla.terminal.chat import orders
from sulla.terminal.chat.current import Current
from sulla.terminal.chat.orders import Known, Mode, Order
from sulla.terminal.chat.view import Piece, View
from sulla.terminal.client import Client
from sulla.terminal.questions import Question, from_row, open_questions
from sulla.terminal.table import Paper, Table, columns_of_terminal, one_line
from sulla.terminal.turn import Said

Row = dict[str, Any]

_PAGE: Final = 200
_MOST_PAGES: Final = 10
"""So many pages of conversations are looked through for the newest."""
_SHOWN: Final = 15
"""So many conversations are shown."""
_FIRST: Final = 4
"""The first thing that is said in a conversation is among so many of its records."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Who answers what is said, and how it is sent."""

    agent: str = ""
    """Who answers; empty for the thread's own."""
    mode: Mode = "queue"


class Talk(Protocol):
    """Where a command is given."""

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


async def learn(talk: Talk) -> None:
    """Learn which agents there are.

    Args:
        talk: learns it.

    Raises:
        SullaError: no daemon runs.
    """
    rows: list[Row] = (await _call(talk, "agent.list"))["agents"]
    agents = tuple((str(row["id"]), str(row["model"])) for row in rows)
    models = tuple((model, f"agent {agent}") for agent, model in agents)
    talk.known = replace(talk.known, agents=agents, models=models)


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
    await learn(talk)
    if argument:
        check_agent(talk, argument)
        talk.choices = replace(talk.choices, agent=argument)
        talk.note(f"[{argument} answers from now on, with {dict(talk.known.agents)[argument]}]")
        return
    rows = [(agent, model) for agent, model in talk.known.agents]
    talk.note("\n".join(["agents; /agent ID has one answer from now on", *_columns(rows)]))


async def _model(talk: Talk, argument: str) -> None:
    """A model belongs to an agent, which the settings say: so another model is another agent."""
    await learn(talk)
    agents = [agent for agent, model in talk.known.agents if argument in (model, model.partition(":")[2])]
    if agents and argument:
        await _agent(talk, agents[0])
        return
    rows = [(model, f"agent {agent}") for agent, model in talk.known.agents]
    head = f"no agent has the model {argument}: these have" if argument else "models; /model NAME has its agent answer"
    more = "an agent's model is set by `model` in its settings, `agents/ID/agent.toml` in the home (docs/agents.md)"
    talk.note("\n".join([head, *_columns(rows), more]))


async def _mode(talk: Talk, argument: str) -> None:
    if argument and argument not in orders.MODES:
        talk.note(f"[there is no mode {argument}: {', '.join(orders.MODES)}]")
        return
    for mode in orders.MODES:
        if mode == argument:
            talk.choices = replace(talk.choices, mode=mode)
    chosen = talk.choices.mode
    rows = [(f"{'*' if mode == chosen else ' '} {mode}", orders.MODE_MEANS[mode]) for mode in orders.MODES]
    said = f"[{chosen}: a message {orders.MODE_MEANS[chosen]}]"
    talk.note(said if argument else "\n".join(["what a message does to an answer that comes", *_columns(rows)]))


async def _steer(talk: Talk, argument: str) -> None:
    await talk.send(Said(argument, agent=talk.choices.agent or None), "steer")


async def _cost(talk: Talk, _: str) -> None:
    status = await _call(talk, "system.status")
    today, used = status["today"], talk.view.used
    turns = f"{used.turns} answer{'s' if used.turns != 1 else ''}"
    money = "no price is set for this model" if status["unpriced"] else f"{today['cost']:.4f} in money"
    most = f" of {today['cost_limit']}" if today["cost_limit"] is not None and not status["unpriced"] else ""
    talk.note(
        f"here: {turns}, {used.shown}\n"
        f"today, in all: {today['tokens']:,} of {today['tokens_limit']:,} tokens; {money}{most}"
    )


async def _help(talk: Talk, argument: str) -> None:
    talk.show(Piece("plain", "\n".join(orders.help_lines(argument))))


async def _approvals(talk: Talk, argument: str) -> None:
    async def listed(client: Client) -> list[Row]:
        return [row async for row in open_questions(client)]

    rows = await talk.current.conversation.call_with(listed)
    numbers = tuple((str(number), one_line(row["prompt"], 60)) for number, row in enumerate(rows, 1))
    talk.known = replace(talk.known, questions=numbers)
    if argument.isdecimal() and 1 <= int(argument) <= len(rows):
        await talk.ask_again(from_row(rows[int(argument) - 1]))
        return
    lines = [f"{number}. {from_row(row).tool or 'asked'} in {row['thread_id']}: {row['prompt']}"
             for number, row in enumerate(rows, 1)]  # fmt: skip
    if argument:
        talk.note(f"[there is no question {argument}: {len(rows)} wait for an answer]")
    elif not rows:
        talk.note("[nobody waits for an answer]")
    for line in lines:
        talk.show(Piece("fold", line))
    if rows:
        talk.note("/approvals NUMBER shows one whole and takes the answer")


async def _threads(talk: Talk, argument: str) -> None:
    async def listed(client: Client) -> list[Row]:
        rows: list[Row] = []
        after: str | None = None
        for _ in range(_MOST_PAGES):
            page = await client.call("thread.list", after=after, limit=_PAGE)
            rows += page["threads"]
            after = page["next"]
            if after is None:
                break
        rows.sort(key=lambda row: str(row["created_at"]), reverse=True)
        chosen = [row for row in rows if str(row["thread_id"]).startswith(argument)] if argument else []
        found = chosen or rows
        for row in found[: _PAGE if argument and not chosen else _SHOWN]:
            row["words"] = row["title"] or await _first_words(client, str(row["thread_id"]))
        return found

    rows = await talk.current.conversation.call_with(listed)
    known = tuple((str(row["thread_id"]), str(row.get("words", ""))) for row in rows[:_SHOWN])
    before, talk.known = talk.known.threads, replace(talk.known, threads=known)
    if argument:
        if argument.isdecimal() and 1 <= int(argument) <= len(before):
            await talk.open(before[int(argument) - 1][0])
            return
        words = argument.casefold()
        rows = [
            row
            for row in rows
            if str(row["thread_id"]).startswith(argument) or words in str(row.get("words", "")).casefold()
        ]
        talk.known = replace(talk.known, threads=tuple((str(row["thread_id"]), row["words"]) for row in rows[:_SHOWN]))
        if len(rows) == 1:
            await talk.open(str(rows[0]["thread_id"]))
            return
    _list(talk, rows, argument)


def _list(talk: Talk, rows: list[Row], argument: str) -> None:
    if not rows:
        talk.note(f"[no conversation is called {argument}, or begins so]" if argument else "[there is no conversation]")
        return
    table = Table(("", "THREAD", "BEGUN (UTC)", "STATUS", "BEGINS"), (3, 12, 16, 9), Paper(columns_of_terminal() - 1))
    lines = [table.head()]
    for number, row in enumerate(rows[:_SHOWN], 1):
        here = "*" if row["thread_id"] == talk.current.conversation.thread_id else ""
        at = str(row["created_at"])[:16].replace("T", " ")
        lines.append(table.row((f"{number}{here}", str(row["thread_id"])[:12], at, row["status"], row["words"])))
    more = f"{len(rows) - _SHOWN} more; " if len(rows) > _SHOWN else ""
    talk.show(Piece("plain", "\n".join(lines)), Piece("faint", f"{more}/threads NUMBER, ID or WORDS goes on in one"))


async def _first_words(client: Client, thread_id: str) -> str:
    page = await client.call("thread.history", thread_id=thread_id, after=0, limit=_FIRST)
    return next((one_line(str(one["data"]["text"]), 200) for one in page["events"] if one["type"] == "INPUT"), "")


def _columns(rows: list[tuple[str, str]]) -> list[str]:
    wide = max((len(name) for name, _ in rows), default=0)
    return [f"  {one_line(name):<{wide}}  {one_line(about)}".rstrip() if name[:1] != " " else
            f"  {name:<{wide}}  {about}" for name, about in rows]  # fmt: skip


async def _call(talk: Talk, method: str) -> Row:
    async def call(client: Client) -> Row:
        return await client.call(method)

    return await talk.current.conversation.call_with(call)


_DOES: Final[dict[str, Callable[[Talk, str], Awaitable[None]]]] = {
    "new": _new,
    "threads": _threads,
    "model": _model,
    "agent": _agent,
    "mode": _mode,
    "steer": _steer,
    "approvals": _approvals,
    "cost": _cost,
    "help": _help,
}
"""What does each command; the talk does the others itself."""
