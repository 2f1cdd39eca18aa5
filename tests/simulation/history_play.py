"""A playbook's run within its thread's log, and what a conversation owes to one, by rules of their own. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sulla.playbooks import records as p
from sulla.threads.log.codec import Entry
from sulla.threads.log.family import Birth
from sulla.threads.log.plays import AnswerGiven, Play, Question
from sulla.threads.log.records import Suspended
from tests.simulation.history_reading import Breach, LogReading

STEP_BY_STEP: Final = "step by step"
TOLD_ONCE: Final = "told once"

_ENDS: Final = frozenset({"STEP_COMPLETED", "STEP_FAILED", "STEP_SKIPPED", "STEP_CANCELLED"})
_AFTER_THE_END: Final = frozenset({"HEARD", "TAKEN_UP", "RUN_REOPENED"})
"""What may come after the machine's end; the last begins anew."""


@dataclass(slots=True)
class PlayReading:
    """What a playbook's thread says of its run; each method takes the next record of a kind."""

    reading: LogReading
    play: Play
    birth: Birth | None = None
    resting: bool = False
    """Whether nothing of it is at work."""
    calls: dict[str, str] = field(default_factory=dict)
    """Tool calls that have begun and not ended, each with its effect."""
    told: int = 0
    """The record that says that its conversation knows of its newest end; 0 for none."""
    known: bool = True
    """Whether there was such a conversation."""
    _status: str = ""
    """How the machine ended; empty while it has not."""
    _begun: bool = False
    _run_over: bool = False
    """Whether the thread's run is."""
    _open: dict[str, int] = field(default_factory=dict)
    """Attempts at work, by the addresses of their steps."""
    _attempts: set[tuple[str, int]] = field(default_factory=set)
    _over: set[str] = field(default_factory=set)
    _passes: set[tuple[str, int]] = field(default_factory=set)
    _called: set[str] = field(default_factory=set)
    """Calls that have begun and may not begin again."""

    @property
    def owes_end(self) -> bool:
        """Whether its conversation has to be told that it has ended; of a step the playbook around it is told."""
        return bool(self._run_over and self.play.thread and self.birth is None and self._status != "transferred")

    def run_started(self) -> None:
        """The thread's run begins."""
        self._run_over = self.resting = False
        self.calls.clear()

    def run_ended(self, entry: Entry, status: str) -> None:
        """The thread's run ends."""
        if status == "done":
            if not self._status:
                self._breach(entry.seq, "the machine's end before that of the run", "none")
            if self.calls:
                self.reading.breach(entry.seq, "results", f"ends of the calls {sorted(self.calls)} first", "none")
        if status == "failed" and self._status == "transferred":
            self._status = status  # nobody has taken over
        self._run_over, self.resting = True, False

    def played(self, entry: Entry, fact: p.Played, run_id: str) -> None:
        """Something happened to it."""
        self.resting = False
        if self._status and fact.what not in _AFTER_THE_END:
            self._breach(entry.seq, "nothing after the machine's end", fact.what)
        match fact.what:
            case "RUN_STARTED":
                if self._begun:
                    self._breach(entry.seq, "one beginning", "another one")
                self._begun, self.told = True, 0
            case "RUN_REOPENED":
                # Which steps are done again follows from the playbook, which is not read here.
                self._status, self.told = "", 0
                for known in (self._open, self._attempts, self._over, self._passes):
                    known.clear()
            case "RUN_ENDED":
                self._status = str(fact.detail.get("status", ""))
            case "STEP_STARTED" | "STEP_RETRY" | "PASS_STARTED":
                self._goes_on(entry, fact)
            case kind if kind in _ENDS:
                self._step_ended(entry, fact)
            case _:
                pass  # what is about a step at work
        if fact.call_id:
            self._call(entry, fact, run_id)

    def suspended(self, entry: Entry, fact: Suspended) -> None:
        """It waits, all of it or some steps."""
        waited_for = {wait.call_id for wait in fact.waits if wait.call_id}
        if waited_for - self.calls.keys():
            wanted = f"waits for calls that have begun, {sorted(self.calls)}"
            self.reading.breach(entry.seq, "results", wanted, f"waits for {sorted(waited_for)}")
        if fact.resting and self.calls.keys() - waited_for:
            wanted = f"waits for all calls that have begun, {sorted(self.calls)}"
            self.reading.breach(entry.seq, "results", wanted, f"waits for {sorted(waited_for)}")
        self.resting = fact.resting

    def end_told(self, entry: Entry, fact: p.EndTold) -> None:
        """Its conversation knows what came of it."""
        if not self.owes_end or self.told:
            self.reading.breach(entry.seq, TOLD_ONCE, "an end that a conversation has not been told", "none")
        self.told, self.known = entry.seq, fact.known

    def rest(self, last: int) -> None:
        """Nothing comes any more."""
        if self.owes_end and not self.told:
            self.reading.breach(last, TOLD_ONCE, f"that {self.play.thread} was told of the end", "that nobody was")

    def _goes_on(self, entry: Entry, fact: p.Played) -> None:
        number = _int(fact.detail.get("number" if fact.what == "PASS_STARTED" else "attempt"))
        one = (fact.at, number)
        if not self._begun:
            self._breach(entry.seq, "the beginning of the run first", f"{fact.what} of {fact.at}")
        match fact.what:
            case "STEP_STARTED":
                if fact.at in self._open or fact.at in self._over or one in self._attempts:
                    self._breach(entry.seq, f"one beginning of {fact.at}, attempt {number}", "it again")
                self._open[fact.at] = number
                self._attempts.add(one)
            case "STEP_RETRY":
                if self._open.pop(fact.at, None) != number:
                    self._breach(entry.seq, f"attempt {number} of {fact.at} at work", "it is not")
            case _:
                if one in self._passes:
                    self._breach(entry.seq, f"one pass {number} of {fact.at}", "another one")
                self._passes.add(one)

    def _step_ended(self, entry: Entry, fact: p.Played) -> None:
        # A step may fail, or choose its way, without a beginning; who is cancelled was at work.
        if fact.at in self._over or (fact.what == "STEP_CANCELLED" and fact.at not in self._open):
            self._breach(entry.seq, f"{fact.at} to have no end yet", fact.what)
        self._open.pop(fact.at, None)
        self._over.add(fact.at)

    def _call(self, entry: Entry, fact: p.Played, run_id: str) -> None:
        call = fact.call_id
        if fact.what == "CALL_AGAIN":
            self._called.discard(call)
            self.reading.permits[f"{run_id}:{call}"] += 1
        elif fact.what == "CALL_ALLOWED":
            self._called.discard(call)  # it was asked about, and not made
        elif fact.effect:
            if call in self._called and fact.effect == "once":
                self.reading.breach(entry.seq, "once", f"a permission to begin {call} again", "none")
            self.calls[call] = fact.effect
            self._called.add(call)
            self.reading.intents.setdefault(f"{run_id}:{call}", entry.seq)
        elif self.calls.pop(call, None) is None:
            self.reading.breach(entry.seq, "intent first", f"a beginning of {call} before its end", "none")

    def _breach(self, seq: int, expected: str, found: str) -> None:
        self.reading.breach(seq, STEP_BY_STEP, expected, found)


