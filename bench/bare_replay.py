"""A bare server that sends the lines of a file: ``python -m bench.bare_replay FILE``; prints ``ready ws://…``.

Starlette on uvicorn, as `bench.bare_socket`; to every text it answers with all lines, each in a frame of its own. The
limit of `bench.resume`.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from sulla.gateway.server.server import bind


async def _main(lines: list[str]) -> None:
    async def serve(socket: WebSocket) -> None:
        await socket.accept()
        try:
            while await socket.receive_text():
                for line in lines:
                    await socket.send_text(line)
        except WebSocketDisconnect:
            return

    sock = bind("127.0.0.1", 0)
    config = uvicorn.Config(
        Starlette(routes=[WebSocketRoute("/ws", serve)]),
        http="h11",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        lifespan="off",
        log_level="warning",
    )
    print(f"ready ws://127.0.0.1:{sock.getsockname()[1]}/ws", flush=True)
    await uvicorn.Server(config).serve(sockets=[sock])


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()))
