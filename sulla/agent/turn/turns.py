"""The driver of a thread's turns: holds the lease, does what is next, and leaves the log so that anyone can go on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from sulla.agent.approvals.answers import answered, overdue
from sulla.agent.ending import Ending, WalkCut, WalkEnded, WalkFailed, close_run, failed, stop_records, taken_of
from sulla.agent.limits.ledger import Ledger
from sulla.agent.limits.limits import RunLimits, bounds_of
from sulla.agent.model.live_buffer import LiveBuffer
from sulla.agent.subagents.children import Children
from sulla.agent.turn.actor import Actor, actor_key_for, actor_of
from sulla.agent.turn.ambient_context import AmbientContext, TurnContext
from sulla.agent.turn.cutting import UNFORESEEN, came_of, charge_of, cut_by, ending_of
from sulla.agent.turn.run_monitor import RunMonitor
from sulla.agent.turn.speakers import Answerer
from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.errors import Aborted, GraphError, InvalidInput, StaleLease, StoreUnavailable, SullaError, leaf
from sulla.core.ids import ThreadId
from sulla.core.run import Run
from sulla.core.trail import trail
from sulla.core.words import worst
from sulla.graph.engine import run_graph
from sulla.graph.limits import GraphLimits, RunMeter
from sulla.store.base import Store
from sulla.threads.bus import channel
from sulla.threads.log.charging import written_off
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.records import (
    Continued,
    InputIgnored,
    ModelAbandoned,
    Outcome,
    Resumed,
    RunError,
    RunPaused,
    RunStarted,
)
from sulla.threads.log.usage import Usage
from sulla.threads.next_task import (
    AnswerRun,
    CancelForBargeIn,
    Deliver,
    GoOn,
    Idle,
    Ignore,
    Interrupt,
    ReleaseHeld,
    Start,
    Steer,
    StopRun,
    WakeRun,
    next_task,
)
from sulla.threads.session import UNREAD, ThreadSession
from sulla.threads.store import ThreadStore
from sulla.work.pauses import WorkPause

log = logging.getLogger(__name__)

LEAVE_S = 2.0
"""How long a turn that is cut off may take to say so in its log."""

PAUSED = "paused"
"""Why a walk is aborted that goes on when work is resumed."""

Wish = AnswerRun | StopRun | Interrupt | CancelForBargeIn | Steer | WakeRun | ReleaseHeld | Ignore
"""What needs no walk."""


class TurnDriver:
    """Works on one thread at a time per call; nothing of a turn's progress lives here.

    Args:
        threads: where threads are kept.
        store: whose bus is listened to.
        clock: all time.
        actors: the agents, by id.
        limits: bounds of each run.
        ledger: what all agents use; it hears of calls that are written off here.
        children: carries words between child runs and whoever asked for them.
        context: what a turn is told beside its message; None for nothing but the time.
    """

    def __init__(
        self,
        threads: ThreadStore,
        store: Store,
        clock: Clock,
        actors: Mapping[str, Actor],
        limits: RunLimits,
        ledger: Ledger,
        children: Children,
        context: TurnContext | None = None,
    ) -> None:
        self._threads = threads
        self._context = context if context is not None else TurnContext(clock)
        self._store = store
        self._clock = clock
        self._actors = actors
        self._limits = limits
        self._ledger = ledger
        self._children = children
        self._running: set[Control] = set()
        self._draining = False
        self._pause: WorkPause | None = None
        self._held = False

    def drain(self) -> None:
        """Have every turn stop at its next step border and start no other; what is done stays recorded."""
        self._draining = True
        for control in self._running:
            control.drain()

    def hold(self, pause: WorkPause | None) -> None:
        """Cut every turn off now, in a way that it can go on, and begin no other; None to let them go on."""
        self._held, self._pause = pause is not None, pause or self._pause
        if self._held:
            self.abort(PAUSED)

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
        session.state.inbox.urgent = self._context.urgent
        try:
            await self._hold(session)
        except asyncio.CancelledError:
            await self._leave(session)
            raise
        self._threads.keep(session)

    async def _hold(self, session: ThreadSession) -> None:
        """Serve the thread while its lease is kept alive."""
        try:
            async with asyncio.TaskGroup() as group:
                keeper = group.create_task(session.keep_alive())
                await self._serve(session)
                keeper.cancel()
        except* StaleLease:
            log.warning("lease lost; the turn goes on elsewhere", extra={"thread_id": session.state.thread_id})
            await session.abandon()  # it may still be ours, and only its time was over here: nobody shall wait for it
        except* StoreUnavailable as outage:
            await session.abandon()
            raise StoreUnavailable(f"{session.state.thread_id}: {leaf(outage)}") from outage

    async def _leave(self, session: ThreadSession) -> None:
        """The daemon waits no longer. Whoever takes the run up again should not call it a crash."""
        try:
            async with self._clock.timeout(LEAVE_S):
                await session.park()
        except (TimeoutError, StoreUnavailable, StaleLease) as error:
            log.warning("a turn could not be put down in order: %s", error)

    async def _serve(self, session: ThreadSession) -> None:
        if self._held:
            return await self._heed_stops(session)
        await self._take_over(session)
        while not self._is_left(session):
            state = session.state
            match next_task(state):
                case Idle() | GoOn() if self._run_out(session):
                    pass
                case Idle() if session.expired:
                    if await session.remove():
                        log.info("a thread was kept for as long as it is to be", extra={"thread_id": state.thread_id})
                        return None
                case Idle():
                    return await session.release()
                case Start(item):
                    answers = self._context.answerer(state, item)
                    self._start(session, item, answers, await self._context.ambient(state, item, answers.agent))
                case GoOn():
                    await self._work(session)
                case Deliver(owed):
                    await self._children.deliver(session, owed)
                case _ as wish:
                    self._settle(session, wish)
        return await session.park()

    async def _heed_stops(self, session: ThreadSession) -> None:
        """Leave the thread as it was, but for what somebody has ended: that needs nobody to work."""
        while isinstance(task := next_task(session.state), StopRun | ReleaseHeld):
            self._settle(session, task)
        await session.release()

    def _is_left(self, session: ThreadSession) -> bool:
        """Whether to leave the thread now; also if work was resumed since: whoever takes its run up again says so."""
        if self._held:
            self._put_down(session)
        run = session.state.run
        return self._draining or self._held or (run is not None and run.course.paused)

    def _settle(self, session: ThreadSession, wish: Wish) -> None:
        """Do what somebody asked for that needs no walk."""
        match wish:
            case AnswerRun():
                self._resume(session, wish)
            case StopRun(cancels_run=cancels_run):
                if cancels_run:
                    self._end(session, WalkCut("stopped"))
                session.note(*stop_records(session.state, wish))
            case Interrupt() | CancelForBargeIn():
                self._end(session, WalkCut("interrupted" if isinstance(wish, Interrupt) else "barged_in"))
            case Steer(seq, crashes):
                session.note(Resumed("steered", input_seq=seq, crashes=crashes))
            case WakeRun(crashes):
                session.note(Resumed("woken", crashes=crashes))
            case ReleaseHeld(seq):
                session.note(Continued(seq))
            case Ignore(seq, reason, run_id):
                session.note(InputIgnored(seq, reason))
                if run_id:
                    outcome = Outcome("failed", reason, reason=InvalidInput.code)
                    session.note(RunError(run_id, InvalidInput.code, reason, outcome=outcome))

    # --------------------------------------------------------------------------------------- between two walks

    async def _take_over(self, session: ThreadSession) -> None:
        """Somebody else's open run: say so first, because whatever made them fail may make this process fail too."""
        session.note(*(InputIgnored(seq, UNREAD) for seq in session.known.unread))
        state, run = session.state, session.state.run
        if run is None or state.suspended:
            task = next_task(state)
            # A message that kills whoever takes it up leaves no record, but leases without a write.
            if isinstance(task, Start) and session.known.fruitless >= self._limits.crashes:
                self._start(session, task.item, self._context.answerer(state, task.item), AmbientContext())
                self._end(session, self._crashed(session.known.fruitless))
            return
        if isinstance(next_task(state), CancelForBargeIn):
            return  # nobody wants to hear the reply: it is ended, not made once more
        crashes = run.course.crashes if run.course.parked else run.course.crashes + 1
        if (call := run.model.open_call) is not None:
            self._write_off(run)
            session.note(ModelAbandoned(call.call_id, call.message_id, run.course.left, usage=written_off(call)))
        await session.commit(Resumed(run.course.left, crashes=crashes))
        if (in_a_row := crashes - run.course.excused) >= self._limits.crashes:
            self._end(session, self._crashed(in_a_row))

    def _crashed(self, times: int) -> WalkFailed:
        return WalkFailed(
            "crashed_repeatedly", f"the daemon stopped {times} times during this run; it is not tried again"
        )

    def _start(self, session: ThreadSession, item: WaitingInput, answers: Answerer, ambient: AmbientContext) -> None:
        state = session.state
        actor = self._actors.get(actor_key_for(answers.agent, state))
        told = self._context.words(state.identity.project, ambient)
        session.note(
            RunStarted(
                item.seq,
                item.message_id,
                answers.agent,
                actor.model if actor else "",
                told.text,
                max(state.inbox.waiting),
                tainted=worst((told.by, ambient.memory.by, ambient.environment.by)).tainted,
                memory=ambient.memory.text,
                environment=ambient.environment.text,
            ),
            *answers.facts,
        )

    def _resume(self, session: ThreadSession, task: AnswerRun) -> None:
        if (run := session.state.run) is not None:
            session.note(*answered(run, task.seq, task.answer, session.state.inbox.controls[task.seq].at_ms))

    def _run_out(self, session: ThreadSession) -> bool:
        """End what cannot be read on; a question not answered in time is taken for a no. Whether there was any."""
        state, damage = session.state, session.known.damage
        if damage is not None and state.run is not None and not state.suspended:
            self._end(session, failed(damage))
            return True
        over = overdue(state.run, round(self._clock.now() * 1000), looks_itself=state.kind.waits_while_working)
        session.note(*over)
        return bool(over)

    def _end(self, session: ThreadSession, ending: Ending, shown: str = "", came: int | None = None) -> None:
        run = session.state.run
        if run is not None:
            self._write_off(run, taken_of(run, ending, came))
            session.note(*close_run(session.state, run, ending, shown, round(self._clock.now() * 1000), came))

    def _put_down(self, session: ThreadSession) -> None:
        """Leave the open run for later, because all work is paused; what it waits for in vain is charged."""
        state, run, pause = session.state, session.state.run, self._pause
        if run is None or state.suspended or run.course.paused or pause is None:
            return
        if (call := run.model.open_call) is not None:
            self._write_off(run)
            session.note(ModelAbandoned(call.call_id, call.message_id, PAUSED, usage=written_off(call)))
        session.note(RunPaused(pause.by, pause.reason))

    def _write_off(self, run: OpenRun, taken: Usage | None = None) -> None:
        """A model call that nobody will hear of any more is charged at what it took, else at what was set aside."""
        if (call := run.model.open_call) is not None:
            self._ledger.settle(call.call_id, run.agent, charge_of(call, taken), self._clock.now())

    # --------------------------------------------------------------------------------------------------- a walk

    async def _work(self, session: ThreadSession) -> None:
        """Walk the graph for the open run, watching for inputs that change its course, and write down how it ended."""
        state, open_run = session.state, session.state.run
        if open_run is None:
            return
        control = Control(session.check)
        if self._draining:
            control.drain()
        agent = state.walk.lead or open_run.agent or state.identity.agent
        live = LiveBuffer(lambda moment: session.emit(open_run.id, open_run.agent or agent, moment))
        # Known by the wall's clock alone; from here on nobody can set it.
        taken_s = max(0.0, self._clock.now() - open_run.course.started_ms / 1000)
        limits, birth = bounds_of(self._limits, state), state.identity.birth
        run = Run(
            open_run.id,
            state.thread_id,
            agent,
            self._clock,
            control,
            live,
            session,
            birth.run_id if birth is not None else None,
            state.depth,
            self._clock.elapsed() + limits.wall_s - taken_s,
        )
        monitor = RunMonitor(session, run, limits, self._clock)
        self._running.add(control)
        try:
            with trail(run_id=run.id):
                async with (
                    self._store.subscribe(channel(state.thread_id)) as signals,
                    asyncio.TaskGroup() as group,
                ):
                    looking = group.create_task(monitor.look())
                    listening = group.create_task(monitor.listen(signals, live))
                    walking = group.create_task(self._walk(session, run, limits))
                    control.on_abort(walking.cancel)
                    await asyncio.wait((walking,))
                    ending = ending_of(walking, run, limits)
                    looking.cancel()
                    listening.cancel()
        finally:
            self._running.discard(control)
        match ending:
            case WalkEnded(stop) if stop.why == "drained" or state.suspended:
                pass  # it goes on later: parked, or when an answer comes
            case WalkCut(reason) if reason == PAUSED:
                self._put_down(session)
            case _:
                self._end(session, ending, *came_of(live, open_run.model.open_call))

    async def _walk(self, session: ThreadSession, run: Run, bounds: RunLimits) -> Ending:
        state = session.state
        open_run = state.run
        if open_run is None:
            raise GraphError(f"{state.thread_id}: a walk without an open run")
        elapsed_s = max(0.0, self._clock.now() - open_run.course.started_ms / 1000)
        limits = GraphLimits(wall_s=bounds.wall_s, tokens=bounds.tokens)
        try:
            actor = actor_of(self._actors, run.agent, state)
            stop = await run_graph(
                actor.graph,
                state,
                run,
                start=None if state.kind.waits_while_working else (state.walk.node or None),
                limits=limits,
                meter=RunMeter(elapsed_s, lambda: open_run.spent.tokens),
            )
        except Aborted as aborted:
            return cut_by(aborted.reason, run, bounds)
        except asyncio.CancelledError:
            if run.control.aborted is None:
                raise
            return cut_by(run.control.aborted, run, bounds)
        except (StaleLease, StoreUnavailable):
            raise  # nothing can be written down: whoever holds the log next goes on
        except SullaError as error:
            return failed(error)
        except (Exception, SystemExit):
            log.exception("a turn failed in a way that nobody foresaw", extra={"run_id": run.id})
            return UNFORESEEN
        return WalkEnded(stop)
