"""Ids by their beginnings, for commands that talk to the daemon."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any, Final

from sulla.core.prefix import chosen
from sulla.terminal.client import Client

_WHOLE: Final = re.compile(r"[a-z]+_[0-9a-f]{24}")
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


async def whole_schedule(client: Client, begins: str) -> str:
    """The same for a schedule."""
    if _WHOLE.fullmatch(begins):
        return begins
    ids = [row["schedule"] async for row in rows_of(client, "schedule.list", "schedules")]
    return chosen(begins, ids, "schedule", "`sulla schedule list` shows them")


async def whole_notice(client: Client, begins: str) -> str:
    """The same for a notice."""
    if _WHOLE.fullmatch(begins):
        return begins
    ids = [row["id"] async for row in rows_of(client, "notice.list", "notices")]
    return chosen(begins, ids, "notice", "`sulla notices --all` shows them")


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
