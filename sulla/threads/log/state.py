"""What a thread is right now: the fold of its log (seed 004 §4; docs/inside/thread-state.md maps the names). Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, ClassVar

from sulla.core.addresses import NamedAddresses
from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId, NodeId, ThreadId
from sulla.core.words import Author, agent
from sulla.threads.log.delivery import Owed
from sulla.threads.log.family import Birth, CopyOf, ThreadLinks, is_child_wait
from sulla.threads.log.inputs import Inbox, WaitingInput
from sulla.threads.log.kept import FLAT, UNKEPT, rule
from sulla.threads.log.kind import CONVERSATION, ThreadKind
from sulla.threads.log.open_run import NewestRun, OpenRun
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.usage import ThreadSpending


@dataclass(frozen=True, slots=True)
class ThreadIdentity:
    """What a thread was begun as: its first record says so, and it never changes."""

    created_ms: int = 0
    agent: str = ""
    title: str = ""
    project: str = ""
    channel: str = ""
    """The client's channel that it was begun on (seed 004 `wsChannel`); empty for none."""
    graph: str = ""
    """What works on it; empty for its agent's conversation graph."""
    birth: Birth | None = None
    """Who asked for this thread, if a run did."""
    copies: tuple[CopyOf, ...] = ()
    """What it is a copy of, the newest last; empty for none."""


@dataclass(slots=True)
class ThreadWalk:
    """Where the newest run stands in its graph; see `graph.walk.WalkState`."""

    node: NodeId = NodeId("")
    iterations: int = 0
    consecutive_same_node: int = 0
    cycle_complete: bool = False
    waiting_for_user: bool = field(default=False, metadata=UNKEPT)
    lead: str = ""
    """The agent whose graph it is, where another one speaks now."""
    behalf: str = ""
    """The agent that has the conversation, while another one speaks for a part of the turn alone. Once the conversation
    is mistrusted nothing counts as allowed to that one which is not allowed to this one, too."""
    urgent: bool = False
    """The message that is worked on must not wait: another such one lets it be."""


@dataclass(frozen=True, slots=True)
class KnownSummary:
    """What is known of a conversation's beginning in short, in the place of its messages."""

    covers_seq: int = field(default=0, metadata=rule(name="summary_covers"))
    """Up to which record `text` says it all."""
    seq: int = field(default=0, metadata=rule(name="summary_seq"))
    """Its own record; 0 for none."""
    text: str = field(default="", metadata=UNKEPT)
    first_kept: MessageId = field(default=MessageId(""), metadata=UNKEPT)
    """The first message that it does not cover."""


@dataclass(slots=True)
class ModelContext:
    """What a model is shown of a thread."""

    transcript: Transcript = field(metadata=UNKEPT)
    summary: KnownSummary = field(default_factory=KnownSummary, metadata=FLAT)
    tainted: bool = False
    """Whether a model was shown anything here that nobody trusts. For good: its own words since then may repeat it,
    and so may a summary of them (design §9)."""
    by_model: bool = False
    """Whether a client's model has said something here, which may also have chosen the agent. For good, too."""
    named: NamedAddresses | None = field(default=None, metadata=rule(name="addresses"))
    """Who named its addresses first; None for a thread that was begun before this was kept."""

    @property
    def by(self) -> Author:
        """Whose words those of the model are."""
        return agent(tainted=self.tainted)


