"""What is noted as a turn gets on with its route, and under which conditions it is spoken meanwhile. Pure.

A route that requires a tool goes so: the model has to call it; if it does not, or its call comes to nothing, the call
is made in its place; then the reply is the tool's text, or the model is asked again without the tool.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

from sulla.agent.model.loop import GivenReply, given_reply, newest_calls
from sulla.agent.part import WHOLE_TURN, TurnPart
from sulla.agent.turn.node import given_fact
from sulla.core.dataclass import dataclass
from sulla.core.errors import LimitReached, ProviderError, ProviderProtocol, RouteError, SettingsError, SullaError
from sulla.core.event import Fact
from sulla.core.ids import CallId, MessageId, derived_id
from sulla.core.message import ToolCall, ToolResult
from sulla.core.run import Run
from sulla.core.words import Words, ours
from sulla.models.base import PromptSection
from sulla.procedures.definition import Procedure
from sulla.procedures.machine import Clear, Continue, move
from sulla.procedures.slice import open_procedure
from sulla.routes.begin import told
from sulla.routes.plan import Route, RoutePlan, RouteTable
from sulla.routes.slice import RouteEnded, RouteMoved, TurnRoute, route_of_run
from sulla.routes.so_far import found_by, has_told, results_of, said_nothing
from sulla.threads.log.inputs import said_of
from sulla.threads.log.records import Reminder, TextMessageEnd, ToolCallStart
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Effect
from sulla.tools.registry import Toolbox

MEMORY_TOOLS: Final = frozenset({"recall", "remember", "forget"})
MOST_ASKED: Final = 8_000
"""Characters of the person's message that a required tool gets."""
_HELPED: Final = (ProviderError, LimitReached, RouteError, SettingsError)
"""Why a model could not be asked, where the fixed text is said: a model's name may be good for nothing here, too."""
_OPEN: Final = frozenset({"default", "memory"})
"""Kinds of routes that a call can lead away from."""
JUDGING: Final = TurnPart(shown=False)
GO_ON: Final = "What the person replied has been judged. Answer them now, as you are told for this turn."
NOT_THERE: Final = "the route {route!r} requires the tool {tool!r}, which the agent {agent!r} does not have: {do}"
CAME_TO_NOTHING: Final = "the route {route!r} answers with what {tool!r} finds and nothing else, and that was: {found}"
NOTHING_FOUND: Final = "nothing_found"
SAID_NOTHING: Final = "nothing_said"
WITHOUT_STYLE: Final = "(not there)"
"""What the record of a turn says of a style that no skill had: it was answered without."""

StyleOf = Callable[[str], PromptSection | None]
"""Gives what a skill says of how to reply; None where there is no such skill that may be used."""


EffectOf = Callable[[str, ToolCall], Effect]
"""Says what repeating a call of an agent (by its id) would do."""


