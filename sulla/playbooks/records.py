"""The records of playbooks' runs, and what they add up to (design §10). Pure.

A run of a playbook is a thread. What its machine decides is kept there as it comes, under the machine's own names; the
head holds only what a list shows.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import ClassVar, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.playbooks.machine.counts import StepCounts, counts
from sulla.threads.log.forms import Fielded
from sulla.threads.log.plays import Play
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.requests import RunRequest

OPEN_SHOWN: Final = 64
"""Open steps that a head names."""

PlayStatus = Literal["queued", "running", "paused", "completed", "failed", "cancelled", "transferred"]


@dataclass(frozen=True, slots=True)
class PlaybookAsked(RunRequest):
    """Somebody wants a playbook's run to pause, to go on, to take one step, or to end."""

    kind: ClassVar[str] = "PLAYBOOK_ASKED"
    provenance: ClassVar[Provenance] = "person"
    refusal: ClassVar[str] = "no playbook is running here"
    ask: Literal["pause", "resume", "step", "cancel", "make_way", "look"]
    """`make_way` ends a run as `cancel` does, and leaves what it does at its end alone: nobody but a person cuts that.
    `look` is what a run is told that waits for its turn, by one that has left."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class PlaybookBegan(Fielded):
    """A playbook was started from this conversation."""

    kind: ClassVar[str] = "PLAYBOOK_BEGAN"
    provenance: ClassVar[Provenance] = "daemon"
    thread_id: ThreadId
    name: str
    run_id: RunId = RunId("")
    """The run that started it; empty for a person."""


@dataclass(frozen=True, slots=True)
class PlaybookEnded(Fielded):
    """A playbook that was started from this conversation has ended."""

    kind: ClassVar[str] = "PLAYBOOK_ENDED"
    provenance: ClassVar[Provenance] = "beside"
    thread_id: ThreadId
    name: str
    status: str
    text: str = ""
    """What came of it, in a line."""
    tainted: bool = False
    """Whether `text` may repeat what nobody trusts."""
    turn_follows: bool = False
    """Whether the agent of this conversation is told, and says what came of it in a turn of its own."""


@dataclass(frozen=True, slots=True)
class Played(Fielded):
    """Something happened to a playbook's run."""

    kind: ClassVar[str] = "PLAYBOOK"
    provenance: ClassVar[Provenance] = "marked"
    what: str
    """The kind of the machine's fact, e.g. ``STEP_STARTED``."""
    at: str = ""
    """The step's address."""
    detail: FrozenJson = field(default_factory=dict)
    """The fact's other fields."""
    input_seq: int = 0
    """The answer, or the wish, that it takes up."""
    call_id: CallId = CallId("")
    """The tool call that begins here, or ends."""
    effect: Literal["", "pure", "idempotent", "once"] = ""
    """Of a call that begins: what a repeat would do. Empty for one that ends."""
    tokens: int = 0
    """Of a model call that was made for this step alone."""
    cost_micro: int | None = None
    tainted: bool = False
    """Whether what came of it may repeat what nobody trusts."""


@dataclass(frozen=True, slots=True)
class EndTold(Fielded):
    """The conversation that a playbook was started from has been told what came of it."""

    kind: ClassVar[str] = "END_TOLD"
    provenance: ClassVar[Provenance] = "daemon"
    known: bool = True
    """False if there is no such conversation any more."""


@dataclass(frozen=True, slots=True)
class OpenStep(Fielded):
    """A step that is at work or waits."""

    at: str
    since_ms: int


