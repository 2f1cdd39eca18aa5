"""Agents that installed packages bring (seed 000). Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sulla.agent.spec import AgentSpec
from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.core.message import Message
from sulla.graph.draft import Patcher
from sulla.threads.log.state import ThreadState

PromptOf = Callable[[Sequence[Message]], str]
"""Gives an agent's base prompt from what was said so far, oldest first. It has to be quick, and to say the same of the
same."""


@dataclass(frozen=True, slots=True)
class PackagedAgent:
    """An agent of a package: one value for as long as the process lives. A folder in ``agents/`` that is called as it
    is takes its place, whole.
    """

    spec: AgentSpec
    prompt: PromptOf | None = None
    """Makes its base prompt anew for each call of the model; None for the prompt of `spec`, always. That one stands in
    its place in conversations that hold text from outside: what others say stands in no system prompt."""
    patcher: Patcher[ThreadState] | None = None
    """Changes the graph of its conversations before it is built; None for the usual one."""


def prompted(spec: AgentSpec, prompt: PromptOf, state: ThreadState) -> str:
    """An agent's base prompt in a conversation.

    Args:
        spec: the agent.
        prompt: makes it.
        state: the conversation.

    Raises:
        SettingsError: it cannot be made.
    """
    if state.context.tainted:
        return spec.prompt
    try:
        text: object = prompt(tuple(state.context.transcript))
    except Exception as error:
        said = f"the prompt of the agent {spec.id!r} cannot be made: {type(error).__name__}: {error}"
        raise SettingsError(f"{said}; mend its package, or uninstall it") from error
    if not isinstance(text, str):
        said = f"the prompt of the agent {spec.id!r} is no text but {type(text).__name__}"
        raise SettingsError(f"{said}; mend its package, or uninstall it")
    return text
