"""A daemon's threads, page by page."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sulla.core.errors import Unavailable
from sulla.terminal.client import Client, Event, open_client
from sulla.terminal.place import door

_THREADS = 200
_EVENTS = 500
"""The most that the daemon gives at once (docs/protocol.md)."""


class Pages:
    """Asks a daemon now and then; between two questions it may take any time to print the answer.

    Nobody keeps the connection alive meanwhile, so the daemon may close it. Then the question is asked again on a new
    one: what is asked here changes nothing.

    Args:
        home: whose daemon.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._client: Client | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._runner:
            self._runner.run(self._stack.aclose())

    def threads(self, after: str = "") -> list[dict[str, Any]]:
        """The rows of `thread.list` behind an id, by id; empty at the end."""
        rows: list[dict[str, Any]] = self._ask("thread.list", after=after or None, limit=_THREADS)["threads"]
        return rows

    def events(self, thread_id: str, after: int = 0, limit: int = _EVENTS) -> list[Event]:
        """Durable events behind a record, in order; empty at the end.

        Raises:
            NotFound: there is no such thread.
        """
        asked = self._ask("thread.history", thread_id=thread_id, after=after, limit=min(limit, _EVENTS))
        events: list[Event] = asked["events"]
        return events

    def _ask(self, method: str, **params: object) -> dict[str, Any]:
        fresh = self._client is None
        try:
            return self._runner.run(self._call(method, params))
        except Unavailable:
            if fresh:
                raise
        self._runner.run(self._stack.aclose())
        self._client = None
        return self._runner.run(self._call(method, params))

    async def _call(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        if self._client is None:
            self._client = await self._stack.enter_async_context(open_client(door(self._home)))
        return await self._client.call(method, **params)


def all_threads(pages: Pages) -> Iterator[dict[str, Any]]:
    """Every thread, by id."""
    after = ""
    while page := pages.threads(after):
        yield from page
        after = page[-1]["thread_id"]


def all_events(pages: Pages, thread_id: str, after: int, limit: int | None) -> Iterator[Event]:
    """Every event behind a record, at most `limit`."""
    left = limit
    while page := pages.events(thread_id, after, _EVENTS if left is None else left):
        yield from page
        after = page[-1]["seq"]
        left = None if left is None else left - len(page)
        if left == 0:
            return
