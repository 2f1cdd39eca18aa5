"""One thread's log read record by record, by rules of its own: what each record needs to have come before it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from sulla.core.errors import CorruptRecord
from sulla.finding.title import ThreadNamed
from sulla.heartbeat import beats
from sulla.people.slice import Notice
from sulla.playbooks import records as p
from sulla.speech.slice import Overheard
from sulla.threads.log.codec import Entry
from sulla.threads.log.family import ChildCancelled, ChildReported, ChildStarted, wait_of
from sulla.threads.log.plays import AnswerGiven
from sulla.threads.log.records import (
    Answer,
    ContinueAsked,
    Continued,
    Input,
    InputIgnored,
    InputsJoined,
    ModelStarted,
    Resumed,
    RunError,
    RunFinished,
    RunStarted,
    StopAsked,
    Stopped,
    Summary,
    ThreadCreated,
)
from sulla.threads.log.spoken import BargedIn
from sulla.threads.log.usage import Usage
from tests.simulation.history_family import FamilyReading
from tests.simulation.history_play import STEP_BY_STEP, OwingReading, PlayLog, PlayReading
from tests.simulation.history_reading import LogReading
from tests.simulation.history_run import RUN_RULES, RunReading

_Control = StopAsked | ContinueAsked | Answer | p.PlaybookAsked
_OFFERS = (
    *(ThreadCreated, Input, StopAsked, ContinueAsked, Answer, Summary, Notice, ChildStarted),
    *(p.PlaybookAsked, p.PlaybookBegan, p.PlaybookEnded, BargedIn, Overheard, ThreadNamed),
)
_BESIDE = (
    *(Stopped, Continued, InputIgnored, RunFinished, RunError, RunStarted),
    *(ChildCancelled, ChildReported, AnswerGiven, p.EndTold),
)
"""Decisions that say by themselves whose they are, or are nobody's."""


class Walked(NamedTuple):
    """What a log came to."""

    reading: LogReading
    family: FamilyReading
    play: PlayLog


def read_log(thread_id: str, log: Iterable[Entry], *, at_rest: bool = True) -> Walked:
    """Read a whole log, and what it says of other ones.

    Args:
        thread_id: whose it is.
        log: its records in order.
        at_rest: whether nothing may be left to do.
    """
    walk = _Walk(thread_id)
    for entry in log:
        walk.take(entry)
    if at_rest:
        walk.rest()
    runs = frozenset(map(str, walk.reading.runs.values()))
    play = PlayLog(thread_id, walk.play, walk.owing, frozenset(walk.answered), runs)
    return Walked(walk.reading, walk.family, play)


