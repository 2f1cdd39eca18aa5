"""What a kind of thread is like: what it takes, remembers and waits for. Pure.

A thread's kind follows from the first record of its log (`ThreadSchema.kind_of`) and never changes. The two kinds of
this package are here; capabilities bring their own, as a value in the schema.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

from sulla.threads.facts import Outcome
from sulla.threads.family import Report

StateT = TypeVar("StateT")

Recall = Literal["conversation", "run", "nothing"]
"""What of its messages is read again when a thread is taken up: those that a model may be shown, those of the open run
alone, or none."""

RunEnded = Callable[[StateT, Outcome, int], None]
"""Told of the state, how its run ended, and when (UTC milliseconds), before the run is taken out of the state."""

Reported = Callable[[StateT, Report, int], None]
"""Told of the state, what a child came to, and when that was taken note of (UTC milliseconds)."""


def _nothing(state: object, what: object, at_ms: int) -> None:
    """Most kinds have nothing to add."""


@dataclass(frozen=True, slots=True)
class ThreadKind(Generic[StateT]):
    """How the threads of one kind behave; made once, by whoever brings the kind."""

    name: str
    graph: str = ""
    """What works on it, as its first record says; empty for an agent's conversation graph."""
    recall: Recall = "conversation"
    on_run_ended: RunEnded[StateT] = _nothing
    """Changes what the kind's capability keeps in the state when a run has ended; may change nothing else."""
    on_report: Reported[StateT] = _nothing
    """The same when a child's report is charged."""


CONVERSATION: Final[ThreadKind[object]] = ThreadKind("conversation")
"""A person and an agent, or a call of a tool at a set time."""
CHILD: Final[ThreadKind[object]] = ThreadKind("child")
"""A run that an agent asked for."""
