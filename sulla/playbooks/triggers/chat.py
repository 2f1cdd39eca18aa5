"""A person's message that a playbook is for: the playbook is started in the agent's place."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from sulla.agent.model.decider import Decider
from sulla.core.errors import ProviderError, Refused
from sulla.core.ids import derived_id
from sulla.core.message import Text
from sulla.core.named import name_in
from sulla.core.run import Run
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.match import ChatTrigger, chat_triggers, matching
from sulla.playbooks.service import Begin, PlaybookService
from sulla.playbooks.tools import told_started
from sulla.threads.log.state import ThreadState

log = logging.getLogger(__name__)

NONE: Final = "NONE"
"""The choice of no playbook; their names have no capitals."""
MOST_CHOICES: Final = 50
"""Playbooks that a model chooses among."""
MESSAGE_CHARS: Final = 8_000
"""Of a message that the model is shown which chooses."""

QUESTION: Final = (
    "A person wrote the message below. Which of these playbooks is it for? Choose one only if the person wants done "
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
            log.warning("which playbook a message is for could not be asked, so its agent answers: %s", error.message)
            return ""
        return name_in(decided.answer, tuple(choices)) if isinstance(decided.answer, str) else ""

    return choose


class ChatStarts:
    """Starts playbooks for messages that they are for.

    Args:
        catalog: the playbooks, as they were at the last look.
        service: starts them.
        choose: asked where a message is about several.
    """

    def __init__(self, catalog: PlaybookCatalog, service: PlaybookService, choose: Chooser) -> None:
        self._catalog = catalog
        self._service = service
        self._choose = choose

    async def opening(self, state: ThreadState, run: Run) -> str:
        """Start the playbook that the newest message is for: see `agent.Opening`.

        Returns:
            What the person is told; empty if the agent is to answer.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        work = state.links.active_work
        if work is not None and work.running and work.run_id == run.id:  # begun for this message, before a crash
            return told_started((await self._service.status(work.id)).about.playbook, work.id)
        begin = await self.matched(state, run)
        if begin is None or state.run is None:
            return ""
        try:
            begun = await self._service.start(begin, f"chat:{state.thread_id}:{state.run.message.id}")
        except Refused as refused:
            return f"This is for the playbook {begin.playbook}, which could not be started: {refused.message}"
        return told_started(begin.playbook, begun.run)

    async def matched(self, state: ThreadState, run: Run) -> Begin | None:
        """The run that the newest message asks for; None if no playbook is for it.

        A conversation whose playbook is running has ordinary turns meanwhile.
        """
        if state.links.active_work is not None and state.links.active_work.running:
            return None
        playbooks = [one.definition for one in self._catalog.playbooks.values() if one.definition is not None]
        said = state.context.transcript[-1].parts[0]
        text = said.text if isinstance(said, Text) else ""
        found = matching(text, chat_triggers(playbooks))
        chosen = found[0] if len(found) == 1 else await self._one_of(found[:MOST_CHOICES], text, run)
        if chosen is None:
            return None
        return Begin(
            chosen.playbook,
            chosen.inputs,
            "chat",
            text,
            thread=state.thread_id,
            agent=run.agent,
            by=state.context.by,
            attended=True,
            run_id=run.id,
        )

    async def _one_of(self, found: Sequence[ChatTrigger], text: str, run: Run) -> ChatTrigger | None:
        if not found:
            return None
        choices = {one.playbook: f"{one.about}. {one.description}".strip() for one in found}
        choices[NONE] = "no playbook is for it"
        question = QUESTION.format(none=NONE, message=text[:MESSAGE_CHARS])
        answer = await self._choose(question, choices, derived_id("call", "chat", run.id), run)
        return next((one for one in found if one.playbook == answer), None)
