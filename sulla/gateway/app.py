"""The web application: what is found under which path."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import field
from functools import partial
from typing import Final

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketClose

from sulla.access.token_store import TokenStore
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotAvailable
from sulla.core.ids import MakeId
from sulla.gateway.commands import Commands
from sulla.gateway.context import ServerContext
from sulla.gateway.dialects.table import ERROR_STYLES, ROOTS, DialectRoutes
from sulla.gateway.methods.calls import Calls
from sulla.gateway.methods.observing import Observer, Unobserved
from sulla.gateway.problems import DEFECT, no_such_path, no_such_verb
from sulla.gateway.rest.app import OnLeave, Resource, RestContext, answer
from sulla.gateway.rest.auth import HOOKS, SESSION, Gatekeeper
from sulla.gateway.rest.hooks import HookDoor, Hooks
from sulla.gateway.rest.pages import PageRoutes
from sulla.gateway.rest.probes import Operations, Probes
from sulla.gateway.rest.routes import by_path
from sulla.gateway.rest.session_door import SessionDoor
from sulla.gateway.rest.streams import Streams
from sulla.gateway.server.auth import Guard
from sulla.gateway.server.perimeter import HttpRefusal, Perimeter, deny
from sulla.gateway.server.presence import Presence
from sulla.gateway.websocket.door import SocketDoor, greet
from sulla.gateway.websocket.machine import ProtocolMachine
from sulla.rpc.limits import Limits
from sulla.rpc.pages import Pages


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
    on_leave: OnLeave = "go_on"
    """What becomes of a turn whose client leaves while it is shown over REST."""
    serves_clients: bool = True
    """Whether anything is answered but whoever watches the daemon."""
    listens_at: str = "127.0.0.1"
    """The address that it listens on, as the settings have it."""


WORKER: Final = "this is a worker, which serves nobody but who watches it: ask a gateway"
"""What a client is told that comes to one."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What capabilities bring for the gateway."""

    hooks: Hooks | None = None
    """Says what messages from outside may begin; None for nothing."""
    pages: Pages | None = None
    """Has what browsers are served; None for nothing but a page that says what this is."""


