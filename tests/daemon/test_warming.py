"""What is done before the first turn can go wrong, and the daemon goes on."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from dataclasses import replace
from pathlib import Path

from sulla.daemon.models.lazy import LazyProvider
from sulla.daemon.run import run_daemon
from sulla.daemon.settings.config import load_settings
from sulla.host.place import Place
from sulla.models.base import Provider
from sulla.terminal.client import open_client
from sulla.terminal.place import door

SAID = "what a first turn waits for could not be done before it"


class _Heard(logging.Handler):
    """Waits for the daemon to say it."""

    def __init__(self) -> None:
        super().__init__()
        self.said = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        if SAID in record.getMessage():
            self.said.set()


async def test_a_daemon_goes_on_though_a_library_fails_as_it_is_loaded(tmp_path: Path) -> None:
    ready, heard = asyncio.Event(), _Heard()

    def broken() -> Provider:
        raise AttributeError("partially initialized module 'httpx' has no attribute 'Timeout'")

    def with_it(place: Place) -> Place:
        return replace(place, wrap_provider=lambda provider: LazyProvider(provider.name, broken))

    def say(line: str) -> None:
        if line.startswith("ready "):
            ready.set()

    settings = load_settings({"SULLA_MODEL": "offline"}, {("gateway", "port"): 0}, tmp_path)
    logger = logging.getLogger("sulla.daemon.models.warming")
    logger.addHandler(heard)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(run_daemon(settings, say, with_it))
            await ready.wait()
            await heard.said.wait()
            async with open_client(door(tmp_path)) as client:
                assert (await client.call("system.status"))["version"]
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        logger.removeHandler(heard)
