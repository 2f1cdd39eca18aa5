"""Which route a turn takes, decided as it begins. Pure but for the file that the shelf has read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from sulla.agent.turn.speakers import Answerer
from sulla.core.dataclass import dataclass
from sulla.core.event import Fact
from sulla.routes.gates import TurnFacts, route_of
from sulla.routes.plan import Route, RoutePlan, RouteTable
from sulla.routes.slice import ROUTES, RouteTaken
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.state import ThreadState

PEOPLE: Collection[str] = ("user", "operator", "web")
"""Whose messages take routes: sub-agents, playbooks and beats have an agent do one thing."""


@dataclass(frozen=True, slots=True)
class RouteBeginnings:
    """Chooses the route of each turn. It lives as long as the daemon.

    Args:
        table: gives the home's routes as they are now; None where there are none.
        current: gives the agent that has a conversation.
        agents: gives the ids of all agents that there are now.
        busy: says whether a guided procedure is under way in a thread.
    """

    table: Callable[[], RouteTable | None]
    current: Callable[[ThreadState], str]
    agents: Callable[[], Collection[str]]
    busy: Callable[[ThreadState], bool]

    def gate(self, state: ThreadState, item: WaitingInput) -> Answerer | None:
        """The route that a gate leads a message to, whatever else it says; see `host.Built.gate`.

        Args:
            state: the thread.
            item: the message that it takes up.
        """
        table = self._table_for(state, item)
        if table is None or not table.gates:
            return None
        plan = route_of(table, item.text, self._facts(state))
        if plan is None:
            return None
        return Answerer(self._agent(plan.route), (self._taken(plan),))

    def begin(self, state: ThreadState, item: WaitingInput, agent: str) -> tuple[Fact, ...]:
        """What to note as a turn begins that no gate has decided: it takes the default route, if there is one.

        Args:
            state: the thread.
            item: the message that it takes up.
            agent: who answers.
        """
        table = self._table_for(state, item)
        route = table.default if table is not None else None
        return (self._taken(RoutePlan(route, "")),) if route is not None else ()

    def _table_for(self, state: ThreadState, item: WaitingInput) -> RouteTable | None:
        takes = item.origin in PEOPLE and item.question is None and not state.is_child and not state.identity.graph
        return self.table() if takes else None

    def _facts(self, state: ThreadState) -> TurnFacts:
        last = ROUTES.of(state)
        return TurnFacts(
            self.current(state),
            state.identity.project,
            first=not len(state.context.transcript),
            last_route=last.read.route.name if last is not None else "",
            procedure=self.busy(state),
        )

    def _agent(self, route: Route) -> str:
        """Who answers; empty for whoever has the conversation, also where the one that is named is not there."""
        return route.agent if route.agent in self.agents() else ""

    def _taken(self, plan: RoutePlan) -> RouteTaken:
        route = plan.route
        fault = ""
        if route.agent and not self._agent(route):
            fault = (
                f"the route {route.name!r} is for the agent {route.agent!r}, which is not there: make it, or name "
                "another one in `routes.yaml`"
            )
        # The message stands in the conversation: it is not written down twice.
        return RouteTaken(replace(plan, query="").to_json(), fault)
