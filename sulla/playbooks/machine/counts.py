"""How many steps of a run have come to what. Pure.

Each step of the playbook counts once, those of a loop by its first pass: so there are never more than the playbook has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from sulla.playbooks.machine.records import Fact, RunReopened, StepFailed, kind_of

UPSTREAM: Final = "upstream"
"""The reason of a failure that is another step's: this one never began."""
_ENDS: Final[Mapping[str, str]] = {
    "STEP_COMPLETED": "done",
    "STEP_FAILED": "failed",
    "STEP_SKIPPED": "skipped",
    "STEP_CANCELLED": "cancelled",
}


class StepCounts(NamedTuple):
    """So many steps are done, have failed, were skipped, and were stopped."""

    done: int = 0
    failed: int = 0
    skipped: int = 0
    cancelled: int = 0

    def after(self, what: str, at: str, reason: str = "") -> StepCounts:
        """The counts after one more fact.

        Args:
            what: its kind.
            at: the step's address.
            reason: of a failure.
        """
        name = _ENDS.get(what)
        if name is None or not counts(at) or (name == "failed" and reason == UPSTREAM):
            return self
        return self._replace(**{name: getattr(self, name) + 1})


def counts(at: str) -> bool:
    """Whether what becomes of a step at this address counts: it lies in no loop, or in the first pass of each.

    Args:
        at: the address.
    """
    return not at.partition("@")[2].strip("0.")


def counted(facts: Iterable[Fact]) -> StepCounts:
    """How many steps have come to what by these facts.

    Args:
        facts: of a run, without those that were taken back.
    """
    found = StepCounts()
    for fact in facts:
        if isinstance(fact, RunReopened):
            continue  # those before it are among the facts
        reason = fact.failure.reason if isinstance(fact, StepFailed) else ""
        found = found.after(kind_of(fact), getattr(fact, "at", ""), reason)
    return found
