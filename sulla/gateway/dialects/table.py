"""The dialects that there are, and where. To add one: its folder, and its line here."""

from __future__ import annotations

from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Final, cast

from starlette.routing import BaseRoute, Match, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send

from sulla.gateway.rest.app import RestContext
from sulla.gateway.server.error_style import ErrorStyle, ErrorStyles
from sulla.host.capability import find

if TYPE_CHECKING:
    from sulla.gateway.dialects.door import Dialect

ROOTS: Final = {
    "/v1": "openai.dialect:OPENAI",
    "/hub": "hub.dialect:HUB",
    "/api/chat": "snippbot.dialect:SNIPPBOT",
    "/agents": "abi.dialect:ABI",
    "/mcp": "mcp.dialect:MCP",
    "/agui": "agui.dialect:AGUI",
}
"""The path of each dialect, and what is loaded when somebody asks for that or for anything below it."""


@cache
def dialect_at(root: str) -> Dialect:
    """A dialect.

    Args:
        root: its path.
    """
    return cast("Dialect", find(f"sulla.gateway.dialects.{ROOTS[root]}", "the gateway"))


def _manner(root: str) -> ErrorStyle:
    return dialect_at(root).manner


ERROR_STYLES: Final = ErrorStyles((root, partial(_manner, root)) for root in ROOTS)
"""How each of their paths is told who asks, and says what went wrong."""


_FOUND: Final = "sulla.dialect_route"
"""Under what a request's scope has the route that it is for."""


class DialectRoutes(BaseRoute):
    """The paths of a dialect, and what answers them; both are made at the first request that is for one of them.

    Args:
        root: the dialect's path.
        context: what all dialects share.
    """

    def __init__(self, root: str, context: RestContext) -> None:
        self._root = root
        self._context = context

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether a request, or a socket, is for one of them."""
        if f"{scope.get('path', '')}/".startswith(f"{self._root}/"):
            for one in self._routes:
                match, found = one.matches(scope)
                if match is Match.FULL:
                    return match, {**found, _FOUND: one}
        return Match.NONE, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one that is."""
        await scope[_FOUND].handle(scope, receive, send)

    @cached_property
    def _routes(self) -> list[BaseRoute]:
        from sulla.gateway.dialects.door import DialectDoor

        dialect = dialect_at(self._root)
        http = [Route(path, DialectDoor(dialect, routes, self._context)) for path, routes in dialect.by_path().items()]
        return [*http, *(WebSocketRoute(one.path, partial(one.keep, self._context)) for one in dialect.sockets)]
