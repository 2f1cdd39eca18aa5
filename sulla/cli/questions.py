"""What turns wait to be told, and what a person at a terminal says to it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from sulla.cli.client import Client
from sulla.cli.table import harmless, one_line

Row = dict[str, Any]

YES = ("y", "yes")
NO = ("n", "no")
ALWAYS = ("always",)

_CALL = "approval:"
_REVIEW = "review:"
_CHILD = "child:"


@dataclass(frozen=True, slots=True)
class Question:
    """Something that a suspended turn waits to be told."""

    id: str
    prompt: str
    target: str = ""
    """What `always` would allow; empty where it would allow no more than the call."""

    @property
    def is_for_people(self) -> bool:
        """Whether people are to answer it; what comes of a sub-agent is told by nobody else."""
        return not self.id.startswith(_CHILD)

    @property
    def short_id(self) -> str:
        """As much of the id as nobody else's question begins with."""
        return ":".join(self.id.split(":")[:2])

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The words of `sulla approvals answer` that fit."""
        if self.id.startswith(_CALL):
            return ("approve", "reject", *(("always",) if self.target else ()))
        return ("run_again", "give_up", "result") if self.id.startswith(_REVIEW) else ("result", "give_up")


@dataclass(frozen=True, slots=True)
class Given:
    """A person's answer to a question."""

    verdict: str
    text: str = ""


def from_wait(wait: Row) -> Question:
    """The question in an event `SUSPENDED`."""
    return Question(str(wait["wait_id"]), str(wait.get("prompt", "")), str(wait.get("target", "")))


def from_row(row: Row) -> Question:
    """The question in a row of `approval.list`."""
    return Question(str(row["id"]), str(row["prompt"]), str(row["target"]))


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
        return Given("reject", "" if word in NO else said)
    if word in ("again", "run_again") and "run_again" in question.verdicts:
        return Given("run_again")
    return Given("give_up") if word in ("give up", "give_up") else Given("result", said)


def hint(question: Question) -> str:
    """What can be typed, for the prompt. Pure."""
    if question.id.startswith(_CALL):
        always = f", always (from now on, for {one_line(question.target)})" if question.target else ""
        return f"[y]es, [n]o{always}, or why not> "
    again = "again (run it again), " if "run_again" in question.verdicts else ""
    return f"{again}give up, or what it came to> "


def how_to_answer(question: Question, thread_id: str) -> str:
    """What to do about a question that nobody here can answer, or nobody did. Pure."""
    *most, last = question.verdicts
    words = f"{', '.join(most)} or {last}"
    return (
        f"[this waits for an answer, {words}:\n"
        f"   sulla approvals answer {one_line(question.short_id)} {question.verdicts[0]}\n"
        f" then see what came of it:\n"
        f"   sulla thread show {one_line(thread_id)}]\n"
    )


def ask(question: Question) -> Given | None:
    """Ask a person at the terminal, until they give an answer; None if they leave it open (Ctrl-D).

    Raises:
        KeyboardInterrupt: they want the turn to end.
    """
    while True:
        print(harmless(hint(question)), end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            print(file=sys.stderr)
            return None
        if given := read(question, line):
            return given


def somebody_is_there() -> bool:
    """Whether a question can be asked and answered here."""
    return sys.stdin.isatty() and sys.stderr.isatty()
