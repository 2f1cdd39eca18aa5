"""The tools by which an agent hands a conversation on. They change nothing themselves: what a call of them means is
decided once all calls of the same reply have their results (`routing.AgentRouter.hand_over`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Final

from sulla.agent.spec import AgentSpec
from sulla.core.ids import ThreadId
from sulla.core.words import ours
from sulla.handoffs.slice import supervisor_of
from sulla.threads.log.state import ThreadState
from sulla.tools.base import AsksOf, Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.schema import Bounds

TRANSFER: Final = "transfer_to_"
"""How the names of the tools begin that hand a conversation over; then comes the agent's id."""
REQUEST_HELP: Final = "request_help"
MOST_ID: Final = 64 - len(TRANSFER)
"""Characters of the id of an agent that conversations can be handed to: the services take names of tools up to 64."""
_MAX_REASON: Final = 2_000


def handed_to(tool: str, known: Collection[str]) -> str:
    """The agent that a tool hands the conversation to; empty for none.

    Args:
        tool: its name.
        known: the agents that there are.
    """
    agent = tool.removeprefix(TRANSFER)
    return agent if tool.startswith(TRANSFER) and agent in known else ""


ReadThread = Callable[[ThreadId], Awaitable[ThreadState | None]]
"""Reads a conversation; None for one that cannot be read."""


def handoff_tools(spec: AgentSpec, specs: Callable[[], Sequence[AgentSpec]], read: ReadThread) -> Iterator[Tool]:
    """The tools by which an agent hands conversations on, and learns who has them.

    Args:
        spec: the agent.
        specs: gives all agents.
        read: reads a conversation.
    """
    if any(one.hands_to or one.led_by("agent") for one in specs()):
        yield from whereabouts(specs, read)

    def made(function: Callable[..., Awaitable[Result]], whom: str) -> Tool:
        tool = define(function, effect="pure", reach="inward", category="agents", timeout_s=10.0)
        return replace(tool, hands_over=True, asks=_asks_to(whom))

    for one in specs():
        if one.id in spec.hands_to and one.id != spec.id:
            about = f" {' '.join(one.description.split())}" if one.description else ""
            said = f"Hand this conversation to {one.name}, who answers the person from then on.{about}"
            tool = made(transfer_to(one.id, specs), f"{one.name} ({one.id})")
            yield replace(tool, name=f"{TRANSFER}{one.id}", description=said)
    # Who has a conversation may have come to it by what `hands_to` of another one does not name any more.
    if len(specs()) > 1:
        yield made(request_help_of(specs, read), "the agent that it works for")


def whereabouts(specs: Callable[[], Sequence[AgentSpec]], read: ReadThread) -> tuple[Tool, ...]:
    """`get_current_active_agent` and `get_supervisor_agent`.

    Args:
        specs: gives all agents.
        read: reads a conversation.
    """

    def told(agent: str) -> Result:
        name = next((spec.name for spec in specs() if spec.id == agent), agent)
        return Done(ours(agent if name == agent else f"{agent} ({name})"))

    async def get_current_active_agent(context: ToolContext) -> Result:
        """Tell which agent has this conversation at this moment."""
        return told(context.agent)

    async def get_supervisor_agent(context: ToolContext) -> Result:
        """Tell which agent you work for in this conversation."""
        state = await read(context.thread_id)
        above = supervisor_of(context.agent, state, [one.id for one in specs()]) if state is not None else ""
        return told(above) if above else Done(ours("You work for the person alone: no agent is above you here."))

    make = partial(define, effect="pure", reach="inward", category="agents", timeout_s=10.0)
    return make(get_current_active_agent), make(get_supervisor_agent)


def _asks_to(whom: str) -> AsksOf:
    """A mistrusted conversation would go on with another agent's tools, and with what people have allowed that one for
    good, because of words that nobody trusts.
    """
    question = (
        f"May this conversation, which holds text from outside, go to {whom}? It goes on with that agent's tools, and "
        "with what was allowed it for good"
    )
    return lambda args, context: question if context.tainted else ""


def transfer_to(agent: str, specs: Callable[[], Sequence[AgentSpec]]) -> Callable[..., Awaitable[Result]]:
    """What hands a conversation to an agent.

    Args:
        agent: its id.
        specs: gives all agents: it may have gone since the turn began.
    """

    async def transfer(context: ToolContext, *, reason: Annotated[str, Bounds(maximum=_MAX_REASON)] = "") -> Result:
        """Hand this conversation to another agent.

        Args:
            reason: Why, and what the other one has to know beside what was said.
        """
        if any(one.id == agent for one in specs()):
            return Done(ours("The conversation is handed over."))
        return Done(ours(f"Not handed over: there is no agent {agent!r} any more. You still have it."), is_error=True)

    return transfer


def request_help_of(specs: Callable[[], Sequence[AgentSpec]], read: ReadThread) -> Callable[..., Awaitable[Result]]:
    """What gives a conversation back.

    Args:
        specs: gives all agents.
        read: reads a conversation.
    """

    async def request_help(context: ToolContext, *, reason: Annotated[str, Bounds(1, _MAX_REASON)]) -> Result:
        """Give this conversation back to the agent that you work for here, because you are not sure or it is not your
        task.

        Args:
            reason: What you need, and what you have found out.
        """
        state = await read(context.thread_id)
        if state is not None and supervisor_of(context.agent, state, [one.id for one in specs()]):
            return Done(ours("The agent that you work for is asked."))
        said = "There is nobody above you in this conversation: go on yourself, or say what you cannot do."
        return Done(ours(said), is_error=True)

    return request_help


def is_granted(spec: AgentSpec, tool: Tool) -> bool:
    """Whether an agent has one of them although its list of tools does not name it: whoever says whom it hands to needs
    no other permission for it, and who is told of others may ask which it is.
    """
    return True
