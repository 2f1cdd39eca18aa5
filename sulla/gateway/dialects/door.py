"""The door of all dialects: what every request goes through, whichever it speaks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.gateway.dialects.request import RequestContext
from sulla.gateway.problems import Headers, Malformed, Problem, no_such_verb, problem_of
from sulla.gateway.rest.app import ClientLeft, RestContext, answer, said_in, take_in
from sulla.gateway.rest.shown import HttpExchange
from sulla.gateway.server.error_style import ErrorStyle

Verb = Literal["GET", "POST", "DELETE"]
Serve = Callable[[RequestContext], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class DialectRoute:
    """One verb on one path."""

    verb: Verb
    path: str
    """As the router has it; what stands in braces is in ``visit.said.path``."""
    serve: Serve
    """Answers a request, or raises a `SullaError` or a `Malformed` before it has answered anything."""
    needs: tuple[str, ...]
    """The methods of the protocol whose scopes a token needs before the body is read."""
    summary: str


Keep = Callable[[RestContext, WebSocket], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class DialectSocket:
    """A WebSocket on one path."""

    path: str
    """As the router has it."""
    keep: Keep
    """Accepts or refuses an upgrade that has come past the perimeter and, unless the manner has an own door, the
    gatekeeper (`principal_of`); returns when it is over.
    """


@dataclass(frozen=True, slots=True)
class Dialect:
    """A protocol that clients speak already."""

    name: str
    manner: ErrorStyle
    """How it says who asks and what went wrong."""
    routes: tuple[DialectRoute, ...]
    sockets: tuple[DialectSocket, ...] = ()
    problem_headers: Callable[[Problem], Headers] = lambda problem: []
    """Headers of its own that errors have."""

    @property
    def paths(self) -> list[str]:
        """All of its paths, as the router has them."""
        return [*dict.fromkeys(route.path for route in self.routes), *(socket.path for socket in self.sockets)]

    def by_path(self) -> dict[str, dict[str, DialectRoute]]:
        """The routes of each path, by verb."""
        found: dict[str, dict[str, DialectRoute]] = {}
        for route in self.routes:
            found.setdefault(route.path, {})[route.verb] = route
        return found


class DialectDoor:
    """An ASGI application for one path.

    Args:
        dialect: what is spoken there.
        routes: what can be done there, by verb.
        context: what all resources share.
    """

    def __init__(self, dialect: Dialect, routes: Mapping[str, DialectRoute], context: RestContext) -> None:
        self._dialect = dialect
        self._routes = routes
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        exchange = HttpExchange(scope, receive, send, self._context.make_id("req"))
        route = self._routes.get(scope["method"])
        if route is None:
            await self._refuse(exchange, no_such_verb(scope["method"], scope["path"], tuple(sorted(self._routes))))
            return
        try:
            said = await take_in(self._context, exchange, said_in(scope), route.needs, f"{route.verb} {route.path}")
            await route.serve(RequestContext(self._context, exchange, said, self._dialect.name))
        except (SullaError, Malformed) as error:
            await self._refuse(exchange, problem_of(error))
        except ClientLeft:
            return

    async def _refuse(self, exchange: HttpExchange, problem: Problem) -> None:
        headers = [*problem.headers(), *self._dialect.problem_headers(problem), *exchange.names]
        await answer(exchange.send, problem.status, self._dialect.manner.body(problem), headers)
