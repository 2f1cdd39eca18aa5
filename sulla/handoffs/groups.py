"""Whose turn it is, for those who count how many of one agent run at once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import Final

from sulla.core.errors import NotFound
from sulla.core.ids import ThreadId
from sulla.handoffs.slice import active_agent
from sulla.threads.store import ThreadStore
from sulla.work.base import Group

MOST_KNOWN: Final = 4_096
"""Threads that are remembered; of any other the head is read."""


class TurnGroups:
    """Says by what the caps count a thread: a conversation by the agent that has it. It lives as long as the daemon.

    Args:
        threads: where threads are.
    """

    def __init__(self, threads: ThreadStore) -> None:
        self._threads = threads
        self._known: OrderedDict[str, Group] = OrderedDict()

    async def __call__(self, key: str) -> Group:
        """By what a thread is counted; see `work.GroupOf`.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        if (known := self._known.get(key)) is not None:
            return known
        try:
            info, state = await self._threads.get(ThreadId(key))
        except NotFound:  # it was removed since, or is no thread
            return Group("")
        if state is None:
            return Group(info.head.agent)
        birth = state.identity.birth
        known = self._known[key] = Group(active_agent(state), state.kind.group, "" if birth is None else birth.parent)
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return known

    def passed(self, key: str, agent: str) -> None:
        """An agent goes on with a thread: its next turn begins as one of that agent.

        Args:
            key: the thread.
            agent: its id.
        """
        if (known := self._known.get(key)) is not None and known.agent != agent:
            self._known[key] = replace(known, agent=agent)
