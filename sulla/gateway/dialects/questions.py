"""Questions to people who see nothing but text and answer by it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sulla.agent.approvals.literal import in_line, literal
from sulla.gateway.commands import Verdict
from sulla.gateway.dialects.steps import ChildAsks, StepQuestion, StepWaits

_YES = frozenset({"yes", "y", "approve"})
_NO = frozenset({"no", "n", "reject"})
ROW_COLUMNS: Final = 100
"""How wide a question is: clients do not break the lines of a block, and nobody looks beyond its edge."""
_ENDS: Final = "*.! "
"""What may stand around an answer."""
_ASKS: Final = "The agent asks:"
_CHILD: Final = "A sub-agent waits:"
_HTML: Final = re.compile(r"<(?:[!?]|(?:script|pre|style|textarea|details)\b)", re.IGNORECASE)
"""What begins HTML that a blank line does not end."""
_MOST_DETAILS: Final = 100


def as_code(text: str) -> str:
    """A text as a block of code, to the letter: clients read Markdown, and by what hides a part of a call somebody
    would allow it. It is indented, as no mark ends that; between fences the first of them would end a block that the
    agent's own words above had left open.

    Args:
        text: it. A paragraph has to stand above, or the block could belong to a list there.
    """
    lines = literal(text.strip()).split("\n")
    rows = [line[at : at + ROW_COLUMNS] for line in lines for at in range(0, max(1, len(line)), ROW_COLUMNS)]
    return "\n".join(f"    {row}" for row in rows) if text.strip() else ""


def closed(before: str) -> str:
    """What ends any HTML that words leave open, where all below it would be shown as its text, or not at all; empty
    for words that have none. Nobody sees it.

    Args:
        before: the words.
    """
    if not _HTML.search(before):
        return ""
    open_ = min(before.lower().count("<details"), _MOST_DETAILS)
    return f"<!--?>]]></script></style></textarea></pre>-->{'</details>' * open_}\n\n"


def aside(step: StepWaits | ChildAsks) -> str:
    """What is said beside an answer: for what a turn waits, or what a sub-agent asks people, to the letter.

    Args:
        step: it.
    """
    if isinstance(step, StepWaits):
        return f"[{step.words}]\n"
    return f"\n\n{_CHILD}\n\n{as_code(step.words)}\n\n"


def _code(text: str) -> str:
    """A text as code within a line."""
    line = in_line(text)
    marks = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    apart = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{marks}{apart}{line}{apart}{marks}"


def question_words(ask: StepQuestion, *, may_answer: bool) -> str:
    """How a person is asked who sees nothing but the reply's text.

    Args:
        ask: the question.
        may_answer: whether their token allows it.
    """
    prompt = as_code(ask.prompt)
    said = [_ASKS, prompt] if prompt else ["The agent needs an answer."]
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
    kind, said = question.partition(":")[0], " ".join(text.split()).strip(_ENDS).lower()
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
    return _chosen(choices, " ".join(text.split()).lower())


def _chosen(choices: Sequence[str], said: str) -> tuple[Verdict, str] | None:
    """The choice that is said, as it is or as it is shown; else the only one that is but for marks at its ends."""
    forms = [(one, {" ".join(one.split()).lower(), in_line(one).lower()}) for one in choices]
    if same := [one for one, known in forms if said in known]:
        return "result", same[0]
    bare = [one for one, known in forms if said.strip(_ENDS) in {form.strip(_ENDS) for form in known}]
    return ("result", bare[0]) if len(bare) == 1 and said.strip(_ENDS) else None
