"""A person's message that a playbook is for: the playbook is started in the agent's place."""

from __future__ import annotations

from typing import Final

from sulla.agent.input.screening import own_words
from sulla.agent.model.choosing import Chooser, one_for
from sulla.core.errors import InvalidInput, Refused
from sulla.core.jsontypes import FrozenJson
from sulla.core.run import Run
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.machine.scope_inputs import complete_inputs
from sulla.playbooks.match import ChatTrigger, chat_triggers, matching
from sulla.playbooks.service import Begin, PlaybookService
from sulla.playbooks.tools import told_started
from sulla.threads.log.state import ThreadState
from sulla.tools.nearest import did_you_mean

MOST_CHOICES: Final = 50
"""Playbooks that a model chooses among."""


class ChatStarts:
    """Starts playbooks for messages that they are for.

    Args:
        catalog: the playbooks; looked at anew for each message.
        service: starts them.
        choose: asked where a message is about several.
    """

    def __init__(self, catalog: PlaybookCatalog, service: PlaybookService, choose: Chooser) -> None:
        self._catalog = catalog
        self._service = service
        self._choose = choose

    async def trouble(self, playbook: str, inputs: FrozenJson) -> str:
        """Why a playbook cannot be started, as its file is now: see `cannot_start`."""
        await self._catalog.look()
        return cannot_start(self._catalog, playbook, inputs)

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
        message = state.context.transcript.asked
        begin = Begin(
            playbook,
            inputs,
            "chat",
            own_words(state),
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

        A conversation whose playbook is running has ordinary turns meanwhile.
        """
        if state.links.active_work is not None and state.links.active_work.running:
            return None
        await self._catalog.look()  # a file that was saved before the message was sent counts
        playbooks = [one.definition for one in self._catalog.playbooks.values() if one.definition is not None]
        text = own_words(state)
        found = {one.playbook: one for one in matching(text, chat_triggers(playbooks))[:MOST_CHOICES]}
        about = {name: f"{one.about}. {one.description}".strip() for name, one in found.items()}
        return found.get(await one_for("playbook", about, text, self._choose, run))


def cannot_start(catalog: PlaybookCatalog, playbook: str, inputs: FrozenJson) -> str:
    """Why a playbook cannot be started; empty if it can.

    Args:
        catalog: the playbooks, looked at.
        playbook: its name.
        inputs: what it would begin with.
    """
    if (entry := catalog.playbooks.get(playbook)) is None:
        return f"there is no playbook {playbook[:100]!r}.{did_you_mean(playbook, catalog.playbooks)}"
    if entry.definition is None:
        return f"the playbook {playbook!r} cannot be run: `sulla flow check` says why"
    try:
        complete_inputs(entry.definition, inputs)
    except InvalidInput as error:
        return error.message
    return ""
