"""Runs that a run sets to work: who asked for them, and what they came to (design §7); other ties of threads. Pure."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import ClassVar, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.ids import RunId, ThreadId, derived_id, is_of_a_flow
from sulla.core.jsontypes import FrozenJson
from sulla.threads.log.forms import Fielded
from sulla.threads.log.kept import rule
from sulla.threads.log.plays import OwedAnswer
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.usage import Usage

ChildMode = Literal["call", "spawn", "cycle", "step"]
"""`call`: the run waits for it. `spawn`: it works beside the run. `cycle`: one cycle of a heartbeat. `step`: one of a
playbook."""

CHILD_WAIT: Final = "child:"
"""How the wait ids begin under which children report."""


@dataclass(frozen=True, slots=True)
class Birth(Fielded):
    """Who asked for a child run, and what it may do: the narrower of this and what its agent may do anyway."""

    id: str
    mode: ChildMode
    parent: ThreadId
    run_id: RunId
    """The run that asked."""
    root: ThreadId
    """The thread that all of them come from."""
    depth: int
    """1 for a child of a thread that nobody spawned."""
    unattended: bool = False
    """Whether a beat is at the root: who needs a person then says so instead of waiting for one."""
    tainted: bool = False
    """Whether its task was made from what nobody trusts."""
    tools: tuple[str, ...] | None = None
    """The tools that it may use; None for all of its agent's."""
    model: str = ""
    """``provider:model`` in the place of the agent's own."""
    tokens: int = 0
    """The most that it may use; 0 for what any run may."""
    cost_micro: int | None = None
    """The same in money, in millionths of the currency's unit."""
    wall_s: float = 0.0
    """The most seconds at work; 0 for what any run may."""
    memory: bool = True
    """Whether it is told what its agent remembers, and is remembered itself."""
    askers: tuple[str, ...] = ()
    """The agents whose mistrusted conversations ask for this, the first one first: what people have allowed its own
    agent for good counts as far as it is allowed to them, too."""
    named: tuple[str, ...] = ()
    """Addresses of its task that a person named, in the thread that asks, before any model did."""

    @property
    def is_of_a_flow(self) -> bool:
        """Whether it is a branch of a flow, or a task that a flow delegates: a part of its parent's turn."""
        return is_of_a_flow(self.id)


@dataclass(frozen=True, slots=True)
class Report(Fielded):
    """What a child run came to, for whoever asked for it."""

    status: str
    """Its outcome's."""
    reason: str = ""
    status_report: str = ""
    blocker_reason: str = ""
    unblock_requirements: str = ""
    tokens: int = 0
    """Charged to it and to its own children."""
    cost_micro: int | None = None
    tainted: bool = False
    """Whether what it says may repeat what nobody trusts."""
    parked: bool = False
    """It waits for a person, and goes on by itself when it has an answer."""
    tools_used: int = 0
    """Tool calls that had a result without an error."""
    agent: str = ""
    """Who did it."""
    focus: str = ""
    """What it chose to work on, and why; in a heartbeat's cycle."""
    focus_reason: str = ""
    files: int = 0
    """Files that it has written by the tools for that."""
    commands: int = 0
    """Commands that it has run, which may have written any."""
    given: FrozenJson | None = None
    """What parts of it came to that give a value, by their keys; None for nothing."""
    usage: Usage | None = None
    """What its model calls and those of its children used, as the services counted it; None where that was not kept."""


@dataclass(frozen=True, slots=True)
class ChildStarted(Fielded):
    """A run has set another one to work. Offered by that run before the child exists, so that none is forgotten."""

    kind: ClassVar[str] = "CHILD_STARTED"
    provenance: ClassVar[Provenance] = "thread"
    id: str
    thread_id: ThreadId
    agent: str
    mode: ChildMode
    run_id: RunId
    """The run that asked."""
    task: str = ""
    """What it is for, in a line, for people."""
    tokens: int = 0
    """Set aside for it from what its run may use, until it has reported."""
    cost_micro: int | None = None
    """The same in money, in millionths of the currency's unit."""


@dataclass(frozen=True, slots=True)
class ChildCancelled(Fielded):
    """A child run was told to end, because nobody waits for it any more."""

    kind: ClassVar[str] = "CHILD_CANCELLED"
    provenance: ClassVar[Provenance] = "daemon"
    id: str


@dataclass(frozen=True, slots=True)
class ChildReported(Fielded):
    """Whoever asked for this thread has been told what it came to."""

    kind: ClassVar[str] = "CHILD_REPORTED"
    provenance: ClassVar[Provenance] = "daemon"
    id: str
    known: bool = True
    """False if there is nobody any more who could be told."""


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


def wait_of(child: str) -> str:
    """The wait id under which a child reports."""
    return f"{CHILD_WAIT}{child}"


def is_child_wait(wait_id: str) -> bool:
    """Whether a child is waited for under this id."""
    return wait_id.startswith(CHILD_WAIT)


def child_request(child: str) -> str:
    """The request under which a child's thread is made. No client can ask so: its ids have no colon."""
    return f"child:{child}"


def child_thread(child: str) -> ThreadId:
    """The thread of a child; it is known before there is one."""
    return ThreadId(derived_id("thr", "request", child_request(child)))


FORKED: Final = "forked"
"""Why what was under way in a conversation does not go on in its copy: the reason of its end there."""
MOST_COPIES: Final = 16
"""Of a copy of a copy of a copy: so many are known, the newest."""


@dataclass(frozen=True, slots=True)
class CopyOf(Fielded):
    """A copy was made, and of what."""

    thread_id: ThreadId
    """The conversation that was copied."""
    records: int
    """So many of the copy's records are taken over, from the first on."""
    until_ms: int
    """When the last of them was written, UTC milliseconds."""
    made_ms: int
    """When the copy was made, UTC milliseconds."""


def standing_in(thread_id: ThreadId, copies: Sequence[CopyOf]) -> Mapping[str, int]:
    """Which threads' words stand in a conversation, and up to when they were said, UTC milliseconds.

    Args:
        thread_id: the conversation, which has all of its own.
        copies: what it is a copy of.
    """
    return {**{copy.thread_id: copy.until_ms for copy in copies}, thread_id: sys.maxsize}
