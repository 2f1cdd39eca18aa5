"""What can happen to a conversation, *offered* by anyone or *decided* by the lease's holder (design §4). Pure."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Literal

from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId, MessageId, RunId
from sulla.core.jsontypes import FrozenJson
from sulla.core.limit import LimitHit
from sulla.core.message import Origin, Part
from sulla.threads.log.family import Birth, ChildCancelled, ChildReported, ChildStarted, CopyOf, Report
from sulla.threads.log.forms import Fielded
from sulla.threads.log.plays import AnswerGiven, Play, Question
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.spoken import BargedIn, Spoken
from sulla.threads.log.usage import Usage
from sulla.threads.log.waits import RunWaiting, Wait

Mode = Literal["queue", "steer", "interrupt"]
"""What a message does to a running turn: waits for its own run, joins at the next tool boundary, or ends it."""
OutcomeStatus = Literal["in_progress", "continue", "done", "blocked", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class ThreadCreated(Fielded):
    """The thread exists from here on."""

    kind: ClassVar[str] = "THREAD_CREATED"
    provenance: ClassVar[Provenance] = "marked"
    agent: str
    title: str = ""
    project: str = ""
    channel: str = ""  # the client's, that it was begun on; empty for none
    birth: Birth | None = None
    graph: str = ""  # what works on it: empty for its agent's conversation graph, ``heartbeat`` for the one of beats
    play: Play | None = None
    copies: tuple[CopyOf, ...] = ()  # what it is a copy of, the newest last


@dataclass(frozen=True, slots=True)
class Input(Fielded):
    """Somebody says something to the agent."""

    kind: ClassVar[str] = "INPUT"
    provenance: ClassVar[Provenance] = "marked"
    message_id: MessageId
    text: str
    mode: Mode = "queue"
    origin: Origin = "user"
    agent: str = ""  # which one it is meant for; empty for the thread's own
    question: Question | None = None
    """What a playbook wants to know, where this asks for it."""
    tainted: bool = False
    """Whether it may have been made from what nobody trusts, though it is nobody's from outside."""
    spoken: Spoken | None = None
    chain: int = 0
    """How deep in a chain of events the playbook's run is that says it; 0 for whoever else does."""
    quoted: str = ""
    """What is passed on with it and is not the words of who says it; from outside, always."""
    said_chars: int = 0
    """Characters at the end of the text that a person said, where an application's come first; 0 for all."""
    flow: FrozenJson | None = None
    """How its turn is to be walked; None for as its agent says."""


@dataclass(frozen=True, slots=True)
class StopAsked(Fielded):
    """End the running turn; what waits is held, or with `drop` gets no turn any more."""

    kind: ClassVar[str] = "STOP"
    provenance: ClassVar[Provenance] = "daemon"
    drop: bool = False
    only: str = ""  # the message that is taken back, if it still waits, and all else stays as it is; empty for none


@dataclass(frozen=True, slots=True)
class ContinueAsked(Fielded):
    """Let held inputs go on."""

    kind: ClassVar[str] = "CONTINUE"
    provenance: ClassVar[Provenance] = "daemon"


@dataclass(frozen=True, slots=True)
class Answer(Fielded):
    """What a suspended run waits for. The first one under a `wait_id` wins."""

    kind: ClassVar[str] = "ANSWER"
    provenance: ClassVar[Provenance] = "marked"
    wait_id: str
    text: str
    verdict: Literal["result", "run_again", "give_up", "approve", "reject", "always"] = "result"
    """`result` (in `text`), `run_again` and `give_up` are for a *needs review* question, the others for an approval."""
    is_error: bool = False
    origin: Origin = "operator"
    report: Report | None = None
    """What a child run came to, where that is the answer; `text` is then its last word."""
    by: str = ""  # the name of the token that a person gave it with; empty for others, and in records of before
    for_s: int = 0  # how long `always` is to be good, in seconds; 0 for as long as usual


@dataclass(frozen=True, slots=True)
class Summary(Fielded):
    """What the messages up to a record say, in short; offered by a job that holds no lease."""

    kind: ClassVar[str] = "SUMMARY"
    provenance: ClassVar[Provenance] = "thread"
    covers_seq: int
    text: str
    first_kept: MessageId = MessageId("")
    """The first message that it does not cover: who has the conversation in memory forgets what comes before it."""
    usage: Usage = field(default_factory=Usage)
    """What the model call took that made it."""
    charged_tokens: int = 0
    """What counts for the thread's day where the service did not say. One that covers nothing came to nothing."""


