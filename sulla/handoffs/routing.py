"""Decides which agent speaks: at the beginning of a turn, and when a call hands the conversation on. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from sulla.agent.model.loop import newest_calls
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.speakers import Answerer
from sulla.core.dataclass import dataclass
from sulla.core.event import Fact
from sulla.core.ids import MessageId, derived_id
from sulla.core.run import Run
from sulla.core.words import ours
from sulla.handoffs.slice import HANDOFFS, AgentRouted, active_agent, supervisor_of
from sulla.handoffs.tools import REQUEST_HELP, handed_to
from sulla.models.base import PromptSection
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.records import Reminder
from sulla.threads.log.state import ThreadState

MENTION: Final = re.compile(r"\s*@([A-Za-z0-9][A-Za-z0-9_-]{0,63})(?=$|[\s,:;.!?])")
"""How a message begins that names an agent."""

_HANDED: Final = (
    "[{before} has handed this conversation to you; its call above says why. Answer the person from here on.]"
)
_HELP: Final = "[{before} asks for your help; its call above says with what. You have the conversation from here on.]"
_NOBODY: Final = "[There is nobody above you in this conversation: go on yourself, or say what you cannot do.]"

_GONE: Final = "[{before} is not there any more. You have the conversation from here on: answer the person.]"
_SILENT: Final = "[{before} has said nothing. You have the conversation from here on: answer the person.]"


@dataclass(frozen=True, slots=True)
class AgentRouter:
    """Knows the agents of a home. It lives as long as the daemon.

    Args:
        specs: gives them as they are now, the home's own first.
    """

    specs: Callable[[], Sequence[AgentSpec]]

    def answerer(self, state: ThreadState, item: WaitingInput) -> Answerer:
        """Who answers a message: whom it is sent to, whom it names, who has the conversation, or its own agent.

        One that is sent to the conversation's own agent is sent to the conversation: clients that know nothing of
        agents but a name for each conversation say that with each message. What playbooks, beats and other agents say
        is for the conversation's own agent.

        Args:
            state: the thread.
            item: the message that it takes up.
        """
        own = state.identity.agent
        if item.agent not in ("", own) or item.origin != "user" or item.question is not None or state.is_child:
            return Answerer(item.agent or own)
        specs = {spec.id: spec for spec in self.specs()}
        active = active_agent(state)
        current = active if active in specs else supervisor_of(active, state, specs)
        # Whom words from outside name has no say: else they could choose whose tools work for them.
        found = "" if item.tainted else self._mentioned(item.text, state, current)
        if found in ("", current):
            return Answerer(current, (AgentRouted(current, "gone", active),) if current != active else ())
        return Answerer(found, (AgentRouted(found, "mention", current),))

    def hand_over(self, state: ThreadState, run: Run) -> tuple[Fact, ...]:
        """What is to be noted where the newest calls hand the conversation on, or whoever has it said nothing; nothing
        where neither is so.

        Args:
            state: the thread, with a run open whose newest calls have results.
            run: the run; its agent is the one that has it.
        """
        if _said_nothing(state):
            return self._given_back(state, run)
        if (newest := newest_calls(state.context.transcript)) is None:
            return ()
        message, results = newest
        good = {result.call_id for result in results if not result.is_error}
        name, known = self._name(run.agent), self._known()
        for call in message.calls:
            if call.id not in good:
                continue
            reminder = MessageId(derived_id("rem", call.id))
            if call.name == REQUEST_HELP:
                above = supervisor_of(run.agent, state, known)
                if not above:
                    return (Reminder(reminder, "handed", _NOBODY),)
                told = Reminder(reminder, "handed", _HELP.format(before=name))
                return AgentRouted(above, "help", run.agent), told
            if to := handed_to(call.name, known):
                told = Reminder(reminder, "handed", _HANDED.format(before=name))
                return AgentRouted(to, "handoff", run.agent), told
        return ()

    def _given_back(self, state: ThreadState, run: Run) -> tuple[Fact, ...]:
        """An agent that says nothing gives the turn back, unless text from outside may have told it to."""
        above = supervisor_of(run.agent, state, self._known())
        if not above or state.context.tainted or state.run is None:
            return ()
        reminder = MessageId(derived_id("rem", run.id, str(state.run.model.begun)))
        told = Reminder(reminder, "handed", _SILENT.format(before=self._name(run.agent)))
        return AgentRouted(above, "silence", run.agent), told

    def give_back(self, agent: str, state: ThreadState) -> tuple[Fact, ...]:
        """See `AgentRouting.give_back`."""
        above = supervisor_of(agent, state, self._known())
        if not above or state.run is None:
            return ()
        reminder = MessageId(derived_id("rem", state.run.id, "gone", agent, str(state.run.model.begun)))
        return AgentRouted(above, "gone", agent), Reminder(reminder, "handed", _GONE.format(before=agent))

    def led(self, agent: str, state: ThreadState) -> tuple[PromptSection, ...]:
        """What an agent is told of whoever it works for: the same for the same two.

        Args:
            agent: the agent that speaks.
            state: the thread.
        """
        if not (above := supervisor_of(agent, state, self._known())):
            return ()
        text = (
            f"SUPERVISOR SYSTEM PROMPT:\nYou work for {self._name(above)} here, as a specialist. Keep to your own "
            f"task. Where you are not sure, or it is not your task, call `{REQUEST_HELP}`.\n\nSUBAGENT SYSTEM PROMPT:"
        )
        return (PromptSection("supervisor", ours(text)),)

    def withheld(self, agent: str, state: ThreadState) -> tuple[str, ...]:
        """Tools that an agent is not told of in a conversation: nobody is above it.

        Args:
            agent: the agent that speaks.
            state: the thread.
        """
        return () if supervisor_of(agent, state, self._known()) else (REQUEST_HELP,)

    def _known(self) -> tuple[str, ...]:
        return tuple(spec.id for spec in self.specs())

    def _name(self, agent: str) -> str:
        """What an agent is called; its id once it is gone."""
        return next((spec.name for spec in self.specs() if spec.id == agent), agent)

    def _mentioned(self, text: str, state: ThreadState, current: str) -> str:
        """The agent that a message begins with, of those that can have the conversation from here; empty for none."""
        if (match := MENTION.match(text)) is None:
            return ""
        kept = HANDOFFS.of(state)
        near = (state.identity.agent, *(kept.stack if kept is not None else ()), current)
        name = match[1].casefold()
        return next((spec.id for spec in self._reachable(near) if name in _names(spec)), "")

    def _reachable(self, near: Iterable[str]) -> Iterator[AgentSpec]:
        specs = {spec.id: spec for spec in self.specs()}
        ids = [id_ for one in near if one in specs for id_ in (one, *specs[one].hands_to)]
        return (specs[id_] for id_ in dict.fromkeys(ids) if id_ in specs)


def _said_nothing(state: ThreadState) -> bool:
    """Whether the open run's agent has had its last word and said none."""
    if state.run is None or not state.run.model.replied or state.newest.outcome.status not in ("in_progress", "done"):
        return False
    last = next(reversed(state.context.transcript), None)
    return last is None or last.role != "assistant"


def _names(spec: AgentSpec) -> tuple[str, str]:
    return spec.id.casefold(), "_".join(spec.name.split()).casefold()
