"""What goes out of one record of a conversation's log. Pure."""

from __future__ import annotations

from typing import Literal

from sulla.core.dataclass import dataclass
from sulla.core.event import Fact
from sulla.threads.log import records as f
from sulla.threads.log.family import is_child_wait
from sulla.threads.log.plays import is_own_wait
from sulla.threads.log.waits import Wait


@dataclass(frozen=True, slots=True)
class Reply:
    """The agent says something to people."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """People are asked something."""

    waits: tuple[Wait, ...]


@dataclass(frozen=True, slots=True)
class AnsweredElsewhere:
    """A question is no longer open; empty for none of the run's."""

    wait_id: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """A turn ended; with a word to people where it did not end well."""

    said: str = ""


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn began, or went on."""


Step = Reply | Asked | AnsweredElsewhere | Ended | Begun
Doing = Literal["at work", "at rest"]


def step_of(fact: Fact | None) -> Step | None:
    """What a record means for people at a place; None for nothing.

    Args:
        fact: the record; None for one of a kind that nobody here knows.
    """
    match fact:
        case f.TextMessageEnd(hidden=False) if fact.text.strip():
            return Reply(fact.message_id, fact.text)
        case f.Suspended():
            waits = (one for one in fact.waits if not is_child_wait(one.wait_id) and not is_own_wait(one.wait_id))
            return Asked(tuple(waits))
        case f.Resumed():
            return AnsweredElsewhere(fact.wait_id) if fact.wait_id else Begun()
        case f.RunStarted():
            return Begun()
        case f.RunError():
            return Ended(f"*This did not work: {fact.message}*")
        case f.RunFinished():
            return Ended(_ending(fact.outcome))
        case _:
            return None


def _ending(outcome: f.Outcome) -> str:
    match outcome.status:
        case "blocked":
            return f"*I cannot go on: {outcome.blocker_reason}*" if outcome.blocker_reason else ""
        case "failed":
            return f"*This did not work: {outcome.reason or outcome.status_report or 'no reason was given'}*"
        case _:
            return ""
