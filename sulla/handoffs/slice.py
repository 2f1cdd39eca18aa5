"""Which agent has a conversation: what is kept of it, and how it changes. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import ClassVar, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.threads.log.codec import Origin
from sulla.threads.log.forms import Fielded
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.records import Outcome
from sulla.threads.log.schema import Slice
from sulla.threads.log.state import ThreadState

MOST_DEEP: Final = 16
"""Agents over one another: who hands a conversation on further leaves the oldest of them behind."""


@dataclass(frozen=True, slots=True)
class AgentRouted(Fielded):
    """From here on another agent speaks, in the same run."""

    kind: ClassVar[str] = "AGENT_ROUTED"
    provenance: ClassVar[Provenance] = "daemon"
    agent: str
    """The one that speaks."""
    by: Literal["handoff", "help", "mention", "silence", "gone", "intent"]
    """An agent has handed the conversation over, asks its supervisor for help, has said nothing or is not there any
    more; or a person has named the agent, or said a phrase that leads to it."""
    before: str = ""
    """The one that spoke."""


@dataclass(frozen=True, slots=True)
class Handoffs:
    """Who has a conversation besides the agent that it was begun with."""

    stack: tuple[str, ...] = ()
    """The agents over one another, the one that has it last; each works for the one before it, and the first for the
    conversation's own agent."""


def _fold(state: ThreadState, kept: Handoffs | None, record: AgentRouted, seq: int, origin: Origin) -> Handoffs:
    if (run := state.run) is not None:
        state.walk.lead = state.walk.lead or run.agent
        run.agent = record.agent
        # Its own bound of model calls counts its own: those of whoever spoke before are part of the run's tokens.
        run.model.replied, run.model.attempts, run.model.earlier = False, 0, run.model.begun
        # Whoever speaks now has not said anything yet, and is nudged for itself.
        state.newest.nudged = state.newest.nudging = False
        state.newest.outcome = Outcome(updated_at_ms=origin.at_ms)
    return replace(kept or Handoffs(), stack=stack_with(record.agent, kept, state))


HANDOFFS: Final = Slice("handoffs", Handoffs, _fold, decided=(AgentRouted,))


def stack_with(agent: str, kept: Handoffs | None, state: ThreadState) -> tuple[str, ...]:
    """The agents over one another once an agent has the conversation.

    Args:
        agent: the agent; the conversation's own, or one that is below others, releases those.
        kept: what was before; None for nothing.
        state: the thread.
    """
    stack = kept.stack if kept is not None else ()
    if agent == state.identity.agent:
        return ()
    if agent in stack:
        return stack[: stack.index(agent) + 1]
    return (*stack, agent)[-MOST_DEEP:]


def active_agent(state: ThreadState) -> str:
    """The agent that has a conversation.

    Args:
        state: the thread.
    """
    kept = HANDOFFS.of(state)
    # Nobody has an empty name: it was noted once where the conversation's own agent was gone.
    return (kept.stack[-1] if kept is not None and kept.stack else "") or state.identity.agent


def supervisor_of(agent: str, state: ThreadState, known: Collection[str]) -> str:
    """Whom an agent works for in a conversation; empty for nobody but the person.

    Args:
        agent: the agent.
        state: the thread.
        known: the agents that there are; those that have gone since are passed over.
    """
    kept = HANDOFFS.of(state)
    order = (state.identity.agent, *(kept.stack if kept is not None else ()))
    at = order.index(agent) if agent in order else 0
    return next((one for one in reversed(order[1:at]) if one in known), order[0]) if at else ""
