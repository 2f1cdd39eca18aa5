"""The door by which capabilities bring what people say: the same one, with the same limits, as clients have."""

from __future__ import annotations

from typing import Protocol

from sulla.core.errors import ShuttingDown
from sulla.core.ids import MessageId, ThreadId
from sulla.threads.log.records import Answer, Input
from sulla.threads.store import Sent, ThreadStore


class DoorKeeper(Protocol):
    """Whoever lets people's words in: the daemon. Any method may raise any `SullaError`."""

    async def begin(self, agent: str, title: str, request_id: str, channel: str) -> ThreadId:
        """Make a conversation.

        Args:
            agent: who answers in it; empty for the home's own.
            title: for lists; may be empty.
            request_id: the same one gives the same conversation.
            channel: what lists show it was begun on.
        """

    async def say(self, thread_id: ThreadId, said: Input, caller: str) -> Sent:
        """Keep a message, and have it answered; the same one again changes nothing.

        Args:
            thread_id: where.
            said: it.
            caller: under whose name it is counted.

        Raises:
            NotFound: there is no such thread, or no such agent.
            RateLimited: messages come too fast.
            QueueFull: too many wait.
            MessageIdReused: its id came before with other content.
        """

    async def stop(self, thread_id: ThreadId, request_id: str) -> None:
        """End the running turn, and have what waits get none."""

    async def withdraw(self, thread_id: ThreadId, message_id: MessageId, request_id: str) -> bool:
        """Take a message back whose turn has not begun; whether it still waited when this was asked.

        Raises:
            NotFound: there is no such thread.
        """

    async def answer(self, thread_id: ThreadId, answer: Answer) -> None:
        """Answer a question; the first answer wins.

        Raises:
            AlreadyAnswered: another one came first.
            NotFound: nobody asks that.
            InvalidInput: it cannot be answered so.
        """


class Door:
    """Passes on to the daemon's keeper, for those who are made before it is. A daemon makes one before all else, and it
    lives as long as the daemon.
    """

    def __init__(self) -> None:
        self._keeper: DoorKeeper | None = None

    def connect(self, keeper: DoorKeeper) -> None:
        """From now on it is open."""
        self._keeper = keeper

    @property
    def keeper(self) -> DoorKeeper:
        """Who lets words in.

        Raises:
            ShuttingDown: nobody does: the daemon is not up yet.
        """
        if self._keeper is None:
            raise ShuttingDown("the daemon is not up yet; try again in a moment", retry_after_s=1.0)
        return self._keeper


async def still_waits(threads: ThreadStore, thread_id: ThreadId, message_id: MessageId) -> bool:
    """Whether a message's turn has not begun.

    Args:
        threads: where it is.
        thread_id: its thread.
        message_id: it.

    Raises:
        NotFound: there is no such thread.
        StoreUnavailable: the store does not answer.
    """
    info, _ = await threads.get(thread_id)
    state = await threads.with_inbox(info)
    return state is not None and any(one.message_id == message_id for one in state.inbox.waiting.values())
