"""What agents can do by the channel on which their conversation is held."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sulla.core.errors import InvalidInput
from sulla.core.ids import ThreadId
from sulla.core.words import ours
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.paths import open_file

SendFile = Callable[[ThreadId, str, str, str, int], Awaitable[str]]
"""Has a file sent where a conversation is held: its thread, the path, what is said with it, a key, its bytes; why it
is not, empty if it will be."""


def channel_tools(send: SendFile) -> tuple[Tool, ...]:
    """The tools.

    Args:
        send: see `SendFile`.
    """

    async def send_file(context: ToolContext, *, path: str, caption: str = "") -> Result:
        """Send a file of the workspace to the person you talk with, in the messenger that they write from. Only for
        conversations that are held there.

        Args:
            path: The file, relative to the workspace.
            caption: A line that is shown with it.
        """
        size = await asyncio.to_thread(_size, context, path)
        key = context.idempotency_key
        why = await send(context.thread_id, path, caption[:500], key, size)
        return Done(ours(f"Not sent: {why}"), is_error=True) if why else Done(ours(f"{path} is on its way."))

    return (define(send_file, effect="idempotent", category="channels", timeout_s=30.0, files="path"),)


def _size(context: ToolContext, path: str) -> int:
    with open_file(context.workspace, path) as file:
        size = file.seek(0, 2)
    if not size:
        raise InvalidInput(f"{path!r} is empty: messengers take no such files")
    return size
