"""Who speaks in a turn: whoever the conversation was handed to, in the same run, log, lease and budget."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol

from sulla.agent.ending import unmade_calls
from sulla.agent.part import PartOf, whole_turn
from sulla.agent.turn.node import AgentNode
from sulla.agent.turn.route import after_agent
from sulla.core.control import Control
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound
from sulla.core.event import Fact
from sulla.core.ids import ThreadId
from sulla.core.run import Run
from sulla.graph.decision import END, Continue, Decision, Next
from sulla.models.base import PromptSection
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.state import ThreadState


@dataclass(frozen=True, slots=True)
class Answerer:
    """Who answers a message."""

    agent: str
    """Its id."""
    facts: tuple[Fact, ...] = ()
    """What is to be noted of that right behind the run's beginning."""


FindAnswerer = Callable[[ThreadState, WaitingInput], Answerer]
"""Says who answers a message that a thread takes up. Pure."""


def own_agent(state: ThreadState, item: WaitingInput) -> Answerer:
    """Whom the message names, or the thread's own agent."""
    return Answerer(item.agent or state.identity.agent)


class AgentRouting(Protocol):
    """Decides which agent speaks, and what it is told of that. Pure."""

    def current(self, state: ThreadState) -> str:
        """The agent that has a conversation.

        Args:
            state: the thread.
        """

    def answerer(self, state: ThreadState, item: WaitingInput) -> Answerer:
        """Who answers a message.

        Args:
            state: the thread.
            item: the message that it takes up.
        """

    def hand_over(self, state: ThreadState, run: Run) -> tuple[Fact, ...]:
        """What is to be noted where the newest calls hand the conversation on, or whoever has it said nothing; nothing
        where neither is so.

        Args:
            state: the thread, with a run open whose newest calls have results.
            run: the run; its agent is the one that has it.
        """

    def give_back(self, agent: str, state: ThreadState) -> tuple[Fact, ...]:
        """What is to be noted where the agent that has the conversation is not there any more, so that whoever it
        worked for goes on; nothing where it worked for nobody.

        Args:
            agent: the agent that is gone.
            state: the thread, with a run open.
        """

    def led(self, agent: str, state: ThreadState) -> tuple[PromptSection, ...]:
        """What an agent is told of whoever it works for: the same for the same two.

        Args:
            agent: the agent that speaks.
            state: the thread.
        """

    def withheld(self, agent: str, state: ThreadState) -> tuple[str, ...]:
        """Tools that an agent is not told of in a conversation.

        Args:
            agent: the agent that speaks.
            state: the thread.
        """


class OwnAgentRouting:
    """Each conversation stays with its own agent."""

    def current(self, state: ThreadState) -> str:
        """See `AgentRouting.current`."""
        return state.identity.agent

    def answerer(self, state: ThreadState, item: WaitingInput) -> Answerer:
        """See `AgentRouting.answerer`."""
        return own_agent(state, item)

    def hand_over(self, state: ThreadState, run: Run) -> tuple[Fact, ...]:
        """See `AgentRouting.hand_over`."""
        return ()

    def give_back(self, agent: str, state: ThreadState) -> tuple[Fact, ...]:
        """See `AgentRouting.give_back`."""
        return ()

    def led(self, agent: str, state: ThreadState) -> tuple[PromptSection, ...]:
        """See `AgentRouting.led`."""
        return ()

    def withheld(self, agent: str, state: ThreadState) -> tuple[str, ...]:
        """See `AgentRouting.withheld`."""
        return ()


class Speakers(Protocol):
    """Everybody who can speak in a conversation."""

    def __call__(self, agent: str, state: ThreadState) -> AgentNode | None:
        """What an agent works with in a thread; None if there is no such agent.

        Args:
            agent: its id.
            state: the thread.
        """


PassTo = Callable[[ThreadId, str, Control], Awaitable[None]]
"""Has a thread's turn counted as that of the agent that works on it from here on, once there may be one more of it.
"""


async def always_room(thread_id: ThreadId, agent: str, control: Control) -> None:
    """Nobody counts."""


@dataclass(frozen=True, slots=True)
class SpeakerNode:
    """Has the agent work that the conversation was handed to. It holds nothing of a turn, so a run that was cut off
    goes on with the agent that had it.
    """

    lead: AgentNode
    """The agent whose graph this is in; it speaks until the conversation is handed on."""
    speakers: Speakers
    give_back: Callable[[str, ThreadState], tuple[Fact, ...]]
    """See `AgentRouting.give_back`."""
    pass_to: PassTo = always_room
    part: PartOf = whole_turn
    """Says with which model the part of the turn is spoken that is under way."""

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        """See `AgentNode`.

        Raises:
            NotFound: the agent that has the conversation is not there any more, and worked for nobody.
        """
        open_run, lead = state.run, self.lead.chat.spec.id
        speaks = open_run.agent if open_run is not None and open_run.agent else lead
        await self.pass_to(state.thread_id, speaks, run.control)
        run.control.check()
        if run.control.draining:
            return Continue()
        own = open_run is None or open_run.agent in ("", lead)
        if own and not self.part(state).model:
            return await self.lead(state, run if run.agent == lead else replace(run, agent=lead))
        if (node := self.speakers(speaks, state)) is not None:
            return await node(state, replace(run, agent=speaks))
        if after_agent(state) == END:  # it has said its last word
            return Next()
        if open_run is None or not (facts := self.give_back(speaks, state)):
            raise NotFound(f"the agent {speaks!r} has this turn, and there is none of that name now")
        # What it wanted done is not done with the tools of another one.
        run.journal.note(*unmade_calls(state, open_run, f"taken from the agent {speaks!r}, which is gone,"), *facts)
        return Next()
