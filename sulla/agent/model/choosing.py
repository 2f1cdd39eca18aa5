"""Which of several things a message is for that its words fit: an agent's model chooses one by its name, or none."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from sulla.agent.model.decider import Decider
from sulla.core.errors import ProviderError
from sulla.core.ids import derived_id
from sulla.core.named import name_in
from sulla.core.run import Run

log = logging.getLogger(__name__)

NONE: Final = "NONE"
"""The choice of nothing."""
MESSAGE_CHARS: Final = 8_000
"""Of a message that the model is shown which chooses."""

_QUESTION: Final = (
    "A person wrote the message below. Which of these {kinds} is it for? Choose one only if the person wants done "
    "what it does; else choose {none}.\n\n<message>\n{message}\n</message>"
)


class Chooser(Protocol):
    """Has one of several names chosen."""

    async def __call__(self, question: str, choices: Mapping[str, str], call_id: str, run: Run) -> str:
        """One of the names; empty if none was chosen."""


def chooser(decider_of: Callable[[str], Decider]) -> Chooser:
    """Have an agent's model choose.

    Args:
        decider_of: gives what asks an agent's model, by the agent's id.
    """

    async def choose(question: str, choices: Mapping[str, str], call_id: str, run: Run) -> str:
        decider = decider_of(run.agent)
        try:
            decided = await decider.decide(
                question, choices, call_id=call_id, agent=run.agent, clock=run.clock, control=run.control
            )
        except ProviderError as error:
            log.warning("what a message is for could not be asked, so its agent answers: %s", error.message)
            return ""
        return name_in(decided.answer, tuple(choices)) if isinstance(decided.answer, str) else ""

    return choose


async def one_for(kind: str, found: Mapping[str, str], text: str, choose: Chooser, run: Run) -> str:
    """The name of the one thing that a message is for: the only one, or what the model chooses.

    Args:
        kind: what they are, in the singular.
        found: those that its words fit, each with what it stands for.
        text: the message.
        choose: asked if there are several.
        run: the run.

    Returns:
        One of the names; empty for none of them.
    """
    if len(found) < 2:
        return next(iter(found), "")
    question = _QUESTION.format(kinds=f"{kind}s", none=NONE, message=text[:MESSAGE_CHARS])
    choices = {**found, NONE: f"no {kind} is for it"}
    answer = await choose(question, choices, derived_id("call", "chat", kind, run.id), run)
    return answer if answer in found else ""
