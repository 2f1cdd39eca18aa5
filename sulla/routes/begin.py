"""Which route a turn takes, decided as it begins. Pure but for the files that the shelves have read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

from sulla.agent.input.screening import may_name
from sulla.agent.turn.speakers import Answerer
from sulla.core.dataclass import dataclass
from sulla.core.event import Fact
from sulla.core.jsontypes import JsonObject
from sulla.procedures.definition import Procedure
from sulla.procedures.machine import Continue, Moved, Preserve, Resume, SetAside, Start, move, question_for
from sulla.procedures.returning import asks_to_go_on
from sulla.procedures.slice import PROCEDURES, ProcedureState, open_procedure
from sulla.routes.gates import TurnFacts, route_of
from sulla.routes.judging import question
from sulla.routes.plan import Route, RoutePlan, RouteTable, default_of
from sulla.routes.slice import ROUTES, RouteBriefed, RouteTaken
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.state import ThreadState

PEOPLE: Final = frozenset({"user", "operator"})
"""Whose messages take routes: sub-agents, playbooks and beats have an agent do one thing, and what nobody has written
chooses nothing."""
SAFETY: Final = frozenset({"incident", "clarify", "grounded"})
"""Kinds of routes that are taken also where some of a message may be somebody else's words: what they lead to says less
than the agent could without them, and nothing that it could not."""
_GRAVE: Final = frozenset({"incident", "clarify"})
"""Kinds of routes behind which a procedure goes on only if the person asks for it."""
NO_AGENT: Final = (
    "the route {route!r} is for the agent {agent!r}, which is not there: make it, or name another one in `routes.yaml`"
)
AWAY_MS: Final = 6 * 3_600_000
"""Whoever comes back after so long is first told where they were."""


@dataclass(frozen=True, slots=True)
class RouteBeginnings:
    """Chooses the route of each turn. It lives as long as the daemon.

    Args:
        table: gives the home's routes as they are now; None where there are none.
        current: gives the agent that has a conversation.
        agents: gives the ids of all agents that there are now.
        procedures: gives the guided procedures as they are now, by name.
    """

    table: Callable[[], RouteTable | None]
    current: Callable[[ThreadState], str]
    agents: Callable[[], Collection[str]]
    procedures: Callable[[], Mapping[str, Procedure]]

    def gate(self, state: ThreadState, item: WaitingInput) -> Answerer | None:
        """The route that a gate leads a message to, whatever else it says; see `host.Built.gate`.

        Args:
            state: the thread.
            item: the message that it takes up.
        """
        table = self.table()
        if table is None or not table.gates or not _takes(state, item):
            return None
        plan = route_of(table, item.said, self._facts(state))
        if plan is None or not (plan.route.kind in SAFETY or may_name(item)):
            return None
        return Answerer(self._agent(plan.route), self._taken(plan, state))

    def urgent(self, state: ThreadState, item: WaitingInput) -> bool:
        """Whether a message must not wait: the gate of an incident holds; see `host.Built.urgent`.

        Args:
            state: the thread.
            item: the message.
        """
        table = self.table()
        if table is None or not table.leads_to_incidents or not _takes(state, item):
            return False
        plan = route_of(table, item.said, self._facts(state))
        return plan is not None and plan.route.kind == "incident"

    def begin(self, state: ThreadState, item: WaitingInput, agent: str) -> tuple[Fact, ...]:
        """What to note as a turn begins that no gate has decided: the person goes on with a procedure, or the turn
        takes the default route, if there is one.

        Args:
            state: the thread.
            item: the message that it takes up.
            agent: who answers.
        """
        table, kept = self.table(), open_procedure(state)
        if (table is None and kept is None) or not _takes(state, item):
            return ()
        if kept is not None and kept.is_aside and not (may_name(item) and asks_to_go_on(item.said)):
            kept = None
        if kept is not None and agent == self.current(state):
            return self._led(kept, state, item, table)
        put_by = self._put_by("another agent", state) if kept is not None else ()
        route = table.default if table is not None else None
        return (self._default(route, state, agent), *put_by) if route is not None else put_by

    def instead(self, state: ThreadState, item: WaitingInput, agent: str) -> str:
        """The agent of the route that a turn takes which no gate has decided; see `host.Built.instead`.

        Args:
            state: the thread.
            item: the message that it takes up.
            agent: who would answer.
        """
        table, kept = self.table(), open_procedure(state)
        if agent != self.current(state) or not _takes(state, item):
            return ""
        route = _route_for(kept.name, table) if kept is not None else table.default if table is not None else None
        return self._agent(route) if route is not None else ""

    def _default(self, route: Route, state: ThreadState, agent: str) -> RouteTaken:
        if agent != self.current(state) or route.agent in ("", agent):
            return RouteTaken(_plan(route))
        if not self._agent(route):
            return RouteTaken(_plan(route), NO_AGENT.format(route=route.name, agent=route.agent))
        return RouteTaken(_plan(route), behalf=agent)

    def _led(
        self, kept: ProcedureState, state: ThreadState, item: WaitingInput, table: RouteTable | None
    ) -> tuple[Fact, ...]:
        """The next turn of a procedure."""
        procedure = self.procedures().get(kept.name)
        if kept.is_aside:
            return RouteTaken(_plan(_route_for(kept.name, table))), *told(move(kept, Resume(), procedure))
        reply = item.said if may_name(item) else ""
        asked = question_for(kept, reply, procedure)
        plan = _plan(_route_for(kept.name, table))
        if asked and item.at_ms - state.updated_ms > AWAY_MS:
            return RouteTaken(plan), *told(move(kept, Resume(), procedure))
        if asked:
            return (RouteTaken(plan, question=question(asked)),)
        return RouteTaken(plan), *told(move(kept, Continue(reply), procedure))

    def _taken(self, plan: RoutePlan, state: ThreadState) -> tuple[Fact, ...]:
        route = plan.route
        # The message stands in the conversation: it is not written down twice.
        said = replace(plan, query="").to_json()
        if route.agent and not self._agent(route):
            fault = NO_AGENT.format(route=route.name, agent=route.agent)
            return RouteTaken(said, fault), *self._put_by("gate", state, route.kind)
        # Whoever's words have led here: what people allowed its agent is not for all that stands in this conversation.
        own = self.current(state) if route.agent not in ("", self.current(state)) else ""
        if not route.procedure:
            return (RouteTaken(said, behalf=own), *self._put_by("gate", state, route.kind))
        procedure = self.procedures().get(route.procedure)
        if procedure is None:
            fault = (
                f"the route {route.name!r} begins the procedure {route.procedure!r}, which is not there: allow the "
                "skill that has it, or name another one in `routes.yaml`"
            )
            return (RouteTaken(said, fault),)
        return RouteTaken(said, behalf=own), *told(move(PROCEDURES.of(state), Start(), procedure))

    def _put_by(self, why: str, state: ThreadState, kind: str = "") -> tuple[Fact, ...]:
        """A procedure that is open waits, as it is: for the next message, or until the person asks for it."""
        kept = open_procedure(state)
        if kept is None:
            return ()
        put_by = SetAside(kind) if kind in _GRAVE else Preserve(why)
        return move(kept, put_by, self.procedures().get(kept.name)).facts

    def _facts(self, state: ThreadState) -> TurnFacts:
        last, kept = ROUTES.of(state), open_procedure(state)
        lately = last.lately if last is not None else ("",)
        return TurnFacts(
            self.current(state),
            state.identity.project,
            first=not len(state.context.transcript),
            last_route=lately[0],
            earlier=lately[1:],
            procedure=kept is not None and not kept.is_aside,
        )

    def _agent(self, route: Route) -> str:
        """Who answers; empty for whoever has the conversation, also where the one that is named is not there."""
        return route.agent if route.agent in self.agents() else ""


def told(moved: Moved) -> tuple[Fact, ...]:
    """What is noted as a procedure goes on, with what the agent is told of it.

    Args:
        moved: what follows.
    """
    briefing = moved.briefing
    return moved.facts if briefing is None else (*moved.facts, RouteBriefed(briefing.text))


def _takes(state: ThreadState, item: WaitingInput) -> bool:
    asked = item.origin in PEOPLE and item.question is None
    return asked and not state.is_child and not state.identity.graph


def _route_for(procedure: str, table: RouteTable | None) -> Route:
    """The route of a procedure that is open: the home's, or one of which nothing is said."""
    every = table.routes.values() if table is not None else ()
    found = next((route for route in every if route.procedure == procedure), None)
    return found if found is not None else replace(default_of("procedure", procedure), procedure=procedure)


def _plan(route: Route) -> JsonObject:
    return RoutePlan(route, "").to_json()
