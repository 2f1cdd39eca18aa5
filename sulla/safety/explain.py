"""What in a conversation is from outside, and which calls were asked about. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from sulla.agent.approvals.approvals import is_approval
from sulla.core.cut import cut
from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId, RunId
from sulla.threads.log.codec import Entry
from sulla.threads.log.provenance import taints_thread
from sulla.threads.log.records import (
    Answer,
    Input,
    InputHandled,
    InputIgnored,
    InputsJoined,
    RunError,
    RunFinished,
    RunStarted,
    Suspended,
    ThreadCreated,
    ToolCallResult,
    ToolCallStart,
)

MOST_ROWS: Final = 200
"""Of each kind; the first ones count, since the first mark is what makes the conversation mistrusted."""
WORDS_CHARS: Final = 200
_ARGS_CHARS: Final = 200
_RESULT: Final = "the result of "
_COMMANDS: Final = (f"{_RESULT}bash ", f"{_RESULT}bash_job ")
"""How marks begin of the tools that may read any file of the workspace."""
_PLAYED: Final = "PLAYBOOK"
"""The kind of what happens in a playbook's run; its step names no tool, but a command is called with its text."""
_ASKED_BECAUSE: Final = "Asked because "


@dataclass(frozen=True, slots=True)
class Mark:
    """A record that holds words from outside, or words made from them."""

    seq: int
    at_ms: int
    """UTC milliseconds."""
    source: str
    """Where they came from, in a line; may name what somebody else has named."""
    words: str
    """How they begin; empty where the record has no text of its own."""


@dataclass(slots=True)
class HeldCall:
    """A call that a person was asked about."""

    seq: int
    tool: str
    why: str
    answer: str = ""
    """What was answered: ``approve``, ``reject`` or ``always``; empty as long as nothing was."""


@dataclass(slots=True)
class _WorkBegun:
    """From which message on a conversation has not rested, run by run."""

    runs: dict[RunId | None, int] = field(default_factory=dict)
    """The record of that message; 0 if nothing was answered before it."""
    _begun: int = 0
    _waiting: set[int] = field(default_factory=set)
    _open: RunId | None = None

    def take(self, entry: Entry, *, answered: bool) -> None:
        """Read the next record.

        Args:
            entry: it.
            answered: whether anything was answered before it.
        """
        fact = entry.fact
        match fact:
            case Input() | RunStarted():
                if self._open is None and not self._waiting:
                    self._begun = entry.seq if answered else 0
                if isinstance(fact, Input):
                    self._waiting.add(entry.seq)
                else:
                    self._waiting.discard(fact.input_seq)
                    self._open = entry.origin.run_id
                    self.runs[self._open] = self._begun
            case InputsJoined(input_seqs=seqs):
                self._waiting.difference_update(seqs)
            case InputIgnored(input_seq=seq):
                self._waiting.discard(seq)
            case RunFinished(run_id=run_id) | RunError(run_id=run_id) if run_id == self._open:
                self._open = None


@dataclass(slots=True)
class _CommandSteps:
    """The steps of a playbook's run that call a command."""

    marked: bool = False
    """Whether a record of one of them holds words from outside."""
    _begun: set[str] = field(default_factory=set)

    def take(self, entry: Entry) -> None:
        """Read the next record."""
        if entry.kind == _PLAYED and entry.data.get("what") == "STEP_STARTED" and _is_command(entry.data):
            self._begun.add(str(entry.data.get("at")))

    def mark(self, entry: Entry) -> None:
        """Note that a record holds such words."""
        self.marked = self.marked or (entry.kind == _PLAYED and entry.data.get("at") in self._begun)


