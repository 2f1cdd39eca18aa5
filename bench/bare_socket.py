"""A bare WebSocket server of the kind that Sulla stands on: ``python -m bench.bare_socket``; prints ``ready ws://…``.

Starlette on uvicorn with its sans-I/O engine and without compression; each text is echoed. The limit of
`bench.gateway` for what a connection weighs and a round trip takes.
"""

from __future__ import annotations

import asyncio

import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from sulla.gateway.server.server import bind


async def _serve(socket: WebSocket) -> None:
    await socket.accept(subprotocol="sulla.v1" if "sulla.v1" in socket.scope["subprotocols"] else None)
    try:
        while True:
            await socket.send_text(await socket.receive_text())
    except WebSocketDisconnect:
        return


async def _main() -> None:
    sock = bind("127.0.0.1", 0)
    app = Starlette(routes=[WebSocketRoute("/ws", _serve)])
    config = uvicorn.Config(
        app, http="h11", ws="websockets-sansio", ws_per_message_deflate=False, lifespan="off", log_level="warning"
    )
    print(f"ready ws://127.0.0.1:{sock.getsockname()[1]}/ws", flush=True)
    await uvicorn.Server(config).serve(sockets=[sock])


if __name__ == "__main__":
    asyncio.run(_main())
