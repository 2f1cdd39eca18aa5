"""A client's way into a cluster: through whichever gateway answers, again and again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Any, TypeVar

from sulla.core.errors import SullaError, Unavailable
from sulla.terminal.client import Client, Event, open_client
from sulla.terminal.place import Door
from tests.faults.backend import CLOCK

SILENT_S = 4.0
"""A gateway that says nothing for so long is left for another one."""
_AGAIN_S = 0.2

T = TypeVar("T")


async def ask(client: Client, method: str, **params: object) -> dict[str, Any]:
    """Ask a gateway that has so long to answer, and no longer.

    Raises:
        TimeoutError: it did not.
        SullaError: it refused.
    """
    async with CLOCK.timeout(SILENT_S):
        return await client.call(method, **params)


async def next_event(client: Client) -> Event:
    """The next event; while none comes, the gateway has to show now and then that it lives.

    Raises:
        TimeoutError: it does not.
        SullaError: the thread can be followed no longer, or the connection broke.
    """
    while True:
        try:
            async with CLOCK.timeout(SILENT_S):
                return await anext(client.events())
        except TimeoutError:
            await ask(client, "system.status")


class Line:
    """One client's way in.

    Args:
        doors: the gateways.
        chance: which one is tried first.
    """

    def __init__(self, doors: Sequence[Door], chance: Random) -> None:
        self._doors = list(doors)
        chance.shuffle(self._doors)

    async def do(self, work: Callable[[Client], Awaitable[T]]) -> T:
        """Do something to its end, over as many connections as it takes; `work` goes on where it was.

        Raises:
            SullaError: it was refused for good.
        """
        while True:
            try:
                async with self._connected() as client:
                    return await work(client)
            except TimeoutError:
                pass
            except SullaError as error:
                if not (error.retryable or isinstance(error, Unavailable)):
                    raise
            self._doors.append(self._doors.pop(0))
            await CLOCK.sleep(_AGAIN_S)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Client]:
        opened = open_client(self._doors[0])
        async with CLOCK.timeout(SILENT_S):
            client = await opened.__aenter__()
        try:
            yield client
        finally:
            client._socket.transport.abort()  # a gateway that stands still would not say good-bye
            await opened.__aexit__(None, None, None)
