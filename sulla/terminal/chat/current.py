"""The conversation that a talk is in now, and the work that goes on for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from sulla.core.clock import Clock
from sulla.terminal.chat.conversation import Conversation
from sulla.terminal.chat.inbox import Row, TalkInbox
from sulla.terminal.chat.link import Link
from sulla.terminal.chat.pieces import Event
from sulla.terminal.client import Client
from sulla.terminal.ids import whole_thread

T = TypeVar("T")


class Current:
    """Holds one conversation at a time. It lives as long as the talk.

    Args:
        home: whose daemon.
        clock: for waiting.
        take: is told what happens.
        notice: shows what an agent tells the person in another conversation.
        note: tells the person something.
    """

    group: asyncio.TaskGroup
    """Owns what goes on beside the line that is typed."""

    def __init__(
        self,
        home: Path,
        clock: Clock,
        take: Callable[[Event], None],
        notice: Callable[[Row], None],
        note: Callable[[str], None],
    ) -> None:
        self._home = home
        self._clock = clock
        self._take = take
        self.link = Link(clock, note)
        self.inbox = TalkInbox(home, clock, notice, self.link)
        self._following: asyncio.Task[None] | None = None
        self.own = ""
        """Whose the conversation is; empty for a new one."""
        self.agent = ""
        """Who has the conversation; empty where that is not known yet."""
        self.conversation = Conversation(home, clock, "", self._happened, self.link)

    async def open(self, thread_id: str) -> list[Event]:
        """Change to another conversation; its newest records.

        Args:
            thread_id: which, or how its id begins; empty for a new one.

        Raises:
            SullaError: there is no such thread, or no daemon.
        """
        found = Conversation(self._home, self._clock, "", self._happened, self.link)
        events: list[Event] = []
        own = agent = ""
        if thread_id:

            async def about(client: Client) -> dict[str, Any]:
                return await client.call("thread.get", thread_id=await whole_thread(client, thread_id))

            row = await found.call_with(about)
            found.thread_id, own, agent = str(row["thread_id"]), str(row["agent"]), str(row["active_agent"])
            events = await found.history()
        self.close()
        self.conversation, self.own, self.agent = found, own, agent
        return events

    def follow(self) -> None:
        """Follow the conversation, if it is not followed yet."""
        if self.conversation.thread_id and (self._following is None or self._following.done()):
            self._following = self.begin(self.conversation.run())

    def _happened(self, event: Event) -> None:
        if event["thread_id"] == self.conversation.thread_id:
            self.agent = str(event["data"]["agent"]) if event["type"] == "AGENT_ROUTED" else self.agent
        told = event["type"] == "NOTICE" and not event["data"].get("wait_id")
        if not told or self.inbox.is_new(event):
            self._take(event)

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Do something beside the line that is typed, and no longer than the talk lasts."""
        return self.group.create_task(work)

    def alone(self, chosen: str) -> str:
        """Who answers in the place of whoever has the conversation; empty for nobody.

        Args:
            chosen: the agent that the person chose; empty for none.
        """
        return chosen if chosen != self.own else ""

    def speaker(self, chosen: str) -> str:
        """Who answers what is said next; empty where that is not known yet.

        Args:
            chosen: the agent that the person chose; empty for none.
        """
        return self.alone(chosen) or self.agent or self.own

    def close(self) -> None:
        """Follow it no longer."""
        if self._following is not None:
            self._following.cancel()
            self._following = None
