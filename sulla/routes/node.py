"""Takes the agent of a conversation's graph along the route of a turn.

It holds nothing: how far a turn has come is read off the thread, so a run that was cut off goes on there.
"""

from __future__ import annotations

import logging
from typing import Final

from sulla.agent.turn.route import AGENT
from sulla.core.dataclass import dataclass
from sulla.core.errors import LimitReached, ProviderError, RouteError, SettingsError
from sulla.core.ids import CallId
from sulla.core.run import Run
from sulla.graph.decision import END, Decision, Next, Target
from sulla.graph.draft import GraphDraft
from sulla.graph.graph import Edge, Node
from sulla.routes.judging import verdict_of
from sulla.routes.slice import RouteMoved, TurnRoute, route_of_run
from sulla.routes.turn import SAID_NOTHING, RouteSteps, asks_nobody
from sulla.threads.log.state import ThreadState
from sulla.tools.registry import Toolbox

log = logging.getLogger(__name__)

NOTHING_KNOWN: Final = "Nothing that can be looked up here answers this, so it is not answered."
EMPTY: Final = "The reply was empty: please say it again."
NOT_NOW: Final = "This cannot be answered here at the moment."


@dataclass(frozen=True, slots=True)
class RoutedAgent:
    """An agent whose turns take routes.

    Args:
        agent: what works on a turn without one.
        after: where the walk goes behind that.
        steps: says what comes next.
        tools: what the agent may use.
    """

    agent: Node[ThreadState]
    after: Edge[ThreadState]
    steps: RouteSteps
    tools: Toolbox

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        """See `AgentNode`.

        Raises:
            RouteError: the route of the turn cannot be taken, or not gone on with.
        """
        kept = route_of_run(state)
        if kept is None or kept.ended:
            return await self.agent(state, run)
        if kept.stage == "judge" and (verdict := verdict_of(state)) is not None:
            run.journal.note(*self.steps.judged(verdict, state))
        speaks = (state.run.agent if state.run is not None else "") or run.agent
        if fault := kept.fault or self.steps.missing(self.tools, state, speaks):
            self._failed(fault, kept, state, run)
        if not fault:
            kept = self._made_at_once(kept, state, run)
        if kept.stage == "require" and kept.made:
            await run.journal.commit()  # before a call is made in the model's place, as one of the model's
        known, made = _intents(state), kept.made
        try:
            decision = await self.agent(state, run)
        except (ProviderError, LimitReached, SettingsError) as error:
            if not (facts := self.steps.helped(error, state, run)):
                run.journal.note(*self.steps.unbegun(state))
                raise
            run.journal.note(*facts)
            decision = Next()
        kept = route_of_run(state)
        if kept is not None and kept.made and not made:
            run.fresh.update(_intents(state) - known)  # noted just now: nobody can have made it yet
        if isinstance(decision, Next) and kept is not None and not kept.ended and self._is_over(state):
            run.journal.note(self.steps.ended(kept, state, run))
        return decision

    def _failed(self, fault: str, kept: TurnRoute, state: ThreadState, run: Run) -> None:
        """Go on with the fixed text, or end the turn. Whoever talks here is told that, and no name of a file or a tool:
        these are for the log, and for whoever may read the thread.

        Raises:
            RouteError: the route has no fixed text.
        """
        if facts := self.steps.helped(RouteError(fault), state, run):
            run.journal.note(*facts)
            return
        log.warning("a turn fails by its route: %s", fault, extra={"thread_id": state.thread_id, "run_id": run.id})
        run.journal.note(*(() if kept.fault else (RouteMoved("failed", why=fault),)), *self.steps.unbegun(state))
        if fault == SAID_NOTHING:
            raise RouteError(EMPTY)
        raise RouteError(NOTHING_KNOWN if kept.stage == "require" and kept.made else NOT_NOW)

    def _made_at_once(self, kept: TurnRoute, state: ThreadState, run: Run) -> TurnRoute:
        """How far the turn has come, once the call is noted for which no model is asked."""
        if kept.stage != "require" or kept.made or not asks_nobody(kept.read.route):
            return kept
        known = _intents(state)
        run.journal.note(*self.steps.made(kept, state))
        run.fresh.update(_intents(state) - known)
        return route_of_run(state) or kept

    def go_on(self, state: ThreadState) -> Target:
        """Where the walk goes behind it: to it again until the reply of the route is there.

        Args:
            state: the thread.
        """
        kept = route_of_run(state)
        if kept is None or kept.ended or state.suspended or state.run is None:
            return self._then(state)
        if kept.fault or kept.stage in ("judge", "require") or not state.run.model.replied:
            return AGENT
        return self._then(state)

    def _then(self, state: ThreadState) -> Target:
        return self.after.to(state) if callable(self.after.to) else self.after.to

    def _is_over(self, state: ThreadState) -> bool:
        return state.run is not None and state.run.model.replied and not state.suspended and self.go_on(state) == END


def _intents(state: ThreadState) -> set[CallId]:
    return set(state.run.calls.intents) if state.run is not None else set()


def with_routes(steps: RouteSteps, tools: Toolbox, draft: GraphDraft[ThreadState]) -> GraphDraft[ThreadState]:
    """A conversation's graph whose turns can take routes.

    Args:
        steps: says what comes next.
        tools: what the agent may use.
        draft: the graph without it.
    """
    routed = RoutedAgent(draft.nodes[AGENT], draft.edges[AGENT], steps, tools)
    draft.nodes[AGENT] = routed
    draft.edges[AGENT] = Edge(routed.go_on, routed.after.targets)
    return draft
