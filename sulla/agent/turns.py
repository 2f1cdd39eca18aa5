"""The driver of a thread's turns: holds the lease, does what the desk says, and leaves the log so that anyone can go
on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from sulla.agent.answers import answered, overdue
from sulla.agent.ending import Cut, Ending, Failed, Walked, close_run, failed
from sulla.agent.ledger import Ledger
from sulla.agent.limits import Charge, RunLimits, limit_reached, wall_hit
from sulla.agent.live import LiveText
from sulla.agent.prompt import ActiveAgent, turn_context
from sulla.agent.spec import AgentSpec
from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.errors import Aborted, NotFound, StaleLease, StoreUnavailable, SullaError, leaf
from sulla.core.ids import ThreadId
from sulla.core.run import Run
from sulla.core.trail import trail
from sulla.graph import Graph, Limits, Meter, run_graph
from sulla.store import Store, Subscription
from sulla.threads import (
    Advanced,
    AskText,
    Continue,
    Continued,
    GoOn,
    Ignore,
    InputIgnored,
    Interrupt,
    ModelAbandoned,
    OpenRun,
    Rest,
    Resume,
    Resumed,
    RunStarted,
    Start,
    Stop,
    Stopped,
    ThreadSession,
    ThreadState,
    ThreadStore,
    WaitingInput,
    channel,
    next_task,
    unpack,
)

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""A running turn looks for new inputs at least this often, because wake-ups may be lost (design §3)."""

OUT_OF_TIME = "limit_wall_s"
"""Why a run is aborted that took longer than it may."""

LEAVE_S = 2.0
"""How long a turn that is cut off may take to say so in its log."""


Told = Callable[[str, str], Awaitable[str]]
"""Gives an agent's memory, by its id and the message that a thread begins with. It answers within its own deadline."""


async def nothing_told(agent: str, message: str) -> str:
    """Who has no memory is told nothing."""
    return ""


@dataclass(frozen=True, slots=True)
class Actor:
    """An agent, ready to work."""

    spec: AgentSpec
    model: str
    graph: Graph[ThreadState]


