"""What a thread is right now: the fold of its log (seed 004 §4; the names are mapped in docs/thread-state.md). Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, ClassVar

from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId, MessageId, NodeId, RunId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Origin
from sulla.threads.log.delivery import Owed
from sulla.threads.log.facts import Answer, ContinueAsked, Input, Mode, ModelStarted, Outcome, StopAsked
from sulla.threads.log.family import Birth, ChildStarted, is_child_wait
from sulla.threads.log.kept import ALWAYS, UNKEPT, rule
from sulla.threads.log.kind import CONVERSATION, ThreadKind
from sulla.threads.log.plays import OwedAnswer, Question
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.requests import RunRequest
from sulla.threads.log.spoken import BargedIn, Heard
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.usage import Usage
from sulla.threads.log.waits import Permit, Wait


@dataclass(frozen=True, slots=True)
class RunRef:
    """A pointer to work that is kept in another log, e.g. a playbook's run: the reference, not the thing."""

    kind: str
    id: str
    running: bool
    run_id: RunId = RunId("")
    """The run that started it, and ends with that; empty for a person."""


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


@dataclass(slots=True)
class ThreadState:
    """The one mutable record of a thread, owned by whoever holds its lease.

    The order of the fields is the order in which heads have them.
    """

    thread_id: ThreadId = field(metadata=UNKEPT)
    transcript: Transcript = field(metadata=UNKEPT)
    created_ms: int = 0
    updated_ms: int = 0
    agent: str = ""
    title: str = ""
    project: str = ""
    channel: str = ""
    """The client's channel that it was begun on (seed 004 `wsChannel`); empty for none."""

    active_agents: list[str] = field(default_factory=list)
    """Whom a handoff made active, innermost last; empty for the thread's own agent."""
    model: str = ""
    graph: str = ""
    """What works on it; empty for its agent's conversation graph."""
    kind: ThreadKind[Any] = field(default=CONVERSATION, metadata=UNKEPT)
    """What it is like; follows from `graph` and `birth`."""
    slices: dict[str, object] = field(default_factory=dict, metadata=rule(always=True, numbers=lambda slices: ()))
    """What capabilities keep here, by the names of their slices: read and written by `Slice` alone."""
    owes: dict[str, OwedAnswer] = field(default_factory=dict, metadata=rule(key="wait_id"))
    """Answers to playbooks' questions that they have not been told, by their wait ids."""
    birth: Birth | None = None
    """Who asked for this thread, if a run did."""
    reported: bool = False
    """Whether they know what came of it."""
    children: dict[str, ChildStarted] = field(default_factory=dict, metadata=rule(key="id"))
    """Runs that were set to work from here and have not reported, by their ids."""
    active_work: RunRef | None = None
    """A playbook that has taken over (seed 004 `activeWorkflow`)."""

    run: OpenRun | None = None
    outcome: Outcome = field(default_factory=Outcome, metadata=ALWAYS)
    nudged: bool = False
    nudging: bool = False
    """The nudge is the last thing said: its answer is still to come."""

    node: NodeId = NodeId("")
    iterations: int = 0
    consecutive_same_node: int = 0
    agent_loops: int = 0
    """How often the agent went on by itself in this run, having said that it was not done (seed `agentLoopCount`)."""
    cycle_complete: bool = False
    waiting_for_user: bool = field(default=False, metadata=UNKEPT)

    waiting: dict[int, WaitingInput] = field(default_factory=dict, metadata=rule(numbers=list))
    """Messages without a run, by sequence number."""
    controls: dict[int, ControlInput] = field(default_factory=dict, metadata=rule(numbers=list))
    barged: BargedIn | None = None
    """The last reply that somebody spoke over as it was made."""
    held_below: int = 0
    """Waiting messages with a lower number were held by a stop."""
    consumed: int = field(default=0, metadata=UNKEPT)
    """Waking inputs dealt with so far."""
    summary_covers: int = 0
    """Up to which record `summary` says it all."""
    summary_seq: int = 0
    summary: str = field(default="", metadata=UNKEPT)
    summary_first_kept: MessageId = field(default=MessageId(""), metadata=UNKEPT)
    """The first message that it does not cover."""
    tainted: bool = False
    """Whether a model was shown anything here that nobody trusts. For good: its own words since then may repeat it,
    and so may a summary of them (design §9)."""
    diagnostics: JsonObject = field(default_factory=dict, metadata=ALWAYS)
    """What InputHandler noticed about the latest input."""
    usage: Usage = field(default_factory=Usage, metadata=ALWAYS)
    """All runs of this thread together, and its summaries."""
    spent_tokens: int = 0
    """Charged so far, children and calls that came to nothing included."""
    spent_micro: int = 0
    """The same in money, in millionths of the currency's unit, as far as the models have prices."""
    day: int = 0
    """The day that `day_tokens` is of, counted in UTC days since 1970."""
    day_tokens: int = 0
    """Charged on that day, reservations of calls that came to nothing included."""

    @property
    def suspended(self) -> bool:
        """Whether the open run can do nothing but wait for an answer: no other call of it was begun and put off."""
        run = self.run
        if self.kind.waits_while_working:
            return run is not None and run.resting
        return run is not None and bool(run.waits) and run.intents.keys() <= {w.call_id for w in run.waits.values()}

    @property
    def depth(self) -> int:
        """0 for a thread that nobody spawned; one more for each child."""
        return self.birth.depth if self.birth is not None else 0

    @property
    def is_child(self) -> bool:
        """Whether another agent asked for this (seed 004 `isSubAgent`)."""
        return self.birth is not None

    @property
    def owes_report(self) -> bool:
        """Whether somebody waits to be told what came of this."""
        birth, run = self.birth, self.run
        if birth is None or self.reported:
            return False
        if run is None:
            # Who was given other words meanwhile tells what those come to.
            return self.cycle_complete and not (self.outcome.reason == "interrupted" and self.runnable)
        # Where nobody is there to answer, whoever asked goes on without: a beat ends `blocked` (design §8).
        return birth.unattended and self.suspended and not all(map(is_child_wait, run.waits))

    @property
    def end_heard_by(self) -> ThreadId:
        """The conversation that is to be told that this has ended; empty for none."""
        return self.kind.end_news.to(self)

    @property
    def outbox(self) -> Iterator[Owed]:
        """What other threads are to be offered, in order; nothing of it is forgotten before it is noted as done."""
        if self.owes_report and self.birth is not None:
            yield Owed("report", self.birth.parent, self.birth.id)
        for answer in self.owes.values():
            yield Owed("answer", answer.thread_id, answer.wait_id)
        if not self.waiting and (heard_by := self.end_heard_by):  # a message that waits may have it go on
            yield Owed("end", heard_by, self.thread_id)
        if self.run is None:
            for child in self.children.values():
                yield Owed("cancel", child.thread_id, child.id)

    @property
    def runnable(self) -> list[WaitingInput]:
        """Waiting messages that may start a run now, in log order.

        A stop holds what was sent before it, until somebody says continue or sends something new (design §4.2). What
        playbooks ask and tell is neither held nor something new: they would wait for ever.
        """
        waiting = sorted(self.waiting.values(), key=lambda item: item.seq)
        sent = [item for item in waiting if not self.is_told(item)]
        if sent and sent[-1].seq < self.held_below:
            return [item for item in waiting if self.is_told(item)]
        return waiting

    def is_told(self, item: WaitingInput) -> bool:
        """Whether a message is what a playbook asks or tells a conversation: no person's, and no order to a run."""
        return item.origin == "playbook" and not self.kind.refusal

    @property
    def steering(self) -> list[WaitingInput]:
        """Waiting messages that want to join the running turn, in log order."""
        return [item for item in self.runnable if item.mode == "steer"]
