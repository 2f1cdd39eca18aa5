"""Ids by their beginnings, for commands that talk to the daemon."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from sulla.core.errors import NotFound
from sulla.core.pattern import late_pattern
from sulla.core.prefix import chosen
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door

_WHOLE: Final = late_pattern(r"[a-z]+_[0-9a-f]{24}")
"""An id that the daemon has made: nobody needs to ask what it begins."""


async def whole_thread(client: Client, begins: str) -> str:
    """The id of the thread whose id begins so, with or without ``thr_``.

    Args:
        client: asks the daemon.
        begins: what was typed.

    Raises:
        NotFound: none does.
        InvalidInput: several do; the message says which.
    """
    if _WHOLE.fullmatch(begins):
        return begins
    found: str = (await client.call("thread.resolve", begins=begins))["thread_id"]
    return found


def meant(home: Path, begins: str) -> str:
    """The same for a command that asks for it first of all. What no thread begins with is given back as it was typed:
    whoever is asked for it says what it is not.

    Args:
        home: whose daemon is asked.
        begins: what was typed.

    Raises:
        InvalidInput: several threads begin so; the message says which.
    """

    async def ask() -> str:
        async with open_client(door(home)) as client:
            try:
                return await whole_thread(client, begins)
            except NotFound:
                return begins

    return begins if _WHOLE.fullmatch(begins) else asyncio.run(ask())


async def whole_schedule(client: Client, begins: str) -> str:
    """The same for a schedule."""
    return await _listed(client, begins, "schedule", "schedule")


async def whole_notice(client: Client, begins: str) -> str:
    """The same for a notice."""
    return await _listed(client, begins, "notice", "id")


async def _listed(client: Client, begins: str, what: str, field: str) -> str:
    if _WHOLE.fullmatch(begins):
        return begins
    ids = [row[field] async for row in rows_of(client, f"{what}.list", f"{what}s")]
    try:
        return chosen(begins, ids, what, "")
    except NotFound:
        return begins


async def rows_of(client: Client, method: str, field: str, **params: object) -> AsyncIterator[dict[str, Any]]:
    """All rows of a method that gives them by the page.

    Args:
        client: asks the daemon.
        method: e.g. ``schedule.list``.
        field: where the rows stand in its answer.
        params: what else is asked.
    """
    after: str | None = None
    while True:
        page = await client.call(method, after=after, **params)
        for row in page[field]:
            yield row
        after = page["next"]
        if after is None:
            return