class TurnDriver:
    """Works on one thread at a time per call; nothing of a turn's progress lives here.

    Args:
        threads: where threads are kept.
        store: whose bus is listened to.
        clock: all time.
        actors: the agents, by id.
        limits: bounds of each run.
        ledger: what all agents use; it hears of calls that are written off here.
        told: what an agent (by its id) is told of its memory, beside the first message of a thread.
    """

    def __init__(
        self,
        threads: ThreadStore,
        store: Store,
        clock: Clock,
        actors: Mapping[str, Actor],
        limits: RunLimits,
        ledger: Ledger,
        told: Told = nothing_told,
    ) -> None:
        self._threads = threads
        self._told = told
        self._store = store
        self._clock = clock
        self._actors = actors
        self._limits = limits
        self._ledger = ledger
        self._running: dict[Control, ActiveAgent] = {}
        self._draining = False

    def drain(self) -> None:
        """Have every turn stop at its next step border and start no other; what is done stays recorded."""
        self._draining = True
        for control in self._running:
            control.drain()

    def abort(self, reason: str) -> None:
        """End every turn now, whatever becomes of it; for a store that is not there any more."""
        for control in list(self._running):
            control.abort(reason)

    async def attend(self, thread_id: ThreadId) -> None:
        """Do all there is to do for a thread now; returns when it rests, waits, or is somebody else's.

        Raises:
            CorruptRecord: the thread cannot be read.
            StoreUnavailable: the store gave up; the thread stays as it was last kept.
        """
        session = await self._threads.attend(thread_id)
        if session is None:
            return
        try:
            await self._hold(session)
        except asyncio.CancelledError:
            await self._leave(session)
            raise
        self._threads.keep(session)

    async def _hold(self, session: ThreadSession) -> None:
        """Serve the thread while its lease is kept alive."""
        thread_id = session.state.thread_id
        try:
            async with asyncio.TaskGroup() as group:
                keeper = group.create_task(session.keep_alive())
                await self._serve(session)
                keeper.cancel()
        except* StaleLease:
            log.warning("lease lost; the turn goes on elsewhere", extra={"thread_id": thread_id})
            await session.abandon()  # it may still be ours, and only its time was over here: nobody shall wait for it
        except* StoreUnavailable as outage:
            await session.abandon()
            raise StoreUnavailable(f"{thread_id}: {leaf(outage)}") from outage

    async def _leave(self, session: ThreadSession) -> None:
        """The daemon waits no longer. Whoever takes the run up again should not call it a crash."""
        try:
            async with self._clock.timeout(LEAVE_S):
                await session.park()
        except (TimeoutError, StoreUnavailable, StaleLease) as error:
            log.warning("a turn could not be put down in order: %s", error)

    async def _serve(self, session: ThreadSession) -> None:
        await self._take_over(session)
        while True:
            if self._draining:
                return await session.park()
            state = session.state
            match next_task(state):
                case Rest() | GoOn() if self._run_out(session):
                    pass
                case Rest() if session.expired:
                    if await session.remove():
                        log.info("a thread was kept for as long as it is to be", extra={"thread_id": state.thread_id})
                        return None
                case Rest():
                    return await session.release()
                case Start(item):
                    # Once for a thread: what stands in its first message stays, so that a provider's cache can hit.
                    memory = "" if len(state.transcript) else await self._told(item.agent or state.agent, item.text)
                    self._start(session, item, memory)
                    await self._work(session)
                case GoOn():
                    await self._work(session)
                case _ as wish:
                    self._settle(session, wish)

    def _settle(self, session: ThreadSession, wish: Resume | Stop | Interrupt | Continue | Ignore) -> None:
        """Do what somebody asked for that needs no walk."""
        match wish:
            case Resume():
                self._resume(session, wish)
            case Stop(seq, cancels_run):
                if cancels_run:
                    self._end(session, Cut("stopped"))
                session.note(Stopped(seq))
            case Interrupt():
                self._end(session, Cut("interrupted"))
            case Continue(seq):
                session.note(Continued(seq))
            case Ignore(seq, reason):
                session.note(InputIgnored(seq, reason))

    # --------------------------------------------------------------------------------------- between two walks

    async def _take_over(self, session: ThreadSession) -> None:
        """Somebody else's open run: say so first, because whatever made them fail may make this process fail too."""
        state, run = session.state, session.state.run
        if run is None or state.suspended:
            task = next_task(state)
            # A message that kills whoever takes it up leaves no record, but leases without a write.
            if isinstance(task, Start) and session.fruitless >= self._limits.crashes:
                self._start(session, task.item)
                self._end(session, self._crashed(session.fruitless))
            return
        crashes = run.crashes if run.parked else run.crashes + 1
        reason: Literal["drained", "crashed"] = "drained" if run.parked else "crashed"
        if run.open_call is not None:
            self._write_off(run)
            session.note(ModelAbandoned(run.open_call.call_id, run.open_call.message_id, reason))
        await session.commit(Resumed(reason, crashes=crashes))
        if crashes >= self._limits.crashes:
            self._end(session, self._crashed(crashes))

    def _crashed(self, times: int) -> Failed:
        return Failed("crashed_repeatedly", f"the daemon stopped {times} times during this run; it is not tried again")

    def _start(self, session: ThreadSession, item: WaitingInput, memory: str = "") -> None:
        state = session.state
        agent = item.agent or state.agent
        actor = self._actors.get(agent)
        context = turn_context(self._clock.now(), state.project, sorted(self._running.values(), key=_begun))
        model = actor.model if actor else ""
        session.note(RunStarted(item.seq, item.message_id, agent, model, context, max(state.waiting), memory=memory))

    def _resume(self, session: ThreadSession, task: Resume) -> None:
        run = session.state.run
        if run is not None:
            session.note(*answered(run, task.seq, task.answer, session.state.controls[task.seq].at_ms))

    def _run_out(self, session: ThreadSession) -> bool:
        """Take it for a no where a question was not answered in time; whether there was any such question."""
        over = overdue(session.state.run, round(self._clock.now() * 1000))
        session.note(*over)
        return bool(over)

    def _end(self, session: ThreadSession, ending: Ending, shown: str = "") -> None:
        run = session.state.run
        if run is not None:
            self._write_off(run)
            session.note(*close_run(session.state, run, ending, shown, round(self._clock.now() * 1000)))

    def _write_off(self, run: OpenRun) -> None:
        """A model call that nobody will hear of any more is charged at what was set aside for it."""
        if (call := run.open_call) is not None:
            charge = Charge(call.reserved_tokens, call.reserved_micro)
            self._ledger.settle(call.call_id, run.agent, charge, self._clock.now())

    # --------------------------------------------------------------------------------------------------- a walk

    async def _work(self, session: ThreadSession) -> None:
        """Walk the graph for the open run, watching for inputs that change its course, and write down how it ended."""
        state, open_run = session.state, session.state.run
        if open_run is None:
            return
        control = Control(session.check)
        if self._draining:
            control.drain()
        agent = open_run.agent or state.agent
        live = LiveText(lambda moment: session.emit(open_run.id, agent, moment))
        # What it has taken so far is known by the wall's clock alone; from here on nobody can set it.
        taken_s = max(0.0, self._clock.now() - open_run.started_ms / 1000)
        run = Run(
            open_run.id,
            state.thread_id,
            agent,
            self._clock,
            control,
            live,
            session,
            depth=state.depth,
            deadline_s=self._clock.elapsed() + self._limits.wall_s - taken_s,
        )
        self._running[control] = ActiveAgent(agent, state.project, open_run.started_ms)
        try:
            with trail(run_id=run.id):
                async with (
                    self._store.subscribe(channel(state.thread_id)) as signals,
                    asyncio.TaskGroup() as group,
                ):
                    looking = group.create_task(self._look(session, run))
                    listening = group.create_task(self._listen(signals, session, control, live))
                    walking = group.create_task(self._walk(session, run, open_run))
                    control.on_abort(walking.cancel)
                    ending = await walking
                    looking.cancel()
                    listening.cancel()
        finally:
            del self._running[control]
        match ending:
            case Walked(stop) if stop.why == "drained" or state.suspended:
                pass  # it goes on later: parked, or when an answer comes
            case _:
                call = open_run.open_call
                self._end(session, ending, live.text_of(call.message_id) if call is not None else "")

    async def _walk(self, session: ThreadSession, run: Run, open_run: OpenRun) -> Ending:
        state = session.state
        elapsed_s = max(0.0, self._clock.now() - open_run.started_ms / 1000)
        limits = Limits(wall_s=self._limits.wall_s, tokens=self._limits.tokens)
        try:
            actor = self._actor(run.agent)
            stop = await run_graph(
                actor.graph,
                state,
                run,
                start=state.node or None,
                limits=limits,
                meter=Meter(elapsed_s, lambda: open_run.tokens),
            )
        except Aborted as aborted:
            return self._cut(aborted.reason, run)
        except asyncio.CancelledError:
            if run.control.aborted is None:
                raise
            return self._cut(run.control.aborted, run)
        except (StaleLease, StoreUnavailable):
            raise  # nothing can be written down: whoever holds the log next goes on
        except SullaError as error:
            return failed(error)
        except Exception:
            log.exception("a turn failed in a way that nobody foresaw", extra={"run_id": run.id})
            return Failed("internal", "something went wrong inside Sulla; the log has the details", "internal")
        return Walked(stop)

    def _cut(self, reason: str, run: Run) -> Ending:
        hit = wall_hit(run, self._limits)
        return failed(limit_reached(hit)) if reason == OUT_OF_TIME and hit is not None else Cut(reason)

    def _actor(self, agent: str) -> Actor:
        try:
            return self._actors[agent]
        except KeyError:
            known = ", ".join(sorted(self._actors))
            raise NotFound(f"no agent {agent!r} (known: {known})") from None

    # ------------------------------------------------------------------------------------------ beside the walk

    async def _look(self, session: ThreadSession, run: Run) -> None:
        """Now and then, see whether the run is still wanted and in time."""
        while True:
            await self._clock.sleep(LOOK_S)
            if wall_hit(run, self._limits) is not None:
                run.control.abort(OUT_OF_TIME)
                return
            await self._pull(session)
            _heed(session.state, run.control)

    async def _listen(self, signals: Subscription, session: ThreadSession, control: Control, live: LiveText) -> None:
        """Act on what is told over the bus, at once."""
        async for payload in signals:
            match unpack(payload):
                case AskText():
                    live.again()
                case Advanced(seq):
                    if seq > session.seen_seq:
                        await self._pull(session)
                    # Also if it is known already: a write of the walk may have brought the input in.
                    _heed(session.state, control)

    async def _pull(self, session: ThreadSession) -> None:
        try:
            await session.pull()
        except StoreUnavailable as error:
            log.warning("cannot look for new inputs; trying again soon: %s", error)


def _heed(state: ThreadState, control: Control) -> None:
    """End the walk if somebody wants that."""
    match next_task(state):
        case Stop(cancels_run=True):
            control.abort("stopped")
        case Interrupt():
            control.abort("interrupted")


def _begun(agent: ActiveAgent) -> tuple[int, str]:
    return agent.since_ms, agent.name
