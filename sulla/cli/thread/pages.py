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
from sulla.terminal.ids import whole_thread
from sulla.terminal.place import door

_THREADS = 200
_EVENTS = 500
"""The most that the daemon gives at once (docs/inside/protocol.md)."""


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

    def recent(self, kind: str, after: str | None) -> tuple[list[dict[str, Any]], str | None]:
        """A page of `thread.recent`, and where the next one begins; None if there is none."""
        page = self._ask("thread.recent", kind=kind, after=after, limit=_THREADS)
        return page["threads"], page["next"]

    def search(self, words: str, kind: str, limit: int) -> dict[str, Any]:
        """What `thread.search` answers."""
        return self._ask("thread.search", words=words, kind=kind, limit=limit)

    def rename(self, thread_id: str, title: str) -> dict[str, Any]:
        """What `thread.rename` answers; asked again it is the same name."""
        return self._ask("thread.rename", thread_id=thread_id, title=title)

    def row(self, thread_id: str) -> dict[str, Any]:
        """What `thread.get` answers.

        Raises:
            NotFound: there is no such thread.
        """
        return self._ask("thread.get", thread_id=thread_id)

    def whole(self, begins: str) -> str:
        """The id of the thread whose id begins so.

        Raises:
            NotFound: none does.
            InvalidInput: several do; the message says which.
        """
        return self._runner.run(self._whole(begins))

    async def _whole(self, begins: str) -> str:
        return await whole_thread(await self._opened(), begins)

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
        return await (await self._opened()).call(method, **params)

    async def _opened(self) -> Client:
        if self._client is None:
            self._client = await self._stack.enter_async_context(open_client(door(self._home)))
        return self._client


def all_threads(pages: Pages, kind: str) -> Iterator[dict[str, Any]]:
    """Every thread of a kind, or of `all`, the one that something happened in last first."""
    after: str | None = None
    while True:
        page, after = pages.recent(kind, after)
        yield from page
        if after is None:
            return


def all_events(pages: Pages, thread_id: str, after: int, limit: int | None) -> Iterator[Event]:
    """Every event behind a record, at most `limit`."""
    left = limit
    while page := pages.events(thread_id, after, _EVENTS if left is None else left):
        yield from page
        after = page[-1]["seq"]
        left = None if left is None else left - len(page)
        if left == 0:
            return
