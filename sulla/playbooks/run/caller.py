"""For whom an agent's tool starts a run."""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound
from sulla.core.ids import ThreadId
from sulla.threads.log.plays import PLAYBOOK
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore
from sulla.tools.base import ToolContext


@dataclass(frozen=True, slots=True)
class Caller:
    """For whom a call is made."""

    state: ThreadState
    root: ThreadState
    """The thread that all of it goes back to."""

    @property
    def refusal(self) -> str:
        """Why nothing may be started from here; empty if something may."""
        if PLAYBOOK in (self.state.identity.graph, self.root.identity.graph):
            return (
                "You work on a step of a playbook, and what follows is its business: do your task, and say what should "
                "be done beside it."
            )
        if self.state.run is not None and self.state.run.message.origin == "playbook":
            return "This turn only tells what came of a playbook: tell the person, who can ask for another one."
        return ""

    @property
    def thread(self) -> ThreadId:
        """The conversation that hears of what is started here; empty where there is none, as at a heartbeat."""
        return self.root.thread_id if not self.root.identity.graph else ThreadId("")


async def caller_of(threads: ThreadStore, context: ToolContext) -> Caller:
    """For whom a call is made.

    Args:
        threads: where agents work.
        context: of the call.

    Raises:
        NotFound: its run is over, or who asked for this work is gone.
    """
    state = await threads.load(context.thread_id, messages=False)
    if state is None or state.run is None:
        raise NotFound(f"{context.thread_id}: its run is over")
    if state.identity.birth is None:
        return Caller(state, state)
    root = await threads.load(state.identity.birth.root, messages=False)
    if root is None:
        raise NotFound(f"{context.thread_id}: who asked for this work is gone")
    return Caller(state, root)
