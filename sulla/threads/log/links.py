"""What ties a thread to other logs. Pure."""

from __future__ import annotations

from dataclasses import field

from sulla.core.dataclass import dataclass
from sulla.core.ids import RunId
from sulla.threads.log.family import ChildStarted
from sulla.threads.log.kept import rule
from sulla.threads.log.plays import OwedAnswer


@dataclass(frozen=True, slots=True)
class RunRef:
    """A pointer to work that is kept in another log, e.g. a playbook's run: the reference, not the thing."""

    kind: str
    id: str
    running: bool
    run_id: RunId = RunId("")
    """The run that started it, and ends with that; empty for a person."""


@dataclass(slots=True)
class ThreadLinks:
    """What is open between a thread and other ones."""

    owes: dict[str, OwedAnswer] = field(default_factory=dict, metadata=rule(key="wait_id"))
    """Answers to playbooks' questions that they have not been told, by their wait ids."""
    reported: bool = False
    """Whether whoever asked for this thread knows what came of it."""
    children: dict[str, ChildStarted] = field(default_factory=dict, metadata=rule(key="id"))
    """Runs that were set to work from here and have not reported, by their ids."""
    active_work: RunRef | None = None
    """A playbook that has taken over (seed 004 `activeWorkflow`)."""
