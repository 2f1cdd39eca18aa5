"""A whole daemon in the test's own process, for what shows only from within."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sulla.daemon.run import run_daemon
from sulla.daemon.settings.config import load_settings
from sulla.terminal.client import Client
from sulla.terminal.place import Door, door

_ENDS = ("RUN_FINISHED", "RUN_ERROR")


@asynccontextmanager
async def inside(home: Path) -> AsyncIterator[Door]:
    """A daemon with the offline model, on a free port, for as long as the block lasts."""
    settings = load_settings({"SULLA_MODEL": "offline"}, {("gateway", "port"): 0}, home)
    ready = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(run_daemon(settings, lambda line: ready.set() if line.startswith("ready ") else None))
        await ready.wait()
        yield door(home)
        os.kill(os.getpid(), signal.SIGTERM)


async def take_turn(client: Client, thread_id: str, message_id: str) -> None:
    """Send a message on a thread that the client follows, and see its turn to the end."""
    await client.call("turn.send", thread_id=thread_id, message_id=message_id, text="who are you")
    await turn_end(client)


async def turn_end(client: Client) -> list[int]:
    """The numbers of the events up to the end of a turn."""
    seqs: list[int] = []
    async for event in client.events():
        if event["seq"] is not None:
            seqs.append(event["seq"])
        if event["type"] in _ENDS:
            return seqs
    raise AssertionError("`events` ends with an error or not at all")
