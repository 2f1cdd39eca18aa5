"""Child runs: started, told to end, and reported to whoever asked for them (design §7).

Each has a log of its own. Logs talk by offers alone: a child's holder offers what it came to, under an id that its
parent's log takes once; so a crash anywhere loses nothing and doubles nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Final

from sulla.agent.calls.taint import asking, trust_of
from sulla.agent.limits.limits import Charge, RunLimits, bounds_of, set_aside
from sulla.agent.subagents.deliveries import delivery_of
from sulla.core.addresses import ADDRESS, forms
from sulla.core.dataclass import dataclass
from sulla.core.errors import LimitReached, MessageIdReused, NotFound
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.core.limit import LimitHit
from sulla.core.message import Origin
from sulla.core.words import Words, worst
from sulla.threads.log.delivery import Owed
from sulla.threads.log.family import Birth, ChildMode, ChildStarted, child_request, child_thread, wait_of
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.plays import PLAYBOOK, Play
from sulla.threads.log.records import Input, ThreadCreated
from sulla.threads.log.state import ThreadState
from sulla.threads.session import ThreadSession
from sulla.threads.store import ThreadStore

MAX_DEPTH: Final = 3
"""How deep children's children may go (design §7)."""
MAX_TITLE: Final = 200
MOST_NAMED: Final = 20
"""Addresses of a task that stay those of the person who named them."""


@dataclass(frozen=True, slots=True)
class ChildTask:
    """What a child is to do."""

    id: str
    """Follows from what asked for it, so that asking again after a crash starts no other one."""
    agent: str
    task: Words
    """Its one message. Where it is trusted less than what its parent has read, the child is, too."""
    mode: ChildMode
    title: str = ""
    """In a line, for people; empty for the beginning of the task."""
    project: str = ""
    tools: tuple[str, ...] | None = None
    """The tools that it may use; None for all of its agent's."""
    model: str = ""
    """``provider:model`` in the place of its agent's own."""
    tokens: int = 0
    """The most that it may use; 0 for its share of what its parent has left (`_part`)."""
    cost_micro: int | None = None
    wall_s: float = 0.0
    """The most seconds at work; 0 for what any run may."""
    play: Play | None = None
    """The playbook that it is to walk; None for an agent's work. It counts for no depth: only agents do."""
    memory: bool = True
    """Whether it is told what its agent remembers, and is remembered itself."""
    askers: tuple[str, ...] = ()
    """Whoever began the playbook that asks, if agents did: see `Birth.askers`."""
    part: int = 0
    """Which part of what its parent has left it is given; 0 for what `_part` says."""
    flow: FrozenJson | None = None
    """By which flow its turn is to be walked; see `Input.flow`."""


