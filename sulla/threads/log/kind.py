"""What a kind of thread is like: what it takes, remembers and waits for. Pure.

A thread's kind follows from the first record of its log (`ThreadSchema.kind_of`) and never changes. Those of this
package are here; capabilities bring their own, as a value in the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final, Generic, Literal, TypeVar

from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.threads.log.delivery import EndNews, no_thread
from sulla.threads.log.family import ChildMode, Report
from sulla.threads.log.records import ThreadCreated
from sulla.threads.log.requests import RunRequest

StateT = TypeVar("StateT")

Recall = Literal["conversation", "run", "nothing"]
"""What of its messages is read again when a thread is taken up: those that a model may be shown, those of the open run
alone, or none."""

Group = Literal["turn", "child", "step", "play"]
"""What is worked on: a conversation's turn or a beat, a run that another one asked for, an agent's step of a playbook,
a playbook."""

Created = Callable[[StateT, ThreadCreated], None]
"""Told of the state of a thread that has just begun, and of how it begins."""

RunEnded = Callable[[StateT, int], None]
"""Told of the state, of which no run is open any more and whose outcome says how it ended, and of when that was (UTC
milliseconds)."""

Reported = Callable[[StateT, Report, int], None]
"""Told of the state, what a child came to, and when that was taken note of (UTC milliseconds)."""


def _nothing(state: object, *others: object) -> None:
    """Most kinds have nothing to add."""


@dataclass(frozen=True, slots=True)
class RunBudget:
    """What a run may use by the word of whoever began its thread."""

    tokens: int = 0
    """The most; 0 for what any such run may."""
    cost_micro: int | None = None
    """The same in money, in millionths of the currency's unit; None for no bound of its own."""


@dataclass(frozen=True, slots=True)
class ThreadKind(Generic[StateT]):
    """How the threads of one kind behave; made once, by whoever brings the kind."""

    name: str
    graph: str = ""
    """What works on it, as its first record says; empty for an agent's conversation graph."""
    group: Group = "turn"
    """Which bound of work at the same time it counts against."""
    recall: Recall = "conversation"
    refusal: str = ""
    """Why it takes no messages of people, and what to do instead; empty for a kind that takes them."""
    waits_while_working: bool = False
    """Whether its run can wait for one thing while it works at another: it is not at one place of its graph then, and
    looks by itself for what has come of what it waits for."""
    orders: tuple[type[RunRequest], ...] = ()
    """The orders that its runs take."""
    conversation: Callable[[StateT], ThreadId] = no_thread
    """Where people hear of it and are asked, if no run asked for it; empty for nowhere."""
    budget: Callable[[StateT], RunBudget | None] = _nothing
    """What its runs may use; None for what any run may. Such runs work for long: see `RunLimits.play_tokens`."""
    gives_response: bool = False
    """Whether what a run of it came to is its outcome's response as it is, and no last word of an agent."""
    ends_on_continue: bool = False
    """Whether a reply that says `continue` ends its run: whoever asked for it begins another one."""
    max_children: int = 32
    """Runs that one of its runs may have at work that have not reported yet; so many of them work at once as the daemon
    allows."""
    end_news: EndNews[StateT] = field(default_factory=EndNews)
    """How a conversation hears of the end of such a thread; by itself none does."""
    on_created: Created[StateT] = _nothing
    """Has the state hold what the kind's capability keeps of a thread from its beginning; may change nothing else."""
    on_run_ended: RunEnded[StateT] = _nothing
    """Changes what the kind's capability keeps in the state when a run has ended; may change nothing else."""
    on_report: Reported[StateT] = _nothing
    """The same when a child's report is charged."""


CONVERSATION: Final[ThreadKind[object]] = ThreadKind("conversation")
"""A person and an agent, or a call of a tool at a set time."""
CHILD: Final[ThreadKind[object]] = ThreadKind("child", group="child")
"""A run that an agent asked for."""
STEP: Final[ThreadKind[object]] = ThreadKind("step", group="step")
"""One that something else than an agent asked for, as one step of many."""
CYCLE: Final[ThreadKind[object]] = ThreadKind("cycle", group="child", ends_on_continue=True)
"""One of several that are asked for one after the other, until one of them is done."""
BY_MODE: Final[Mapping[ChildMode, ThreadKind[object]]] = {"call": CHILD, "spawn": CHILD, "step": STEP, "cycle": CYCLE}
"""The kinds of threads that were asked for, by how."""
