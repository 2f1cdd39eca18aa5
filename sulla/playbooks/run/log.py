"""A playbook's run as its thread's log tells it: read back, and written down. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.jsontypes import Json
from sulla.core.words import Author
from sulla.playbooks.machine.moves import MoveNote
from sulla.playbooks.machine.records import KINDS, NOTHING, Fact, Spent, decode, encode, kind_of
from sulla.playbooks.records import Played
from sulla.playbooks.run.orders import RunOrder, read_order
from sulla.threads.log.codec import Entry
from sulla.threads.log.plays import Play
from sulla.threads.log.records import Input, ThreadCreated
from sulla.tools.base import Effect

NOTE: Final = "NOTE"
"""Something came of a step's move; there is another one."""
HEARD: Final = "HEARD"
"""An input that changes nothing any more."""


@dataclass(slots=True)
class RunRecord:
    """What a log says of a run so far."""

    thread_id: ThreadId
    play: Play | None = field(default=None, init=False)
    order: RunOrder | None = field(default=None, init=False)
    """The one that the run began with."""
    ordered_ms: int = field(default=0, init=False)
    """When that was, UTC milliseconds."""
    facts: list[Fact] = field(default_factory=list, init=False)
    """The machine's."""
    records: int = field(default=0, init=False)
    """Records that are about the playbook: what `PlayState.facts` counts."""
    run_id: RunId = field(default=RunId(""), init=False)
    """The thread's run that the notes are of."""
    begun_by: RunId = field(default=RunId(""), init=False)
    """The thread's run that the machine began in, or went on in after an end."""
    notes: dict[str, list[MoveNote]] = field(default_factory=dict, init=False)
    """What has come of the moves of steps, by their addresses."""
    spent: dict[str, Spent] = field(default_factory=dict, init=False)
    """What those have used."""
    traced: list[Played] = field(default_factory=list, init=False)
    """What may repeat what nobody trusts, and when steps began and ended beside that."""
    allowed: dict[str, tuple[CallId, str]] = field(default_factory=dict, init=False)
    """The last call of each step, by its address, that a person said yes to in this run, and the yes's digest."""

    def take(self, entry: Entry) -> None:
        """One more record, in order."""
        fact = entry.fact
        match fact:
            case ThreadCreated():
                self.play = fact.play
            case Input() if self.order is None and fact.origin != "user":
                self.order, self.ordered_ms = read_order(fact.text), entry.origin.at_ms
            case Played():
                self.records += 1
                if entry.origin.run_id is not None and entry.origin.run_id != self.run_id:
                    self.run_id, self.notes, self.spent, self.allowed = entry.origin.run_id, {}, {}, {}
                if fact.what in ("RUN_STARTED", "RUN_REOPENED"):
                    self.begun_by = self.run_id
                self._played(fact, f"{self.thread_id} record {entry.seq}")
            case _:
                pass

    def _played(self, fact: Played, where: str) -> None:
        if fact.tainted or fact.what.startswith("STEP_"):
            self.traced.append(fact)
        if fact.what in KINDS:
            told = decode(fact.what, {**fact.detail, **({"at": fact.at} if fact.at else {})}, where)
            self.facts.append(told)
            if fact.what == "STEP_STARTED":
                self.notes.pop(fact.at, None)
                self.spent.pop(fact.at, None)
        elif fact.what == "CALL_ALLOWED":
            self.allowed[fact.at] = (fact.call_id, str(fact.detail.get("digest", "")))
        elif fact.what == NOTE:
            note, spent = _note(fact, where)
            self.notes.setdefault(fact.at, []).append(note)
            self.spent[fact.at] = plus(self.spent.get(fact.at, NOTHING), spent)


def written(fact: Fact, *, input_seq: int = 0, call_id: str = "", effect: Effect | None = None) -> Played:
    """A fact of the machine as it is kept.

    Args:
        fact: the fact.
        input_seq: the input that it takes up.
        call_id: the tool call that begins or ends with it.
        effect: of a call that begins.
    """
    detail = encode(fact)
    at = str(detail.pop("at", ""))
    return Played(kind_of(fact), at, detail, input_seq, CallId(call_id), effect or "")


def noted(at: str, note: MoveNote, spent: Spent, by: Author, *, input_seq: int = 0) -> Played:
    """What came of a move, and whose words it is, as it is kept."""
    detail: dict[str, Json] = {"what": note.what, "value": note.value}
    if spent != NOTHING:
        detail |= {"tokens": spent.tokens, "cost_micro": spent.cost_micro}
    return Played(NOTE, at, detail, input_seq, tainted=by.tainted)


def plus(one: Spent, other: Spent) -> Spent:
    """Both together."""
    return Spent(one.tokens + other.tokens, one.cost_micro + other.cost_micro)


def _note(fact: Played, where: str) -> tuple[MoveNote, Spent]:
    detail: Mapping[str, Json] = fact.detail
    match detail.get("what"), detail.get("tokens", 0), detail.get("cost_micro", 0):
        case "agent" | "person" | "work" as what, int() as tokens, int() as cost_micro:
            return MoveNote(what, detail.get("value")), Spent(tokens, cost_micro)
    raise CorruptRecord(f"{where}: not a note: {str(detail)[:200]}")