@dataclass(frozen=True, slots=True)
class RouteSteps:
    """Takes turns along their routes. It lives as long as the daemon.

    Args:
        table: gives the home's routes as they are now.
        style: gives what a style says.
        effect: says what repeating a call would do.
        procedures: gives the guided procedures as they are now, by name.
    """

    table: Callable[[], RouteTable | None]
    style: StyleOf
    effect: EffectOf
    procedures: Callable[[], Mapping[str, Procedure]]

    def part(self, state: ThreadState) -> TurnPart:
        """Under which conditions whoever speaks does so now; see `agent.PartOf`.

        Args:
            state: the thread.
        """
        kept = route_of_run(state)
        if kept is None or kept.stage in ("judge", "over"):
            return WHOLE_TURN if kept is None or kept.stage == "over" else JUDGING
        route = kept.read.route
        certain = not route.fallback
        if kept.stage == "require":
            # Asked once, and not waited for: the call can be made without it.
            return TurnPart(force=route.tools.require, certain=True)
        if route.kind == "default" and not (route.reply.instructions or route.reply.style or route.tools.without):
            return TurnPart(opens=True, model=route.model, certain=certain, wordless=self._leading(route))
        without = (*route.tools.without, *((route.tools.require,) if route.tools.require else ()))
        return TurnPart(
            without=without,
            sections=self._sections(route, kept, state),
            model=route.model,
            opens=route.kind == "default",
            certain=certain,
            wordless=self._leading(route),
        )

    def _leading(self, route: Route) -> frozenset[str]:
        """The tools whose call leads from a route to a grounded one, or to that of the memory."""
        table = self.table()
        if table is None or route.kind not in _OPEN:
            return frozenset()
        grounded = frozenset(one.tools.require for one in table.routes.values() if one.kind == "grounded")
        leads = route.kind == "default" and table.of_kind("memory") is not None
        return grounded | MEMORY_TOOLS if leads else grounded

    def _sections(self, route: Route, kept: TurnRoute, state: ThreadState) -> tuple[PromptSection, ...]:
        told = (PromptSection("route", ours(route.reply.instructions)),) if route.reply.instructions else ()
        if kept.briefing:
            told = (*told, PromptSection("procedure", Words(kept.briefing, state.context.by)))
        style = self.style(route.reply.style) if route.reply.style else None
        return told if style is None else (*told, style)

    def over(self, state: ThreadState, run: Run) -> tuple[Fact, ...]:
        """What to note where calls have results, or the model has had its last word; see `agent.HandOver`.

        Args:
            state: the thread.
            run: the run.
        """
        kept = route_of_run(state)
        if kept is None or kept.stage in ("judge", "over") or kept.fault:
            return ()
        if kept.stage == "require":
            return self._required(kept, state, run)
        if kept.read.route.kind in _OPEN and (facts := self._rerouted(state, run)):
            return facts
        if kept.read.route.reply.fixed_text and said_nothing(state):
            return self.fixed(kept, state, run, SAID_NOTHING)
        ended = state.newest.outcome.status == "done" or state.newest.nudged  # else it is asked once more
        if ended and said_nothing(state) and not has_told(state):
            return (RouteMoved("failed", why=SAID_NOTHING),)
        return ()

    def _required(self, kept: TurnRoute, state: ThreadState, run: Run) -> tuple[Fact, ...]:
        route, found = kept.read.route, results_of(kept.read.route.tools.require, state)
        good = [one for one in found if not one.is_error and one.text.strip()]
        if good and kept.unheard and route.reply.fixed_text and not (route.fallback or route.model):
            return self.fixed(kept, state, run, kept.unheard)  # it would keep a person waiting once more
        if good:
            return self._answered(route, good, state, run)
        if not kept.made:
            return self.made(kept, state)
        if route.tools.text_only or (route.kind == "incident" and route.reply.fixed_text):
            why = found[0].text if found else "nothing"
            said = CAME_TO_NOTHING.format(route=route.name, tool=route.tools.require, found=why)
            return self._failed(kept, said, state, run)
        return (RouteMoved("called"),)  # the model is told that it failed, and answers all the same

    def _answered(self, route: Route, good: list[ToolResult], state: ThreadState, run: Run) -> tuple[Fact, ...]:
        called = RouteMoved("called")
        if not route.tools.text_only or state.run is None:
            return (called,)
        asked = next(message.id for message in reversed(state.context.transcript) if message.calls)
        found = given_reply(asked, good)
        if route.kind == "incident" and route.reply.fixed_text:
            found = replace(found, text=f"{route.reply.fixed_text.strip()}\n\n{found.text}")
        return called, given_fact(found, state, run)

    def _rerouted(self, state: ThreadState, run: Run) -> tuple[Fact, ...]:
        """What follows where an agent has called what another route is about (seed 003: grounded before memory)."""
        kept, table = route_of_run(state), self.table()
        newest = newest_calls(state.context.transcript)
        if kept is None or newest is None or (state.run is not None and state.run.model.replied):
            return ()
        # A call that came to nothing leads there too: what it was about must not be made up then.
        called = {call.name for call in newest[0].calls}
        route = led_by(called, table) if table is not None else None
        if route is None or route.name == kept.read.route.name:
            return ()
        plan = RoutePlan(route, "").to_json()
        moved = RouteMoved("rerouted", plan)
        if not route.tools.require:
            return (moved,)
        return moved, *self._required(replace(kept, plan=plan, made=False), state, run)

    def made(self, kept: TurnRoute, state: ThreadState, why: str = "") -> tuple[Fact, ...]:
        """The call that a route requires, made in the model's place.

        Args:
            kept: the route.
            state: the thread.
            why: the error of the model's service, if that is why.
        """
        plan, run = kept.read, state.run
        asked = run.message.id if run is not None else MessageId("")
        message_id = MessageId(derived_id("msg", asked, "route"))
        call = ToolCall(
            CallId(derived_id("call", asked, "route")),
            plan.route.tools.require,
            replace(plan, query=asked_in(state)[:MOST_ASKED]).args,
        )
        reply = TextMessageEnd(CallId(derived_id("route", asked)), message_id, "", (call,), hidden=True)
        speaks = (run.agent if run is not None else "") or state.identity.agent
        return (
            RouteMoved("made", why=why),
            reply,
            ToolCallStart(call.id, call.name, call.args, message_id, self.effect(speaks, call)),
        )

    def judged(self, verdict: str, state: ThreadState) -> tuple[Fact, ...]:
        """What follows from what a model has made of the person's reply to a procedure.

        Args:
            verdict: one of `verdicts.CHOICES`; anything else holds the procedure where it is.
            state: the thread.
        """
        kept = open_procedure(state)
        if kept is None:
            return (RouteMoved("judged"), *_asked_on(state))
        moved = move(kept, Continue(reply_in(state), verdict), self.procedures().get(kept.name))
        return RouteMoved("judged"), *_asked_on(state), *told(moved)

    def fixed(self, kept: TurnRoute, state: ThreadState, run: Run, why: str) -> tuple[Fact, ...]:
        """The fixed text of a route, as its reply; in an incident with what its required tool has found.

        Args:
            kept: the route.
            state: the thread.
            run: the run.
            why: why no model says it.
        """
        asked = state.run.message.id if state.run is not None else MessageId("")
        route = kept.read.route
        reply = GivenReply(asked, route.reply.fixed_text)
        found = found_by(route.tools.require, state) if route.kind == "incident" else []
        if found:  # nobody who is in danger looks for it themselves
            told = given_reply(asked, found)
            reply = replace(told, text=f"{reply.text.strip()}\n\n{told.text}")
        return RouteMoved("fixed", why=why), *self.unbegun(state), given_fact(reply, state, run)

    def unbegun(self, state: ThreadState) -> tuple[Fact, ...]:
        """What to note where a turn that begins a procedure comes to nothing: nobody was led anywhere, and what the
        person says next is no reply to a step.

        Args:
            state: the thread.
        """
        taken, kept = route_of_run(state), open_procedure(state)
        if taken is None or kept is None or not taken.read.gate or taken.read.route.procedure != kept.name:
            return ()
        return () if kept.replies else move(kept, Clear("failed"), self.procedures().get(kept.name)).facts

    def helped(self, error: SullaError, state: ThreadState, run: Run) -> tuple[Fact, ...]:
        """What goes on where the model could not be asked: the call is made in its place, or the fixed text is said;
        nothing where the turn fails.

        Args:
            error: why not.
            state: the thread.
            run: the run.
        """
        kept = route_of_run(state)
        if kept is None or kept.stage == "over":
            return ()
        if kept.stage == "judge":
            return self.judged("", state)
        if kept.stage == "require" and not kept.made and isinstance(error, (ProviderError, SettingsError)):
            # One that writes a call badly can write a reply all the same.
            return self.made(kept, state, "" if isinstance(error, ProviderProtocol) else error.code)
        if kept.read.route.reply.fixed_text and isinstance(error, _HELPED):
            why = error.message if isinstance(error, RouteError) else error.code
            return self.fixed(kept, state, run, why)
        return ()

    def _failed(self, kept: TurnRoute, why: str, state: ThreadState, run: Run) -> tuple[Fact, ...]:
        if kept.read.route.reply.fixed_text:
            return self.fixed(kept, state, run, NOTHING_FOUND)  # what the tool says may repeat the person's words
        return (RouteMoved("failed", why=why),)

    def missing(self, tools: Toolbox, state: ThreadState, agent: str) -> str:
        """Why a route cannot be gone on with; empty if it can.

        Args:
            tools: what the agent that speaks may use.
            state: the thread.
            agent: its id.
        """
        kept = route_of_run(state)
        if kept is None or kept.stage != "require":
            return ""
        route = kept.read.route
        tool = tools.get(route.tools.require)
        if tool is not None and not tool.missing:
            return ""
        do = tool.missing if tool is not None else "give it the tool, or name another agent in `routes.yaml`"
        return NOT_THERE.format(route=route.name, tool=route.tools.require, agent=agent, do=do)

    def ended(self, kept: TurnRoute, state: ThreadState, run: Run) -> RouteEnded:
        """What to note once the reply of a turn is there.

        Args:
            kept: its route.
            state: the thread.
            run: the run.
        """
        route = kept.read.route
        began_ms = state.run.course.started_ms if state.run is not None else 0
        took_ms = max(0, round(run.clock.now() * 1000) - began_ms)
        style = route.reply.style
        if style and self.style(style) is None:
            style = f"{style} {WITHOUT_STYLE}"
        return RouteEnded(route.name, route.kind, kept.mode, style, run.agent, took_ms)


