"""What a reading of a log comes to, and one broken promise. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sulla.core.units import DAY_MS
from sulla.threads.log.usage import Usage


@dataclass(frozen=True, slots=True)
class Breach:
    """Where, which promise, what should be there and what is."""

    thread_id: str
    seq: int | None
    """The record; None where it is no single one."""
    rule: str
    """The promise, in a word: `docs/inside/faults.md` says more of each."""
    expected: str
    found: str

    def __str__(self) -> str:
        """As a line for people."""
        place = self.thread_id if self.seq is None else f"{self.thread_id} record {self.seq}"
        return f"{place} [{self.rule}]: expected {self.expected}; found {self.found}"


@dataclass(slots=True)
class Sums:
    """What the records say was used."""

    usage: Usage = field(default_factory=Usage)
    day: int = 0
    day_tokens: int = 0

    def charge(self, tokens: int, at_ms: int) -> None:
        """Count tokens on the day of a record; the day never goes back."""
        if at_ms // DAY_MS > self.day:
            self.day, self.day_tokens = at_ms // DAY_MS, 0
        self.day_tokens += tokens


@dataclass(slots=True)
class LogReading:
    """What a log says, for those who hold other ledgers against it."""

    thread_id: str
    breaches: list[Breach] = field(default_factory=list)
    messages: dict[str, int] = field(default_factory=dict)
    """Each message's record."""
    runs: dict[int, str | None] = field(default_factory=dict)
    """Each message's run, by its record."""
    intents: dict[str, int] = field(default_factory=dict)
    """The first intent of each ``<run>:<call>``."""
    permits: Counter[str] = field(default_factory=Counter)
    """How often a person let ``<run>:<call>`` run again."""
    started: Counter[str] = field(default_factory=Counter)
    """How often each request, by its hash, was about to be made."""
    replied: Counter[str] = field(default_factory=Counter)
    """How often it was answered to the end."""
    sums: Sums = field(default_factory=Sums)

    def breach(self, seq: int | None, rule: str, expected: str, found: str) -> None:
        """Note a broken promise."""
        self.breaches.append(Breach(self.thread_id, seq, rule, expected, found))