class Children:
    """Starts child runs, and carries words between them and their parents.

    Args:
        threads: where threads are kept.
        wake: has a thread looked at soon; the sweep finds it all the same.
        limits: what any run may use.
    """

    def __init__(self, threads: ThreadStore, wake: Callable[[ThreadId], None], limits: RunLimits) -> None:
        self._threads = threads
        self._wake = wake
        self._limits = limits

    async def start(self, child_task: ChildTask, parent: ThreadState) -> ThreadId:
        """Set a child (an agent, or a playbook) to work; once, however often this is asked for. It is given a share of
        what its parent's run may still use.

        Args:
            child_task: what it is to do.
            parent: the thread that asks, with its run open.

        Returns:
            The child's thread.

        Raises:
            LimitReached: it would be too deep (a playbook never is), one too many, or too few tokens are left for it.
            NotFound: the parent has no open run.
        """
        run = parent.run
        if run is None:
            raise NotFound(f"{parent.thread_id}: only an open run can have others work for it")
        thread_id = child_thread(child_task.id)
        if wait_of(child_task.id) in run.reports:
            return thread_id
        if child_task.id not in parent.links.children:
            self._check(child_task, parent)
        asked, birth = ThreadId(parent.thread_id), parent.identity.birth
        given = self._share(child_task, parent, run)
        tainted = worst((parent.context.by, child_task.task.by)).tainted
        born = Birth(
            child_task.id,
            child_task.mode,
            asked,
            run.id,
            birth.root if birth is not None else asked,
            parent.depth + (child_task.play is None),
            child_task.mode == "cycle" or (birth is not None and birth.unattended),
            tainted,
            _narrower(child_task.tools, birth.tools if birth is not None else None),
            child_task.model,
            given.tokens,
            given.cost_micro,
            child_task.wall_s,
            child_task.memory,
            _askers(child_task, parent, run) if tainted else (),
            _named(child_task, parent),
        )
        # Begun is ended: a child of which its parent's log knows nothing could not be cancelled with it.
        # A playbook says itself what it calls: within one that a person started it is as if they had started this.
        origin: Origin = "operator" if child_task.play is not None and trust_of(run) == "person" else "parent"
        work = asyncio.ensure_future(self._begin(child_task, born, run.id, origin))
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            await work
            raise
        self._wake(thread_id)
        return thread_id

    async def cancel(self, child: str) -> None:
        """Tell a child to end; it reports as any other.

        Raises:
            NotFound: there is none.
        """
        thread_id = child_thread(child)
        await self._threads.stop(thread_id, f"cancel:{child}")
        self._wake(thread_id)

    async def deliver(self, session: ThreadSession, owed: Owed) -> None:
        """Offer another thread what this one has for it, and note that it was done.

        Args:
            session: this thread.
            owed: what it has, and for whom.
        """
        delivery, known = delivery_of(session.state, owed), True
        if delivery.kept_first:
            await session.commit()
        try:
            for fact, key in delivery.offers:
                await self._threads.deliver(owed.to, fact, key)
        except NotFound:
            known = False
        session.note(delivery.done(known))
        if known:
            self._wake(owed.to)

    def _share(self, child_task: ChildTask, parent: ThreadState, run: OpenRun) -> Charge:
        """What a child is given of what its parent's run has left, and has not set aside for others.

        All that a run sets to work uses no more than it may itself, however many they are and however deep.
        """
        if (begun := parent.links.children.get(child_task.id)) is not None and begun.tokens:
            return Charge(begun.tokens, begun.cost_micro)
        bounds, aside = bounds_of(self._limits, parent), set_aside(parent)
        left = bounds.tokens - run.spent.tokens - aside.tokens
        part = child_task.part or _part(child_task, parent, run)
        tokens = min(left, child_task.tokens or left // part)
        if tokens < bounds.reply_tokens:  # not one reply would fit
            hit = LimitHit(
                "tokens", "run", "tokens", bounds.tokens, run.spent.tokens + aside.tokens, bounds.reply_tokens
            )
            text = f"of this run's tokens {max(0, left)} are left, too few for one more sub-agent: do it yourself"
            if child_task.mode == "step":  # no model reads this
                text = (
                    f"{max(0, tokens)} tokens are too few for the agent of a step: its reply alone may take "
                    f"{bounds.reply_tokens}. Raise `budget.tokens` of the step or of the playbook"
                )
            raise LimitReached("limit_tokens", text, hit)
        if bounds.cost_micro is None:
            return Charge(tokens, child_task.cost_micro)
        left_micro = max(0, bounds.cost_micro - run.spent.cost_micro - (aside.cost_micro or 0))
        wanted = left_micro // part if child_task.cost_micro is None else child_task.cost_micro
        return Charge(tokens, min(left_micro, wanted))

    def _check(self, child_task: ChildTask, parent: ThreadState) -> None:
        if child_task.play is None and parent.depth >= MAX_DEPTH:
            hit = LimitHit("depth", "run", "steps", MAX_DEPTH, parent.depth, 1)
            text = (
                f"sub-agents go {MAX_DEPTH} deep at the most, and this one is at depth {parent.depth}: do it yourself"
            )
            raise LimitReached("limit_depth", text, hit)
        most = parent.kind.max_children
        if len(parent.links.children) >= most:
            hit = LimitHit("children", "run", "calls", most, len(parent.links.children), 1)
            text = f"{most} sub-agents of this run have not reported yet: wait for some of them first"
            raise LimitReached("limit_children", text, hit)

    async def _begin(self, child_task: ChildTask, born: Birth, run_id: RunId, origin: Origin) -> None:
        title = (child_task.title or child_task.task.text).strip().partition("\n")[0][:MAX_TITLE]
        thread_id = child_thread(child_task.id)
        aside = (born.tokens, born.cost_micro)
        begun = ChildStarted(child_task.id, thread_id, child_task.agent, child_task.mode, run_id, title, *aside)
        await self._threads.tell(born.parent, begun, child_task.id, run_id)
        graph = PLAYBOOK if child_task.play is not None else ""
        created = ThreadCreated(
            child_task.agent, title, child_task.project, birth=born, graph=graph, play=child_task.play
        )
        with suppress(MessageIdReused):  # begun before a crash, when there was more or less left to use
            await self._threads.create(created, child_request(child_task.id))
        with suppress(MessageIdReused):  # nor may the words be the same
            task = child_task.task
            said = Input(
                MessageId(f"task:{child_task.id}"),
                task.text,
                origin=origin,
                tainted=task.tainted,
                flow=child_task.flow,
            )
            await self._threads.send(thread_id, said)


def _part(child_task: ChildTask, parent: ThreadState, run: OpenRun) -> int:
    """Which part of what is left a child is given: the same for each call of a reply, and one is kept for the parent.

    Beside one that is not waited for there will be others; who waits has nothing else to do.
    """
    waited_for = sum(child.mode == "call" for child in parent.links.children.values())
    return max(4 if child_task.mode == "spawn" else 2, len(run.calls.intents) - waited_for + 1)


def _askers(child_task: ChildTask, parent: ThreadState, run: OpenRun) -> tuple[str, ...]:
    """See `Birth.askers`. A playbook is its author's word, and says itself which agents have begun it."""
    if parent.identity.graph == PLAYBOOK:
        before = parent.identity.birth.askers if parent.identity.birth is not None else ()
        return tuple(dict.fromkeys((*before, *child_task.askers)))
    return tuple(dict.fromkeys((*asking(parent), run.agent or parent.identity.agent)))


def _named(child_task: ChildTask, parent: ThreadState) -> tuple[str, ...]:
    """See `Birth.named`: whoever hands an address on adds nothing to it."""
    known = parent.context.named
    if known is None or parent.identity.graph == PLAYBOOK or child_task.play is not None:
        return ()
    found = (form for address in ADDRESS.findall(child_task.task.text) for form in sorted(forms(address), key=len))
    return tuple(islice(dict.fromkeys(form for form in found if known.is_persons(form)), MOST_NAMED))


def _narrower(some: tuple[str, ...] | None, others: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if some is None or others is None:
        return others if some is None else some
    return tuple(name for name in some if name in others)
