"""A daemon and the service of its model, each on its processor, for benches in which many clients follow answers."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

from websockets.asyncio.client import ClientConnection

from bench.process import ready_url, running
from bench.talk import dial, hello, on_core
from bench.turn import BEYOND_PEOPLE
from sulla.terminal.place import Door, door

AT_ONCE: Final = {"SULLA_LIMITS__RUNS": "64", "SULLA_LIMITS__RUNS_PER_AGENT": "64"}
"""Settings for turns of all clients at the same time."""


@contextmanager
def model_service(module: str) -> Iterator[str]:
    """A model's service, on the clients' processor; its address.

    Args:
        module: the program.
    """
    with running(("-m", module)) as service:
        url = ready_url(service)
        on_core(service.pid, 1)
        on_core(os.getpid(), 1)
        yield url


@contextmanager
def streaming_daemon(url: str, home: Path, more: Mapping[str, str] | None = None) -> Iterator[tuple[int, Door]]:
    """A daemon on a processor of its own, without what would come between its tokens; its process id and its door.

    Args:
        url: the model's service, with the path that says what it answers.
        home: of the daemon, not there yet.
        more: settings.
    """
    settings = {
        "SULLA_MODEL": "anthropic:fake",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "none",
        "SULLA_DAEMON__LOG_LEVEL": "error",
        "SULLA_MODEL__SUMMARIES": "false",
        "SULLA_AGENT__COMPLETION": "plain",
        "SULLA_LIMITS__TOKEN_BURST": "10000",
        **BEYOND_PEOPLE,
        **(more or {}),
    }
    with running(("-m", "sulla", "up", "--port", "0", "--home", str(home)), settings) as daemon:
        ready_url(daemon)
        on_core(daemon.pid, 0)
        yield daemon.pid, door(home)


@asynccontextmanager
async def clients(where: Door, count: int) -> AsyncIterator[list[ClientConnection]]:
    """So many clients that have introduced themselves."""
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(dial(f"{where.url}/ws", where.token)) for _ in range(count)]
        for socket in sockets:
            await hello(socket)
        yield sockets
