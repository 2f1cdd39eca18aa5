"""The run that is going on in a thread, or suspended. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from sulla.core.ids import CallId, MessageId, RunId
from sulla.core.message import Origin
from sulla.threads.log.facts import ModelStarted
from sulla.threads.log.inputs import ControlInput
from sulla.threads.log.kept import ALWAYS, rule
from sulla.threads.log.plays import Question
from sulla.threads.log.usage import Usage
from sulla.threads.log.waits import Permit, Wait


@dataclass(slots=True)
class OpenRun:
    """The run that is going on, or suspended."""

    id: RunId
    input_seq: int
    started_ms: int
    """When it began, moved on by every pause: what is left since then is time at work. UTC milliseconds."""
    agent: str = ""
    known_seq: int = 0
    """Interrupts up to this input meant an earlier run, and messages that steer were looked up for."""
    touched_ms: int = 0
    """When it last got on, UTC milliseconds."""
    replied: bool = False
    """The model has said its last word for now."""
    model_calls: int = 0
    tokens: int = 0
    """Charged so far: what providers reported, and the reservations of calls that came to nothing."""
    cost_micro: int = 0
    """The same in money, in millionths of the currency's unit, as far as the model has a price."""
    usage: Usage = field(default_factory=Usage, metadata=ALWAYS)
    attempts: int = 0
    """Model calls in a row that came to nothing."""
    crashes: int = 0
    parked: bool = False
    """It was left on purpose: taking it up again is no crash."""
    open_call: ModelStarted | None = None
    intents: dict[CallId, str] = field(default_factory=dict, metadata=ALWAYS)
    """Tool calls that have begun and have no result yet, with their effects."""
    waits: dict[str, Wait] = field(default_factory=dict, metadata=rule(key="wait_id"))
    granted: set[CallId] = field(default_factory=set)
    """`once` calls that a person allowed to run again."""
    message_id: MessageId = MessageId("")
    """The message that is being worked on."""
    origin: Origin = "user"
    """Who wrote that message."""
    permits: dict[CallId, Permit] = field(default_factory=dict, metadata=rule(key="call_id"))
    """Calls that a person said yes to and that have not begun."""
    reports: dict[str, ControlInput] = field(
        default_factory=dict, metadata=rule(numbers=lambda reports: [report.seq for report in reports.values()])
    )
    """What children have come to, by their wait ids; whether anything waited for them or not."""
    asked_ms: int = 0
    """When `message_id` was offered, UTC milliseconds."""
    paused: bool = False
    """It was left because all work was paused."""
    cuts: int = 0
    """How often it was left and taken up again, whatever the cause."""
    question: Question | None = None
    """What a playbook wants to know of it."""
    answering: tuple[CallId, str] | None = None
    """The call that answers, and what, as JSON; it has no result yet."""
    answer: str | None = None
    """The answer, as JSON."""
    resting: bool = False
    """A playbook's run waits, and nothing of it is at work."""
