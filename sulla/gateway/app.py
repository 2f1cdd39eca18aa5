"""The web application: what is found under which path."""

from __future__ import annotations

from collections.abc import Collection

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from sulla.core.clock import Clock
from sulla.core.ids import MakeId
from sulla.gateway.auth import Guard, Tokens
from sulla.gateway.commands import Commands
from sulla.gateway.limits import Limits
from sulla.gateway.perimeter import Perimeter
from sulla.gateway.ws import SocketDoor


def build_app(
    commands: Commands,
    tokens: Tokens,
    clock: Clock,
    make_id: MakeId,
    version: str,
    limits: Limits | None = None,
    perimeter: tuple[Collection[str], Collection[str]] = ((), ()),
) -> FastAPI:
    """The gateway as an ASGI application.

    Args:
        commands: what clients can have done.
        tokens: those that open the door.
        clock: for deadlines.
        make_id: for session ids.
        version: the daemon's.
        limits: bounds; None for the defaults.
        perimeter: host names and web origins that may call, beside loopback and the gateway's own.

    Returns:
        An application without life-cycle events and without documentation pages.
    """
    bounds = limits if limits is not None else Limits()
    door = SocketDoor(commands, Guard(tokens, clock), clock, make_id, version, bounds)
    app = FastAPI(title="Sulla", version=version, openapi_url=None, docs_url=None, redoc_url=None)
    app.router.routes.append(WebSocketRoute("/ws", door.serve, name="ws"))
    app.router.routes.append(Route("/healthz", _healthz, methods=["GET"]))
    hosts, origins = perimeter
    app.add_middleware(Perimeter, hosts=hosts, origins=origins)
    return app


async def _healthz(request: Request) -> Response:
    """The process is alive and its loop turns; nothing else is looked at."""
    return JSONResponse({"status": "ok"})
