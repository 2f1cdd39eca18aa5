"""What happens in conversations and heartbeats that can start a playbook. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.stamp import stamp
from sulla.core.words import Author
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.threads.log.codec import Entry
from sulla.threads.log.plays import PLAYBOOK
from sulla.threads.log.provenance import from_outside
from sulla.threads.log.records import Input, Outcome, RunError, RunFinished, Suspended
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait

EVENTS: Final[Mapping[str, str]] = {
    "run.finished": "a turn of a conversation is done",
    "run.blocked": "a turn of a conversation ended because its agent lacks something",
    "run.failed": "a turn of a conversation ended in failure",
    "run.waiting": "a turn of a conversation waits for a person's answer",
    "heartbeat.ended": "a beat is over, however it ended",
    "playbook.failed": "a run of another playbook has failed",
}
"""The types of events, each with when it comes."""

TEXT_CHARS: Final = 4_000
"""Of what an agent said, and of a question."""
BEAT_ENDED: Final = "BEAT_ENDED"
"""The record of a beat's end; its fields are the heartbeat's own (`heartbeat.beats.BeatEnded`)."""
FAILED: Final = "failed"
PLAYBOOK_FAILED: Final = "playbook.failed"
HEARTBEAT: Final = "heartbeat"
"""What works on the threads that agents beat in."""
MOST_CHAINED: Final = 3
"""How many playbooks events may start one through the other. What playbooks say gives no events, so a chain ends at its
first one; where something leads round it all the same, it ends here. Small, because each of them may ask as many models
as its budget allows."""


@dataclass(frozen=True, slots=True)
class Happening:
    """An event."""

    type: str
    """One of `EVENTS`."""
    seq: int
    """Of its record: with the thread it names the event for ever."""
    at_ms: int
    payload: JsonObject
    """``run.payload`` of the playbook."""
    by: Author
    """Whose words the payload holds: the worse of its thread's and its record's."""


def gives_events(state: ThreadState) -> bool:
    """Whether a thread is one whose events count: what works for others starts none, and neither does a run of a
    playbook but where it has failed.

    Args:
        state: the thread, as its head says.
    """
    if state.identity.birth is not None:
        return False
    return state.identity.graph in ("", HEARTBEAT) or has_failed(state)


def has_failed(state: ThreadState) -> bool:
    """Whether a thread is a run of a playbook, of no step's, that has failed.

    Args:
        state: the thread, as its head says.
    """
    play = PLAYBOOK_RUN.of(state)
    return play is not None and state.identity.birth is None and play.status == FAILED


def may_hear(event: Happening, playbook: str) -> bool:
    """Whether an event may start a playbook: no playbook hears of its own failures.

    Args:
        event: the event.
        playbook: its name.
    """
    return event.type != PLAYBOOK_FAILED or event.payload["playbook"] != playbook


def is_playbooks_turn(messages: Iterable[Input]) -> bool:
    """Whether nobody but playbooks said what a turn is about: it gives no events, wherever it is.

    Args:
        messages: those that the turn took up: the one that it began with, and what joined it.
    """
    return all(message.origin == "playbook" for message in messages)


def depth_of(messages: Iterable[Input]) -> int:
    """How deep in a chain of events a turn is: what a person says begins a new one, whatever else the turn is about.

    Args:
        messages: those that the turn took up.
    """
    return min((message.chain for message in messages), default=0)


def happening(entry: Entry, state: ThreadState) -> Happening | None:
    """The event that a record of a thread is; None if it is none.

    Args:
        entry: the record.
        state: its thread, as its head says.

    Raises:
        CorruptRecord: the record does not have the form of its kind.
    """
    if not gives_events(state):
        return None
    fact = entry.fact
    if entry.kind == BEAT_ENDED and state.identity.graph:
        told = {name: str(entry.data.get(name, "")) for name in ("status", "reason", "changed")}
        text = str(entry.data.get("summary", ""))[:TEXT_CHARS]
        return _made("heartbeat.ended", entry, state, {**told, "text": text})
    match fact:
        case RunFinished(outcome=outcome) if state.identity.graph == PLAYBOOK and outcome.status == FAILED:
            return _made(PLAYBOOK_FAILED, entry, state, _of_play(state, outcome))
        case RunError() as error if state.identity.graph == PLAYBOOK:
            return _made(PLAYBOOK_FAILED, entry, state, _of_play(state, error.outcome) | {"text": _cut(error.message)})
        case RunFinished(outcome=outcome, joined=None) if not state.identity.graph:
            type_ = {"done": "run.finished", "blocked": "run.blocked", "failed": "run.failed"}.get(outcome.status)
            return _made(type_, entry, state, _outcome(outcome)) if type_ else None
        case RunError() as error if not state.identity.graph:
            return _made("run.failed", entry, state, _outcome(error.outcome) | {"text": _cut(error.message)})
        case Suspended(waits) if not state.identity.graph:
            asked = [_question(wait) for wait in waits if wait.is_for_people]
            return _made("run.waiting", entry, state, {"status": "waiting", "questions": asked}) if asked else None
        case _:
            return None


def _made(type_: str, entry: Entry, state: ThreadState, told: JsonObject) -> Happening:
    about: JsonObject = {
        "event": type_,
        "thread": state.thread_id,
        "title": state.identity.title,
        "agent": entry.origin.agent or state.identity.agent,
        "project": state.identity.project,
        "run": entry.origin.run_id or "",
        "at": stamp(entry.origin.at_ms),
    }
    by = Author.OUTSIDE if from_outside(entry.fact) else state.context.by
    return Happening(type_, entry.seq, entry.origin.at_ms, about | told, by)


def _outcome(outcome: Outcome) -> JsonObject:
    text = outcome.response or outcome.status_report or outcome.blocker_reason
    return {
        "status": outcome.status,
        "reason": outcome.reason,
        "text": text[:TEXT_CHARS],
        "needs": outcome.unblock_requirements[:TEXT_CHARS],
    }


def _of_play(state: ThreadState, outcome: Outcome) -> JsonObject:
    play = PLAYBOOK_RUN.of(state)
    trigger = play.trigger if play is not None else ""
    about: JsonObject = {"playbook": state.identity.title, "trigger": trigger}
    return _outcome(outcome) | about | {"run": state.thread_id, "thread": play.thread if play is not None else ""}


def _cut(text: str) -> str:
    return text[:TEXT_CHARS]


def _question(wait: Wait) -> Json:
    return {"wait_id": wait.wait_id, "text": wait.prompt[:TEXT_CHARS], "tool": wait.tool}


def event_key(thread_id: ThreadId, created_ms: int, seq: int, playbook: str) -> str:
    """Under which key an event starts a playbook: the same one begins it once.

    Args:
        thread_id: where it happened.
        created_ms: when that thread was made, UTC milliseconds: another one may have its id later.
        seq: of the event's record.
        playbook: its name.
    """
    return f"event:{thread_id}:{created_ms}:{seq}:{playbook}"
