"""What one log says of the runs that it set to work, and of who set it to work, by rules of its own. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sulla.threads.log.codec import Entry
from sulla.threads.log.family import Birth, ChildCancelled, ChildReported, ChildStarted, Report, is_child_wait, wait_of
from sulla.threads.log.records import Answer, ThreadCreated
from tests.simulation.history_reading import Breach, LogReading

TOLD_ONCE = "told once"


@dataclass(slots=True)
class FamilyReading:
    """A log's children and its birth; each method takes the next record of a kind."""

    reading: LogReading
    birth: Birth | None = None
    begun: dict[str, ChildStarted] = field(default_factory=dict)
    reports: dict[str, Report] = field(default_factory=dict)
    """What children came to, by their ids."""
    put_off: set[str] = field(default_factory=set)
    """Children that were told to end."""
    told: int = 0
    """The record that says that whoever asked for this log knows; 0 for none."""
    ended: str = ""
    """How its newest run had ended when that was told; empty before the first end."""

    def born(self, fact: ThreadCreated) -> None:
        """The log's beginning."""
        self.birth = fact.birth

    def child_started(self, entry: Entry, fact: ChildStarted) -> None:
        """A run was set to work."""
        if fact.id in self.begun:
            self._breach(entry.seq, f"one beginning of {fact.id}", "another one")
        if entry.origin.run_id != fact.run_id or fact.run_id not in self.reading.runs.values():
            self._breach(entry.seq, "a run of this log that asks", f"run {fact.run_id}")
        self.begun[fact.id] = fact

    def answered(self, entry: Entry, fact: Answer) -> None:
        """Something was answered; only what a child says matters here."""
        if not is_child_wait(fact.wait_id):
            return
        child = fact.wait_id.removeprefix(wait_of(""))
        if child not in self.begun or fact.report is None:
            self._breach(entry.seq, f"a report of a child that was begun, as {child}", "none")
        elif child not in self.reports:
            self.reports[child] = fact.report

    def cancelled(self, entry: Entry, fact: ChildCancelled) -> None:
        """A child was told to end."""
        if fact.id not in self.begun or fact.id in self.put_off:
            self._breach(entry.seq, f"{fact.id} to be at work, and told to end once", "it is not")
        self.put_off.add(fact.id)

    def reported(self, entry: Entry, fact: ChildReported, *, parked: bool) -> None:
        """Whoever asked for this log was told what it came to."""
        if self.birth is None or self.birth.id != fact.id or self.told:
            self._breach(entry.seq, "a log that somebody asked for, and tells them once", f"the report of {fact.id}")
        elif not self.ended and not (parked and self.birth.unattended):
            self._breach(entry.seq, "an end of the run first, or that it waits for a person", "it told of before")
        self.told = entry.seq

    def rest(self, last: int) -> None:
        """Nothing comes any more."""
        for child in self.begun.keys() - self.reports.keys() - self.put_off:
            self._breach(last, f"a report of {child}, or that it was told to end", "neither")
        if self.birth is not None and self.ended and not self.told:
            self._breach(last, f"that {self.birth.parent} was told of the end", "that nobody was")

    def _breach(self, seq: int, expected: str, found: str) -> None:
        self.reading.breach(seq, TOLD_ONCE, expected, found)


def check_families(families: Sequence[FamilyReading]) -> Iterator[Breach]:
    """What children came to, held against what those who asked for them were told."""
    known: Mapping[str, FamilyReading] = {one.reading.thread_id: one for one in families}
    for child in families:
        birth = child.birth
        parent = known.get(birth.parent) if birth is not None else None
        if birth is None or parent is None or not child.told:
            continue
        where = (parent.reading.thread_id, None, TOLD_ONCE)
        report = parent.reports.get(birth.id)
        if report is None:
            yield Breach(*where, f"what {birth.id} came to: it says that it was told", "nothing")
        elif child.ended and not report.parked and report.status != child.ended:
            yield Breach(*where, f"that {birth.id} is {child.ended}", f"that it is {report.status}")
    for parent in families:
        for name, begun in parent.begun.items():
            child_log = known.get(begun.thread_id)
            if child_log is not None and (child_log.birth is None or child_log.birth.id != name):
                yield Breach(begun.thread_id, 1, TOLD_ONCE, f"a log born as {name}", str(child_log.birth))
