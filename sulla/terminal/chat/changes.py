"""What commands have changed and waits for a person: how it is listed and looked at."""

from __future__ import annotations

from typing import Any

from sulla.core.errors import NotFound
from sulla.core.prefix import chosen
from sulla.terminal.client import Client
from sulla.terminal.framed import framed_reason
from sulla.terminal.screen import CHANGES, short_id

Row = dict[str, Any]


async def waiting(client: Client) -> list[Row]:
    """All that waits, the oldest first: rows of `changes.list`."""
    rows: list[Row] = (await client.call("changes.list"))["waiting"]
    return rows


async def whole_id(client: Client, begins: str) -> str:
    """The id of the changes that somebody means.

    Args:
        client: asks the daemon.
        begins: how it begins, with or without ``changes_``.

    Raises:
        NotFound: none of those that wait begins so.
        InvalidInput: several do.
    """
    return of_rows(await waiting(client), begins)


def of_rows(rows: list[Row], begins: str) -> str:
    """The same among rows that are known."""
    ids = [str(row["changes"]) for row in rows]
    if not ids:
        raise NotFound("no changes wait for a yes (any more)")
    return chosen(CHANGES + short_id(begins), ids, "set of changes", "`sulla changes` lists those that wait")


def change_lines(shown: Row, columns: int) -> list[str]:
    """The lines of what a person is asked about changes.

    Args:
        shown: the answer to `changes.show`.
        columns: how wide the terminal is.
    """
    return framed_reason(str(shown["text"]), f"changes {short_id(str(shown['changes']))}", columns)
