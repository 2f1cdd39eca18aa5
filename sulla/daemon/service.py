"""What clients may ask of the daemon: keeps the gateway's `Commands` with threads and work."""

from __future__ import annotations

import asyncio
import difflib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial

from sulla.capabilities import capabilities
from sulla.core.errors import Busy, CorruptRecord, InvalidInput, NotFound, ShuttingDown
from sulla.core.ids import MessageId, ThreadId
from sulla.core.jsontypes import FrozenJson, JsonObject
from sulla.daemon import questions
from sulla.daemon.bookmarks import StoreBookmarks
from sulla.daemon.checkup import Ask
from sulla.daemon.intake import Intake
from sulla.daemon.store_watch import StoreWatch
from sulla.finding.index import ThreadIndex
from sulla.finding.title import title_of
from sulla.flows.begin import FlowBeginnings
from sulla.flows.slice import flow_of_run
from sulla.gateway.bookmarks import Bookmarks
from sulla.gateway.commands import Event, Hear, Signal, Verdict, WaitingThread
from sulla.gateway.feed.thread_signals import event_of, read_signal
from sulla.gateway.methods import system
from sulla.gateway.wire import FlowRow, QuestionRow, ThreadRow, TurnSend, TurnSent
from sulla.handoffs.routing import AgentRouter
from sulla.host.collected import method_groups
from sulla.host.host import Host
from sulla.projects.projects import Projects
from sulla.routes.begin import RouteBeginnings
from sulla.rpc.caller import Context
from sulla.rpc.method import Needs
from sulla.store.values import LogInfo
from sulla.threads.archive.said_again import as_it_was
from sulla.threads.bus import ResendText, channel, live_channel, pack
from sulla.threads.log.family import is_child_wait
from sulla.threads.log.inputs import said_now
from sulla.threads.log.records import Answer, Input, ThreadCreated
from sulla.threads.log.state import ThreadState
from sulla.work.base import Job, Work

_PAGE = 500
log = logging.getLogger(__name__)

Forget = Callable[[ThreadId], Awaitable[None]]
"""Forgets a thread that was deleted."""


