"""What firings do: each begins something under an id that follows from the schedule and the firing, so that any number
of daemons begin it once.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, assert_never

from sulla.agent.calls.call_node import order
from sulla.core.cut import cut
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, LimitReached, NotAvailable, NotFound, Refused
from sulla.core.ids import MessageId, RunId, ThreadId, derived_id
from sulla.core.jsontypes import FrozenJson
from sulla.core.words import Words
from sulla.core.words import agent as agent_saying
from sulla.schedules.records import Fired
from sulla.schedules.scheduler import PlaybookEnd, StartedAction
from sulla.schedules.spec import BeatAction, MessageAction, PlaybookAction, ReminderAction, ToolAction
from sulla.schedules.state import ScheduleState
from sulla.threads.log.records import Input, ThreadCreated
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore
from sulla.tools.builtin.notify import MAX_NOTE, PersonNote

log = logging.getLogger(__name__)

CALL_GRAPH: Final = "call"
"""What works on a thread in which a schedule calls a tool: no model is asked, and the policy rules as always."""

BeatThread = Callable[[str], Awaitable[ThreadId]]
"""The thread that an agent (by its id) wakes up in; made at its first use."""


BeginPlaybook = Callable[[str, FrozenJson, str], Awaitable[ThreadId]]
"""Begins a run of a playbook: its name, its inputs, and a key that begins it once. Gives the run's thread."""


async def no_playbooks(name: str, inputs: FrozenJson, key: str) -> ThreadId:
    """There are none.

    Raises:
        NotAvailable: always.
    """
    raise NotAvailable(f"the playbook {name!r} cannot be begun: no playbooks are kept here")


async def no_beats(agent: str) -> ThreadId:
    """Nobody can be woken.

    Raises:
        NotAvailable: always.
    """
    raise NotAvailable(f"{agent!r} cannot be woken by a schedule yet: send it a message instead")


async def no_check(name: str, inputs: FrozenJson) -> None:
    """No playbook can be known.

    Raises:
        NotAvailable: always.
    """
    raise NotAvailable(f"a schedule cannot begin the playbook {name!r}: no playbooks are kept here")


async def tell_nobody(note: PersonNote) -> None:
    """There is nobody to tell.

    Raises:
        NotAvailable: always.
    """
    raise NotAvailable("nobody can be reminded: no notices are kept here")


def said_as(schedule_id: str, slot: str) -> str:
    """The id of the message that a firing says.

    Args:
        schedule_id: the schedule.
        slot: the firing.
    """
    return derived_id("msg", "schedule", schedule_id, slot)


@dataclass(slots=True)
class ExternalActions:
    """What other capabilities let schedules start: beats and playbook runs. Each sets its own while it is built."""

    tell: Callable[[PersonNote], Awaitable[object]] = tell_nobody
    """Tells people something, once under its key."""
    beat_thread: BeatThread = no_beats
    """Where an agent wakes up."""
    playbook: BeginPlaybook = no_playbooks
    """Begins a playbook."""
    playbook_end: Callable[[ThreadState], PlaybookEnd | None] = lambda state: None
    """How the run of a playbook has ended, by its thread; None while it goes on."""
    check_playbook: Callable[[str, FrozenJson], Awaitable[None]] = no_check
    """Does nothing if a playbook is known and these are all its inputs; raises what is wrong."""


