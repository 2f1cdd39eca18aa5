"""A daemon's whole life, and the modules that it loaded: ``python -m tests.house.idle_daemon HOME MODEL TURNS``.

A client comes, looks around, has that many turns, and leaves; then the daemon is told to stop.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from sulla.daemon.run import run_daemon
from sulla.daemon.settings.config import load_settings
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door


async def live(home: Path, model: str, turns: int) -> None:
    """Start, be visited, stop."""
    settings = load_settings({"SULLA_MODEL": model}, {("gateway", "port"): 0}, home)
    ready = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(run_daemon(settings, lambda line: ready.set() if line.startswith("ready ") else None))
        await ready.wait()
        async with open_client(door(home)) as client:
            await visit(client, turns)
        os.kill(os.getpid(), signal.SIGTERM)


async def visit(client: Client, turns: int) -> None:
    """What a client does before it says anything, and then say something."""
    await client.call("system.status")
    thread_id = (await client.call("thread.create"))["thread_id"]
    await client.call("events.subscribe", thread_id=thread_id, after=0)
    for turn in range(turns):
        await client.call("turn.send", thread_id=thread_id, message_id=f"message-{turn}", text="hello")
        async for event in client.events():
            if event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                break


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
    sys.stdout.write(" ".join(sys.modules))
