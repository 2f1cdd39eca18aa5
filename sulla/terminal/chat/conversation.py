"""One conversation with the daemon, over breaks of the connection: what happens in it, and what is said to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from math import inf
from pathlib import Path
from typing import Any, Final, TypeVar

from sulla.core.clock import Clock
from sulla.core.errors import RateLimited, StoreUnavailable, SullaError
from sulla.host.system import random_id
from sulla.terminal.chat.link import Link
from sulla.terminal.chat.orders import Mode
from sulla.terminal.chat.pieces import Event
from sulla.terminal.client import Client, open_client
from sulla.terminal.follow import PATIENCE_S, Follow
from sulla.terminal.opening import Opening
from sulla.terminal.place import door
from sulla.terminal.turn import LONG_S, MOST_CHILDREN, Said

T = TypeVar("T")

RETRY_S: Final = 0.25
LOOK_BACK: Final = 200
"""So many records of a conversation are read when it is opened."""


class Conversation:
    """Follows one thread and talks in it. It lives until another one is opened.

    Args:
        home: whose daemon.
        clock: for waiting.
        thread_id: which; empty for a new one, which is made with the first message.
        take: is told what happens.
        link: is told whether the daemon is there.
    """

    def __init__(self, home: Path, clock: Clock, thread_id: str, take: Callable[[Event], None], link: Link) -> None:
        self._home = home
        self._clock = clock
        self._take = take
        self._link = link
        self._opening = Opening()
        self.thread_id = thread_id
        self.follow = Follow(home, clock, self._begin, begun=True, lost=link.lost, back=link.back, patience_s=inf)

    async def history(self) -> list[Event]:
        """The newest records, the oldest first; from now on what comes behind them is followed.

        Raises:
            SullaError: there is no such thread, or no daemon.
        """

        async def read(client: Client) -> list[Event]:
            last = int((await client.call("thread.get", thread_id=self.thread_id))["last_seq"])
            after, events = max(0, last - LOOK_BACK), list[Event]()
            while after < last:
                page = await client.call("thread.history", thread_id=self.thread_id, after=after, limit=LOOK_BACK)
                events += page["events"]
                after = int(page["events"][-1]["seq"]) if page["events"] else last
            return events

        events = await self.call_with(read)
        self.follow.add(self.thread_id, int(events[-1]["seq"]) if events else 0)
        return events

    def listen_to(self, *threads: str) -> None:
        """Follow the threads of sub-agents and playbooks too, for what they ask people; an empty one is none."""
        for thread_id in filter(None, threads):
            if len(self.follow.seen) < MOST_CHILDREN:
                self.follow.add(thread_id)

    async def run(self) -> None:
        """Tell what happens, until it is cancelled, or the thread can be followed no longer: that is said."""
        if not self.thread_id:
            return
        self.follow.add(self.thread_id)
        try:
            async with aclosing(self.follow.events()) as events:
                async for event in events:
                    self._take(event)
        except SullaError as error:
            self._link.note(
                f"[the conversation is not followed any more: {error.message}; what is said next looks again]"
            )

    async def send(self, said: Said, message_id: str, mode: Mode) -> dict[str, Any]:
        """Say something, in a thread that is made with the first message.

        Args:
            said: what, and to whom.
            message_id: the same at each attempt.
            mode: what it does to an answer that comes.

        Raises:
            Unavailable: the daemon did not come back in time.
            Refused: it did.
        """

        async def send(client: Client) -> dict[str, Any]:
            if not self.thread_id:
                self.thread_id = await self._opening.make(client, said.agent)
            given = {"text": said.text, "quoted": said.quoted or None, "agent": said.agent, "mode": mode}
            sent = await client.call("turn.send", thread_id=self.thread_id, message_id=message_id, **given)
            self._opening.used()
            return sent

        try:
            return await self.call_with(send)
        except SullaError as error:
            if self._opening.is_unused(error):
                self.thread_id = ""
                await self.call_with(self._opening.take_back)
            raise

    async def stop(self, *, drop: bool = False) -> None:
        """End the answer that comes.

        Args:
            drop: whether messages that wait get none, too; else they are held.

        Raises:
            Unavailable: the daemon did not come back in time.
            Refused: it did.
        """
        request_id = random_id("req")
        given = {"thread_id": self.thread_id, "request_id": request_id, "drop": drop}
        await self.call_with(lambda client: client.call("turn.stop", **given))

    async def call_with(self, work: Callable[[Client], Awaitable[T]]) -> T:
        """Do something with the daemon, which may be away, or take nothing for a while.

        Raises:
            Unavailable: it did not come back in time.
            Refused: it refuses that.
        """
        deadline = self._clock.elapsed() + PATIENCE_S
        while True:
            try:
                async with open_client(door(self._home)) as client:
                    answer = await work(client)
                    self._link.back()
                    return answer
            except SullaError as error:
                wait_s = (error.retry_after_s or RETRY_S) if isinstance(error, RateLimited) else RETRY_S
                if isinstance(error, StoreUnavailable):  # the daemon is there, and says why it takes nothing
                    raise
                if not error.retryable or self._clock.elapsed() + wait_s > deadline:
                    raise
                if isinstance(error, RateLimited) and wait_s > LONG_S:
                    self._link.note(f"[the daemon takes no more messages now; sent again in {wait_s:.0f} s]")
                elif not isinstance(error, RateLimited):
                    self._link.lost()
                await self._clock.sleep(wait_s)

    async def _begin(self, client: Client) -> bool:
        return True