class ActionStarter:
    """Starts what a firing is for: a message, a beat, a tool call or a playbook run.


    Args:
        threads: where it is offered.
        wake: has somebody work on a thread now.
        home_agent: who answers where a schedule names nobody.
        begins: what other capabilities have begun.
    """

    def __init__(
        self,
        threads: ThreadStore,
        wake: Callable[[ThreadId], None],
        home_agent: str,
        begins: ExternalActions | None = None,
    ) -> None:
        self._threads = threads
        self._wake = wake
        self._home_agent = home_agent
        self._begins = begins or ExternalActions()

    async def begin(self, state: ScheduleState, fired: Fired) -> StartedAction:
        """Begin it; the same firing leads to the same. What cannot begin until somebody mends it is told to people.

        Raises:
            NotFound: the thread or the playbook that it is for is gone.
            InvalidInput: the playbook has faults, or takes other inputs now.
            NotAvailable: nobody can do that here.
            QueueFull: too much waits there; it may go later.
        """
        try:
            return await self._begin(state, fired)
        except (InvalidInput, NotFound) as error:
            await self._tell_why_not(state, fired, error.message)
            raise

    async def _begin(self, state: ScheduleState, fired: Fired) -> StartedAction:
        action = state.spec.action
        match action:
            case MessageAction(text, thread):
                thread_id = ThreadId(thread) if thread else await self._own_thread(state, action.agent)
                return await self._say(thread_id, state, fired, text, tainted=action.tainted)
            case ReminderAction():
                return StartedAction(await self._remind(state, fired, action))
            case BeatAction(agent, project):
                # A beat's whole message is the project that it is for.
                return await self._say(await self._begins.beat_thread(agent or self._home_agent), state, fired, project)
            case ToolAction(name, args):
                thread_id = await self._own_thread(state, action.agent, CALL_GRAPH)
                return await self._say(thread_id, state, fired, order(name, dict(args)))
            case PlaybookAction(name, inputs):
                return StartedAction(await self._begins.playbook(name, inputs, f"schedule:{state.id}:{fired.slot}"))
            case _:
                assert_never(action)

    async def _remind(self, state: ScheduleState, fired: Fired, action: ReminderAction) -> ThreadId:
        """Tell people, in the conversation that it is about, or in a thread of its own if that is gone."""
        agent, key = action.agent or self._home_agent, f"schedule:{state.id}:{fired.slot}"
        words = Words(cut(f"Reminder: {action.text}", MAX_NOTE), agent_saying(tainted=action.tainted))

        async def tell(thread_id: ThreadId) -> ThreadId:
            run_id = RunId(derived_id("run", thread_id, key))
            await self._begins.tell(PersonNote(thread_id, run_id, agent, words, "high", key))
            return thread_id

        if action.thread:
            with suppress(NotFound):
                return await tell(ThreadId(action.thread))
        return await tell(await self._own_thread(state, agent))

    async def _tell_why_not(self, state: ScheduleState, fired: Fired, why: str) -> None:
        """Tell people that a firing came to nothing. The same is told again once somebody has seen it."""
        thread_id = await self._own_thread(state, "")
        key = f"schedule:{state.id}:{fired.slot}:failed"
        text = f"{state.spec.title or f'schedule {state.id}'} was not begun: {why}"
        # Faults quote the file, which anybody may have written.
        words = Words(cut(text, MAX_NOTE), agent_saying(tainted=True))
        run_id = RunId(derived_id("run", thread_id, key))
        note = PersonNote(thread_id, run_id, self._home_agent, words, "high", key, unattended=True)
        try:
            await self._begins.tell(note)
        except (LimitReached, Refused) as error:
            log.warning("nobody is told that schedule %s was not begun: %s", state.id, error.message)

    async def _say(
        self, thread_id: ThreadId, state: ScheduleState, fired: Fired, text: str, *, tainted: bool = False
    ) -> StartedAction:
        # The policy takes a beat's word for that of somebody who is not there: such a run approves nothing itself.
        beat = isinstance(state.spec.action, BeatAction)
        message_id = f"beat:{state.id}:{fired.slot}" if beat else said_as(state.id, fired.slot)
        sent = await self._threads.send(thread_id, Input(MessageId(message_id), text, origin="beat", tainted=tainted))
        self._wake(thread_id)
        return StartedAction(thread_id, sent.run_id)

    async def _own_thread(self, state: ScheduleState, agent: str, graph: str = "") -> ThreadId:
        agent = agent or self._home_agent
        # Its agent is part of its name, and what works on it: what is changed goes on in another thread.
        created = ThreadCreated(agent, f"schedule {state.id}", graph=graph)
        return await self._threads.create(created, ":".join(filter(None, ("schedule", state.id, agent, graph))))
