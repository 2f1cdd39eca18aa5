"""The client's side of benches that speak to a gateway, and processes that keep to one processor."""

from __future__ import annotations

import os
from typing import Any

import orjson
import psutil
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol


def dial(url: str, token: str = "") -> connect:
    """Connect to Sulla, or to a bare server if there is no token."""
    return connect(
        url.replace("http", "ws", 1),
        additional_headers={"Authorization": f"Bearer {token}"} if token else {},
        subprotocols=[Subprotocol("sulla.v1")] if token else None,
        compression=None,
        proxy=None,
        max_size=None,
        ping_interval=None,
    )


async def hello(socket: ClientConnection) -> None:
    """Introduce the client."""
    await ask(socket, "hello", client={"name": "bench", "version": "1"}, protocol=1)


async def say(socket: ClientConnection, method: str, **params: object) -> None:
    """Make a request, and do not wait for the answer."""
    await socket.send(orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).decode())


async def ask(socket: ClientConnection, method: str, **params: object) -> dict[str, Any]:
    """The result of a request; events that come before it are dropped."""
    await say(socket, method, **params)
    while "id" not in (frame := orjson.loads(await socket.recv())):
        pass
    result: dict[str, Any] = frame["result"]
    return result


def on_core(pid: int, core: int) -> None:
    """Keep a process, with all its threads, to one processor, where that can be said and there are two."""
    process = psutil.Process(pid)
    if hasattr(process, "cpu_affinity") and (os.cpu_count() or 1) > 1:
        process.cpu_affinity([core])
        if pid != os.getpid():
            for thread in process.threads():
                os.sched_setaffinity(thread.id, {core})