def _asked_on(state: ThreadState) -> tuple[Reminder, ...]:
    """What ends the conversation in the user's role where a model has said something in the place of its verdict: no
    model is called with its own text last."""
    last = next(reversed(state.context.transcript), None)
    if state.run is None or last is None or last.role != "assistant" or last.calls:
        return ()
    return (Reminder(MessageId(derived_id("rem", state.run.id, "judged")), "judged", GO_ON),)


def asked_in(state: ThreadState) -> str:
    """What the person says in the message that the open run works on, without what an application says before it.

    Args:
        state: the thread.
    """
    if state.run is None:
        return ""
    return said_of(state.context.transcript.words_of(state.run.message.id), state.run.message.said_chars)


def reply_in(state: ThreadState) -> str:
    """What the person says to a procedure in the message that the open run works on; empty where anything of it may be
    somebody else's.

    Args:
        state: the thread.
    """
    run = state.run
    if run is None or not run.message.own or "injection" in state.newest.diagnostics:
        return ""
    if run.message.said_chars and "sanitized" in state.newest.diagnostics:  # nobody knows where they begin now
        return ""
    return asked_in(state)


def asks_nobody(route: Route) -> bool:
    """Whether a route's required call is made at once, and no model is asked for it: in an incident of which no model
    says a word, that would only keep a person waiting.

    Args:
        route: the route.
    """
    return route.kind == "incident" and route.tools.text_only


def led_by(called: Collection[str], table: RouteTable) -> Route | None:
    """The route that calls lead to: one that is grounded in what a tool finds before one about memory (seed 003).

    Args:
        called: the tools that were called.
        table: the routes.
    """
    for route in table.routes.values():
        if route.kind == "grounded" and route.tools.require in called:
            return route
    return table.of_kind("memory") if MEMORY_TOOLS & {*called} else None
