"""A person's message that a playbook is for: the playbook is started in the agent's place."""

from __future__ import annotations

from typing import Final

from sulla.agent.input.screening import is_planted
from sulla.agent.model.choosing import Chooser, one_for
from sulla.core.errors import Refused
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import Text
from sulla.core.run import Run
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.match import ChatTrigger, chat_triggers, matching
from sulla.playbooks.service import Begin, PlaybookService
from sulla.playbooks.tools import told_started
from sulla.threads.log.state import ThreadState

MOST_CHOICES: Final = 50
"""Playbooks that a model chooses among."""


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
        trigger = await self.matched(state, run)
        return await self.start(trigger.playbook, trigger.inputs, state, run) if trigger is not None else ""

    async def start(self, playbook: str, inputs: FrozenJson, state: ThreadState, run: Run) -> str:
        """Start a playbook for the newest message, once for each message.

        Args:
            playbook: its name.
            inputs: what it begins with.
            state: the thread.
            run: the run that the message began.

        Returns:
            What the person is told.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        message = state.context.transcript[-1]
        said = message.parts[0]
        begin = Begin(
            playbook,
            inputs,
            "chat",
            said.text if isinstance(said, Text) else "",
            thread=state.thread_id,
            agent=run.agent,
            by=state.context.by,
            attended=True,
            run_id=run.id,
        )
        try:
            begun = await self._service.start(begin, f"chat:{state.thread_id}:{message.id}")
        except Refused as refused:
            return f"This is for the playbook {playbook}, which could not be started: {refused.message}"
        return told_started(playbook, begun.run)

    async def matched(self, state: ThreadState, run: Run) -> ChatTrigger | None:
        """What starts a playbook for the newest message; None if no playbook is for it.

        A conversation whose playbook is running has ordinary turns meanwhile, and words that somebody planted start
        nothing.
        """
        if (state.links.active_work is not None and state.links.active_work.running) or is_planted(state):
            return None
        playbooks = [one.definition for one in self._catalog.playbooks.values() if one.definition is not None]
        said = state.context.transcript[-1].parts[0]
        text = said.text if isinstance(said, Text) else ""
        found = {one.playbook: one for one in matching(text, chat_triggers(playbooks))[:MOST_CHOICES]}
        about = {name: f"{one.about}. {one.description}".strip() for name, one in found.items()}
        return found.get(await one_for("playbook", about, text, self._choose, run))