@dataclass(frozen=True, slots=True)
class Outcome(Fielded):
    """How far a run has come, in the agent's own words (seed 004 §4, `metadata.agent`)."""

    status: OutcomeStatus = "in_progress"
    status_report: str = ""
    response: str = ""
    blocker_reason: str = ""
    unblock_requirements: str = ""
    reason: str = ""
    """A stable word, e.g. ``limit_steps``; for `done`, ``no_wrapper`` or ``no_words`` (`agent.ending`)."""
    hit: LimitHit | None = None
    """The limit that ended the run, and by how much."""
    updated_at_ms: int = 0


@dataclass(frozen=True, slots=True)
class RunStarted(Fielded):
    """A run takes up an input."""

    kind: ClassVar[str] = "RUN_STARTED"
    provenance: ClassVar[Provenance] = "marked"
    input_seq: int
    message_id: MessageId
    agent: str = ""
    model: str = ""
    context: str = ""
    """What the model is told beside the message: time, project. Kept, so that a repeated call sees the same."""
    known_seq: int = 0
    """The newest input known then: an interrupt up to here meant an earlier run."""
    tainted: bool = False
    """Whether anything here is, or was made from, what nobody trusts: `environment` always is."""
    memory: str = ""
    """What the model is told of earlier conversations, beside a thread's first message; kept for the same reason."""
    environment: str = ""
    """What the model is told of what the person looks at, as a client says; kept for the same reason."""


@dataclass(frozen=True, slots=True)
class InputHandled(Fielded):
    """What InputHandler changed or noticed; left out where there was nothing."""

    kind: ClassVar[str] = "INPUT_HANDLED"
    provenance: ClassVar[Provenance] = "marked"
    message_id: MessageId
    diagnostics: FrozenJson = field(default_factory=dict)
    text: str | None = None
    """The text that the model sees, where it differs from what was sent."""


@dataclass(frozen=True, slots=True)
class InputsJoined(Fielded):
    """Waiting messages joined the running turn (steer)."""

    kind: ClassVar[str] = "INPUTS_JOINED"
    provenance: ClassVar[Provenance] = "daemon"
    input_seqs: tuple[int, ...]
    run_ids: tuple[RunId, ...]


@dataclass(frozen=True, slots=True)
class ModelStarted(Fielded):
    """A model call is about to be made and paid for; `native` if the service may use tools of its own meanwhile."""

    kind: ClassVar[str] = "MODEL_STARTED"
    provenance: ClassVar[Provenance] = "daemon"
    call_id: CallId
    message_id: MessageId
    attempt: int = 1
    request_hash: str = ""
    reserved_tokens: int = 0
    reserved_micro: int | None = None
    """The same in money, in millionths; None where the model has no price."""
    purpose: Literal["reply", "nudge", "answer", "held"] = "reply"
    native: bool = False
    reply_tokens: int = 0  # how many of the reserved ones are for the reply; 0 in logs of before


@dataclass(frozen=True, slots=True)
class ModelAbandoned(Fielded):
    """A model call came to nothing: what was shown of it is void, and what was reserved is charged if `asked`."""

    kind: ClassVar[str] = "MODEL_ABANDONED"
    provenance: ClassVar[Provenance] = "daemon"
    call_id: CallId
    message_id: MessageId
    reason: str = ""
    retry_in_s: float | None = None  # when it is tried again; None if it is not
    asked: bool = True
    """Whether the service may count the request: no if nobody got it, or if it was answered with a refusal."""
    usage: Usage | None = None  # what it is charged, at the most what was reserved; None in logs of before for that


@dataclass(frozen=True, slots=True)
class TextMessageEnd(Fielded):
    """A reply, free of wrappers: a model's, or a tool's result as it stands. `tainted` text is from outside."""

    kind: ClassVar[str] = "TEXT_MESSAGE_END"
    provenance: ClassVar[Provenance] = "marked"
    call_id: CallId
    message_id: MessageId
    text: str
    parts: tuple[Part, ...] = ()
    """What is not plain text: reasoning and tool calls, in the model's order."""
    text_at: int = 0
    """How many of `parts` come before the text: some services want their own order back."""
    usage: Usage = field(default_factory=Usage)
    stop: str = "end"
    outcome: Outcome | None = None
    """What the reply's wrapper said."""
    cut: bool = False
    """The reply was ended from outside; `text` is what had been shown."""
    hidden: bool = False
    """Not for people: the answer to a nudge or to a question, or what a part of a turn says to others."""
    stand_in: str = ""
    """Which model answered in the place of the chosen one, and why; empty where the chosen one did."""
    tainted: bool = False


@dataclass(frozen=True, slots=True)
class ToolCallStart(Fielded):
    """A tool call is about to run; one that is `refused` is not made, because its reply answers a question alone."""

    kind: ClassVar[str] = "TOOL_CALL_START"
    provenance: ClassVar[Provenance] = "thread"
    call_id: CallId
    name: str
    args: FrozenJson
    message_id: MessageId
    effect: Literal["pure", "idempotent", "once"] = "once"
    refused: bool = False


