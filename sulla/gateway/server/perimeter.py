"""What is looked at before anything else of a request: Host, Origin, and secrets in its address.

A web page that a person visits can send requests to their own machine. `Host` gives away a page that had its own name
pointed there (DNS rebinding), `Origin` one that connects across sites.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from ipaddress import ip_address
from typing import Protocol, cast
from urllib.parse import parse_qsl, urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sulla.access.principal import Principal
from sulla.core.dataclass import dataclass
from sulla.core.errors import Busy
from sulla.gateway.methods.observing import Observer
from sulla.gateway.problems import Problem
from sulla.gateway.server import cors
from sulla.gateway.server.error_style import PLAIN, ErrorStyle, ErrorStyles

ABORT = "sulla.abort"
"""The ASGI extension by which our server lets a connection be cut without waiting for the peer."""
KNOWN = "sulla.known"
"""The ASGI extension by which our server is told that a peer has shown a valid token."""
SECRET_NAMES = frozenset({"token", "access_token", "auth_token", "api_key", "apikey", "authorization"})
Headers = Iterable[tuple[bytes, bytes]]
_log = logging.getLogger("sulla.gateway")


@dataclass(frozen=True, slots=True)
class HttpRefusal:
    """Why a request is not looked at any further."""

    status: int
    code: str
    message: str
    retry_after_s: float | None = None


def refuse(headers: Headers, query: bytes, hosts: Collection[str], origins: Collection[str]) -> HttpRefusal | None:
    """Judge a request.

    Args:
        headers: with lower-case names, as ASGI has them.
        query: the raw query string.
        hosts: names under which the gateway may be called, beside loopback ones.
        origins: web origins that may call, beside the gateway's own, e.g. ``https://console.example``.

    Returns:
        None if nothing speaks against it.
    """
    found = list(headers)
    if {b"content-length", b"transfer-encoding"} <= {name for name, _ in found}:
        # A proxy may read it otherwise than we do, and take what comes behind it for somebody else's request.
        return HttpRefusal(400, "invalid_input", "Content-Length and Transfer-Encoding: expected one of them")
    host_values = [value.decode("latin-1").strip() for name, value in found if name == b"host"]
    if len(host_values) != 1:
        return HttpRefusal(400, "invalid_input", f"got {len(host_values)} Host headers, expected one")
    host = host_values[0].lower()
    name = host_name(host)
    if name is None or not (is_loopback(name) or name in hosts):
        return _forbidden(
            f"Host {host[:80]!r} is not one of ours: use 127.0.0.1 or localhost, or allow it in the settings"
        )
    for value in (value.decode("latin-1").strip() for header, value in found if header == b"origin"):
        if not own_origin(value.lower(), host) and value.lower() not in origins:
            return _forbidden(f"Origin {value[:80]!r} may not connect: allow it in the settings if it should")
    for key, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if key.lower() in SECRET_NAMES:
            message = (
                f"{key!r} in the address: addresses end up in logs; send 'Authorization: Bearer …', or say it in hello"
            )
            return HttpRefusal(400, "invalid_input", message)
    return None


def _forbidden(message: str) -> HttpRefusal:
    return HttpRefusal(403, "forbidden", message)


def host_name(host: str) -> str | None:
    """The name or address in a Host header, without port and brackets; None if it has no valid form."""
    if not host or any(character in host for character in "/@?# ,\\"):
        return None
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises if it is not a port
    except ValueError:
        return None
    return parts.hostname


def is_loopback(name: str) -> bool:
    """Whether a name or an address means this machine itself."""
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def own_origin(origin: str, host: str) -> bool:
    """Whether a page from `origin` was served by us, seen from the Host it calls."""
    scheme, separator, authority = origin.partition("://")
    return bool(separator) and scheme in ("http", "https") and authority == host


class Perimeter:
    """ASGI middleware that keeps `refuse` for HTTP and WebSocket alike, whatever is mounted behind it.

    Args:
        app: what is behind.
        observer: is told who was refused.
        hosts: see `refuse`.
        origins: see `refuse`.
        manners: how whoever is refused is told.
    """

    def __init__(
        self, app: ASGIApp, observer: Observer, hosts: Collection[str], origins: Collection[str], manners: ErrorStyles
    ) -> None:
        self._app = app
        self._observer = observer
        self._manners = manners
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it with a refusal."""
        if scope["type"] in ("http", "websocket"):
            refusal = refuse(scope["headers"], scope["query_string"], self._hosts, self._origins)
            if refusal is not None:
                address, _ = scope.get("client") or ("unknown", 0)
                self._observer.refused("ws" if scope["type"] == "websocket" else "rest", address, refusal.code)
                await deny(scope, send, refusal, self._manners.of(scope["path"]))
                return
            if scope["type"] == "http" and (origin := _foreign_origin(scope["headers"])) is not None:
                send = _readable(send, cors.page_headers(origin))
                if cors.is_preflight(scope["method"], scope["headers"]):
                    headers = cors.preflight_headers(scope["headers"])
                    await send({"type": "http.response.start", "status": 204, "headers": headers})
                    await send({"type": "http.response.body", "body": b""})
                    return
        await self._app(scope, receive, send)


def _foreign_origin(headers: Headers) -> bytes | None:
    """The origin of a page that was not served by us, of a request that was not refused; None for any other."""
    found = dict(headers)
    origin, host = found.get(b"origin"), found.get(b"host", b"").decode("latin-1").strip().lower()
    if origin is None or own_origin(origin.decode("latin-1").strip().lower(), host):
        return None
    return origin.strip()


def _readable(send: Send, headers: cors.Headers) -> Send:
    """Add headers to an answer."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *headers]}
        await send(message)

    return sending


class Know(Protocol):
    """What stands under `KNOWN`."""

    def __call__(self, *, admin: bool) -> bool:
        """See `Entrance.know`."""


def welcome(scope: Scope, principal: Principal) -> None:
    """The peer has shown a valid token: its connection is no stranger's any more, until it ends.

    Args:
        scope: the connection's.
        principal: whose token it is.

    Raises:
        Busy: as many are known as may be.
    """
    know = cast(Know | None, scope.get("extensions", {}).get(KNOWN))
    if know is not None and not know(admin="admin" in principal.scopes):
        message = "the daemon has as many clients as it may have: close one that is not needed, or come back later"
        raise Busy(message, retry_after_s=5.0)


def peer_of(scope: Scope) -> str:
    """The peer's IP address."""
    client = cast(tuple[str, int] | None, scope.get("client"))
    return client[0] if client is not None else "unknown"


async def deny(scope: Scope, send: Send, refusal: HttpRefusal, manner: ErrorStyle = PLAIN) -> None:
    """Answer a request, or an upgrade that was not accepted yet, with an HTTP error."""
    _log.warning("refused a request from %s with %d: %s", peer_of(scope), refusal.status, refusal.message)
    wait_s = refusal.retry_after_s
    problem = Problem(refusal.status, refusal.code, refusal.message, wait_s is not None, wait_s)
    body = manner.body(problem)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += problem.headers()
    prefix = "websocket.http" if scope["type"] == "websocket" else "http"
    if prefix == "http":
        headers.append((b"connection", b"close"))  # what is still to come of it is nobody's
    await send({"type": f"{prefix}.response.start", "status": refusal.status, "headers": headers})
    await send({"type": f"{prefix}.response.body", "body": body})