@dataclass(slots=True)
class TaintReport:
    """Reads a thread's records in order, and says what it found; made for one reading."""

    marks: list[Mark] = field(default_factory=list)
    more_marks: int = 0
    """How many there are beyond `MOST_ROWS`."""
    held: list[HeldCall] = field(default_factory=list)
    clean_before: int = 0
    """The record that the conversation can be gone on from before: the message that was worked on when the first mark
    came, or the first of those that were sent before it had all been answered, or that mark; 0 if there is none, or
    nothing was answered before it."""
    _steps: _CommandSteps = field(default_factory=_CommandSteps, init=False)
    _answered: bool = False
    _calls: dict[CallId, str] = field(default_factory=dict)
    _work: _WorkBegun = field(default_factory=_WorkBegun)
    _asked: dict[str, HeldCall] = field(default_factory=dict)

    @property
    def by_command(self) -> bool:
        """Whether a command's result is among the marks: one may have read any file of the workspace."""
        return self._steps.marked or any(mark.source.startswith(_COMMANDS) for mark in self.marks)

    def take(self, entry: Entry) -> None:
        """Read the next record.

        Raises:
            CorruptRecord: it cannot be read.
        """
        fact = entry.fact
        self._work.take(entry, answered=self._answered)
        match fact:
            case ToolCallStart():
                self._calls[fact.call_id] = _call(fact)
            case Suspended():
                self._ask(entry.seq, fact)
            case RunFinished() | RunError() if not self.marks:
                self._answered = True
            case Answer() if (held := self._asked.get(fact.wait_id)) is not None and not held.answer:
                held.answer = fact.verdict
        self._steps.take(entry)
        if fact is not None and taints_thread(fact):
            self._mark(entry)

    def _ask(self, seq: int, fact: Suspended) -> None:
        for wait in fact.waits:
            if is_approval(wait) and wait.wait_id not in self._asked and len(self.held) < MOST_ROWS:
                _, _, why = wait.prompt.rpartition(_ASKED_BECAUSE)
                tool = wait.tool or self._calls.get(wait.call_id, "").partition(" ")[0]
                self._asked[wait.wait_id] = HeldCall(seq, tool, why.rpartition(". (call ")[0] or why)
                self.held.append(self._asked[wait.wait_id])

    def _mark(self, entry: Entry) -> None:
        if not self.marks:
            begun = self._work.runs.get(entry.origin.run_id)
            own = entry.seq if self._answered else 0
            self.clean_before = own if begun is None or isinstance(entry.fact, Input) else begun
        self._steps.mark(entry)
        if len(self.marks) == MOST_ROWS:
            self.more_marks += 1
            return
        words = getattr(entry.fact, "quoted", "") or getattr(entry.fact, "text", "") or ""
        self.marks.append(Mark(entry.seq, entry.origin.at_ms, self._source(entry), words[:WORDS_CHARS]))

    def _source(self, entry: Entry) -> str:
        match entry.fact:
            case ToolCallResult(call_id=call_id):
                return f"{_RESULT}{self._calls.get(call_id, 'a call')}"
            case Input(quoted=quoted) if quoted:
                return "what was quoted beside a message"
            case Input(origin="user"):
                return "a message that the model of a client wrote"
            case Input(origin=origin):
                return f"a message of the {origin}"
            case InputHandled():
                return "a message that looks as if somebody had planted words in it"
            case Answer():
                return "what a sub-agent came to that had read such words"
            case RunStarted():
                return "what an agent was told beside the message: what it remembers, or what is on the screen"
            case ThreadCreated():
                return "whoever began the conversation, who had read such words"
            case _ if entry.kind == _PLAYED:
                at = entry.data.get("at")
                return f"the step {at} of this playbook's run" if at else "what this playbook's run was begun with"
            case _:
                return f"a record of the kind {entry.kind}"


def _is_command(data: Mapping[str, Any]) -> bool:
    """Whether a step of a playbook begins that calls a command."""
    match data:
        case {"detail": {"given": {"args": {"command": str()}}}}:
            return True
    return False


def _call(fact: ToolCallStart) -> str:
    refused = " (not made)" if fact.refused else ""
    return f"{fact.name} {cut(json.dumps(dict(fact.args), ensure_ascii=False), _ARGS_CHARS)}{refused}"
