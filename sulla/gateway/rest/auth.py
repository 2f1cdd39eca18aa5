"""ASGI middleware before every route and mount: a request needs a token, except for `OPEN`, for webhooks, which prove
themselves by a signature, for what the page loads and for signing in there, and for sockets that ask for the token
themselves.
"""

from __future__ import annotations

from typing import cast

from starlette.types import ASGIApp, Receive, Scope, Send

from sulla.access.principal import Principal
from sulla.core.errors import Busy, Unauthorized
from sulla.gateway.methods.observing import Observer
from sulla.gateway.problems import status_of
from sulla.gateway.server.auth import Guard
from sulla.gateway.server.error_style import ErrorStyles
from sulla.gateway.server.perimeter import HttpRefusal, deny, peer_of, welcome
from sulla.rpc.pages import ASSETS, BESIDE

OPEN = frozenset({"/", "/healthz", "/readyz", "/openapi.json", "/asyncapi.json", "/schemas/playbook.json"})
"""What anybody may see: that the daemon is there, and how to talk to it."""
SESSION = "/console/session"
"""Here a browser signs in and out, by what it brings for that."""
HOOKS = "/hooks/"
"""Below here whoever comes proves that by a signature (`hooks`)."""
_SOCKET = "/ws"
"""Here the token may come in hello."""
_PRINCIPAL = "principal"


class Gatekeeper:
    """Lets in requests whose token is good. It lives as long as the gateway.

    Args:
        app: what is behind.
        guard: knows the tokens, and who has to wait.
        observer: is told who was not let in.
        styles: say where a request of each interface has its token, and what a refusal looks like there.
    """

    def __init__(self, app: ASGIApp, guard: Guard, observer: Observer, styles: ErrorStyles) -> None:
        self._app = app
        self._guard = guard
        self._observer = observer
        self._styles = styles

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request without a good token; else put its `Principal` into the scope (`principal_of`), and pass it
        on. What is open passes without one.
        """
        if scope["type"] in ("http", "websocket") and not _is_open(scope, self._styles):
            address, style = peer_of(scope), self._styles.of(scope["path"])
            try:
                principal = self._guard.admit(address, style.token(scope["headers"]))
                welcome(scope, principal)
            except (Unauthorized, Busy) as error:
                self._observer.refused("rest", address, error.code)
                refusal = HttpRefusal(status_of(error), error.code, error.message, error.retry_after_s)
                await deny(scope, send, refusal, style)
                return
            scope.setdefault("state", {})[_PRINCIPAL] = principal
        await self._app(scope, receive, send)


def principal_of(scope: Scope) -> Principal:
    """Who makes a request that has come past the gatekeeper."""
    return cast(Principal, scope["state"][_PRINCIPAL])


def _is_open(scope: Scope, styles: ErrorStyles) -> bool:
    path = scope["path"]
    if scope["type"] == "http":
        return path in OPEN or path in BESIDE or path == SESSION or path.startswith((HOOKS, ASSETS))
    return path == _SOCKET or styles.of(path).own_door
