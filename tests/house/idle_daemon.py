"""A daemon's life, and the modules that it loaded: ``python -m tests.house.idle_daemon HOME MODEL UNTIL``.

With a number for UNTIL a client comes, looks around, has that many turns, and leaves; then the daemon is told to stop.
With ``warm`` nobody comes: a first line names what was loaded when it was ready, a second one what was when it had
loaded beside its loop what a first turn needs.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from sulla.daemon.models.lazy import LazyProvider
from sulla.daemon.run import run_daemon
from sulla.daemon.settings.config import load_settings
from sulla.models.base import Provider
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door


async def live(home: Path, model: str, until: str) -> list[set[str]]:
    """Start, be visited, stop.

    Returns:
        The names of the modules that were loaded at each moment that is asked for.
    """
    settings = load_settings({"SULLA_MODEL": model}, {("gateway", "port"): 0}, home)
    ready, warm = asyncio.Event(), asyncio.Event()
    at_ready = set[str]()

    def say(line: str) -> None:
        if line.startswith("ready "):
            at_ready.update(sys.modules)
            ready.set()

    def announced(provider: Provider) -> Provider:
        assert isinstance(provider, LazyProvider)
        load = provider.warm

        async def warmed() -> None:
            await load()
            warm.set()

        provider.warm = warmed  # type: ignore[method-assign]  # counts
        return provider

    async with asyncio.TaskGroup() as group:
        group.create_task(run_daemon(settings, say, lambda place: replace(place, wrap_provider=announced)))
        await ready.wait()
        if until == "warm":
            await warm.wait()
        else:
            async with open_client(door(home)) as client:
                await visit(client, int(until))
        os.kill(os.getpid(), signal.SIGTERM)
    return [at_ready, set(sys.modules)] if until == "warm" else [set(sys.modules)]


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
    moments = asyncio.run(live(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
    sys.stdout.write("\n".join(map(" ".join, moments)))
