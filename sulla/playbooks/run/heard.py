"""What an answer means for the step that waits for it. Pure."""

from __future__ import annotations

import json
from typing import Final

from sulla.agent.approvals.approvals import refusal
from sulla.agent.model.retry import FailureClass
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json
from sulla.core.words import Author, agent
from sulla.playbooks.machine.moves import MoveNote
from sulla.playbooks.machine.needs import playbook_failure
from sulla.playbooks.machine.records import NOTHING, Failure, Spent
from sulla.threads.log.family import Report
from sulla.threads.log.provenance import from_outside
from sulla.threads.log.records import Answer
from sulla.threads.log.waits import Wait

_CLASSES: Final[dict[str, FailureClass]] = {
    # Its own attempts came to nothing: those are four in all, and not four times four.
    "provider_transient": "permanent",
    "provider_unreachable": "permanent",
    "provider_protocol": "permanent",
    "crashed_repeatedly": "transient",
    "internal": "transient",
    "unavailable": "transient",
    "busy": "transient",
    "context_too_long": "context_limit",
    "tool_error": "tool_error",
    "stopped": "human_rejected",
    "interrupted": "human_rejected",
    "deleted": "human_rejected",
    "blocked": "permanent",
    "provider_unauthorized": "permanent",
    "provider_rejected": "permanent",
    "tools_refused": "permanent",
    "provider_key_missing": "permanent",
}
"""What may be done about a child's failure, by the word that its outcome gives for it (seed 001); else `llm_error`."""


@dataclass(frozen=True, slots=True)
class MoveDone:
    """A move has come to something."""

    note: MoveNote
    by: Author
    """Whose words came of it."""
    spent: Spent = NOTHING


@dataclass(frozen=True, slots=True)
class StepDone:
    """The step has."""

    value: Json
    by: Author
    """Whose words came of it."""
    spent: Spent = NOTHING


@dataclass(frozen=True, slots=True)
class AttemptFailed:
    """The attempt has failed."""

    failure: Failure
    by: Author
    """Whose words came of it."""
    spent: Spent = NOTHING


@dataclass(frozen=True, slots=True)
class CallApproved:
    """A person said yes to a call."""

    always: bool
    for_s: int = 0
    """For how long `always` is to be good, in seconds; 0 for as long as usual."""


@dataclass(frozen=True, slots=True)
class CallRepeated:
    """A person had a call made again, of which nobody knew whether it took effect."""


Heard = MoveDone | StepDone | AttemptFailed | CallApproved | CallRepeated


def heard_of_agent(answer: Answer) -> Heard:
    """What a conversation's agent answered."""
    by, spent = _by(answer), _spent(answer.report)
    if answer.is_error:
        by_person = answer.text in ("stopped", "interrupted", "deleted")
        said = f"the agent did not answer: {answer.text}"
        return AttemptFailed(Failure("transient" if by_person else "llm_error", "no_answer", said), by, spent)
    return MoveDone(MoveNote("agent", _json(answer.text)), by, spent)


def heard_of_work(answer: Answer) -> Heard:
    """What an agent at work came to."""
    return _ended(answer, MoveNote("work", answer.text))


def heard_of_play(answer: Answer, name: str) -> Heard:
    """What another playbook came to.

    Args:
        answer: its report.
        name: its own.
    """
    ended = _ended(answer, MoveNote("work", None))
    if isinstance(ended, MoveDone):
        return StepDone(_json(answer.text), ended.by, ended.spent)
    report = answer.report
    if report is None:
        return ended
    why = report.status_report or answer.text or f"it was {report.status}"
    failure = playbook_failure(name, why, _CLASSES.get(report.reason, "permanent"), report.reason)
    return AttemptFailed(failure, ended.by, ended.spent)


def heard_of_person(answer: Answer) -> Heard:
    """What a person answered to a step's question."""
    by = _by(answer)
    match answer.verdict:
        case "approve" | "always":
            return MoveDone(MoveNote("person", True), by)
        case "reject":
            return MoveDone(MoveNote("person", False), by)
        case "give_up":
            why = answer.text or "given up by a person"
            return AttemptFailed(Failure("human_rejected", "given_up", why), by)
        case _:
            return MoveDone(MoveNote("person", answer.text), by)


def heard_of_call(wait: Wait, answer: Answer | None, at_ms: int) -> Heard:
    """What a person said of a call; None where nobody did in time.

    Args:
        wait: what they were asked.
        answer: what they said.
        at_ms: when, UTC milliseconds.
    """
    by = _by(answer) if answer is not None else Author.OPERATOR
    if wait.digest or answer is None:
        refused = refusal(wait, answer, at_ms)
        if refused is not None:
            return AttemptFailed(Failure("human_rejected", "rejected", refused.text), by)
        always = answer is not None and answer.verdict == "always"
        return CallApproved(always, answer.for_s if answer is not None else 0)
    match answer.verdict:
        case "run_again":
            return CallRepeated()
        case "give_up":
            why = answer.text or "given up by a person; nobody knows whether it took effect"
            return AttemptFailed(Failure("human_rejected", "given_up", why), by)
        case _ if answer.report is not None:  # of an agent that the tool has set to work
            ended = _ended(answer, MoveNote("work", answer.text))
            return StepDone(answer.text, ended.by, ended.spent) if isinstance(ended, MoveDone) else ended
        case _ if answer.is_error:
            return AttemptFailed(Failure("permanent", "tool", answer.text), by)
        case _:
            return StepDone(answer.text, by)


def _ended(answer: Answer, note: MoveNote) -> MoveDone | AttemptFailed:
    report = answer.report
    by, spent = _by(answer), _spent(report)
    if report is None:
        return AttemptFailed(Failure("permanent", "no_report", answer.text), by)
    if report.status == "done":
        return MoveDone(note, by, spent)
    reason = "blocked" if report.status == "blocked" else report.reason or report.status
    kind: FailureClass = "permanent" if reason.startswith("limit_") else _CLASSES.get(reason, "llm_error")
    return AttemptFailed(Failure(kind, reason, _why(report, answer.text)), by, spent)


def _why(report: Report, text: str) -> str:
    if report.status == "blocked":
        needs = f" It needs: {report.unblock_requirements}" if report.unblock_requirements else ""
        return f"{report.blocker_reason or 'it did not say why'}{needs}"
    return report.status_report or text or report.reason or report.status


def _spent(report: Report | None) -> Spent:
    return Spent(report.tokens, report.cost_micro or 0) if report is not None else NOTHING


def _by(answer: Answer) -> Author:
    """Whose words an answer is: its report says how far an agent's can be trusted."""
    if answer.report is not None:
        return agent(tainted=answer.report.tainted)
    return Author.OUTSIDE if from_outside(answer) else Author.PERSON


def _json(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return value
