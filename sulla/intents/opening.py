"""Takes up a person's message that has a phrase of one of the agent's intents, in the place of the agent."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from itertools import islice
from typing import Final

from sulla.agent.input.said import read_said
from sulla.agent.input.screening import own_words
from sulla.agent.model.choosing import Chooser, one_for
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.node import Opened
from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId, MessageId, derived_id
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import ToolCall
from sulla.core.run import Run
from sulla.definitions.intents import Intent
from sulla.handoffs.routing import AgentRouter
from sulla.handoffs.slice import AgentRouted
from sulla.threads.log.records import TextMessageEnd, ToolCallStart
from sulla.threads.log.state import ThreadState
from sulla.tools.policy import effect_of
from sulla.tools.registry import Toolbox
from sulla.tools.schema import validate

log = logging.getLogger(__name__)

MOST_CHOICES: Final = 50
"""Intents that a model chooses among."""

StartPlaybook = Callable[[str, FrozenJson, ThreadState, Run], Awaitable[str]]
"""Starts a playbook, with what it begins with, for the newest message, and gives what the person is told."""


PlaybookTrouble = Callable[[str, FrozenJson], Awaitable[str]]
"""Why a playbook cannot be started with what it would begin with; empty if it can."""


@dataclass(frozen=True, slots=True)
class IntentOpening:
    """Looks up each message among the intents of the agent that has the conversation. It lives as long as the daemon.

    Args:
        specs: gives the agents as they are now.
        tools: gives what an agent may use now.
        router: knows which agent has a conversation, and which one a message names.
        start: starts a playbook.
        trouble: says why a playbook cannot be started.
        choose: asked where a message has phrases of several intents.
    """

    specs: Callable[[], Sequence[AgentSpec]]
    tools: Callable[[AgentSpec], Toolbox]
    router: AgentRouter
    start: StartPlaybook
    trouble: PlaybookTrouble
    choose: Chooser

    async def __call__(self, state: ThreadState, run: Run) -> Opened:
        """Take up the newest message; see `agent.Opening`."""
        said, work = own_words(state), state.links.active_work
        spec = next((spec for spec in self.specs() if spec.id == run.agent), None)
        begun = work is not None and work.running and work.run_id == run.id  # for this message, before a crash
        if (
            begun
            or spec is None
            or run.agent != self.router.current(state)  # the message was sent to this agent
            or self.router.mentioned(said, state)
        ):
            return ""
        found = {phrase: intent async for phrase, intent in self._for(said, spec, state)}
        found = dict(islice(found.items(), MOST_CHOICES))
        about = {phrase: f"leads to {intent.leads_to}. {self._what(intent, spec)}" for phrase, intent in found.items()}
        intent = found.get(await one_for("intent", about, said, self.choose, run))
        return "" if intent is None else await self._follow(intent, spec, state, run)

    async def _for(self, text: str, spec: AgentSpec, state: ThreadState) -> AsyncIterator[tuple[str, Intent]]:
        """The intents that a message is for and that lead somewhere now, by the phrases that it has."""
        said = read_said(text if spec.intents else "")
        for intent in spec.intents:
            phrase = next((one for one in intent.phrases if said.has(one)), "")
            if not phrase or not self._leads(intent, spec, state):
                continue
            if intent.kind == "playbook" and (why := await self.trouble(intent.to, intent.args)):
                log.warning("the intent %r of the agent %r is passed over: %s", intent.phrases[0], spec.id, why)
                continue
            yield phrase, intent

    def _leads(self, intent: Intent, spec: AgentSpec, state: ThreadState) -> bool:
        match intent.kind:
            case "agent":
                return intent.to != spec.id and any(one.id == intent.to for one in self.specs())
            case "tool":
                tool = self.tools(spec).get(intent.to)
                return tool is not None and not tool.missing and not validate(intent.args, tool.schema)
            case "playbook":  # while one runs, a conversation has ordinary turns
                return state.links.active_work is None or not state.links.active_work.running
            case _:
                return True

    def _what(self, intent: Intent, spec: AgentSpec) -> str:
        match intent.kind:
            case "agent":
                return next((one.description for one in self.specs() if one.id == intent.to), "")
            case "tool":
                tool = self.tools(spec).get(intent.to)
                return tool.description.partition("\n")[0] if tool is not None else ""
            case "text":
                return intent.to[:200]
            case _:
                return ""

    async def _follow(self, intent: Intent, spec: AgentSpec, state: ThreadState, run: Run) -> Opened:
        match intent.kind:
            case "agent":
                return (AgentRouted(intent.to, "intent", run.agent),)
            case "tool":
                asked = state.context.transcript.asked.id
                message_id = MessageId(derived_id("msg", asked, "intent"))
                call = ToolCall(CallId(derived_id("call", asked, "intent")), intent.to, intent.args)
                effect = effect_of(self.tools(spec).get(intent.to), call.args)
                return (
                    TextMessageEnd(CallId(derived_id("intent", asked)), message_id, "", (call,)),
                    ToolCallStart(call.id, call.name, call.args, message_id, effect),
                )
            case "playbook":
                return await self.start(intent.to, intent.args, state, run)
            case _:
                return intent.to
