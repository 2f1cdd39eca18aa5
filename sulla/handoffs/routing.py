"""Decides which agent speaks: at the beginning of a turn, and when a call hands the conversation on. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sulla.agent.input.screening import may_name
from sulla.agent.model.loop import newest_calls
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.speakers import Answerer
from sulla.core.dataclass import dataclass
from sulla.core.event import Fact
from sulla.core.ids import MessageId, derived_id
from sulla.core.named import mention_of
from sulla.core.run import Run
from sulla.core.words import ours
from sulla.handoffs.slice import HANDOFFS, AgentRouted, active_agent, supervisor_of
from sulla.handoffs.tools import REQUEST_HELP, TRANSFER, handed_to
from sulla.models.base import PromptSection
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.records import Reminder
from sulla.threads.log.state import ThreadState

_HANDED: Final = (
    "[{before} has handed this conversation to you; its call above says why. Answer the person from here on.]"
)
_HELP: Final = "[{before} asks for your help; its call above says with what. You have the conversation from here on.]"
_LEFT: Final = "[{agent} is not there any more, so the conversation stays with you: answer the person.]"
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
        active, current = active_agent(state), self.current(state)
        found = self.mentioned(item.said, state)
        if found in ("", current) or not may_name(item):
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
                above = self.above(run.agent, state)
                if not above:
                    return ()
                told = Reminder(reminder, "handed", _HELP.format(before=name))
                return AgentRouted(above, "help", run.agent), told
            if to := handed_to(call.name, known):
                told = Reminder(reminder, "handed", _HANDED.format(before=name))
                return AgentRouted(to, "handoff", run.agent), told
            if call.name.startswith(TRANSFER):  # it went between the call and now, e.g. behind a crash
                gone = _LEFT.format(agent=call.name.removeprefix(TRANSFER))
                return (Reminder(reminder, "handed", gone),)
        return ()

    def _given_back(self, state: ThreadState, run: Run) -> tuple[Fact, ...]:
        """An agent that says nothing gives the turn back, unless text from outside may have told it to."""
        above = self.above(run.agent, state)
        if not above or state.context.tainted or state.run is None:
            return ()
        reminder = MessageId(derived_id("rem", run.id, str(state.run.model.begun)))
        told = Reminder(reminder, "handed", _SILENT.format(before=self._name(run.agent)))
        return AgentRouted(above, "silence", run.agent), told

    def give_back(self, agent: str, state: ThreadState) -> tuple[Fact, ...]:
        """See `AgentRouting.give_back`."""
        above = self.above(agent, state)
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
        above = self.above(agent, state)
        return (supervisor_section(self._name(above)),) if above else ()

    def withheld(self, agent: str, state: ThreadState) -> tuple[str, ...]:
        """Tools that an agent is not told of in a conversation: nobody is above it.

        Args:
            agent: the agent that speaks.
            state: the thread.
        """
        return () if self.above(agent, state) else (REQUEST_HELP,)

    def above(self, agent: str, state: ThreadState) -> str:
        """Whom an agent works for in a conversation; empty for nobody but the person.

        Args:
            agent: the agent.
            state: the thread.
        """
        return supervisor_of(agent, state, self._known())

    def _known(self) -> tuple[str, ...]:
        return tuple(spec.id for spec in self.specs())

    def _name(self, agent: str) -> str:
        """What an agent is called; its id once it is gone."""
        return next((spec.name for spec in self.specs() if spec.id == agent), agent)

    def current(self, state: ThreadState) -> str:
        """The agent that has a conversation, or who is above it where that one is not there any more; nobody is above
        the conversation's own.

        Args:
            state: the thread.
        """
        active, known = active_agent(state), self._known()
        return active if active in known else supervisor_of(active, state, known) or active

    def mentioned(self, text: str, state: ThreadState) -> str:
        """The agent that a message begins with, of those that can have the conversation from here; empty for none.

        Args:
            text: the message.
            state: the thread.
        """
        if "@" not in text:
            return ""
        return mention_of(text, [(name, one.id) for one in self.reached(state) for name in (one.id, one.name)])

    def reached(self, state: ThreadState) -> tuple[AgentSpec, ...]:
        """The agents that a message can name with `@`: the conversation's own, those that have it or work above them,
        and those that any of these may hand it to.

        Args:
            state: the thread.
        """
        kept, specs = HANDOFFS.of(state), {spec.id: spec for spec in self.specs()}
        near = (state.identity.agent, *(kept.stack if kept is not None else ()))
        ids = [id_ for one in near if one in specs for id_ in (one, *specs[one].hands_to)]
        return tuple(specs[id_] for id_ in dict.fromkeys(ids) if id_ in specs)


def supervisor_section(name: str) -> PromptSection:
    """What an agent is told of whoever it works for, before its own prompt.

    Args:
        name: what that one is called.
    """
    text = (
        f"SUPERVISOR SYSTEM PROMPT:\nYou work for {name} here, as a specialist. Keep to your own task. Where you are "
        f"not sure, or it is not your task, call `{REQUEST_HELP}`.\n\nSUBAGENT SYSTEM PROMPT:"
    )
    return PromptSection("supervisor", ours(text))


def _said_nothing(state: ThreadState) -> bool:
    """Whether the open run's agent has had its last word and said none."""
    if state.run is None or not state.run.model.replied or state.newest.outcome.status not in ("in_progress", "done"):
        return False
    last = next(reversed(state.context.transcript), None)
    return last is None or last.role != "assistant"
