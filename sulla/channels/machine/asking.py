"""Buttons: what people can choose, tokens that nobody can guess, and what a press means. Pure."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Final

from sulla.agent.approvals.approvals import leaves_out
from sulla.agent.approvals.literal import in_line, literal
from sulla.channels.machine.people import Person
from sulla.channels.machine.values import Choice, Closed, Question, Shown, Verdict
from sulla.core.cut import cut
from sulla.core.dataclass import dataclass
from sulla.core.ids import derived_id
from sulla.threads.log.waits import Wait

OLD: Final = "This was answered already, or is no longer asked."
OVER: Final = "Your reply was not taken: what is not about it, say without a reply to it."
"""What whoever replies to such a question is told beside what became of it."""
WORDS: Final = "This was not taken: the question is answered in words of your own. Reply to it with some."
NO_FILES: Final = "The words were taken as the answer; the files with them were not."
HOW: Final = "Reply to this message with your answer."
"""What stands in a question that words answer."""
TAKEN: Final = "That is taken as the answer."
REFUSED: Final = "This was not taken as the answer; what stands above says why."
NOT_YOURS: Final = "You may not answer this."
NOTHING: Final = "Nothing is asked here now: there is nothing to pick."
MOST_PARTS: Final = 5
"""So many messages a question may take by which a call is made; nobody reads more before he allows it."""
_APPROVAL: Final[tuple[tuple[str, Verdict], ...]] = (("Allow", "approve"), ("Refuse", "reject"))
_ALWAYS: Final[tuple[str, Verdict]] = ("Always allow", "always")
_NUMBER: Final = re.compile(r"[*_]*\d+\ufe0f?\u20e3?\)?[.*_]*")
"""What a number looks like to whoever reads it as a choice (`replying.meant`)."""
_REVIEW: Final[tuple[tuple[str, Verdict], ...]] = (("Run it again", "run_again"), ("Give up", "give_up"))


@dataclass(frozen=True, slots=True)
class Answered:
    """A press counts."""

    question: Question
    choice: Choice


TOO_LONG: Final = (
    "This is too long to be shown here whole, so it cannot be allowed here: `sulla approvals` shows all of it and "
    "takes the answer, as the console does."
)
_SHORT_CHARS: Final = 3_000
"""What is shown of one that is too long, at the most."""
_MAKES: Final = ("approve", "always", "run_again")
"""Answers by which a call is made."""


def is_too_long(question: Question, wait: Wait, parts: int) -> bool:
    """Whether somebody would allow what he is not shown: a call whose arguments are not there whole, or take too many
    messages.

    Args:
        question: it.
        wait: what the run waits for.
        parts: how many messages the question takes.
    """
    makes = any(one.verdict in _MAKES for one in question.choices)
    return makes and (parts > MOST_PARTS or (leaves_out(wait) and not wait.whole))


def refusing(question: Question, wait: Wait) -> Question:
    """The same question where it cannot be shown whole: it can be refused, or given up, and nothing else.

    Args:
        question: it.
        wait: what the run waits for.
    """
    kept = tuple(one for one in question.choices if one.verdict not in _MAKES)
    return replace(question, prompt=cut(wait.prompt, _SHORT_CHARS), choices=kept)


def question_of(wait: Wait, place: str, thread: str, secret: str, most_buttons: int) -> Question:
    """A question to people, as it is asked at a place.

    Args:
        wait: what a run waits for.
        place: where it is asked.
        thread: whose run it is.
        secret: of the channel; tokens are made with it.
        most_buttons: what the service has room for; 0 where choices are written as words.
    """
    id_ = derived_id("ask", thread, wait.wait_id, place)
    offered = _choices(wait)
    if most_buttons:
        offered = offered[:most_buttons]
    choices = (
        Choice(_token(secret, id_, number), label, verdict, text)
        for number, (label, verdict, text) in enumerate(offered)
    )
    return Question(id_, place, thread, wait.wait_id, wait.whole or wait.prompt, tuple(choices))


def shown_of(question: Question, *, button_chars: int, more: str = "") -> Shown:
    """What a question says: all that somebody else has chosen, to the letter, and how it is answered.

    Args:
        question: it.
        button_chars: how much of a choice its button shows: longer ones stand in the words; 0 where the service has
            none: then it says how to answer in words.
        more: what the daemon has to say besides.
    """
    prompt = literal(question.prompt) or "?"
    if not question.choices:
        return Shown((prompt,), HOW)
    if button_chars:
        if all(len(one.label) <= button_chars for one in question.choices):
            return Shown((prompt,), more)
        return Shown((prompt, "\n".join(f"- {one.label}" for one in question.choices)), more)
    numbers = numbered(question)
    ways = "\n".join(
        f"{f'{number}.' if numbers else '-'} {one.label}: /pick {one.token}"
        for number, one in enumerate(question.choices, 1)
    )
    what = "the number or the words of one" if numbers else "the words of one"
    how = f"Reply to this message with nothing but {what}, or say what stands behind it."
    return Shown((prompt, ways), "\n\n".join(filter(None, (more, how))))


def shown_for_others(question: Question, who: Sequence[str]) -> Shown:
    """What a question says where nobody reads it who may answer.

    Args:
        question: it.
        who: may answer it by a channel.
    """
    others = f"{', '.join(who)} may, and whoever" if who else "Whoever"
    text = f"*Nobody here may answer this. {others} uses `sulla approvals` or the console may.*"
    return Shown((literal(question.prompt) or "?",), text)


def pressed(questions: Mapping[str, Question], token: str, place: str, person: Person) -> Answered | str:
    """What a press means.

    Args:
        questions: those that are open.
        token: what was pressed.
        place: where.
        person: by whom.

    Returns:
        The answer; or what whoever pressed is told instead.
    """
    for question in questions.values():
        for choice in question.choices:
            if choice.token == token and question.place == place:
                return Answered(question, choice) if "approve" in person.scopes else NOT_YOURS
    return OLD


def chosen(question: Question, choice: Choice) -> Shown:
    """What whoever chose something is told.

    Args:
        question: what was asked.
        choice: what was chosen: one that the daemon offers by itself, or what somebody else has thought of.
    """
    return Shown((choice.label,), TAKEN) if choice.verdict == "result" else Shown((), f"{choice.label}.")


def over(closed: Mapping[str, Closed], reply_to: str, place: str) -> Shown | None:
    """What whoever replies to a question is told that is open no longer; None where it is none.

    Args:
        closed: those that are remembered.
        reply_to: the service's id of the message that is replied to.
        place: where.
    """
    hows = (one.how for one in closed.values() if reply_to and (one.ref, one.place) == (reply_to, place))
    how = next(hows, "")
    return Shown((literal(how),), f"That question is closed: what stands above came of it. {OVER}") if how else None


def numbered(question: Question) -> bool:
    """Whether choices can be meant by their numbers: not where one of them is a number itself.

    Args:
        question: whose choices.
    """
    return not any(_NUMBER.fullmatch(choice.text or choice.label) for choice in question.choices)


def _choices(wait: Wait) -> list[tuple[str, Verdict, str]]:
    kind = wait.wait_id.partition(":")[0]
    if kind == "approval":
        always = (_ALWAYS,) if wait.target else ()
        return [(label, verdict, "") for label, verdict in (*_APPROVAL, *always)]
    if kind == "human":
        return [(label, verdict, "") for label, verdict in _APPROVAL]
    if kind == "review":
        return [(label, verdict, "") for label, verdict in _REVIEW]
    return [(in_line(choice), "result", choice) for choice in wait.choices]


def _token(secret: str, question: str, number: int) -> str:
    made = blake2b(f"{question}:{number}".encode(), key=secret.encode(), digest_size=12).digest()
    return base64.urlsafe_b64encode(made).decode()
