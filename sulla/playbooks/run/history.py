"""A playbook's run in memory: its machine, and the attempts that are at work or wait. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final

from sulla.agent.model.pictures import shown_text
from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId, RunId, derived_id
from sulla.core.jsontypes import Json, replaced
from sulla.core.message import ToolCall
from sulla.core.words import Words
from sulla.playbooks.definition import HumanStep, Kind
from sulla.playbooks.machine.machine import Playbook
from sulla.playbooks.machine.moves import AskAgent, AskPerson, CallTool, Move, MoveNote, move_of
from sulla.playbooks.machine.records import NOTHING, Spent, StepStarted
from sulla.playbooks.run.trust import RunTrust
from sulla.threads.log.plays import ANSWER, ASK, HUMAN, TIME
from sulla.threads.log.waits import Wait

TIMER: Final = f"{TIME}next"


@dataclass(frozen=True, slots=True)
class MoveId:
    """Of which move something is done."""

    run_id: RunId
    at: str
    attempt: int
    number: int = 0
    """Of the move."""

    def id(self, kind: str) -> str:
        """An id that is the same each time."""
        return derived_id(kind, self.run_id, self.at, str(self.attempt), str(self.number))

    @property
    def ask(self) -> str:
        """The wait id under which a conversation's agent answers."""
        return f"{ASK}{self.id('ask')}"


@dataclass(slots=True)
class StepAttempt:
    """An attempt that is at work or waits."""

    begun: StepStarted
    notes: list[MoveNote] = field(default_factory=list)
    spent: Spent = NOTHING
    busy: bool = False
    """Whether this process does something for it."""
    wait: Wait | None = None
    """What it waits for."""
    fresh: bool = False
    """Whether the intent of its call was written down by this process, and it was not made yet."""


@dataclass(slots=True)
class RunHistory:
    """The run; worth nothing more as soon as something of it was not kept."""

    machine: Playbook
    run_id: RunId
    seal: str
    """What stands for secrets follows from it."""
    stack: tuple[str, ...]
    """Of the playbooks that a step of it would run within: this one is the last."""
    marks: Mapping[str, str]
    """The names of secrets, by what stands for them."""
    trust: RunTrust
    """What of it is from outside."""
    records: int = 0
    """How many of its records are kept, or about to be."""
    jobs: dict[str, StepAttempt] = field(default_factory=dict)
    """By address."""
    heavy: bool = field(default=False, init=False)
    """Whether it holds values so large that what expressions make of them is worked out beside the event loop."""
    lane: str = field(default="", init=False)
    """What it has in common with the runs that it counts together with; empty where it counts with none."""

    def does(self, at: str) -> Kind:
        """What the step at an address does."""
        return self.machine.plan.nodes[at.partition("@")[0]].step.does

    def move(self, job: StepAttempt) -> Move:
        """The next move of an attempt. An agent that is asked sees no secret, and may leave one where it stands."""
        given = job.begun.given or {}
        move = move_of(self.does(job.begun.at), given, job.notes)
        shown = {mark: f"[secret {name}]" for mark, name in self.marks.items()}
        match move:
            case AskAgent(text=text):
                return replace(move, text=str(replaced(text, shown)))
            case CallTool(args=args) if job.notes and shown:
                kept = _sealed(dict(args), given.get("args"), shown)
                return replace(move, args=kept if isinstance(kept, dict) else {})
            case _:
                return move

    def place(self, job: StepAttempt) -> MoveId:
        """Of which move something is done for an attempt now."""
        return MoveId(self.run_id, job.begun.at, job.begun.attempt, len(job.notes))

    def call(self, job: StepAttempt) -> ToolCall | None:
        """The call that an attempt makes now; None if it makes none."""
        move = self.move(job)
        if not isinstance(move, CallTool):
            return None
        place = MoveId(self.run_id, job.begun.at, job.begun.attempt, move.number)
        return ToolCall(CallId(place.id("call")), move.tool, move.args)

    def question(self, job: StepAttempt, move: AskPerson) -> Wait:
        """What a person is asked."""
        does = self.does(job.begun.at)
        timeout_s = self.machine.plan.nodes[job.begun.at.partition("@")[0]].step.timeout_s
        times_s = (timeout_s, does.expires_s) if isinstance(does, HumanStep) else ()
        expires_s = min((time_s for time_s in times_s if time_s is not None), default=None)
        expires_ms = 0 if expires_s is None else job.begun.at_ms + round(expires_s * 1000)
        place = MoveId(self.run_id, job.begun.at, job.begun.attempt, move.number)
        wait_id = f"{HUMAN if move.yes_or_no else ANSWER}{place.id('ask')}"
        asked = shown_text(Words(move.text))  # some clients show it as an answer, pictures and all
        return Wait(wait_id, CallId(""), asked, expires_ms=expires_ms, choices=move.choices, form=move.form)

    def waiting_for(self, wait_id: str) -> StepAttempt | None:
        """The attempt that waits for an answer."""
        return next((job for job in self.jobs.values() if job.wait and job.wait.wait_id == wait_id), None)

    def waits(self) -> tuple[Wait, ...]:
        """All that it waits for."""
        found = [job.wait for job in self.jobs.values() if job.wait is not None]
        due_ms = self.machine.due_ms
        return tuple(found) if due_ms is None else (*found, Wait(TIMER, CallId(""), expires_ms=due_ms))


def _sealed(value: Json, before: Json, shown: Mapping[str, str]) -> Json:
    """A value with what stands for secrets, where it is what was shown of the one before."""
    if value == replaced(before, shown):
        return before
    if isinstance(value, Mapping) and isinstance(before, Mapping):
        return {name: _sealed(item, before.get(name), shown) for name, item in value.items()}
    if isinstance(value, list) and isinstance(before, list) and len(value) == len(before):
        return [_sealed(item, one, shown) for item, one in zip(value, before, strict=True)]
    return value
