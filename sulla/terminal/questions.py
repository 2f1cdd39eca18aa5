"""What turns wait to be told, and what a person at a terminal says to it."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.ids import is_of_a_flow
from sulla.core.named import name_in
from sulla.core.pattern import late_pattern
from sulla.terminal.client import Client
from sulla.terminal.flow_lines import named_branch
from sulla.terminal.framed import frame, tool_in
from sulla.terminal.keyboard import read_answer
from sulla.terminal.output import tell
from sulla.terminal.table import columns_of_terminal, harmless, one_line
from sulla.terminal.times import ago

Row = dict[str, Any]

VERDICTS = ("approve", "reject", "always", "result", "run_again", "give_up")
"""The protocol's words for answers; the daemon says which of them fit."""
YES = ("y", "yes")
NO = ("n", "no")
_VERDICT_WORDS = {"approve": "yes", "reject": "no", "result": "", "run_again": "run again", "give_up": "give up"}
"""What the protocol's words for answers are for people; a result speaks for itself."""
_ANSWER_COLUMNS = 60
"""So much of somebody else's answer is told."""
_COMMAND = late_pattern(r"/[a-z]+( .*)?")
"""What a talk takes for a command."""
ALWAYS = ("always",)
GIVE_UP = ("give up", "give_up")

_SHORT_ID = 14
"""The name of a call, ``tool_``, and nine digits of it: two that are alike come once in some ten thousand million."""
_CALL = "approval:"
_REVIEW = "review:"
_TIME = "time:"
_NOT_FOR_PEOPLE = ("child:", "ask:", _TIME)
"""How the ids begin of what a sub-agent, a conversation's agent or time answers."""
_EXACTLY = "args:"
_YES_OR_NO = "human:"
_STEP = "answer:"
"""How those of playbooks' human steps begin: a yes or a no, and a choice or some words."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something that a suspended turn waits to be told."""

    id: str
    prompt: str
    target: str = ""
    """What `always` would allow; empty where it would allow no more than the call."""
    choices: tuple[str, ...] = ()
    """What the answer has to be one of; empty where it does not."""
    tool: str = ""
    """Which tool asks; empty where none does, or a daemon of before does not say."""
    thread_id: str = ""
    """Where it is asked, and answered: a sub-agent asks in a thread of its own."""
    agent: str = ""
    """Who asks, where that is not whoever is talked to."""

    @property
    def is_for_people(self) -> bool:
        """Whether people are to answer it; what comes of a sub-agent is told by nobody else."""
        return not self.id.startswith(_NOT_FOR_PEOPLE)

    @property
    def is_time(self) -> bool:
        """Whether nobody answers it: it is over at its time."""
        return self.id.startswith(_TIME)

    @property
    def short_id(self) -> str:
        """As much of the id as nobody else's question has: of a call its beginning, which fits a narrow terminal."""
        kind, named, *_ = [*self.id.split(":"), ""]
        return named[:_SHORT_ID] if f"{kind}:" == _CALL else f"{kind}:{named}".rstrip(":")

    def is_called(self, begins: str) -> bool:
        """Whether its id begins so, with or without its kind.

        Args:
            begins: what somebody typed.
        """
        return self.id.startswith(begins) or self.id.partition(":")[2].startswith(begins)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The words of `sulla approvals answer` that fit."""
        if self.id.startswith(_CALL):
            return ("approve", "reject", *(("always",) if self.target else ()))
        if self.id.startswith(_YES_OR_NO):
            return ("approve", "reject", "give_up")
        return ("run_again", "give_up", "result") if self.id.startswith(_REVIEW) else ("result", "give_up")

    @property
    def how(self) -> tuple[str, str]:
        """What `sulla approvals answer ID` takes behind the id: an example, and all that there is."""
        if self.choices:
            return "1", "the words of a choice or its number, or give_up"
        if self.id.startswith(_STEP):
            return '"YOUR ANSWER"', "or give_up"
        if self.id.startswith(_YES_OR_NO):
            return "yes", "yes, no or give_up"
        *most, last = self.verdicts
        return self.verdicts[0], f"{', '.join(most)} or {last}"


@dataclass(frozen=True, slots=True)
class Given:
    """A person's answer to a question."""

    verdict: str
    text: str = ""


def from_wait(wait: Row, thread_id: str = "", agent: str = "") -> Question:
    """The question in an event `SUSPENDED`.

    Args:
        wait: what is waited for.
        thread_id: where.
        agent: who asks, if that has to be said.
    """
    said = str(wait["wait_id"]), str(wait.get("prompt", "")), str(wait.get("target", ""))
    return Question(*said, tuple(map(str, wait.get("choices", ()))), str(wait.get("tool", "")), thread_id, agent)


def from_row(row: Row) -> Question:
    """The question in a row of `approval.list`."""
    said = str(row["id"]), str(row["prompt"]), str(row["target"]), tuple(map(str, row.get("choices", ())))
    return Question(*said, str(row.get("tool", "")), str(row.get("thread_id", "")))