@dataclass(frozen=True, slots=True)
class PlayState(Fielded):
    """What a head says of a playbook's run."""

    name: str
    digest: str
    steps: int = 0
    trigger: str = "manual"
    thread: ThreadId = ThreadId("")
    tokens: int = 0
    """The most that it may use; 0 for what any playbook may."""
    cost_micro: int | None = None
    status: PlayStatus = "queued"
    facts: int = 0
    """How many records of its machine there are: who holds as many knows the run."""
    done: int = 0
    """Steps that are done; as below, those of a loop count once, by its first pass (`machine.counts`)."""
    started_ms: int = 0
    ended_ms: int = 0
    open: tuple[OpenStep, ...] = ()
    failure: str = ""
    responded: bool = False
    """Whether it has said something to its conversation by itself."""
    told: bool = False
    """Whether its conversation knows that it has ended."""
    chain: int = 0
    """How deep in a chain of events: see `Play`."""
    behind: tuple[str, ...] = ()
    """The runs that it waits for before it begins, the first of them (`concurrency`)."""
    failed: int = 0
    skipped: int = 0
    cancelled: int = 0

    @property
    def counts(self) -> StepCounts:
        """What its steps have come to."""
        return StepCounts(self.done, self.failed, self.skipped, self.cancelled)

    def counting(self, counts: StepCounts) -> PlayState:
        """The same with other counts."""
        done, failed, skipped, cancelled = counts
        return replace(self, done=done, failed=failed, skipped=skipped, cancelled=cancelled)

    @property
    def ended(self) -> bool:
        """Whether it has, for now: a run that has ended may be resumed."""
        return self.status not in ("queued", "running", "paused")


def begun(play: Play) -> PlayState:
    """The state of a run that has done nothing yet."""
    budget = (play.tokens, play.cost_micro)
    return PlayState(play.name, play.digest, play.steps, play.trigger, play.thread, *budget, chain=play.chain)


def apply_played(play: PlayState, fact: Played, at_ms: int) -> PlayState:
    """The state after one more fact.

    Args:
        play: before it.
        fact: what happened.
        at_ms: when, UTC milliseconds.
    """
    play = replace(play, facts=play.facts + 1)
    others = tuple(step for step in play.open if step.at != fact.at)
    match fact.what:
        case "STEP_STARTED":
            return replace(play, open=(*others, OpenStep(fact.at, at_ms))[:OPEN_SHOWN])
        case "STEP_COMPLETED" | "STEP_FAILED" | "STEP_SKIPPED" | "STEP_CANCELLED":
            return replace(play, open=others).counting(play.counts.after(fact.what, fact.at, _reason(fact)))
        case "RESPONDED":
            return replace(play, responded=True)
        case _:
            return _apply_run(play, fact, at_ms)


def _apply_run(play: PlayState, fact: Played, at_ms: int) -> PlayState:
    """The same for what happens to the run as a whole."""
    match fact.what:
        case "TAKEN_UP":
            return replace(play, behind=tuple(map(str, _listed(fact.detail.get("behind")))))
        case "RUN_STARTED" | "RUN_REOPENED":
            kept = StepCounts(*(_number(fact.detail.get(name, 0)) for name in StepCounts._fields))
            begun = replace(play, status="running", ended_ms=0, open=(), failure="", told=False, behind=())
            begun = begun.counting(kept)
            return replace(begun, started_ms=at_ms) if fact.what == "RUN_STARTED" else begun
        case "RUN_PAUSED":
            return replace(play, status="paused")
        case "RUN_RESUMED":
            return replace(play, status="running")
        case "RUN_STOPPED":
            return replace(play, failure=str(fact.detail.get("why", "")))
        case "RUN_ENDED":
            cut = replace(play, open=(), cancelled=play.cancelled + sum(counts(step.at) for step in play.open))
            return replace(cut, status=_ended(fact), ended_ms=at_ms, failure=_why(fact) or play.failure)
        case _:
            return play


def stopped(play: PlayState, status: Literal["failed", "cancelled"], why: str, at_ms: int) -> PlayState:
    """The state when its thread's run has ended without a word of the machine's: it was stopped, or came to a limit.

    Args:
        play: before it.
        status: how it ended.
        why: in words.
        at_ms: when, UTC milliseconds.
    """
    if play.ended:
        return play
    cancelled = play.cancelled + sum(counts(step.at) for step in play.open)
    return replace(play, status=status, ended_ms=at_ms, open=(), cancelled=cancelled, failure=why)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _ended(fact: Played) -> PlayStatus:
    match fact.detail.get("status"):
        case "completed" | "failed" | "cancelled" | "transferred" as status:
            return status
        case _:
            return "failed"


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _why(fact: Played) -> str:
    failure = fact.detail.get("failure")
    return str(failure.get("message", "")) if isinstance(failure, dict) else ""


def _reason(fact: Played) -> str:
    failure = fact.detail.get("failure")
    return str(failure.get("reason", "")) if isinstance(failure, dict) else ""
