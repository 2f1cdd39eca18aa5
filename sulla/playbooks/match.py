"""Which playbooks a person's message is about, by the words of their chat triggers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sulla.agent.input.said import read_said
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson
from sulla.playbooks.definition import Definition
from sulla.playbooks.machine.scope_inputs import complete_inputs


@dataclass(frozen=True, slots=True)
class ChatTrigger:
    """A playbook that messages may start."""

    playbook: str
    about: str
    """What a message has to be about, as its file says."""
    description: str
    inputs: FrozenJson


def chat_triggers(playbooks: Iterable[Definition]) -> tuple[ChatTrigger, ...]:
    """The playbooks that a message can start as it is.

    One that requires inputs which its trigger does not give is left out: an agent can fill them in, and start it.

    Args:
        playbooks: those that can be run.
    """
    return tuple(
        ChatTrigger(one.name, trigger.text, one.description, trigger.inputs)
        for one in playbooks
        for trigger in one.on
        if trigger.kind == "chat" and _is_complete(one, trigger.inputs)
    )


def matching(message: str, triggers: Sequence[ChatTrigger]) -> tuple[ChatTrigger, ...]:
    """The triggers that a message is about: see `Said.is_about`. The same message and triggers give the same answer.

    Args:
        message: what a person wrote.
        triggers: what there is; of several of one playbook the first one counts.

    Returns:
        One for each playbook.
    """
    if not triggers:
        return ()
    said = read_said(message)
    found: dict[str, ChatTrigger] = {}
    for trigger in triggers:
        if said.is_about(trigger.about):
            found.setdefault(trigger.playbook, trigger)
    return tuple(found.values())


def _is_complete(definition: Definition, inputs: FrozenJson) -> bool:
    try:
        complete_inputs(definition, inputs)
    except InvalidInput:
        return False
    return True