def asked_by(row: Row, now_s: float) -> str:
    """Who asks a row of `approval.list`, since when, and in which conversation. Pure.

    Args:
        row: it.
        now_s: the time, in seconds UTC.
    """
    since = ago(row["since"], now_s) if row.get("since") else ""
    title = one_line(str(row.get("title", "")))
    where = f"in {one_line(str(row['thread_id']))}" + (f" ({title})" if title else "")
    return ", ".join(part for part in (one_line(str(row.get("agent", ""))), since, where) if part)


async def open_questions(client: Client) -> AsyncIterator[Row]:
    """The rows of `approval.list` that people are to answer, of all threads."""
    after: str | None = None
    while True:
        page = await client.call("approval.list", after=after)
        for row in page["questions"]:
            if from_row(row).is_for_people:
                yield row
        after = page["next"]
        if after is None:
            return


async def questions_of(client: Client, thread_id: str) -> list[Question]:
    """What people are to tell a conversation or a sub-agent of it.

    Args:
        client: a connection.
        thread_id: the conversation.
    """
    found: list[Question] = []
    async for row in open_questions(client):
        asks = str(row["thread_id"])
        if asks == thread_id:
            found.append(from_row(row))
            continue
        first = (await client.call("thread.history", thread_id=asks, after=0, limit=1))["events"]
        births = (event["data"].get("birth") or {} for event in first)
        if (birth := next((one for one in births if one.get("root") == thread_id), None)) is not None:
            branch = str(row.get("title", "")) if is_of_a_flow(str(birth.get("id", ""))) else ""
            found.append(replace(from_row(row), agent=named_branch(str(row.get("agent", "")), branch)))
    return found


def read(question: Question, line: str) -> Given | None:
    """What somebody has typed, as an answer. Pure.

    Args:
        question: what they were asked.
        line: what they typed.

    Returns:
        None for nothing that could be meant: they have to be asked again.
    """
    said = line.strip()
    word = said.casefold()
    if not said or (word in ALWAYS and "always" not in question.verdicts and question.id.startswith(_CALL)):
        return None
    if question.id.startswith(_CALL):
        if word in YES:
            return Given("approve")
        if word in ALWAYS:
            return Given("always")
        if _COMMAND.fullmatch(said) or _begins_with_yes(word):
            return None  # meant for the talk around it, or as a yes perhaps: no reason for a no
        return Given("reject", "" if word in NO else said)
    if question.id.startswith(_YES_OR_NO):
        word = name_in(word, (*YES, *NO, *GIVE_UP))
        verdict = "approve" if word in YES else "reject" if word in NO else "give_up" if word in GIVE_UP else ""
        return Given(verdict) if verdict else None
    if word in ("again", "run_again") and "run_again" in question.verdicts:
        return Given("run_again")
    if word in GIVE_UP and said not in question.choices:
        return Given("give_up")
    chosen = chosen_of(question, said)
    return None if chosen is None else Given("result", chosen)


def _begins_with_yes(word: str) -> bool:
    """Whether words may be meant as a yes, though they are not one."""
    return bool(re.match(r"(?:yes|always)\b", word))


def given_by(question: Question, said: str, text: str) -> Given | None:
    """What somebody has given a command as their answer. Pure.

    Unlike at a prompt nothing but a plain yes is one, and nothing but a plain no is a no to a call.

    Args:
        question: what they were asked.
        said: the answer: plain words, or one of the protocol's (`Question.verdicts`).
        text: what goes with one of the protocol's.

    Returns:
        None for nothing that could be meant.
    """
    if said in ALWAYS and question.id.startswith(_CALL) and not question.target:
        return None  # what the tool itself asks it asks each time
    if said in VERDICTS and said not in question.choices:
        return Given(said, text)
    if question.id.startswith(_CALL):
        word = said.strip().casefold()
        verdict = "approve" if word in YES else "reject" if word in NO else ""
        return Given(verdict, text) if verdict else None
    return None if text or question.id.startswith(_REVIEW) else read(question, said)


def chosen_of(question: Question, said: str) -> str | None:
    """What somebody means, where there is something to choose from. Pure.

    Args:
        question: what they were asked.
        said: a choice, or its number as `choices_of` shows it.

    Returns:
        None for none of them; `said` itself where there is nothing to choose from.
    """
    if not question.choices or said in question.choices:
        return said
    if said.isascii() and said.isdecimal() and 1 <= int(said[:9]) <= len(question.choices):
        return question.choices[int(said[:9]) - 1]
    return name_in(said, question.choices) or None


def choices_of(question: Question) -> str:
    """What there is to choose from, a line for each; empty for nothing. Pure."""
    return "".join(f"  {number}. {one_line(choice)}\n" for number, choice in enumerate(question.choices, 1))


