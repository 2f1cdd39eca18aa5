"""Who an agent is: a value, read by the nodes, changed by nobody. Pure."""

from __future__ import annotations

from typing import Literal

from sulla.core.dataclass import dataclass
from sulla.definitions.flow_options import NO_FLOW, FlowOptions
from sulla.definitions.intents import Intent
from sulla.models.base import UNTUNED, Tuning

Completion = Literal["wrapper", "plain"]
"""How an agent says that it is done: with a wrapper (seed 004), or by a reply without tool calls (seeds 000-002)."""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """One agent."""

    id: str
    name: str
    prompt: str
    """Who it is and how it talks: the base prompt."""
    completion: Completion = "wrapper"
    tools: tuple[str, ...] | None = None
    """The names of the tools that it may use; None for all."""
    model: str = ""
    """``provider:model``; empty for the daemon's own choice."""
    directives: str = ""
    """What it is to do or leave, beside what all agents are told."""
    environment: str = ""
    """Where it works, beside what all agents are told."""
    max_turns: int | None = None
    """Model calls per run, where that is fewer than the settings allow; None for what they allow."""
    spawns: tuple[str, ...] = ()
    """The agents that it may set to work."""
    hands_to: tuple[str, ...] = ()
    """The agents that it may hand a conversation to."""
    description: str = ""
    """What it is for, for people and for other agents."""
    skills: tuple[str, ...] | None = None
    """The skills that it may use; None for all."""
    intents: tuple[Intent, ...] = ()
    """Where messages of certain words go in its conversations."""
    reply_tokens: int | None = None
    """The most tokens that one reply may have; None for what the settings say."""
    tuning: Tuning = UNTUNED
    flow: FlowOptions = NO_FLOW
    """By which flow people's messages to it are walked."""
    memory: bool = True
    """Whether it is told of earlier conversations, and its turns are remembered."""

    def led_by(self, kind: str) -> tuple[Intent, ...]:
        """Its intents that lead to something of a kind.

        Args:
            kind: see `Intent.kind`.
        """
        return tuple(intent for intent in self.intents if intent.kind == kind)


SULLA = AgentSpec(
    id="sulla",
    name="Sulla",
    prompt=(
        "You are Sulla, an assistant that runs on its owner's own machine. You are calm, precise and brief. "
        "You do what you were asked, with the tools you have, and you say plainly what you did, what you found and "
        "what you could not do."
    ),
)
"""The agent that a fresh home has."""