class Gateway:
    """The gateway as an ASGI application, without life-cycle events and without documentation pages.

    Sockets do not go through the framework: its layers would stay around each of them for as long as it is open, and
    weigh as much as the rest of an idle connection does.

    Args:
        http: everything else.
        doors: take sockets in, each under its path.
        streams: what is shown over HTTP.
        config: names.
        observer: is told who was refused.
    """

    def __init__(
        self,
        http: Starlette,
        doors: Mapping[str, SocketDoor],
        streams: Streams,
        config: GatewayConfig,
        observer: Observer,
    ) -> None:
        self.http = http
        """Where other dialects are mounted."""
        self._doors = doors
        self._streams = streams
        self._all = Perimeter(self._inside, observer, config.allowed_hosts, config.allowed_origins, ERROR_STYLES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or a socket to its end."""
        await self._all(scope, receive, send)

    async def settle(self, patience_s: float) -> None:
        """Let every client have what has happened by now, before the daemon hangs up.

        Args:
            patience_s: how long slow clients are waited for, in seconds.
        """
        settling = [door.settle(patience_s) for door in self._doors.values()]
        await asyncio.gather(*settling, self._streams.settle(patience_s))

    def _inside(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] == "websocket" and (door := self._doors.get(scope["path"])) is not None:
            return door.serve(WebSocket(scope, receive, send))
        return self.http(scope, receive, send)


def build_app(
    commands: Commands,
    tokens: TokenStore,
    config: GatewayConfig,
    clock: Clock,
    observer: Observer | None = None,
    *,
    make_id: MakeId,
    operations: Operations | None = None,
    brought: Brought | None = None,
) -> Gateway:
    """Put the gateway together.

    Args:
        commands: what clients can have done.
        tokens: those that open the door.
        config: names and bounds.
        clock: for deadlines.
        observer: is told what happens at the door; None if nobody wants to know.
        make_id: names messages that come without a name.
        operations: knows how the daemon is; None if nobody asks.
        brought: what capabilities bring for it; None for nothing.
    """
    watching, outside = observer if observer is not None else Unobserved(), brought or Brought()
    calls = Calls(commands, tokens, config.limits, clock, watching, make_id)
    presence = Presence(tokens, clock)
    tokens.on_change(presence.sweep)
    server = ServerContext(commands, calls, Guard(tokens, clock), presence, clock, config.limits, watching, tokens)
    streams = Streams(server)
    app = Starlette()
    app.state.version = config.server_version
    app.router.routes.append(Route("/healthz", _healthz, methods=["GET"]))
    if operations is not None:
        app.router.routes += Probes(operations, server).routes()
    doors: dict[str, SocketDoor] = {}
    if config.serves_clients:
        doors["/ws"] = SocketDoor(server, partial(greet, server, config.server_version))
        doors["/voice"] = SocketDoor(server, partial(_greet_voice, server), "voice", None)
        app.router.routes += _for_clients(RestContext(server, streams, make_id, config.on_leave), config, outside)
    app.router.default = _nothing if config.serves_clients else _no_clients
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _failed)
    app.add_middleware(Gatekeeper, guard=server.guard, observer=watching, styles=ERROR_STYLES)
    return Gateway(app, doors, streams, config, watching)


def _for_clients(context: RestContext, config: GatewayConfig, outside: Brought) -> Iterator[BaseRoute]:
    """Everything but what is asked by whoever watches the daemon."""
    server, make_id = context.server, context.make_id
    yield from PageRoutes(outside.pages, config.listens_at, config.allowed_hosts).routes()
    yield Route(SESSION, SessionDoor(server, make_id))
    yield Route("/asyncapi.json", _asyncapi, methods=["GET"])
    yield Route("/openapi.json", _openapi, methods=["GET"])
    yield Route("/schemas/playbook.json", _playbook_schema, methods=["GET"])
    yield Route(f"{HOOKS}{{playbook}}", HookDoor(outside.hooks, server, make_id))
    for path, routes in by_path().items():
        yield Route(path, Resource(routes, context))
    for root in ROOTS:
        yield DialectRoutes(root, context)


def _greet_voice(server: ServerContext, socket: WebSocket, name: str) -> ProtocolMachine:
    # Most daemons never hear a recognizer, so what takes one in is loaded with the first.
    from sulla.gateway.voice.socket import greet_voice

    return greet_voice(server, socket, name)


async def _healthz(request: Request) -> Response:
    """The process is alive and its loop turns; nothing else is looked at."""
    return JSONResponse({"status": "ok"})


async def _asyncapi(request: Request) -> Response:
    """What `sulla.v1` is; no secret, so no token is asked for. What describes it is loaded for whoever asks."""
    from sulla.gateway.contract_docs.asyncapi import document

    return Response(document(), media_type="application/json")


async def _openapi(request: Request) -> Response:
    """What is found under ``/api``; no secret either."""
    from sulla.gateway.contract_docs.openapi import document

    return Response(document(request.app.state.version), media_type="application/json")


async def _playbook_schema(request: Request) -> Response:
    """What a playbook's file may hold, for editors; no secret either."""
    from sulla.playbooks.file.schema import playbook_schema

    return Response(orjson.dumps(playbook_schema()), media_type="application/schema+json")


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    """There is nothing under this path."""
    if scope["type"] == "websocket":
        await WebSocketClose()(scope, receive, send)
    else:
        problem = no_such_path(scope["path"])
        await answer(send, problem.status, ERROR_STYLES.of(scope["path"]).body(problem), problem.headers())


async def _no_clients(scope: Scope, receive: Receive, send: Send) -> None:
    """A worker has no door for clients, and says so to one that knocks."""
    if scope["type"] == "websocket":
        await deny(scope, send, HttpRefusal(501, NotAvailable.code, WORKER))
    else:
        await _nothing(scope, receive, send)


async def _refused(request: Request, error: Exception) -> Response:
    """A route of the framework's does not take this verb."""
    path, headers = request.url.path, getattr(error, "headers", None) or {}
    allowed = tuple(verb.strip() for verb in headers.get("Allow", "").split(",") if verb)
    problem = no_such_verb(request.method, path, allowed) if allowed else no_such_path(path)
    return Response(ERROR_STYLES.of(path).body(problem), problem.status, dict(headers), "application/json")


async def _failed(request: Request, error: Exception) -> Response:
    """A defect of ours. The framework raises it again, so that the log has it."""
    return Response(ERROR_STYLES.of(request.url.path).body(DEFECT), DEFECT.status, media_type="application/json")