def hint(question: Question) -> str:
    """What can be typed, for the prompt. Pure."""
    if question.id.startswith(_CALL):
        always = f", always (from now on, for {always_allows(question.target)})" if question.target else ""
        return f"[y]es, [n]o{always}, or why not> "
    if question.id.startswith(_YES_OR_NO):
        return "[y]es, [n]o, or give up> "
    if question.choices:
        return f"{choices_of(question)}1 to {len(question.choices)}, or give up> "
    if question.id.startswith(_STEP):
        return "your answer, or give up> "
    again = "again (run it again), " if "run_again" in question.verdicts else ""
    return f"{again}give up, or what it came to> "


def always_allows(target: str) -> str:
    """What `always` allows, in words. Pure.

    Args:
        target: e.g. ``host:example.org``; one that begins with ``args:`` stands for a call's exact arguments.
    """
    return "exactly this call" if target.startswith(_EXACTLY) else one_line(target)


def how_to_answer(question: Question, thread_id: str, show: str = "thread show") -> str:
    """What to do about a question that nobody here can answer, or nobody did; `show` shows what comes of it. Pure."""
    first, words = question.how
    what = f"the question of {one_line(question.agent)}" if question.agent else "this"
    return (
        f"[{what} waits for an answer ({words}):\n{choices_of(question)}"
        f"   sulla approvals answer {one_line(question.short_id)} {first}\n"
        f" then see what came of it:\n"
        f"   sulla {show} {one_line(thread_id)}]\n"
    )


def why_not(question: Question, line: str) -> str:
    """Why a line is no answer; empty where there is no line. Pure.

    Args:
        question: what they were asked.
        line: what they typed, of which `read` made nothing.
    """
    word = line.strip().casefold()
    if not word:
        return ""
    if question.id.startswith(_CALL) and word not in ALWAYS and _begins_with_yes(word):
        return "that is not clearly a yes or a no: write yes alone, or no and why not"
    if word in ALWAYS:
        about = "what the tool itself asks, it asks each time" if question.tool or question.id.startswith(_CALL) else ""
        return f"always is not offered here{f': {about}' if about else ''}; yes allows this one call"
    if question.choices:
        return f"that is none of the {len(question.choices)} choices: write one, or its number"
    return "that is not clearly a yes or a no" if question.id.startswith(_YES_OR_NO) else "that is no answer"


async def ask(question: Question, clock: Clock, *, place: int = 1, of: int = 1, show: bool = True) -> Given | None:
    """Ask a person at the terminal, until they give an answer; None if they leave it open (Ctrl-D).

    Args:
        question: what they are asked.
        clock: for the quiet moment before an answer.
        place: which of the questions that are asked now it is, from 1.
        of: how many these are.
        show: whether the question itself has to be shown, and not only what can be answered.

    Raises:
        KeyboardInterrupt: they want the turn to end.
    """
    if show:
        print("\n".join(framed(question, columns_of_terminal(), place, of)), file=sys.stderr, flush=True)
    while True:
        choices, newline, words = harmless(hint(question)).rpartition("\n")
        tell(choices, end=newline)
        line = await read_answer(words, clock)
        if line is None:
            return None
        if given := read(question, line):
            return given
        if why := why_not(question, line):
            tell(f"[{why}]")


def framed(question: Question, columns: int, place: int = 1, of: int = 1) -> list[str]:
    """A question's lines: who asks, what, and why. Pure.

    Args:
        question: it.
        columns: how wide the terminal is.
        place: which of the questions that are asked now it is, from 1.
        of: how many these are.
    """
    count = f" ({place} of {of})" if of > 1 else ""
    asks = "asks" if tool_in(question.prompt) else f"{question.tool} asks" if question.tool else "a question"
    who = f" {'for' if asks != 'a question' else 'of'} {question.agent}" if question.agent else ""
    return frame(question.prompt, f"{asks}{who}{count}", columns)


def elsewhere(event: Row) -> str:
    """Who else has answered a question, and what, or that it needs no answer any more. Pure.

    Args:
        event: what has ended it: its `ANSWER`, or else the end of its turn.
    """
    if event["type"] != "ANSWER":
        return "[the question needs no answer any more]"
    data = event["data"]
    verdict = str(data.get("verdict", ""))
    parts = (_VERDICT_WORDS.get(verdict, verdict), one_line(str(data.get("text", "")), _ANSWER_COLUMNS))
    who = one_line(str(data.get("by", "")), _ANSWER_COLUMNS)
    return f"[answered elsewhere{f' with the token {who}' if who else ''}: {', '.join(filter(None, parts))}]"


async def is_sure(question: str, clock: Clock) -> bool:
    """Whether a person at the terminal says a clear yes to something that cannot be undone.

    Raises:
        KeyboardInterrupt: they want the command to end.
    """
    tell(harmless(question))
    return (await read_answer("[y/N] ", clock) or "").strip().lower() in YES


def somebody_is_there() -> bool:
    """Whether a question can be asked and answered here."""
    return sys.stdin.isatty() and sys.stderr.isatty()
