"""One beat within a heartbeat's log: its cycles, what they used, and its end, by rules of its own. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from sulla.heartbeat import beats
from sulla.threads.log.codec import Entry
from sulla.threads.log.family import Report
from tests.simulation.history_reading import LogReading

IN_CYCLES = "in cycles"


@dataclass(slots=True)
class BeatReading:
    """What a run says of its beat; each method takes the next record of a kind."""

    reading: LogReading
    begun: bool = False
    over: bool = False
    """Ended or skipped: nothing of it comes after that."""
    at_work: beats.CycleStarted | None = None
    cycles: int = 0
    tokens: int = 0
    cost_micro: int = 0
    children: set[str] = field(default_factory=set)

    def started(self, entry: Entry, fact: beats.BeatStarted) -> None:
        """It was worth beginning."""
        if self.begun or self.over:
            self._breach(entry.seq, "one beginning of a beat", "another one")
        self.begun = True

    def skipped(self, entry: Entry, fact: beats.BeatSkipped) -> None:
        """It was not."""
        if self.begun or self.over:
            self._breach(entry.seq, "no beat that has begun, or is over", "it skipped")
        self.over = True

    def cycle_started(self, entry: Entry, fact: beats.CycleStarted) -> None:
        """A cycle is set to work."""
        if not self.begun or self.over or self.at_work is not None:
            self._breach(entry.seq, "a beat with no cycle at work", f"cycle {fact.number}")
        if fact.number != self.cycles + 1 or fact.child in self.children:
            self._breach(entry.seq, f"cycle {self.cycles + 1}, with a child of its own", f"{fact.number}, {fact.child}")
        self.at_work, self.cycles = fact, fact.number
        self.children.add(fact.child)

    def cycle_ended(self, entry: Entry, fact: beats.CycleEnded, report: Report | None) -> None:
        """A cycle has ended; `report` is what its child was heard to say."""
        at_work, self.at_work = self.at_work, None
        if at_work is None or (at_work.number, at_work.child) != (fact.number, fact.child):
            self._breach(entry.seq, f"the end of {at_work}", f"that of cycle {fact.number}, {fact.child}")
        never_began = report is None and (fact.status, fact.tokens) == ("failed", 0)
        if not never_began and (report is None or (report.status, report.tokens) != (fact.status, fact.tokens)):
            self._breach(entry.seq, f"what {fact.child} reported, {report}", f"{fact.status}, {fact.tokens} tokens")
        self.tokens += fact.tokens
        self.cost_micro += fact.cost_micro

    def ended(self, entry: Entry, fact: beats.BeatEnded) -> None:
        """It is over."""
        if not self.begun or self.over or self.at_work is not None:
            self._breach(entry.seq, "a beat with no cycle at work", "its end")
        wanted = (self.cycles, self.tokens, self.cost_micro)
        if (found := (fact.cycles, fact.tokens, fact.cost_micro)) != wanted:
            self._breach(entry.seq, f"{wanted} cycles, tokens and money, as its cycles say", str(found))
        self.over = True

    def run_finished(self, entry: Entry, status: str) -> None:
        """Its run ends in order."""
        if self.begun and not self.over and status != "cancelled":
            self._breach(entry.seq, "the end of the beat before that of its run", "none")

    def _breach(self, seq: int, expected: str, found: str) -> None:
        self.reading.breach(seq, IN_CYCLES, expected, found)
