"""What was offered to a thread and has not been dealt with yet. Pure."""

from __future__ import annotations

from typing import ClassVar

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId, RunId
from sulla.core.message import Origin
from sulla.threads.log.facts import Answer, ContinueAsked, Input, Mode, StopAsked
from sulla.threads.log.plays import Question
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.requests import RunRequest
from sulla.threads.log.spoken import Heard


@dataclass(frozen=True, slots=True)
class WaitingInput:
    """A message that has no run of its own yet."""

    provenance: ClassVar[Provenance] = "marked"
    seq: int
    run_id: RunId
    message_id: MessageId
    text: str
    mode: Mode
    origin: Origin = "user"
    agent: str = ""
    at_ms: int = 0
    """When it was offered, UTC milliseconds."""
    question: Question | None = None
    """What a playbook wants to know."""
    tainted: bool = False
    heard: Heard | None = None
    """How much of the agent's words the person had heard whom this interrupted."""
    quoted: str = ""
    """What is passed on with it."""


def waiting_input(seq: int, fact: Input, run_id: RunId, at_ms: int) -> WaitingInput:
    """A message as it waits for its run.

    Args:
        seq: its number in the log.
        fact: the message.
        run_id: its run.
        at_ms: when it was offered, UTC milliseconds.
    """
    said = (fact.message_id, fact.text, fact.mode, fact.origin, fact.agent)
    heard = fact.spoken.heard if fact.spoken is not None else None
    return WaitingInput(seq, run_id, *said, at_ms, fact.question, fact.tainted, heard, fact.quoted)


@dataclass(frozen=True, slots=True)
class ControlInput:
    """An offered input that is not a message."""

    seq: int
    fact: StopAsked | ContinueAsked | Answer | RunRequest
    at_ms: int = 0
    """When it was offered, UTC milliseconds."""
