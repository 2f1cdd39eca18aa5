"""Agents that installed packages bring (seed 000). Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sulla.agent.spec import AgentSpec
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, SettingsError
from sulla.core.message import Message
from sulla.graph.draft import Patcher
from sulla.threads.log.forms import form_of, to_json
from sulla.threads.log.state import ThreadState

_HINTS: Final[Mapping[str, str]] = AgentSpec.__annotations__

PromptOf = Callable[[Sequence[Message]], str]
"""Gives an agent's base prompt from what people and agents have said so far, with calls and their results, oldest
first. It has to be quick, and to say the same of the same."""


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
    of: str = ""
    """Who brings it, for messages; set by whoever has found it."""


def wrong_fields(agent: PackagedAgent) -> Iterator[str]:
    """What of an agent has another type than it says: the field, what was expected and what was found.

    Args:
        agent: as its package made it, perhaps with no types checked.
    """
    for name in ("prompt", "patcher"):
        if (value := getattr(agent, name)) is not None and not callable(value):
            yield f"{name}: expected a function or None, found {value!r}"[:300]
    spec: object = agent.spec
    if not isinstance(spec, AgentSpec):
        yield f"spec: expected an AgentSpec, found {spec!r}"[:300]
        return
    for name, read in form_of(AgentSpec).readers.items():
        value = getattr(spec, name)
        wrong = f"expected {_HINTS[name]}, found {value!r}"
        try:
            if read(to_json(value)) == value:
                continue
        except (CorruptRecord, TypeError) as error:
            wrong = str(error) if isinstance(value, tuple) or "tuple" not in wrong else wrong
        yield f"spec.{name}: {wrong}"[:300]


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
        text: object = prompt(tuple(_said(state.context.transcript)))
    except BaseException as error:
        said = f"the prompt of the agent {spec.id!r} cannot be made: {type(error).__name__}: {error}"
        raise SettingsError(f"{said}; mend its package, or uninstall it") from error
    if not isinstance(text, str):
        said = f"the prompt of the agent {spec.id!r} is no text but {type(text).__name__}"
        raise SettingsError(f"{said}; mend its package, or uninstall it")
    return text


def _said(messages: Iterable[Message]) -> Iterator[Message]:
    """Messages without what the daemon puts beside a person's words, and without its notes."""
    for message in messages:
        if message.role != "user":
            yield message
        elif not message.hidden:  # the words come first: see `threads.log.fold`
            yield replace(message, parts=message.parts[:1])
