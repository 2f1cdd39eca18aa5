"""A client of event streams as the libraries have it, for dialects that have no library of their own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from httpx2 import EventSource, ServerSentEvent

from tests.gateway.peer import PATIENCE_S, Answering

Told = tuple[str, Any]


def client(server: Answering, key: str = "owner", **headers: str) -> httpx2.AsyncClient:
    """A client that is known."""
    return httpx2.AsyncClient(
        base_url=server.url,
        headers={"Authorization": f"Bearer {key}", **headers},
        trust_env=False,
        timeout=PATIENCE_S,
    )


class Reading:
    """Reads an answer, event by event."""

    def __init__(self, answer: httpx2.Response) -> None:
        self.answer = answer
        self._events = aiter(EventSource(answer))

    async def next(self) -> ServerSentEvent:
        """The next event."""
        async with asyncio.timeout(PATIENCE_S):
            return await anext(self._events)

    async def until(self, name: str) -> list[ServerSentEvent]:
        """All events up to the first of that name."""
        found = [await self.next()]
        while found[-1].event != name:
            found.append(await self.next())
        return found

    async def to_the_end(self) -> list[ServerSentEvent]:
        """All that comes; the last one is `done`, and behind it there is nothing."""
        found = await self.until("done")
        async with asyncio.timeout(PATIENCE_S):
            assert [event async for event in self._events] == []
        return found


@asynccontextmanager
async def opened(http: httpx2.AsyncClient, path: str, body: object, **headers: str) -> AsyncIterator[Reading]:
    """Ask for a stream."""
    async with http.stream("POST", path, json=body, headers=headers) as answer:
        assert answer.status_code == 200, await answer.aread()
        yield Reading(answer)


def told(events: list[ServerSentEvent]) -> list[Told]:
    """Events whose data is JSON."""
    return [(event.event, json.loads(event.data)) for event in events]
