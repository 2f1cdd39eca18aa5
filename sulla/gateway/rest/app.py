"""The REST interface: the I/O around `rest_routes` and `rest_read`. Whatever it does is a method of the protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, cast
from urllib.parse import parse_qsl

import orjson
from starlette.types import Receive, Scope, Send

from sulla.core.dataclass import dataclass
from sulla.core.errors import Forbidden, SullaError, TooLarge, Unauthorized
from sulla.core.ids import MakeId, derived_id
from sulla.core.jsontypes import JsonObject
from sulla.gateway import wire
from sulla.gateway.context import ServerContext
from sulla.gateway.methods.observing import Asked, Done
from sulla.gateway.methods.table import METHODS
from sulla.gateway.problems import Headers, Malformed, Problem, no_such_verb, problem_of
from sulla.gateway.rest.auth import principal_of
from sulla.gateway.rest.read import RequestParts, read, read_place
from sulla.gateway.rest.routes import RestRoute
from sulla.gateway.rest.shown import HttpExchange, StreamedThread
from sulla.gateway.rest.sse import Blocks, OneTurn, TurnFamily
from sulla.gateway.rest.streams import Streams
from sulla.gateway.server.perimeter import peer_of
from sulla.gateway.wire import TurnSend
from sulla.rpc.caller import Caller
from sulla.rpc.family_place import FamilyPlace
from sulla.rpc.form import Params

OnLeave = Literal["go_on", "stop"]
"""What becomes of a turn whose client leaves while it is shown."""
_SUBSCRIBE = "events.subscribe"


class ClientLeft(Exception):
    """The client has gone before it had said everything."""


@dataclass(frozen=True, slots=True)
class RestContext:
    """What all resources share."""

    server: ServerContext
    streams: Streams
    make_id: MakeId
    on_leave: OnLeave


class Resource:
    """An ASGI application for one path.

    Args:
        routes: what can be done there, by verb.
        context: what all resources share.
    """

    def __init__(self, routes: Mapping[str, RestRoute], context: RestContext) -> None:
        self._routes = routes
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        route = self._routes.get(scope["method"])
        if route is None:
            await answer_problem(send, no_such_verb(scope["method"], scope["path"], tuple(sorted(self._routes))))
            return
        exchange = HttpExchange(scope, receive, send, self._context.make_id("req"))
        try:
            await self._serve(route, exchange)
        except (SullaError, Malformed) as error:
            await answer_problem(send, problem_of(error), exchange.names)
        except ClientLeft:
            return

    async def _serve(self, route: RestRoute, exchange: HttpExchange) -> None:
        said = said_in(exchange.scope)
        streaming = route.streams and said.wants_stream
        names = (route.name, _SUBSCRIBE) if streaming else (route.name,)
        said = await take_in(self._context, exchange, said, names, f"{route.verb} {route.path}")
        if not streaming:
            await self._answer(route, exchange, said)
        elif route.name == "turn.send":
            await self._show_turn(route, exchange, said)
        else:
            await self._show_thread(route, exchange, said)

    # ------------------------------------------------------------------------------------------------------- answering

    async def _answer(self, route: RestRoute, exchange: HttpExchange, said: RequestParts) -> None:
        params = self._read(route, said)
        result = await self._perform(exchange, params)
        if isinstance(params, TurnSend):
            result = {**result, "message_id": params.message_id}
        await answer(exchange.send, route.status, orjson.dumps(result), exchange.names)

    def _read(self, route: RestRoute, said: RequestParts) -> Params:
        return read(route, said, lambda: self._context.make_id("msg"))

    async def _perform(self, exchange: HttpExchange, params: Params) -> JsonObject:
        asked = Asked(caller_of(exchange.scope), exchange.request_id, params)
        return await self._context.server.calls.perform(asked)

    # --------------------------------------------------------------------------------------------------------- showing

    async def _show_thread(self, route: RestRoute, exchange: HttpExchange, said: RequestParts) -> None:
        place = read_place(route, said)
        self._context.streams.check_room()
        await self._perform(exchange, place)
        told, family = Blocks(), None
        if place.children:
            family, known = (FamilyPlace(place.thread_id, place.after, place.after_children) for _ in range(2))
            told = Blocks(place=known)
        shown = StreamedThread(principal_of(exchange.scope), place.thread_id, place.after, told, family=family)
        await self._context.streams.serve(exchange, shown)

    async def _show_turn(self, route: RestRoute, exchange: HttpExchange, said: RequestParts) -> None:
        params = cast(TurnSend, self._read(route, said))
        thread_id, children = params.thread_id, said.wants_children
        last = said.last_place(thread_id) or FamilyPlace(thread_id)
        self._context.streams.check_room()
        place = wire.EventsSubscribe(
            thread_id=thread_id, after=last.after, children=children, after_children=last.children or None
        )
        await self._perform(exchange, place)  # before anything is kept
        sent = await self._perform(exchange, params)
        run_id, seq = cast(str, sent["run_id"]), cast(int, sent["seq"])

        async def stop() -> JsonObject:
            request_id = derived_id("left", run_id)
            return await self._perform(exchange, wire.TurnStop(thread_id=thread_id, request_id=request_id))

        abandon = stop if self._context.on_leave == "stop" else None
        telling = Blocks(OneTurn(run_id, last.after, TurnFamily(last) if children else None))
        family = FamilyPlace(thread_id, seq - 1) if children else None
        shown = StreamedThread(principal_of(exchange.scope), thread_id, seq - 1, telling, abandon, family=family)
        await self._context.streams.serve(exchange, shown)


def said_in(scope: Scope) -> RequestParts:
    """What the head of a request says."""
    return RequestParts(
        path=cast(dict[str, str], scope["path_params"]),
        query=parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True),
        headers={name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]},
    )


def caller_of(scope: Scope, session: str = "rest") -> Caller:
    """Who makes a request that has come past the gatekeeper.

    Args:
        scope: the request's.
        session: what the name of the connection is made from, beside the peer.
    """
    return Caller(principal_of(scope), peer_of(scope), "rest", derived_id("ses", session, str(scope.get("client"))))


async def take_in(
    context: RestContext, exchange: HttpExchange, said: RequestParts, names: Sequence[str], where: str
) -> RequestParts:
    """Read a request's body, once it is known that the token allows what it asks for.

    Args:
        context: what all resources share.
        exchange: the request.
        said: its head.
        names: the methods of the protocol that it comes to.
        where: the verb and the path, for people.

    Returns:
        All that it says.

    Raises:
        Forbidden: the token does not allow it.
        Unauthorized: the token is good no more: a body may take its time, and the token be revoked meanwhile.
        TooLarge: the body is over the limit.
        Malformed: it did not come in time.
        Left: the client has gone.
    """
    limits = context.server.limits
    _check_scopes(context, exchange, names, where)
    try:
        async with context.server.clock.timeout(limits.body_s):
            said = replace(said, body=await read_body(exchange, said.headers, limits.frame_bytes))
    except TimeoutError:
        raise Malformed(408, "timeout", f"the body did not come within {limits.body_s:g} s") from None
    try:
        context.server.presence.check(principal_of(exchange.scope))
    except Unauthorized:
        context.server.observer.refused("rest", peer_of(exchange.scope), Unauthorized.code)
        raise
    return said


def _check_scopes(context: RestContext, exchange: HttpExchange, names: Sequence[str], where: str) -> None:
    """See whether the token allows it; who is shown something needs to be allowed to read it."""
    caller = caller_of(exchange.scope)
    for name in names:
        needed = METHODS[name].scope
        if needed is not None and needed not in caller.principal.scopes:
            unread = METHODS[name].params.model_construct()  # whoever may not do this need not send what it is about
            asked = Asked(caller, exchange.request_id, unread)
            context.server.observer.done(Done(asked, Forbidden.code, 0.0))
            raise Forbidden(f"{where} needs a token with the scope {needed!r}")


async def read_body(exchange: HttpExchange, headers: Mapping[str, str], limit_bytes: int) -> bytes:
    """All of it. What is over the limit is dropped as it comes: a client that is still sending would not hear why.

    Raises:
        TooLarge: it is over the limit.
        Left: the client has gone.
    """
    announced = headers.get("content-length", "")
    pieces, size, more = list[bytes](), 0, True
    if "expect" in headers and announced.isdigit() and int(announced) > limit_bytes:
        size, more = int(announced), False  # it waits to be asked for it
    while more:
        message = await exchange.receive()
        if message["type"] == "http.disconnect":
            raise ClientLeft
        piece, more = message.get("body", b""), message.get("more_body", False)
        size += len(piece)
        if size <= limit_bytes:
            pieces.append(piece)
        else:
            pieces.clear()
    if size > limit_bytes:
        raise TooLarge(f"a body of {size} bytes, at most {limit_bytes}: send it in parts")
    return b"".join(pieces)


async def answer_problem(send: Send, problem: Problem, names: Headers | None = None) -> None:
    """Answer with a refusal or a failure.

    Args:
        send: to the client.
        problem: what it is told.
        names: headers by which the request can be found again.
    """
    await answer(send, problem.status, problem.body(), [*problem.headers(), *(names or [])])


async def answer(send: Send, status: int, body: bytes, headers: Headers, kind: bytes = b"application/json") -> None:
    """Answer, with JSON unless said otherwise.

    Args:
        send: to the client.
        status: HTTP's.
        body: the JSON.
        headers: beside the usual ones.
        kind: what the body is.
    """
    usual = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": [*usual, *headers]})
    await send({"type": "http.response.body", "body": body})
