"""The web application: what is found under which path."""

from __future__ import annotations

from dataclasses import dataclass, field

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from sulla.core.clock import Clock
from sulla.gateway.auth import Guard, Tokens
from sulla.gateway.calls import Calls
from sulla.gateway.commands import Commands
from sulla.gateway.connection import Room
from sulla.gateway.limits import Limits
from sulla.gateway.observing import Observer, Unobserved
from sulla.gateway.perimeter import Perimeter
from sulla.gateway.ws import SocketDoor


@dataclass(frozen=True, slots=True)
class GatewayConfig:
    """What of the gateway can be set."""

    server_version: str
    """The daemon's version, as clients see it."""
    allowed_hosts: tuple[str, ...] = ()
    """Names under which the gateway may be called, beside loopback ones."""
    allowed_origins: tuple[str, ...] = ()
    """Web origins that may call, beside the gateway's own, e.g. ``https://console.example``."""
    limits: Limits = field(default_factory=Limits)


def build_app(
    commands: Commands, tokens: Tokens, config: GatewayConfig, clock: Clock, observer: Observer | None = None
) -> FastAPI:
    """The gateway as an ASGI application, without life-cycle events and without documentation pages.

    Args:
        commands: what clients can have done.
        tokens: those that open the door.
        config: names and bounds.
        clock: for deadlines.
        observer: is told what happens at the door; None if nobody wants to know.
    """
    watching = observer if observer is not None else Unobserved()
    calls = Calls(commands, config.limits, clock, watching)
    room = Room(commands, calls, Guard(tokens, clock), clock, config.limits, watching)
    door = SocketDoor(room, config.server_version)
    app = FastAPI(title="Sulla", version=config.server_version, openapi_url=None, docs_url=None, redoc_url=None)
    app.router.routes.append(WebSocketRoute("/ws", door.serve, name="ws"))
    app.router.routes.append(Route("/healthz", _healthz, methods=["GET"]))
    app.state.door = door  # the daemon has it say good-bye
    app.add_middleware(Perimeter, hosts=config.allowed_hosts, origins=config.allowed_origins)
    return app


async def _healthz(request: Request) -> Response:
    """The process is alive and its loop turns; nothing else is looked at."""
    return JSONResponse({"status": "ok"})
