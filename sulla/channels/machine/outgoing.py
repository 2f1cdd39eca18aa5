"""What goes out of one record of a conversation's log. Pure."""

from __future__ import annotations

from typing import Final

from sulla.agent.ending import DROPPED, NO_WORDS, WITHDRAWN
from sulla.core.dataclass import dataclass
from sulla.people.slice import Notice
from sulla.threads.log import records as f
from sulla.threads.log.codec import Entry
from sulla.threads.log.waits import Wait

NOTHING_SAID: Final = "*It is done; the agent has said nothing.*"


@dataclass(frozen=True, slots=True)
class Reply:
    """The agent says something to people."""

    message_id: str
    text: str
    broken_off: bool = False
    """Whether it was not written to its end."""


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
    """A turn ended; with a word to people where it did not end well, or the agent had none."""

    said: str = ""
    broken_off: bool = False
    """Whether what was being written when it ended will not be written to its end."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn began, or went on."""

    message_id: str = ""
    """What it answers, where it began."""


@dataclass(frozen=True, slots=True)
class Told:
    """People are told something beside the agent's answers."""

    text: str


@dataclass(frozen=True, slots=True)
class Playing:
    """A playbook began that was started from here, or it ended."""

    thread: str
    ended: bool


Step = Told | Playing | Reply | Asked | AnsweredElsewhere | Ended | Begun
_PLAYS = frozenset({"PLAYBOOK_BEGAN", "PLAYBOOK_ENDED"})
"""Records of the capability `playbooks`, which channels do without where it is not there."""


def step_of(entry: Entry) -> Step | None:
    """What a record means for people at a place; None for nothing.

    Args:
        entry: the record.
    """
    if entry.kind in _PLAYS:
        return Playing(str(entry.data["thread_id"]), ended=entry.kind == "PLAYBOOK_ENDED")
    fact = entry.fact
    match fact:
        case f.TextMessageEnd(hidden=False) if fact.text.strip():
            return Reply(fact.message_id, fact.text, fact.cut)
        case f.Suspended():
            return Asked(tuple(wait for wait in fact.waits if wait.is_for_people))
        case f.Resumed():
            return AnsweredElsewhere(fact.wait_id) if fact.wait_id else Begun()
        case f.RunStarted():
            return Begun(fact.message_id)
        case f.RunError():
            return Ended(f"*This did not work: {fact.message}*", broken_off=True)
        case f.RunFinished() if _is_no_turn(fact):
            return None
        case f.RunFinished():
            return Ended(_ending(fact.outcome), broken_off=fact.outcome.status != "done")
        case Notice() if not fact.wait_id:  # a question is asked with its buttons
            return Told(fact.text)
        case _:
            return None


def _is_no_turn(fact: f.RunFinished) -> bool:
    """Whether it is the end of a message that never had a turn of its own: another one took it along, or it was taken
    back while it waited. What goes on goes on, and what it asks is still asked.
    """
    never_began = fact.outcome.status == "cancelled" and fact.outcome.reason in (DROPPED, WITHDRAWN)
    return fact.joined is not None or never_began


def _ending(outcome: f.Outcome) -> str:
    match outcome.status:
        case "blocked":
            return f"*I cannot go on: {outcome.blocker_reason}*" if outcome.blocker_reason else ""
        case "failed":
            return f"*This did not work: {outcome.reason or outcome.status_report or 'no reason was given'}*"
        case "done" if outcome.reason == NO_WORDS:
            return NOTHING_SAID
        case _:
            return ""