@dataclass(slots=True)
class OwingReading:
    """What a conversation owes to playbooks that asked it something."""

    reading: LogReading
    owed: dict[str, str] = field(default_factory=dict)
    """Playbooks' threads, by the wait ids under which they are to be told an answer."""
    given: dict[str, str] = field(default_factory=dict)
    """The same of those that know, as this log says."""
    told_of: set[str] = field(default_factory=set)
    """Playbooks' threads whose end is told here."""
    told_by: dict[int, str] = field(default_factory=dict)
    """The runs of other threads that told people something here, by the records that say so."""

    def run_ended(self, question: Question | None) -> None:
        """A run is over; what it was asked is owed."""
        if question is not None:
            self.owed[question.wait_id] = question.thread_id

    def answer_given(self, entry: Entry, fact: AnswerGiven) -> None:
        """Whoever asked knows the answer, or is gone."""
        asker = self.owed.pop(fact.wait_id, None)
        if asker is None:
            self.reading.breach(entry.seq, TOLD_ONCE, "an answer that is owed, once", f"{fact.wait_id}")
        elif fact.known:
            self.given[fact.wait_id] = asker

    def began(self, entry: Entry, fact: p.PlaybookBegan) -> None:
        """A playbook was started from here."""
        if fact.run_id and fact.run_id not in self.reading.runs.values():
            self.reading.breach(entry.seq, TOLD_ONCE, "a run of this log that starts it", f"run {fact.run_id}")

    def ended(self, entry: Entry, fact: p.PlaybookEnded) -> None:
        """A playbook that was started from here has ended."""
        self.told_of.add(fact.thread_id)

    def rest(self, last: int) -> None:
        """Nothing comes any more."""
        for wait_id, asker in self.owed.items():
            self.reading.breach(last, TOLD_ONCE, f"that {asker} was told the answer {wait_id}", "that nobody was")


@dataclass(frozen=True, slots=True)
class PlayLog:
    """One log's part in it."""

    thread_id: str
    play: PlayReading | None
    owing: OwingReading
    answers: frozenset[str]
    """The wait ids that were answered in it."""
    runs: frozenset[str]
    """The thread's."""


def check_plays(logs: Sequence[PlayLog]) -> Iterator[Breach]:
    """What logs say that they told each other, held against those who should have heard it."""
    known: Mapping[str, PlayLog] = {one.thread_id: one for one in logs}
    playing = {run for log in logs if log.play is not None for run in log.runs}
    for log in logs:
        play = log.play
        heard = known.get(play.play.thread) if play is not None and play.told and play.known else None
        if heard is not None and log.thread_id not in heard.owing.told_of:
            yield Breach(heard.thread_id, None, TOLD_ONCE, f"the end of {log.thread_id}, which was told", "none")
        for seq, run in log.owing.told_by.items():
            if run not in playing:
                yield Breach(log.thread_id, seq, "accounts", "a run that tells it", f"run {run}")
        for wait_id, asker in log.owing.given.items():
            if asker in known and wait_id not in known[asker].answers:
                yield Breach(asker, None, TOLD_ONCE, f"the answer {wait_id}, which was given", "none")


def _int(value: object) -> int:
    return value if isinstance(value, int) else -1
