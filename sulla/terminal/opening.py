"""A conversation that is begun with its first message."""

from __future__ import annotations

from contextlib import suppress

from sulla.core.errors import SullaError, Unavailable
from sulla.host.system import random_id
from sulla.terminal.client import Client


class Opening:
    """Makes the thread, once, and takes it back if its first message is refused: nobody wants an empty one in their
    lists. It lives as long as the conversation.
    """

    def __init__(self) -> None:
        self._request_id = random_id("req")
        self._made = ""
        """The thread that nothing was said in yet; empty for none."""

    async def make(self, client: Client, agent: str | None) -> str:
        """Make the thread; the same one at each attempt.

        Args:
            client: a connection.
            agent: whose it is; None for the default.

        Raises:
            Refused: there is no such agent.
            Unavailable: the connection broke.
        """
        made = await client.call("thread.create", request_id=self._request_id, agent=agent)
        self._made = str(made["thread_id"])
        return self._made

    def used(self) -> None:
        """Its first message was taken."""
        self._made = ""

    def is_unused(self, error: SullaError | None = None) -> bool:
        """Whether there is a thread that nothing was said in.

        Args:
            error: what came of its first message; None if that was not sent.
        """
        # A daemon that is away may have taken the message all the same.
        return bool(self._made) and not isinstance(error, Unavailable)

    async def take_back(self, client: Client) -> None:
        """Remove a thread that nothing was said in; the next `make` makes another.

        Args:
            client: a connection.
        """
        with suppress(SullaError):  # then an empty one stays
            await client.call("thread.delete", thread_id=self._made)
        self._made, self._request_id = "", random_id("req")
