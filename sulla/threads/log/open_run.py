"""The run that is going on in a thread, or suspended, and what is left of the newest one. Pure."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Literal

from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId, MessageId, RunId
from sulla.core.jsontypes import FrozenJson, JsonObject
from sulla.core.message import Origin
from sulla.threads.log.inputs import ControlInput
from sulla.threads.log.kept import ALWAYS, FLAT, rule
from sulla.threads.log.plays import Question
from sulla.threads.log.records import ModelStarted, Outcome
from sulla.threads.log.usage import Usage
from sulla.threads.log.waits import Permit, Wait


@dataclass(frozen=True, slots=True)
class RunMessage:
    """The message that a run works on."""

    seq: int = field(metadata=rule(name="input_seq"))
    id: MessageId = field(default=MessageId(""), metadata=rule(name="message_id"))
    origin: Origin = "user"
    """Who wrote it."""
    asked_ms: int = 0
    """When it was offered, UTC milliseconds."""
    own: bool = False
    """See `WaitingInput.is_own`."""
    said_chars: int = 0
    """See `Input.said_chars`."""


@dataclass(slots=True)
class RunCourse:
    """When a run was at work, and how it was left and taken up again."""

    started_ms: int
    """When it began, moved on by every pause: what is left since then is time at work. UTC milliseconds."""
    touched_ms: int = 0
    """When it last got on, UTC milliseconds."""
    crashes: int = 0
    parked: bool = False
    """It was left on purpose: taking it up again is no crash."""
    paused: bool = False
    """It was left because all work was paused."""
    cuts: int = 0
    """How often it was left and taken up again, whatever the cause."""
    excused: int = 0
    """Of the crashes, those that count no more: the run has got on since."""

    @property
    def left(self) -> Literal["paused", "drained", "crashed"]:
        """How it was left, as whoever takes it up again finds it."""
        return "paused" if self.paused else "drained" if self.parked else "crashed"


@dataclass(slots=True)
class RunModelCalls:
    """How far a run has come with its model."""

    replied: bool = False
    """The model has said its last word for now."""
    begun: int = field(default=0, metadata=rule(name="model_calls"))
    """So many calls of it."""
    earlier: int = field(default=0, metadata=rule(name="earlier_calls"))
    """So many of them belong to parts of the turn that are over, or to who spoke before: each has its own bound."""
    attempts: int = 0
    """Calls in a row that came to nothing."""
    open_call: ModelStarted | None = None


@dataclass(slots=True)
class RunSpending:
    """What was charged to a run."""

    tokens: int = 0
    """Charged so far: what providers reported, and the reservations of calls that came to nothing."""
    cost_micro: int = 0
    """The same in money, in millionths of the currency's unit, as far as the model has a price."""
    usage: Usage = field(default_factory=Usage, metadata=ALWAYS)


@dataclass(slots=True)
class RunToolCalls:
    """A run's tool calls that have no result yet."""

    intents: dict[CallId, str] = field(default_factory=dict, metadata=ALWAYS)
    """Those that have begun, with their effects."""
    granted: set[CallId] = field(default_factory=set)
    """`once` calls that a person allowed to run again."""
    permits: dict[CallId, Permit] = field(default_factory=dict, metadata=rule(key="call_id"))
    """Calls that a person said yes to and that have not begun."""
    used: dict[CallId, Permit] = field(default_factory=dict, metadata=rule(key="call_id"))
    """Calls that have begun on a person's yes: it is good for no other beginning, and who is asked again is told."""

    def begin(self, call_id: CallId) -> None:
        """A call begins: the yes that it is made on is used up."""
        if (permit := self.permits.pop(call_id, None)) is not None:
            self.used[call_id] = permit


@dataclass(slots=True)
class RunQuestion:
    """What a playbook wants to know of a run, and what it was answered."""

    question: Question | None = None
    answering: tuple[CallId, str] | None = None
    """The call that answers, and what, as JSON; it has no result yet."""
    answer: str | None = None
    """The answer, as JSON."""


@dataclass(slots=True)
class OpenRun:
    """The run that is going on, or suspended."""

    KEPT_ORDER: ClassVar = (
        *("id", "input_seq", "started_ms", "agent", "known_seq", "touched_ms", "replied", "model_calls", "tokens"),
        *("cost_micro", "usage", "attempts", "crashes", "parked", "open_call", "intents", "waits", "granted"),
        *(
            "message_id",
            "origin",
            "permits",
            "reports",
            "asked_ms",
            "paused",
            "cuts",
            "excused",
            "question",
            "answering",
            "answer",
            "earlier_calls",
        ),
    )

    id: RunId
    message: RunMessage = field(metadata=FLAT)
    course: RunCourse = field(metadata=FLAT)
    agent: str = ""
    """Who speaks."""
    known_seq: int = 0
    """Interrupts up to this input meant an earlier run, and messages that steer were looked up for."""
    asked: RunQuestion = field(default_factory=RunQuestion, metadata=FLAT)
    model: RunModelCalls = field(default_factory=RunModelCalls, metadata=FLAT)
    spent: RunSpending = field(default_factory=RunSpending, metadata=FLAT)
    calls: RunToolCalls = field(default_factory=RunToolCalls, init=False, metadata=FLAT)
    waits: dict[str, Wait] = field(default_factory=dict, init=False, metadata=rule(key="wait_id"))
    resting: bool = field(default=False, init=False)
    """A playbook's run waits, and nothing of it is at work."""
    reports: dict[str, ControlInput] = field(
        default_factory=dict,
        init=False,
        metadata=rule(numbers=lambda reports: [report.seq for report in reports.values()]),
    )
    """What children have come to, by their wait ids; whether anything waited for them or not."""


@dataclass(slots=True)
class NewestRun:
    """What is known of a thread's newest run also when it has ended, until the next one begins."""

    model: str = ""
    outcome: Outcome = field(default_factory=Outcome, metadata=ALWAYS)
    nudged: bool = False
    """It was asked once more, for what its reply lacked: the words, or how far it is."""
    nudging: bool = False
    """The nudge is the last thing said: its answer is still to come."""
    agent_loops: int = 0
    """How often the agent went on by itself, having said that it was not done (seed `agentLoopCount`)."""
    given: FrozenJson = field(default_factory=dict)
    """What its parts gave as values, by their keys: for whoever asked for it."""
    diagnostics: JsonObject = field(default_factory=dict, metadata=ALWAYS)
    """What InputHandler noticed about the latest input."""
