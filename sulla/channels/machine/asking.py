"""Buttons: what people can choose, tokens that nobody can guess, and what a press means. Pure."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from hashlib import blake2b
from typing import Final

from sulla.channels.machine.people import Person
from sulla.channels.machine.values import Choice, Question, Verdict
from sulla.core.dataclass import dataclass
from sulla.core.ids import derived_id
from sulla.threads.log.waits import Wait

OLD: Final = "This was answered already, or is no longer asked."
NOT_YOURS: Final = "You may not answer this."
_APPROVAL: Final[tuple[tuple[str, Verdict], ...]] = (("Allow", "approve"), ("Refuse", "reject"))
_ALWAYS: Final[tuple[str, Verdict]] = ("Always allow", "always")
_REVIEW: Final[tuple[tuple[str, Verdict], ...]] = (("Run it again", "run_again"), ("Give up", "give_up"))


@dataclass(frozen=True, slots=True)
class Answered:
    """A press counts."""

    question: Question
    choice: Choice


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
    return Question(id_, place, thread, wait.wait_id, wait.prompt, tuple(choices))


def words_of(question: Question, *, buttons: bool) -> str:
    """What a question says.

    Args:
        question: it.
        buttons: whether the service has them; else it says how to answer in words.
    """
    if buttons or not question.choices:
        return question.prompt
    ways = "\n".join(f"- {choice.label}: `/pick {choice.token}`" for choice in question.choices)
    return f"{question.prompt}\n\n{ways}"


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


def _choices(wait: Wait) -> list[tuple[str, Verdict, str]]:
    kind = wait.wait_id.partition(":")[0]
    if kind == "approval":
        always = (_ALWAYS,) if wait.target else ()
        return [(label, verdict, "") for label, verdict in (*_APPROVAL, *always)]
    if kind == "human":
        return [(label, verdict, "") for label, verdict in _APPROVAL]
    if kind == "review":
        return [(label, verdict, "") for label, verdict in _REVIEW]
    return [(choice, "result", choice) for choice in wait.choices]


def _token(secret: str, question: str, number: int) -> str:
    made = blake2b(f"{question}:{number}".encode(), key=secret.encode(), digest_size=12).digest()
    return base64.urlsafe_b64encode(made).decode()
