"""Questions to people who see nothing but text and answer by it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sulla.gateway.commands import Verdict
from sulla.gateway.dialects.steps import StepQuestion

_YES = frozenset({"yes", "y", "approve"})
_NO = frozenset({"no", "n", "reject"})


ROW_COLUMNS: Final = 100
"""How wide a question is: clients do not break the lines of a block, and nobody looks beyond its edge."""


def fenced(text: str) -> str:
    """A text as a block of code: clients read Markdown, and by what hides a part of a call somebody would allow it.

    Args:
        text: what is asked.
    """
    lines = text.strip().splitlines()
    if not lines:
        return ""
    rows = [line[at : at + ROW_COLUMNS] for line in lines for at in range(0, max(1, len(line)), ROW_COLUMNS)]
    fence = "`" * (max((len(run) for run in re.findall("`+", "\n".join(rows))), default=0) + 3)
    return "\n".join([fence, *rows, fence])


def _code(text: str) -> str:
    """A text as code within a line."""
    line = " ".join(text.split())
    marks = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    apart = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{marks}{apart}{line}{apart}{marks}"


def question_words(ask: StepQuestion, *, may_answer: bool) -> str:
    """How a person is asked who sees nothing but the reply's text.

    Args:
        ask: the question.
        may_answer: whether their token allows it.
    """
    said = [fenced(ask.prompt) or "The agent needs an answer."]
    if not may_answer:
        said.append("This waits for somebody whose token may approve: `sulla approvals` shows it.")
    else:
        said.append(_how(ask.kind, ask.choices, ask.target))
    return "\n\n".join(said)


def _how(kind: str, choices: Sequence[str], target: str) -> str:
    match kind:
        case "approval":
            like = "exactly this" if target.startswith("args:") else _code(target)
            always = f", or **always** to allow it from now on ({like})" if target else ""
            return f"Answer **yes** or **no**{always}."
        case "review":
            return "Answer **run again**, **give up**, or **result:** and what it came to."
        case "human":
            return "Answer **yes**, **no** or **give up**."
        case _ if choices:
            return f"Answer with one of these: {', '.join(map(_code, choices))}; or **give up**."
        case _:
            return "Your next message is the answer; **give up** is one too."


def takes_anything(question: str, choices: Sequence[str]) -> bool:
    """Whether any words answer a question. Once it is answered, nobody can tell whether words were meant for it.

    Args:
        question: its id.
        choices: what the answer has to be one of, if anything.
    """
    return question.startswith("answer:") and not choices


def verdict_of(question: str, choices: Sequence[str], text: str) -> tuple[Verdict, str] | None:
    """The answer that a message is to a question.

    Args:
        question: its id.
        choices: what it has to be one of, if anything.
        text: the message.

    Returns:
        The verdict, and its text; None if it is no answer: nothing is guessed.
    """
    kind, said = question.partition(":")[0], " ".join(text.split()).strip("*.! ").lower()
    answer: tuple[Verdict, str] | None = None
    if kind in ("approval", "human"):
        answer = ("approve", "") if said in _YES else ("reject", "") if said in _NO else None
        if kind == "approval":
            return ("always", "") if said == "always" else answer
        return ("give_up", "") if said == "give up" else answer
    if said == "give up":
        return "give_up", ""
    if kind == "review":
        head, colon, rest = text.strip().partition(":")
        if colon and head.strip(" *").lower() == "result" and rest.strip(" *"):
            return "result", rest.strip(" *")
        return ("run_again", "") if said == "run again" else None
    if not choices:
        return "result", text
    return next((("result", one) for one in choices if " ".join(one.split()).lower() == said), None)