@dataclass(frozen=True, slots=True)
class ToolCallResult(Fielded):
    """What a tool call came to."""

    kind: ClassVar[str] = "TOOL_CALL_RESULT"
    provenance: ClassVar[Provenance] = "marked"
    call_id: CallId
    text: str
    is_error: bool = False
    origin: Origin = "tool"
    tainted: bool = False
    """Whether the text is, or was made from, what nobody trusts (design §9)."""
    failure: Literal["", "human_rejected", "denied"] = ""
    """Why the call was not made: a person said no, or the policy did."""
    held: str = ""
    """By what people see and keep what the call has changed (`changes.show`), where all of that waits for them."""


@dataclass(frozen=True, slots=True)
class Reminder(Fielded):
    """A note to the model as a user, not people. Reasons but ``continue``, ``nudge`` and ``empty`` change nothing."""

    kind: ClassVar[str] = "REMINDER"
    provenance: ClassVar[Provenance] = "daemon"
    message_id: MessageId
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Suspended(Fielded):
    """The run waits; nothing is held meanwhile."""

    kind: ClassVar[str] = "SUSPENDED"
    provenance: ClassVar[Provenance] = "thread"
    waits: tuple[Wait, ...]
    resting: bool = True
    """False where other steps of a playbook are at work meanwhile."""


@dataclass(frozen=True, slots=True)
class Resumed(Fielded):
    """The run goes on: an answer came, or another process took it over."""

    kind: ClassVar[str] = "RESUMED"
    provenance: ClassVar[Provenance] = "daemon"
    reason: Literal["answered", "crashed", "drained", "expired", "paused", "steered", "woken"]
    wait_id: str = ""
    input_seq: int = 0
    """The record of the answer, or of the message that steers; 0 for a take-over."""
    crashes: int = 0
    """How often this run has been cut off so far."""


@dataclass(frozen=True, slots=True)
class RunPaused(Fielded):
    """All work stands still, asked for with the token `by`; the run goes on where it was when somebody resumes it."""

    kind: ClassVar[str] = "RUN_PAUSED"
    provenance: ClassVar[Provenance] = "person"
    by: str
    reason: str = ""
    """Why, in that person's words."""


@dataclass(frozen=True, slots=True)
class Stopped(Fielded):
    """A stop was carried out."""

    kind: ClassVar[str] = "STOPPED"
    provenance: ClassVar[Provenance] = "daemon"
    input_seq: int


@dataclass(frozen=True, slots=True)
class Continued(Fielded):
    """Held inputs go on."""

    kind: ClassVar[str] = "CONTINUED"
    provenance: ClassVar[Provenance] = "daemon"
    input_seq: int


@dataclass(frozen=True, slots=True)
class InputIgnored(Fielded):
    """An input that nobody waits for (any more)."""

    kind: ClassVar[str] = "INPUT_IGNORED"
    provenance: ClassVar[Provenance] = "daemon"
    input_seq: int
    reason: str


@dataclass(frozen=True, slots=True)
class RunFinished(Fielded):
    """A run's end, as it should be: its outcome says how."""

    kind: ClassVar[str] = "RUN_FINISHED"
    provenance: ClassVar[Provenance] = "thread"
    run_id: RunId
    outcome: Outcome
    usage: Usage = field(default_factory=Usage)
    joined: RunId | None = None  # the run that took this one's message along
    counted: int = 0
    """Tokens that it was charged for, with those of sub-agents and of calls that were cut off."""


@dataclass(frozen=True, slots=True)
class RunError(Fielded):
    """A run's end in failure."""

    kind: ClassVar[str] = "RUN_ERROR"
    provenance: ClassVar[Provenance] = "thread"
    run_id: RunId
    code: str
    message: str
    retryable: bool = False
    outcome: Outcome = field(default_factory=Outcome)
    usage: Usage = field(default_factory=Usage)
    counted: int = 0  # as in `RunFinished`


Offer = ThreadCreated | Input | StopAsked | ContinueAsked | Answer | Summary | ChildStarted | BargedIn
Decision = (
    RunStarted
    | InputHandled
    | InputsJoined
    | ModelStarted
    | ModelAbandoned
    | TextMessageEnd
    | ToolCallStart
    | ToolCallResult
    | Reminder
    | Suspended
    | Resumed
    | RunPaused
    | RunWaiting
    | Stopped
    | Continued
    | InputIgnored
    | RunFinished
    | RunError
    | ChildCancelled
    | ChildReported
    | AnswerGiven
)
ThreadFact = Offer | Decision
