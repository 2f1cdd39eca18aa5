"""The heartbeat node: one cycle each time, done by a fresh agent of its own (seed 004 §1).

It holds nothing. What to do next is read off the thread: no beat yet → is it worth one; a cycle has reported → take it;
none is at work → set one to work, and wait without holding anything.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from sulla.agent.subagents.children import Children, ChildTask
from sulla.core.dataclass import dataclass
from sulla.core.errors import GraphError, LimitReached
from sulla.core.ids import CallId, RunId, ThreadId, derived_id
from sulla.core.message import Text
from sulla.core.run import Run
from sulla.core.words import Words, agent, ours
from sulla.graph.decision import Decision, Next
from sulla.heartbeat.agenda import Agenda
from sulla.heartbeat.beats import BeatSkipped, BeatStarted, BeatState, CycleEnded, CycleStarted
from sulla.heartbeat.brief import DIRECTIVE, CycleContext, briefing, changes, pack, project_lines, unpack
from sulla.heartbeat.limits import BeatLimits
from sulla.heartbeat.plan import (
    BeatOutcome,
    WakeRequest,
    after_cycle,
    beat_ended,
    beat_notices,
    cycle_ended,
    money_left,
    preflight,
    tokens_left,
)
from sulla.heartbeat.slice import beats_of
from sulla.heartbeat.ticks import WAKE
from sulla.threads.log.family import Report, wait_of
from sulla.threads.log.records import Answer, Suspended
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait

TOO_LITTLE: Final = "too little is left for another cycle of what one run may use"
"""Where `limits.run_tokens` is less than a beat may use."""

Tell = Callable[[ThreadId, RunId, str, Words], Awaitable[None]]
"""Has people told something: in a thread, by a run, once under a key, in words."""


@dataclass(frozen=True, slots=True)
class HeartbeatNode:
    """The one node of the heartbeat's graph: decides what a beat does next, and does it. One per agent.

    Args:
        agenda: what it looks at.
        children: does the cycles.
        limits: what beats may use.
        tell: has people told something, once under a key.
        model: ``provider:model`` for cycles; empty for the agent's own.
        directive: what an agent is told to do with its time; empty for the usual.
        zone: the time zone that it is told the time in.
    """

    agenda: Agenda
    children: Children
    limits: BeatLimits
    tell: Tell
    model: str = ""
    directive: str = ""
    zone: str = "UTC"

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        """One step of a beat."""
        if state.run is None:
            raise GraphError(f"{state.thread_id}: the heartbeat node runs without an open run")
        run.control.check()
        beat = beats_of(state)
        if beat.run_id != run.id:
            await self._begin(state, run, beat)
        elif beat.child:
            await self._take(state, run, beat)
        if (beat := beats_of(state)).status == "running" and not beat.child:
            await self._cycle(state, run, beat)
        return Next()

    async def _begin(self, state: ThreadState, run: Run, beat: BeatState) -> None:
        now_ms = _now_ms(run)
        ask = ask_of(state)
        view = await self.agenda.look()
        await self._tell(state, run)  # the one before may have been cut off, and could not tell
        taken = await self.agenda.taken(state) if any(lot.workable for lot in view.lots) else frozenset[str]()
        found = preflight(beat, ask, view.lots, self.limits, now_ms, taken)
        if isinstance(found, BeatSkipped):
            run.journal.note(found)
            await self._tell(state, run)
            return
        run.journal.note(
            BeatStarted(
                now_ms,
                found.reason,
                found.project,
                found.reason,
                project_lines(view.lots),
                view.skills,
                pack(view.lots),
                self.limits.cycles,
            )
        )

    async def _take(self, state: ThreadState, run: Run, beat: BeatState) -> None:
        """Write down what the cycle at work came to; nothing if it has not reported."""
        control = state.run.reports.get(wait_of(beat.child)) if state.run is not None else None
        if control is None or not isinstance(control.fact, Answer) or control.fact.report is None:
            # It was cut off between the record of the cycle and its start: starting it again starts no other one.
            await self._set_to_work(state, run, beat)
            return
        ended = cycle_ended(beat, control.fact.report, control.fact.text, _now_ms(run))
        run.journal.note(ended)
        await self._go_on(state, run, ended)

    async def _go_on(self, state: ThreadState, run: Run, ended: CycleEnded) -> None:
        beat = beats_of(state)
        end = after_cycle(beat, ended, self.limits, _now_ms(run))
        if end is not None:
            await self._end(state, run, end)
        else:
            await run.journal.commit()

    async def _end(self, state: ThreadState, run: Run, end: BeatOutcome) -> None:
        beat = beats_of(state)
        view = await self.agenda.look()
        # Others write in the workspace too, so what no command can have written is counted by what the tools said.
        written = await self.agenda.written(beat.started_ms) if beat.commands else beat.files
        changed = changes(unpack(beat.before), view.lots, written)
        fact = beat_ended(beat, end, changed, self.limits, _now_ms(run))
        run.journal.note(fact)
        await self._tell(state, run)

    async def _tell(self, state: ThreadState, run: Run) -> None:
        for notice in beat_notices(beats_of(state), state.newest.outcome, self.limits, _now_ms(run)):
            await self.tell(state.thread_id, run.id, notice.key, notice.words)

    async def _cycle(self, state: ThreadState, run: Run, beat: BeatState) -> None:
        number = beat.cycle + 1
        agents = await self.agenda.agents(state)
        child = derived_id("cyc", run.id, str(number))
        # Known before it is begun: a crash in between begins the same one, and no other.
        projects = project_lines((await self.agenda.look()).lots) or "None." if beat.cycle else ""
        await run.journal.commit(CycleStarted(number, child, agents, projects))
        await self._set_to_work(state, run, beats_of(state))

    async def _set_to_work(self, state: ThreadState, run: Run, beat: BeatState) -> None:
        now_ms = _now_ms(run)
        words = await self._briefing(state, run, beat)
        task = ChildTask(
            beat.child,
            run.agent,
            words,
            "cycle",
            f"beat {beat.beats}, cycle {beat.cycle}",
            beat.focus if beat.focus in {lot.slug for lot in unpack(beat.before)} else "",
            model=self.model,
            tokens=max(1, tokens_left(beat, self.limits, now_ms)),
            cost_micro=money_left(beat, self.limits, now_ms),
            wall_s=self.limits.cycle_wall_s,
        )
        try:
            await self.children.start(task, state)
        except LimitReached as limit:
            # It never began; but what was written down as begun has an end.
            run.journal.note(cycle_ended(beat, Report("failed", limit.reason), TOO_LITTLE, now_ms))
            await self._end(state, run, BeatOutcome("limited", limit.reason, TOO_LITTLE))
            return
        await run.journal.commit(Suspended((Wait(wait_of(beat.child), CallId(""), f"cycle {beat.cycle} is at work"),)))

    async def _briefing(self, state: ThreadState, run: Run, beat: BeatState) -> Words:
        ask = ask_of(state)
        now = datetime.fromtimestamp(run.clock.now(), ZoneInfo(self.zone))
        directive, playbooks = ours(self.directive or DIRECTIVE), ours(self.agenda.playbooks())
        agents, message = Words(beat.agents, agent(tainted=beat.tainted)), Words(ask.text, state.context.by)
        around = await self.agenda.around(state)
        setting = CycleContext(now, self.zone, agents, message, directive, around, playbooks)
        return briefing(replace(beat, cycle=beat.cycle - 1), setting)


def ask_of(state: ThreadState) -> WakeRequest:
    """What a beat was woken with.

    Args:
        state: the thread, with the beat's run open.
    """
    run = state.run
    if run is None:
        return WakeRequest()
    said = next((m.parts[0] for m in reversed(state.context.transcript) if m.id == run.message.id and m.parts), None)
    text = said.text if isinstance(said, Text) else ""
    if run.message.origin != "beat":
        return WakeRequest(text, "", run.message.asked_ms)
    return WakeRequest("", text, run.message.asked_ms, run.message.id.startswith(WAKE))


def _now_ms(run: Run) -> int:
    return round(run.clock.now() * 1000)
