"""The playbook node: takes a run up where its log says it is, walks it, and leaves it where others can go on."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import (
    Aborted,
    Conflict,
    CorruptRecord,
    GraphError,
    NotFound,
    StaleLease,
    StoreUnavailable,
    SullaError,
    foremost,
)
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Text
from sulla.core.run import Run
from sulla.graph.decision import Continue, Decision, Next
from sulla.playbooks.definition import PlaybookStep
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.expression.values import is_heavy
from sulla.playbooks.machine.failures import ASKED_ALREADY
from sulla.playbooks.machine.given import alone, given_facts
from sulla.playbooks.machine.lane import LanePlace
from sulla.playbooks.machine.machine import Playbook
from sulla.playbooks.machine.plan import Plan, build
from sulla.playbooks.machine.records import Fact, RunEnded, StepStarted
from sulla.playbooks.machine.rerun import broken, fork, kept, reopen
from sulla.playbooks.records import Played
from sulla.playbooks.run.admission import Admission, lane_of
from sulla.playbooks.run.driver import RunDriver
from sulla.playbooks.run.history import MoveId, RunHistory, StepAttempt
from sulla.playbooks.run.lanes import Lanes
from sulla.playbooks.run.load import load_run
from sulla.playbooks.run.log import RunRecord, written
from sulla.playbooks.run.orders import RunOrder, begun_with, read_order, run_scope, stands_for
from sulla.playbooks.run.steps import StepEffects
from sulla.playbooks.run.trust import RunTrust, trust_in
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.threads.log.plays import Play
from sulla.threads.log.state import ThreadState

MOST_HISTORIES: Final = 16
"""Runs that are kept in memory between two walks; another one is read from its log."""
MOST_PLANS: Final = 64
_VALUES: Final = ("inputs", "given", "value", "result")
"""What of facts can be large."""
_NO_JOB: Final = StepAttempt(StepStarted("", 0, None, 0))
_GOES_ON: Final = (StaleLease, StoreUnavailable, Aborted)
"""What ends a walk, and need not end the run: whoever waits for its turn looks by itself."""


@dataclass(slots=True)
class RunHistories:
    """Runs in memory, and playbooks made ready. Whatever is not here is read again."""

    told: OrderedDict[ThreadId, RunHistory] = field(default_factory=OrderedDict)
    plans: OrderedDict[str, Plan] = field(default_factory=OrderedDict)

    def keep(self, thread_id: ThreadId, history: RunHistory) -> None:
        """Remember a run of which everything was kept."""
        self.told[thread_id] = history
        while len(self.told) > MOST_HISTORIES:
            self.told.popitem(last=False)

    async def plan(self, play: Play) -> Plan:
        """What a run walks: its own text, whatever the file says by now.

        Raises:
            CorruptRecord: the text is none that could be begun.
        """
        plan = self.plans.get(play.digest)
        if plan is None:
            definition = await asyncio.to_thread(begun_with, play)
            if definition is None:
                raise CorruptRecord(f"the text of the playbook {play.name!r} is not the one that was begun")
            plan = self.plans[play.digest] = build(definition)
            while len(self.plans) > MOST_PLANS:
                self.plans.popitem(last=False)
        return plan


@dataclass(frozen=True, slots=True)
class PlaybookNode:
    """Works on runs of playbooks.

    Args:
        effects: do what steps do.
        lanes: say whose turn it is where only so many runs go on at a time.
        histories: what is in memory.
    """

    effects: StepEffects
    lanes: Lanes
    histories: RunHistories = field(default_factory=RunHistories)

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        """Walk until the run is over, waits, or is to be left."""
        play = PLAYBOOK_RUN.of(state)
        if state.run is None or play is None:
            raise GraphError(f"{state.thread_id}: the playbook node runs without an open run of a playbook")
        history = self.histories.told.pop(state.thread_id, None)
        if history is None or history.run_id != run.id or history.records != play.facts:
            history = await self._take_up(state, run)
        if history is None:
            return Next()  # it waits for its turn
        try:
            finished = await RunDriver(history, self.effects, state, run).go()
        except BaseExceptionGroup as failures:
            failure = foremost(failures)
            if isinstance(failure, SullaError) and not isinstance(failure, _GOES_ON):
                await self._leave(history, run)
            raise failure from None
        if not finished:
            return Continue()
        if history.machine.ended is None:
            self.histories.keep(state.thread_id, history)
        else:
            await self._leave(history, run)
            await self._end(state, run, history.machine.ended)
        return Next()

    async def _leave(self, history: RunHistory, run: Run) -> None:
        """It is over: others of its playbook may have their turn. Once more after a crash, which changes nothing."""
        wanted = history.machine.plan.definition.concurrency
        if wanted is not None and history.lane:
            await self.lanes.leave(history.lane, LanePlace(run.thread_id, run.id, 0), wanted.limit)

    # ----------------------------------------------------------------------------------------------- from the log

    async def _take_up(self, state: ThreadState, run: Run) -> RunHistory | None:
        """The run; None if it has to wait for its turn."""
        record = await load_run(self.effects.threads, state.thread_id)
        if record.play is None or record.order is None:
            raise CorruptRecord(f"{state.thread_id}: a run of a playbook without a playbook")
        plan = await self.histories.plan(record.play)
        scope = run_scope(state.thread_id, record.play, record.order, record.ordered_ms)
        facts = await self._facts(state, run, record, plan, scope)
        if facts is None:
            return None
        trust = trust_in(plan, record.play, record.order, record.traced)
        history = self._history(record.order, trust, plan, state, run, scope)
        with suppress(SullaError):  # whose key cannot be worked out has failed, and is in nobody's way
            history.lane = lane_of(plan.definition, facts, scope)
        history.machine.replay(facts)
        trust.allowed.update(record.allowed)
        held = [getattr(fact, name, None) for fact in facts for name in _VALUES]
        history.heavy = is_heavy((record.order.payload, *held))
        self._jobs(history, record, state)
        if state.links.children:
            await self._leave_plays(history, facts, state, run)
        return history

    def _history(
        self, order: RunOrder, trust: RunTrust, plan: Plan, state: ThreadState, run: Run, scope: JsonObject
    ) -> RunHistory:
        definition = plan.definition
        marks = {stands_for(order.seal, name): name for name in definition.secrets}
        names = {"run": scope, "secrets": {name: mark for mark, name in marks.items()}}
        machine = Playbook(plan, evaluate, names=names)
        kept = PLAYBOOK_RUN.of(state)
        records = kept.facts if kept is not None else 0
        stack = (*order.stack, definition.name)
        return RunHistory(machine, run.id, order.seal, stack, marks, trust, records)

    async def _facts(
        self, state: ThreadState, run: Run, record: RunRecord, plan: Plan, scope: JsonObject
    ) -> list[Fact] | None:
        """The facts of a run, with those that its order begins with; these are kept before anything else is done. None
        if it has to wait for its turn.
        """
        order, now_ms = _order_of(state), round(run.clock.now() * 1000)
        if order.do == "resume" and not record.facts and record.order is not None:
            order = record.order  # it was stopped before it began
        ended = any(isinstance(fact, RunEnded) for fact in record.facts) and record.begun_by != run.id
        begins: list[Fact] = []
        if order.do == "resume" and record.begun_by != run.id:
            begins = self._reopened(record, plan, order, now_ms)
        elif not record.facts and order.do == "fork":
            begins = await self._forked(order, plan, now_ms)
        elif not record.facts:
            machine = Playbook(plan, evaluate)
            only = order.steps[0] if order.steps else ""
            begins = machine.start(order.inputs or {}, now_ms, stack=order.stack, only=only)
            begins += alone(plan, only, order.given, now_ms) if only else given_facts(plan, order.given, now_ms)
        elif ended:
            raise Conflict("this run of a playbook has ended: resume it, or fork it")
        if not begins:
            return record.facts
        resumed = order.do == "resume"
        since_ms = state.run.course.started_ms if resumed and state.run is not None else record.ordered_ms
        admission = Admission(self.lanes, plan.definition, state, run, since_ms, order.by)
        facts, known = [*record.facts, *begins], record.run_id == run.id
        admitted = await admission.admit(begins, facts, scope, known=known, resumed=resumed)
        if admitted is None:
            return None
        await run.journal.commit(Played("TAKEN_UP", tainted=order.by.tainted), *map(written, admitted))
        return [*record.facts, *admitted]

    def _reopened(self, record: RunRecord, plan: Plan, order: RunOrder, now_ms: int) -> list[Fact]:
        """An ended run goes on; one that was cut off from outside is ended first, as far as its machine knows."""
        machine = Playbook(plan, evaluate)
        machine.replay(record.facts)
        facts: list[Fact] = []
        if machine.ended is None:
            machine.tick(now_ms)
            facts = [*machine.cancel("stopped"), *machine.next()]
        known, steps = [*record.facts, *facts], order.steps
        if order.given:  # what they stand for is done, and what failed beside them is done again
            steps = tuple(dict.fromkeys((*(steps or broken(plan, kept(plan, known))), *order.given)))
        return [*facts, reopen(plan, known, now_ms, steps), *given_facts(plan, order.given, now_ms)]

    async def _forked(self, order: RunOrder, plan: Plan, now_ms: int) -> list[Fact]:
        other = await load_run(self.effects.threads, ThreadId(order.run), order.upto)
        return fork(plan, other.facts, order.steps, now_ms, inputs=order.inputs, forked_from=order.run)

    def _jobs(self, history: RunHistory, record: RunRecord, state: ThreadState) -> None:
        """The attempts that were at work, as far as they had come, with the questions that people know of."""
        run = state.run
        asked = {wait.call_id: wait for wait in run.waits.values() if wait.call_id} if run is not None else {}
        for begun in history.machine.open:
            if not history.machine.plan.nodes[begun.at.partition("@")[0]].outward:
                continue
            job = StepAttempt(begun)
            if record.run_id == history.run_id:
                job.notes = record.notes.get(begun.at, [])
                job.spent = record.spent.get(begun.at, job.spent)
            history.jobs[begun.at] = job
            call = history.call(job)
            job.wait = asked.get(call.id) if call is not None else None

    async def _leave_plays(self, history: RunHistory, facts: Sequence[Fact], state: ThreadState, run: Run) -> None:
        """Tell the playbooks within that nobody waits for, where a crash came before they were told."""
        for fact in facts:
            if isinstance(fact, StepStarted) and history.jobs.get(fact.at, _NO_JOB).begun != fact:
                child = self.effects.child_of(history.place(StepAttempt(fact)))
                if child in state.links.children and isinstance(history.does(fact.at), PlaybookStep):
                    await self.effects.leave(child, run)

    # ---------------------------------------------------------------------------------------------------- its end

    async def _end(self, state: ThreadState, run: Run, ended: RunEnded) -> None:
        """Do what follows from an end; once more after a crash, under the same ids."""
        play = PLAYBOOK_RUN.of(state)
        if state.identity.birth is not None or play is None:
            return
        if ended.status == "transferred":
            await self.effects.successors.hand_over(state, ended.to, ended.outputs)
        elif ended.failure is not None and ended.failure.reason == ASKED_ALREADY:
            pass  # people were told of that question when it was asked
        elif ended.status == "failed" and not play.thread:
            why = ended.failure.message if ended.failure is not None else "nobody knows why"
            said = f"The playbook {play.name} has failed ({state.thread_id}): {why}"
            with suppress(NotFound):  # its own conversation was deleted just now
                await self.effects.say(MoveId(run.id, "", 0), said, state, "high")


def _order_of(state: ThreadState) -> RunOrder:
    run = state.run
    said = next(
        (m.parts[0] for m in reversed(state.context.transcript) if run and m.id == run.message.id and m.parts), None
    )
    return read_order(said.text if isinstance(said, Text) else "")
