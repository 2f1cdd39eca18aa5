"""One broken promise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Breach:
    """Where, which promise, what should be there and what is."""

    thread_id: str
    seq: int | None
    """The record; None where it is no single one."""
    rule: str
    """The promise, in a word: `docs/faults.md` says more of each."""
    expected: str
    found: str

    def __str__(self) -> str:
        """As a line for people."""
        place = self.thread_id if self.seq is None else f"{self.thread_id} record {self.seq}"
        return f"{place} [{self.rule}]: expected {self.expected}; found {self.found}"