class _Walk:
    def __init__(self, thread_id: str) -> None:
        self.reading = LogReading(thread_id)
        self.family = FamilyReading(self.reading)
        self.owing = OwingReading(self.reading)
        self.play: PlayReading | None = None
        self._breach = self.reading.breach
        self._last = 0
        self._run: RunReading | None = None
        self._waiting: dict[int, tuple[str, Input]] = {}
        """Messages that no run has taken up, each with its run."""
        self._controls: dict[int, _Control] = {}
        self._joining: dict[str, int] = {}
        """Runs whose message joined another run, or was put away; each still needs its end."""
        self._ended: dict[str, int] = {}
        self.answered: dict[str, int] = {}
        """The records of answers, by their wait ids."""
        self._held_below = 0
        self._barged: set[str] = set()
        """Replies that somebody spoke over."""
        self._making = ""
        """The last reply that was begun."""

    def take(self, entry: Entry) -> None:
        """The next record."""
        if entry.seq != self._last + 1:
            self._breach(entry.seq, "numbers", f"record {self._last + 1}", f"record {entry.seq}")
        self._last = entry.seq
        try:
            fact = entry.fact
        except (CorruptRecord, TypeError) as error:
            return self._breach(entry.seq, "readable", f"a {entry.kind}", str(error))
        if fact is None:
            return None  # another capability's
        if entry.offered is not isinstance(fact, _OFFERS):
            who = "anybody" if isinstance(fact, _OFFERS) else "the lease holder"
            self._breach(entry.seq, "readable", f"{entry.kind} from {who}", "the contrary")
        if isinstance(fact, (*_OFFERS, *_BESIDE)):
            return RULES[type(fact)](self, entry, fact)
        run = self._run
        if run is None or entry.origin.run_id != run.id:
            whose = "no run is open" if run is None else f"run {run.id} is open"
            found = f"{entry.origin.run_id}; {whose}"
            return self._breach(entry.seq, "one run", f"{entry.kind} of the open run", found)
        if type(fact) in RULES:
            return RULES[type(fact)](self, entry, fact)
        if isinstance(fact, ModelStarted):
            self._making = fact.message_id
        return RUN_RULES[type(fact)](run, entry, fact)

    def _is_playbooks(self, item: Input) -> bool:
        """Whether a message is a playbook's to its conversation."""
        return item.origin == "playbook" and self.play is None

    def _held(self) -> set[int]:
        """The messages that a stop holds."""
        sent = {seq for seq, (_, item) in self._waiting.items() if not self._is_playbooks(item)}
        return sent if sent and max(sent) < self._held_below else set()

    def rest(self) -> None:
        """Nothing comes any more: what is still open must have a reason to be."""
        run, last = self._run, self._last
        if run is not None and not run.only_waits:
            self._breach(run.seq, "ended once", f"an end of run {run.id}", f"none up to record {last}")
        for wait_id in run.waits if run is not None else ():
            if wait_id.removeprefix(wait_of("")) in self.family.reports:
                self._breach(last, "ended once", f"run {run.id if run else ''} to go on: {wait_id} has come", "nothing")
        held = self._held()
        for seq, (run_id, _) in self._waiting.items():
            if seq not in held and not (run is not None and run.only_waits):
                self._breach(seq, "ended once", f"run {run_id} to start and end", f"none up to record {last}")
        for seq, control in self._controls.items():
            self._breach(seq, "delivered once", f"{control.kind} to be dealt with", f"nothing up to record {last}")
        for run_id, seq in self._joining.items():
            self._breach(seq, "ended once", f"an end of run {run_id}", f"none up to record {last}")
        self.family.rest(last)
        self.owing.rest(last)
        if self.play is not None and not self._waiting:
            self.play.rest(last)

    # -------------------------------------------------------------------------------------------------- offered

    def created(self, entry: Entry, fact: ThreadCreated) -> None:
        if entry.seq != 1:
            self._breach(entry.seq, "numbers", "THREAD_CREATED as the first record, once", "it here")
        self.family.born(fact)
        if fact.play is not None:
            self.play = PlayReading(self.reading, fact.play, fact.birth)

    def input(self, entry: Entry, fact: Input) -> None:
        run_id = entry.origin.run_id
        if fact.message_id in self.reading.messages:
            before = self.reading.messages[fact.message_id]
            self._breach(entry.seq, "kept once", f"message {fact.message_id} once, at {before}", "it again")
        elif run_id is None or run_id in self.reading.runs.values():
            self._breach(entry.seq, "kept once", "a run of its own", f"run {run_id}")
        self.reading.messages[fact.message_id] = entry.seq
        self.reading.runs[entry.seq] = run_id
        self._waiting[entry.seq] = (str(run_id), fact)

    def control(self, entry: Entry, fact: _Control) -> None:
        self._controls[entry.seq] = fact
        if isinstance(fact, Answer):
            before = self.answered.setdefault(fact.wait_id, entry.seq)
            if before != entry.seq:
                self._breach(entry.seq, "delivered once", f"one answer to {fact.wait_id}, at {before}", "another")
            self.family.answered(entry, fact)

    def summary(self, entry: Entry, fact: Summary) -> None:
        self.reading.sums.usage += fact.usage
        self.reading.sums.charge(fact.usage.total, entry.origin.at_ms)

    def notice(self, entry: Entry, fact: Notice) -> None:
        if entry.origin.run_id not in self.reading.runs.values():
            self.owing.told_by[entry.seq] = str(entry.origin.run_id)  # by a playbook, or by nobody

    def barged_in(self, entry: Entry, fact: BargedIn) -> None:
        self._barged.add(fact.message_id)

    def overheard(self, entry: Entry, fact: Overheard) -> None:
        """It changes nothing."""

    def named(self, entry: Entry, fact: ThreadNamed) -> None:
        """What a thread is called changes nothing of what happens in it."""

    def child_started(self, entry: Entry, fact: ChildStarted) -> None:
        self.family.child_started(entry, fact)

    def child_cancelled(self, entry: Entry, fact: ChildCancelled) -> None:
        self.family.cancelled(entry, fact)

    def child_reported(self, entry: Entry, fact: ChildReported) -> None:
        self.family.reported(entry, fact, parked=self._run is not None and self._run.only_waits)

    # ------------------------------------------------------------------------------------------- inputs, taken up

    def run_started(self, entry: Entry, fact: RunStarted) -> None:
        if self._run is not None:
            self._breach(entry.seq, "one run", f"an end of run {self._run.id} first", f"run {entry.origin.run_id}")
        held = self._held()
        first = min(self._waiting.keys() - held, default=None)
        if fact.input_seq in held:
            self._breach(entry.seq, "held", "nothing to start that a stop holds", f"a run of record {fact.input_seq}")
        if first is not None and first < fact.input_seq:
            self._breach(entry.seq, "in order", f"a run of record {first} first", f"one of {fact.input_seq}")
        run_id, item = self._waiting.pop(fact.input_seq, (None, None))
        if run_id != entry.origin.run_id or item is None or item.message_id != fact.message_id:
            found = f"record {fact.input_seq}, message {fact.message_id}, run {entry.origin.run_id}"
            self._breach(entry.seq, "in order", "a run of a waiting message, under its run's id", found)
        if item is None or not self._is_playbooks(item):
            self._held_below = 0
        question = item.question if item is not None else None
        self._run = RunReading(str(entry.origin.run_id), entry.seq, self.reading, self.play, question)
        if self.play is not None:
            self.play.run_started()

    def joined(self, entry: Entry, fact: InputsJoined) -> None:
        for seq, run_id in zip(fact.input_seqs, fact.run_ids, strict=True):
            was, item = self._waiting.pop(seq, (None, None))
            if was != run_id or item is None or item.mode != "steer":
                self._breach(entry.seq, "in order", f"a waiting message that steers at {seq}", f"run {run_id}")
            self._joining[run_id] = entry.seq
        self._held_below = 0

    def stopped(self, entry: Entry, fact: Stopped) -> None:
        self._dealt_with(entry, fact.input_seq, StopAsked)
        self._held_below = fact.input_seq

    def continued(self, entry: Entry, fact: Continued) -> None:
        self._dealt_with(entry, fact.input_seq, ContinueAsked)
        self._held_below = 0

    def ignored(self, entry: Entry, fact: InputIgnored) -> None:
        if fact.input_seq in self._waiting:  # its sender was promised a run: that still has to end
            run_id, _ = self._waiting.pop(fact.input_seq)
            self._joining[run_id] = entry.seq
            return
        self._dealt_with(entry, fact.input_seq, Answer, StopAsked, ContinueAsked, p.PlaybookAsked)

    def _dealt_with(self, entry: Entry, seq: int, *kinds: type) -> _Control | None:
        control = self._controls.pop(seq, None)
        if not isinstance(control, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            self._breach(entry.seq, "delivered once", f"record {seq} to be a {wanted} that waits", str(control))
            return None
        if isinstance(control, Answer) and control.report is not None:
            self.reading.sums.charge(control.report.tokens, entry.origin.at_ms)
            whose = self._run if self._run is not None else self.reading.sums
            whose.usage += control.report.usage or Usage()
        return control

    # ------------------------------------------------------------------------------------------------- the open run

    def resumed(self, entry: Entry, fact: Resumed) -> None:
        if (run := self._run) is None:
            return
        if fact.reason == "answered":
            run.answered(entry, fact, self._dealt_with(entry, fact.input_seq, Answer))
        elif fact.reason == "expired":
            if fact.input_seq:  # an answer came, too late
                self._dealt_with(entry, fact.input_seq, Answer)
            run.expired(entry, fact)
        elif fact.reason == "steered":
            _, item = self._waiting.get(fact.input_seq, ("", None))
            run.steered(entry, item)
        elif fact.reason == "woken":
            run.woken(entry, fact, self._controls.values())
        else:
            run.taken_up(entry, fact)

    def run_ended(self, entry: Entry, fact: RunFinished | RunError) -> None:
        run, run_id = self._run, fact.run_id
        if run_id in self._ended:
            self._breach(entry.seq, "ended once", f"one end of run {run_id}, at {self._ended[run_id]}", fact.kind)
        self._ended.setdefault(run_id, entry.seq)
        into = fact.joined if isinstance(fact, RunFinished) else None
        if self._joining.pop(run_id, None) is not None:
            if fact.usage != Usage():
                self._breach(entry.seq, "accounts", f"nothing used by run {run_id}, which never ran", f"{fact.usage}")
            if into is not None and (run is None or run.id != into):
                self._breach(entry.seq, "one run", f"{run_id} to have joined the open run", f"{into}")
            return
        if run is None or run.id != run_id:
            open_one = "none" if run is None else run.id
            self._breach(entry.seq, "one run", f"the end of the open run, {open_one}", f"the end of {run_id}")
            return
        self._close(entry, fact, run)

    def _close(self, entry: Entry, fact: RunFinished | RunError, run: RunReading) -> None:
        """The open run ends."""
        if run.call is not None or run.unanswered:
            left = [*([run.call.call_id] if run.call is not None else []), *run.unanswered]
            self._breach(entry.seq, "results", f"results of {left} before the end of run {run.id}", "none")
        if fact.outcome.reason == "barged_in" and self._making not in self._barged:
            self._breach(entry.seq, "spoken over", f"a BARGED_IN that means {self._making}", f"an end of run {run.id}")
        if fact.usage != run.usage:
            self._breach(entry.seq, "accounts", f"{run.usage} of run {run.id}, as its replies say", f"{fact.usage}")
        if isinstance(fact, RunFinished):
            run.beat.run_finished(entry, fact.outcome.status)
        if self.play is not None:
            self.play.run_ended(entry, fact.outcome.status)
        self.owing.run_ended(run.question)
        if not self.family.told:
            self.family.ended = fact.outcome.status
        self.reading.sums.usage += run.usage
        self._run = None

    def played(self, entry: Entry, fact: p.Played) -> None:
        if fact.input_seq:
            self._dealt_with(entry, fact.input_seq, Answer, p.PlaybookAsked)
        if fact.tokens or fact.cost_micro:
            self.reading.sums.charge(fact.tokens, entry.origin.at_ms)
        if self.play is None or self._run is None:
            return self._breach(entry.seq, STEP_BY_STEP, "a thread that walks a playbook", "another one")
        return self.play.played(entry, fact, self._run.id)

    def end_told(self, entry: Entry, fact: p.EndTold) -> None:
        if self.play is None:
            return self._breach(entry.seq, STEP_BY_STEP, "a thread that walks a playbook", "another one")
        return self.play.end_told(entry, fact)

    def answer_given(self, entry: Entry, fact: AnswerGiven) -> None:
        self.owing.answer_given(entry, fact)

    def playbook_began(self, entry: Entry, fact: p.PlaybookBegan) -> None:
        self.owing.began(entry, fact)

    def playbook_ended(self, entry: Entry, fact: p.PlaybookEnded) -> None:
        self.owing.ended(entry, fact)

    def cycle_ended(self, entry: Entry, fact: beats.CycleEnded) -> None:
        if self._run is not None:
            self._run.beat.cycle_ended(entry, fact, self.family.reports.get(fact.child))


RULES: dict[type, Callable[[_Walk, Entry, Any], None]] = {
    ThreadCreated: _Walk.created,
    Input: _Walk.input,
    StopAsked: _Walk.control,
    ContinueAsked: _Walk.control,
    Answer: _Walk.control,
    Summary: _Walk.summary,
    Notice: _Walk.notice,
    BargedIn: _Walk.barged_in,
    Overheard: _Walk.overheard,
    ThreadNamed: _Walk.named,
    ChildStarted: _Walk.child_started,
    ChildCancelled: _Walk.child_cancelled,
    ChildReported: _Walk.child_reported,
    beats.CycleEnded: _Walk.cycle_ended,
    RunStarted: _Walk.run_started,
    Stopped: _Walk.stopped,
    Continued: _Walk.continued,
    InputIgnored: _Walk.ignored,
    RunFinished: _Walk.run_ended,
    RunError: _Walk.run_ended,
    InputsJoined: _Walk.joined,
    Resumed: _Walk.resumed,
    p.Played: _Walk.played,
    p.EndTold: _Walk.end_told,
    AnswerGiven: _Walk.answer_given,
    p.PlaybookAsked: _Walk.control,
    p.PlaybookBegan: _Walk.playbook_began,
    p.PlaybookEnded: _Walk.playbook_ended,
}
