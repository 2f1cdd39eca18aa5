"""The node of a conversation's graph that walks flows, and the edges around it (seed 002 §2.3).

It holds nothing: where the walk stands is read off the thread, so a run that was cut off goes on there.
"""

from __future__ import annotations

from typing import Final

from sulla.agent.input.screening import own_words
from sulla.agent.model.loop import GivenReply
from sulla.agent.subagents.reports import has_left, left_for
from sulla.agent.turn.node import Opening, reply_with
from sulla.agent.turn.route import AGENT, after_agent
from sulla.agent.turn.steering import join_steering
from sulla.core.dataclass import dataclass
from sulla.core.errors import FlowError, LimitReached, ProviderError
from sulla.core.event import Fact
from sulla.core.ids import CallId, NodeId, derived_id
from sulla.core.run import Run
from sulla.flows.beside import beside
from sulla.flows.branches import said_in
from sulla.flows.conditions import SessionContext, is_built_in
from sulla.flows.parts import FlowCast, context_of, ended, looked, passed_over, silent, step, summary
from sulla.flows.slice import FlowMoved, WalkedFlow, flow_of_run, part_of_run
from sulla.graph.decision import END, Continue, Decision, Next, Target
from sulla.graph.draft import GraphDraft
from sulla.graph.graph import Edge
from sulla.threads.log.records import TextMessageEnd
from sulla.threads.log.state import ThreadState

FLOW: Final = NodeId("flow")
MOST_MOVES: Final = 5_000
"""Parts, conditions and variables of one turn: loops within loops could go round for ever."""
CONDITION_S: Final = 10.0
"""How long a condition of a package may take, in seconds: a turn waits for it."""
KEPT_EVERY: Final = 50
"""Moves that are kept together where no part is between them."""


@dataclass(frozen=True, slots=True)
class FlowWalk:
    """Goes on with the flow of a turn, until an agent has to work, or it is over."""

    cast: FlowCast
    opening: Opening
    """What may answer a person's message in the place of the flow."""

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        """One part further.

        Raises:
            FlowError: the flow cannot be walked, or a part of it has failed.
        """
        while (flow := flow_of_run(state)) is not None:
            run.control.check()
            if run.control.draining:
                return Continue()
            await _go_easy(flow, run)
            if flow.part is not None:
                if not (facts := ended(state)):
                    return Next()  # it is under way
                run.journal.note(*facts)
            elif flow.over:
                if not (begun := summary(self.cast, flow, state, run)):
                    run.journal.note(*silent(flow, state), *_report(state))
                    return Next()
                run.journal.note(*begun)
            elif flow.moves or not await self._opened(flow, state, run):
                await self._go_on(flow, state, run)
        return Next()

    async def _go_on(self, flow: WalkedFlow, state: ThreadState, run: Run) -> None:
        if (need := flow.need) is not None:
            if need.what in ("agent", "branches") and not state.is_child:  # whoever tells the person reads it
                await join_steering(state, run)
            if need.what == "condition":
                run.journal.note(looked(flow, need, await self._holds(need.name, context_of(flow, state), run)))
                return
            run.journal.note(*step(self.cast, flow, need, state, run))
        if (part := part_of_run(state)) is not None and part.calls:
            await run.journal.commit()  # before any of the calls is made, as those of a model

    async def _holds(self, name: str, context: SessionContext, run: Run) -> bool:
        """Whether a condition holds. What a package brings may take long: it is asked beside all other work."""
        conditions = self.cast.conditions
        if is_built_in(name):
            return conditions.holds(name, context)
        try:
            async with run.clock.timeout(CONDITION_S):
                return await beside(lambda: conditions.holds(name, context))
        except TimeoutError:
            said = f"the flow's condition {name!r} took longer than {CONDITION_S:g} s, the most that one may"
            raise FlowError(said) from None

    async def _opened(self, flow: WalkedFlow, state: ThreadState, run: Run) -> bool:
        """Whether something else takes up the message: then no flow is walked."""
        if state.run is None or not own_words(state) or state.is_child:
            return False
        opened = await self.opening(state, run)
        if not opened:
            return False
        run.journal.note(FlowMoved("root", "left", flow.name))
        if isinstance(opened, str):
            reply_with(GivenReply(state.run.message.id, opened), state, run)
        else:
            known = set(state.run.calls.intents)
            await run.journal.commit(*opened)
            run.fresh.update(state.run.calls.intents.keys() - known)
        return True


def _report(state: ThreadState) -> tuple[Fact, ...]:
    """What a branch has come to, for whoever waits for it; nothing where nobody does, or it stands there already."""
    if not state.is_child or state.run is None or has_left(state) or not (text := said_in(state)):
        return ()
    asked = state.run.message.id
    return (TextMessageEnd(CallId(derived_id("report", asked)), left_for(asked), text, hidden=True),)


async def _go_easy(flow: WalkedFlow, run: Run) -> None:
    """Have a walk that asks nobody anything end in time, keep what it has done, and let others work.

    Raises:
        FlowError: it cannot be walked on.
    """
    if flow.fault:
        raise FlowError(flow.fault)
    if flow.moves >= MOST_MOVES:
        raise FlowError(f"the flow {flow.name!r} has made {flow.moves:,} steps, the most that a turn may make")
    if flow.moves % KEPT_EVERY == KEPT_EVERY - 1:
        await run.journal.commit()
    await run.clock.sleep(0)


def with_flow(walk: FlowWalk, draft: GraphDraft[ThreadState]) -> GraphDraft[ThreadState]:
    """A conversation's graph that can walk flows: the flow and the agent by turns.

    Args:
        walk: the node.
        draft: the graph without it.
    """
    agent = draft.nodes[AGENT]

    async def in_its_part(state: ThreadState, run: Run) -> Decision:
        """The agent, unless the flow has to say first who speaks: whatever leads here, the walk comes before it."""
        flow = flow_of_run(state)
        if flow is not None and flow.part is None:
            return Next()
        try:
            return await agent(state, run)
        except (ProviderError, LimitReached) as error:
            if not (facts := passed_over(state, error.message)):
                raise
            run.journal.note(*facts)
            return Next()

    draft.nodes[AGENT] = in_its_part
    draft.add_node(FLOW, walk)
    draft.add_edge(FLOW, after_flow, AGENT, END)
    draft.edges[AGENT] = Edge(after_part, (AGENT, FLOW, END))
    return draft


def after_flow(state: ThreadState) -> Target:
    """The agent that has to work now, or the end."""
    flow = flow_of_run(state)
    return END if flow is not None and flow.over and flow.part is None else AGENT


def after_part(state: ThreadState) -> Target:
    """Where the walk goes behind an agent: to the agent again as without a flow, on in the flow, or to its end where
    the part was blocked, has failed, waits, or something else has taken the turn over."""
    flow, target = flow_of_run(state), after_agent(state)
    if flow is None or state.suspended:
        return target
    work, run = state.links.active_work, state.run
    if work is not None and work.running and run is not None and work.run_id == run.id:
        return END
    if flow.part is None:
        return FLOW
    return FLOW if target == END and state.newest.outcome.status in ("done", "in_progress", "failed") else target