class Service:
    """Implements the gateway's `Commands` with the daemon's threads, store and work. It lives as long as the daemon.

    Args:
        host: has the threads and the agents.
        intake: takes people's messages in.
        watch: looks after the store, whose bus is listened to.
        work: whoever runs turns.
        services: who does the methods of each capability, by its name.
        forget: what else is forgotten with a thread that is deleted.
        report: what `status` says beside what is known here.
        look: what `check` does; of everything where it is handed how to ask this daemon, else of the store.
    """

    def __init__(
        self,
        host: Host,
        intake: Intake,
        watch: StoreWatch,
        work: Work,
        services: Mapping[str, object],
        forget: Sequence[Forget],
        report: Callable[[], Awaitable[JsonObject]],
        look: Callable[[Ask | None], Awaitable[JsonObject]],
    ) -> None:
        self._threads = host.threads
        self._host = host
        self._intake = intake
        self._watch = watch
        self._bookmarks = StoreBookmarks(watch.store)
        self._work = work
        self._services = dict((*services.items(), system.METHODS.done_by(self)))
        self._forget = forget
        self._report = report
        self._look = look
        self._closed = False
        self._heard: tuple[bytes | None, Signal | None] = (None, None)

    @property
    def services(self) -> Mapping[str, object]:
        """Who does the methods of each capability, by its name."""
        return self._services

    def check_ready(self, needs: Needs) -> None:
        """Do nothing if what a method needs is so: see `gateway.Commands`."""
        if needs == "open":
            self._check_open()
        elif needs == "store":
            self._watch.check()

    @property
    def bookmarks(self) -> Bookmarks:
        """Where clients that remember nothing were."""
        return self._bookmarks

    def refuse_new_work(self) -> None:
        """From now on nothing new is accepted; reading still works."""
        self._closed = True

    @property
    def stopping(self) -> bool:
        """Whether nothing new is accepted any more."""
        return self._closed

    async def create_thread(
        self, agent: str | None, title: str, project: str | None, request_id: str | None, channel: str = ""
    ) -> str:
        """Make a thread; the same `request_id` gives the same one."""
        self._check_open()
        projects = self._host.provided.get(Projects)
        if project and isinstance(projects, Projects):
            await asyncio.to_thread(projects.read, project)  # there has to be one
        fact = ThreadCreated(await self._known(agent) or self._host.agents.team.ids[0], title, project or "", channel)
        thread_id = await self._threads.create(fact, request_id)
        if request_id is None:  # else it may be there since long
            self._intake.made(thread_id)
        index = self._host.provided.get(ThreadIndex)
        if isinstance(index, ThreadIndex):
            index.wake(thread_id)
        return thread_id

    async def list_threads(self, after: str | None, limit: int) -> list[ThreadRow]:
        """Threads by id."""
        self._watch.check()
        found = await self._threads.list(after=after or "", limit=limit)
        return [self._row(info, await self._threads.with_inbox(info)) for info, _ in found]

    async def get_thread(self, thread_id: str) -> ThreadRow:
        """One thread."""
        self._watch.check()
        info, _ = await self._threads.get(ThreadId(thread_id))
        return self._row(info, await self._threads.with_inbox(info), whole=True)

    async def history(self, thread_id: str, after: int, before: int | None, limit: int) -> list[Event]:
        """A thread's durable events in order."""
        self._watch.check()
        entries = await self._threads.entries(ThreadId(thread_id), after=after, before=before, limit=limit)
        return [event_of(thread_id, entry) for entry in entries]

    async def delete_thread(self, thread_id: str) -> None:
        """Remove a thread with all it holds, and the threads of its sub-agents and branches, unless a turn goes on in
        it; also if others work for that meanwhile. Those of them that are told to end only now go an hour after that.
        """
        self._watch.check()
        with suppress(CorruptRecord):  # what cannot be read can be removed
            state = await self._threads.load(ThreadId(thread_id), messages=False)
            if state is not None and state.run is not None and any(map(is_child_wait, state.run.waits)):
                why = f"the turn of thread {thread_id!r} waits for others: stop it first, then delete"
                raise Busy(why, retry_after_s=1.0)
        below = await self._below(ThreadId(thread_id))
        await self._delete(ThreadId(thread_id))
        for child in below:
            with suppress(Busy, NotFound):
                await self._delete(child)

    async def _below(self, root: ThreadId) -> list[ThreadId]:
        """The threads of those that a thread has set to work, and of theirs. All threads are looked through."""
        found, after = list[ThreadId](), ""
        while page := await self._threads.list(after=after, limit=_PAGE):
            births = ((info.key, state.identity.birth) for info, state in page if state is not None)
            found += [ThreadId(key) for key, birth in births if birth is not None and birth.root == root]
            after = page[-1][0].key
        return found

    async def _delete(self, thread_id: ThreadId) -> None:
        await self._threads.delete(thread_id)
        for forget in self._forget:
            try:
                await forget(thread_id)
            except Exception:  # the thread is gone already, and the others have to forget it too
                log.exception("what is kept elsewhere of the deleted thread %s is not forgotten", thread_id)

    async def send(self, message: TurnSend, caller: str) -> TurnSent:
        """Keep a message; when this returns, it will be answered or fail visibly."""
        self._check_open()
        fact = Input(
            MessageId(message.message_id),
            message.text,
            message.mode,
            "web" if message.unattended else "user",
            agent=await self._known(message.agent),
            tainted=message.from_model,
            quoted=message.quoted,
            said_chars=message.said_chars,
            flow=await self._flow(message.flow),
        )
        if (before := message.again) is not None:
            fact = await as_it_was(self._threads, ThreadId(before.thread_id), before.seq, fact)
        sent = await self._intake.send(ThreadId(message.thread_id), fact, caller)
        self._work.enqueue(Job(message.thread_id))
        return TurnSent(run_id=sent.run_id, seq=sent.seq)

    async def _flow(self, said: FrozenJson | None) -> FrozenJson | None:
        """What a message says of flows, if its turn can be walked so."""
        if not said:
            return None
        beginnings = self._host.needed(FlowBeginnings)
        await self._host.agents.look()  # it may name what somebody has saved just now
        await beginnings.shelf.look_now()
        try:
            beginnings.check(said)
        except InvalidInput as error:
            raise InvalidInput(f"flow: {error.message}") from None
        return said

    async def last_seq(self, thread_id: str) -> int:
        """The number of the log's last record."""
        self._watch.check()
        info = await self._watch.store.head(thread_id)
        if info is None:
            raise NotFound(f"no thread {thread_id!r}: create one with thread.create, or list them with thread.list")
        return info.last_seq

    async def stop(self, thread_id: str, request_id: str | None, *, drop: bool = False) -> int:
        """End the running turn and hold what waits, or drop it."""
        self._watch.check()
        seq = await self._threads.stop(ThreadId(thread_id), request_id, drop=drop)
        self._work.enqueue(Job(thread_id))
        await self._work.heed(Job(thread_id))
        return seq

    async def resume_turns(self, thread_id: str, request_id: str | None) -> int:
        """Let held messages go on."""
        self._check_open()
        seq = await self._threads.resume(ThreadId(thread_id), request_id)
        self._work.enqueue(Job(thread_id))
        return seq

    async def list_questions(self, after: str | None, limit: int) -> list[WaitingThread]:
        """Threads whose run waits for an answer."""
        self._watch.check()
        return await questions.waiting(self._threads, after or "", limit)

    async def questions_of(self, thread_id: str) -> Sequence[QuestionRow]:
        """What the thread's run waits to be told by people."""
        self._watch.check()
        info, state = await self._threads.get(ThreadId(thread_id))
        return () if state is None else await questions.asked_now(self._threads, info, state)

    async def must_not_wait(self, thread_id: str, text: str) -> bool:
        """Whether a person's message ends what goes on, and any question that is asked."""
        self._watch.check()
        urgent = self._host.provided.get(RouteBeginnings)
        if not isinstance(urgent, RouteBeginnings) or urgent.table() is None:
            return False
        state = await self._threads.load(ThreadId(thread_id))
        return state is not None and urgent.urgent(state, said_now(text))

    async def answer(
        self, thread_id: str, question: str, verdict: Verdict, text: str, by: str = "", for_s: int = 0
    ) -> int:
        """Keep a person's answer to what the thread's run waits for, and have that go on; the number of its record. The
        first one counts. `always` also answers what is asked at the moment about calls like this one.
        """
        self._check_open()
        questions.check_verdict(question, verdict)
        if verdict == "result":
            await questions.check_choice(self._threads, ThreadId(thread_id), question, text)
        seq, threads = await self._intake.answer(
            ThreadId(thread_id), Answer(question, text, verdict, by=by, for_s=for_s)
        )
        for thread in threads:
            self._work.enqueue(Job(thread))
        return seq

    async def check(self, everything: Context | None) -> JsonObject:
        """Look at everything that is kept, or at everything."""
        return await self._look(None if everything is None else partial(self._asked, everything))

    async def _asked(self, context: Context, method: str) -> JsonObject:
        """What a method without parameters answers."""
        if method == "system.status":
            return await self.status()
        found = ((group, one) for group in method_groups(capabilities()) for one in group.rows if one.name == method)
        group, one = next(found)
        return await one.answer(group.service_in(self._services), one.params(), context)

    async def status(self) -> JsonObject:
        """How the daemon is."""
        doing, trouble, pause = self._work.inspect(), self._watch.trouble, self._host.switch.current
        return await self._report() | {
            "degraded": trouble.message if trouble is not None else None,
            "paused": pause.shown() if pause is not None else None,
            "running": len(doing.running),
            "queued": doing.waiting,
            "failing": list(doing.failing),
            "rate_limited": self._intake.refused(),
            "stopping": self._closed,
        }

    async def open_children(self, thread_id: str) -> Sequence[str]:
        """The threads of the sub-agents that have not reported."""
        self._watch.check()
        _, state = await self._threads.get(ThreadId(thread_id))
        return () if state is None else [child.thread_id for child in state.links.children.values()]

    async def works_for(self, thread_id: str) -> str:
        """The thread that has set this one to work; empty for none."""
        self._watch.check()
        _, state = await self._threads.get(ThreadId(thread_id))
        return state.identity.birth.parent if state is not None and state.identity.birth is not None else ""

    def listen(self, thread_id: str, hear: Hear) -> AbstractAsyncContextManager[None]:
        """Hear what happens to a thread, from now on."""
        return self._listen(ThreadId(thread_id), hear)

    @asynccontextmanager
    async def _listen(self, thread_id: ThreadId, hear: Hear) -> AsyncIterator[None]:
        def tell(payload: bytes | None) -> None:
            if (signal := self._signal(thread_id, payload)) is not None:
                hear(signal)

        async with (
            self._watch.store.subscribe(channel(thread_id)) as wakes,
            self._watch.store.subscribe(live_channel(thread_id)) as moments,
        ):
            wakes.attach(tell)
            moments.attach(tell)
            yield

    def _signal(self, thread_id: str, payload: bytes | None) -> Signal | None:
        """What a message of the bus tells listeners: `Over` for no payload, None for what is not meant for them.

        The latest one is kept: many may listen to one thread, and it is read once for all of them.
        """
        latest, signal = self._heard
        if payload is None or payload is not latest:
            signal = read_signal(thread_id, payload)
            self._heard = payload, signal
        return signal

    async def ask_text(self, thread_id: str) -> None:
        """Ask whoever runs the turn to show the text so far again."""
        self._watch.store.publish(channel(ThreadId(thread_id)), pack(ResendText()))

    def _check_open(self) -> None:
        if self._closed:
            raise ShuttingDown("the daemon is stopping; try again when it is back", retry_after_s=2.0)
        self._watch.check_open()

    async def _known(self, agent: str | None) -> str:
        if not agent:
            return ""
        agents = self._host.agents
        if agent not in agents.team.ids:
            await agents.look()
        known = agents.team.ids
        if agent in known:
            return agent
        near = difflib.get_close_matches(agent, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f" (known: {', '.join(known)})"
        raise NotFound(f"no agent {agent!r}{hint}")

    def _row(self, info: LogInfo, state: ThreadState | None, *, whole: bool = False) -> ThreadRow:
        if state is None:
            return ThreadRow(info.key, "", info.head.agent, "unreadable", info.last_seq, info.created_ms, 0)
        router = self._host.needed(AgentRouter)
        active, copies = router.current(state), state.identity.copies
        return ThreadRow(
            thread_id=info.key,
            title=title_of(state)[0],
            agent=state.identity.agent,
            status=info.head.status,
            last_seq=info.last_seq,
            created_ms=state.identity.created_ms,  # the log of an imported thread is younger
            waiting=len(state.inbox.waiting),
            channel=state.identity.channel,
            model=state.newest.model,
            noticed=tuple(sorted(state.newest.diagnostics)),
            loops=state.newest.agent_loops,
            project=state.identity.project,
            flow=_flow_row(state, whole=whole),
            active_agent=active,
            supervisor=router.above(active, state),
            reached=tuple(one.id for one in router.reached(state)),
            held=state.held,
            copy_of=copies[-1].thread_id if copies else "",
            copied_ms=copies[-1].made_ms if copies else None,
        )


def _flow_row(state: ThreadState, *, whole: bool) -> FlowRow | None:
    flow = flow_of_run(state)
    if flow is None:
        return None
    part = flow.part.key if flow.part is not None else ""
    return FlowRow(flow.name, flow.place, part, dict(flow.root) if whole else {})