@dataclass(slots=True)
class ThreadState:
    """The one mutable record of a thread, owned by whoever holds its lease."""

    KEPT_ORDER: ClassVar = (
        *("created_ms", "updated_ms", "agent", "title", "project", "channel", "model", "graph", "slices", "owes"),
        *("birth", "reported", "children", "active_work", "run", "outcome", "nudged", "nudging", "node", "iterations"),
        *("consecutive_same_node", "agent_loops", "cycle_complete", "waiting", "controls", "barged", "held_below"),
        *("summary_covers", "summary_seq", "tainted", "diagnostics", "usage", "spent_tokens", "spent_micro", "day"),
        *("day_tokens", "opening", "addresses", "lead", "given", "behalf", "by_model", "urgent", "copies"),
    )

    thread_id: ThreadId = field(metadata=UNKEPT)
    context: ModelContext = field(metadata=FLAT)
    identity: ThreadIdentity = field(default_factory=ThreadIdentity, metadata=FLAT)
    kind: ThreadKind[Any] = field(default=CONVERSATION, metadata=UNKEPT)
    """What it is like; follows from `identity`."""
    slices: dict[str, object] = field(default_factory=dict, metadata=rule(always=True, numbers=lambda slices: ()))
    """What capabilities keep here, by the names of their slices: read and written by `Slice` alone."""
    updated_ms: int = 0
    """When something was last decided, UTC milliseconds."""
    links: ThreadLinks = field(default_factory=ThreadLinks, init=False, metadata=FLAT)
    run: OpenRun | None = field(default=None, init=False)
    newest: NewestRun = field(default_factory=NewestRun, init=False, metadata=FLAT)
    walk: ThreadWalk = field(default_factory=ThreadWalk, init=False, metadata=FLAT)
    inbox: Inbox = field(default_factory=Inbox, init=False, metadata=FLAT)
    spending: ThreadSpending = field(default_factory=ThreadSpending, init=False, metadata=FLAT)

    @property
    def suspended(self) -> bool:
        """Whether the open run can do nothing but wait for an answer: no other call of it was begun and put off."""
        run = self.run
        if self.kind.waits_while_working:
            return run is not None and run.resting
        return (
            run is not None and bool(run.waits) and run.calls.intents.keys() <= {w.call_id for w in run.waits.values()}
        )

    @property
    def depth(self) -> int:
        """0 for a thread that nobody spawned; one more for each child."""
        return self.identity.birth.depth if self.identity.birth is not None else 0

    @property
    def is_child(self) -> bool:
        """Whether another agent asked for this (seed 004 `isSubAgent`)."""
        return self.identity.birth is not None

    @property
    def owes_report(self) -> bool:
        """Whether somebody waits to be told what came of this."""
        birth, run = self.identity.birth, self.run
        if birth is None or self.links.reported:
            return False
        if run is None:
            # Who was given other words meanwhile tells what those come to.
            return self.walk.cycle_complete and not (self.newest.outcome.reason == "interrupted" and self.runnable)
        # Where nobody is there to answer, whoever asked goes on without: a beat ends `blocked` (design §8).
        return birth.unattended and self.suspended and not all(map(is_child_wait, run.waits))

    @property
    def end_heard_by(self) -> ThreadId:
        """The conversation that is to be told that this has ended; empty for none."""
        return self.kind.end_news.to(self)

    @property
    def outbox(self) -> Iterator[Owed]:
        """What other threads are to be offered, in order; nothing of it is forgotten before it is noted as done."""
        if self.owes_report and self.identity.birth is not None:
            yield Owed("report", self.identity.birth.parent, self.identity.birth.id)
        for answer in self.links.owes.values():
            yield Owed("answer", answer.thread_id, answer.wait_id)
        if not self.inbox.waiting and (heard_by := self.end_heard_by):  # a message that waits may have it go on
            yield Owed("end", heard_by, self.thread_id)
        if self.run is None:
            for child in self.links.children.values():
                yield Owed("cancel", child.thread_id, child.id)

    @property
    def runnable(self) -> list[WaitingInput]:
        """Waiting messages that may start a run now, in log order.

        A stop holds what was sent before it, until somebody says continue or sends something new (design §4.2). What
        playbooks ask and tell is neither held nor something new: they would wait for ever.
        """
        waiting = sorted(self.inbox.waiting.values(), key=lambda item: item.seq)
        sent = [item for item in waiting if not self.is_told(item)]
        if sent and sent[-1].seq < self.inbox.held_below:
            return [item for item in waiting if self.is_told(item)]
        return waiting

    @property
    def held(self) -> int:
        """How many waiting messages a stop holds."""
        return len(self.inbox.waiting) - len(self.runnable)

    def is_told(self, item: WaitingInput) -> bool:
        """Whether a message is what a playbook asks or tells a conversation: no person's, and no order to a run."""
        return item.origin == "playbook" and not self.kind.refusal

    def must_not_wait(self, item: WaitingInput) -> bool:
        """Whether a waiting message ends what is going on, and comes before all others that wait.

        Args:
            item: the message.
        """
        inbox = self.inbox
        if inbox.urgent is None or item.origin == "playbook":
            return False
        if item.seq not in inbox.looked:
            known = {seq: said for seq, said in inbox.looked.items() if seq in inbox.waiting}
            inbox.looked = {**known, item.seq: inbox.urgent(self, item)}
        return inbox.looked[item.seq]

    @property
    def steering(self) -> list[WaitingInput]:
        """Waiting messages that want to join the running turn, in log order."""
        return [item for item in self.runnable if item.mode == "steer" and not self.must_not_wait(item)]


def tools_given(state: ThreadState) -> tuple[str, ...] | None:
    """The tools that whoever asked for a thread allowed; None for all.

    Args:
        state: the thread.
    """
    return state.identity.birth.tools if state.identity.birth is not None else None
