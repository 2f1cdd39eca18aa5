"""The REST interface: the I/O around `rest_routes` and `rest_read`. Whatever it does is a method of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast
from urllib.parse import parse_qsl

import orjson
from starlette.types import Receive, Scope, Send

from sulla.core.errors import Forbidden, SullaError, TooLarge, Unauthorized
from sulla.core.ids import MakeId, derived_id
from sulla.core.jsontypes import JsonObject
from sulla.gateway import wire
from sulla.gateway.connection import Room
from sulla.gateway.observing import Asked, Caller, Done
from sulla.gateway.perimeter import peer_of
from sulla.gateway.rest_auth import principal_of
from sulla.gateway.rest_problems import Headers, Malformed, Problem, no_such_verb, problem_of
from sulla.gateway.rest_read import Said, read, read_place
from sulla.gateway.rest_routes import RestRoute
from sulla.gateway.rest_streams import Exchange, Shown, Streams
from sulla.gateway.wire import METHODS, TurnSend
from sulla.gateway.wire_form import Wire

OnLeave = Literal["go_on", "stop"]
"""What becomes of a turn whose client leaves while it is shown."""
_SUBSCRIBE = "events.subscribe"


class Left(Exception):
    """The client has gone before it had said everything."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What all resources share."""

    room: Room
    streams: Streams
    make_id: MakeId
    on_leave: OnLeave


class Resource:
    """An ASGI application for one path.

    Args:
        routes: what can be done there, by verb.
        desk: what all resources share.
    """

    def __init__(self, routes: Mapping[str, RestRoute], desk: Desk) -> None:
        self._routes = routes
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        route = self._routes.get(scope["method"])
        if route is None:
            await answer_problem(send, no_such_verb(scope["method"], scope["path"], tuple(sorted(self._routes))))
            return
        exchange = Exchange(scope, receive, send, self._desk.make_id("req"))
        try:
            await self._serve(route, exchange)
        except (SullaError, Malformed) as error:
            await answer_problem(send, problem_of(error), exchange.names)
        except Left:
            return

    async def _serve(self, route: RestRoute, exchange: Exchange) -> None:
        limits = self._desk.room.limits
        said = Said(
            path=cast(dict[str, str], exchange.scope["path_params"]),
            query=parse_qsl(exchange.scope["query_string"].decode("latin-1"), keep_blank_values=True),
            headers={name.decode("latin-1"): value.decode("latin-1") for name, value in exchange.scope["headers"]},
        )
        streaming = route.streams and said.wants_stream
        self._check_scopes(exchange, route, streaming)
        try:
            async with self._desk.room.clock.timeout(limits.body_s):
                said = replace(said, body=await read_body(exchange, said.headers, limits.frame_bytes))
        except TimeoutError:
            raise Malformed(408, "timeout", f"the body did not come within {limits.body_s:g} s") from None
        self._check_token(exchange.scope)
        if not streaming:
            await self._answer(route, exchange, said)
        elif route.name == "turn.send":
            await self._show_turn(route, exchange, said)
        else:
            await self._show_thread(route, exchange, said)

    def _check_scopes(self, exchange: Exchange, route: RestRoute, streaming: bool) -> None:
        """See whether the token allows it; who is shown something needs to be allowed to read it.

        Raises:
            Forbidden: it does not.
        """
        caller = _caller(exchange.scope)
        for name in (route.name, _SUBSCRIBE) if streaming else (route.name,):
            needed = METHODS[name].scope
            if needed is not None and needed not in caller.principal.scopes:
                unread = METHODS[
                    name
                ].params.model_construct()  # whoever may not do this need not send what it is about
                asked = Asked(caller, exchange.request_id, unread)
                self._desk.room.observer.done(Done(asked, Forbidden.code, 0.0))
                raise Forbidden(f"{route.verb} {route.path} needs a token with the scope {needed!r}")

    def _check_token(self, scope: Scope) -> None:
        """See whether the token is still good: a body may take its time, and the token be revoked meanwhile.

        Raises:
            Unauthorized: it is not.
        """
        try:
            self._desk.room.presence.check(principal_of(scope))
        except Unauthorized:
            self._desk.room.observer.refused("rest", peer_of(scope), Unauthorized.code)
            raise

    # ------------------------------------------------------------------------------------------------------- answering

    async def _answer(self, route: RestRoute, exchange: Exchange, said: Said) -> None:
        params = self._read(route, said)
        result = await self._perform(exchange, params)
        if isinstance(params, TurnSend):
            result = {**result, "message_id": params.message_id}
        await answer(exchange.send, route.status, orjson.dumps(result), exchange.names)

    def _read(self, route: RestRoute, said: Said) -> Wire:
        return read(route, said, lambda: self._desk.make_id("msg"))

    async def _perform(self, exchange: Exchange, params: Wire) -> JsonObject:
        asked = Asked(_caller(exchange.scope), exchange.request_id, params)
        return await self._desk.room.calls.perform(asked)

    # --------------------------------------------------------------------------------------------------------- showing

    async def _show_thread(self, route: RestRoute, exchange: Exchange, said: Said) -> None:
        place = read_place(route, said)
        self._desk.streams.check_room()
        await self._perform(exchange, place)
        await self._desk.streams.serve(exchange, Shown(principal_of(exchange.scope), place.thread_id, place.after))

    async def _show_turn(self, route: RestRoute, exchange: Exchange, said: Said) -> None:
        params, last = cast(TurnSend, self._read(route, said)), said.last_event_id
        thread_id = params.thread_id
        self._desk.streams.check_room()
        place = wire.EventsSubscribe(thread_id=thread_id, after=last or 0)
        await self._perform(exchange, place)  # before anything is kept
        sent = await self._perform(exchange, params)
        run_id, seq = cast(str, sent["run_id"]), cast(int, sent["seq"])

        async def stop() -> JsonObject:
            request_id = derived_id("left", run_id)
            return await self._perform(exchange, wire.TurnStop(thread_id=thread_id, request_id=request_id))

        abandon = stop if self._desk.on_leave == "stop" else None
        shown = Shown(principal_of(exchange.scope), thread_id, seq - 1, run_id, last or 0, abandon)
        await self._desk.streams.serve(exchange, shown)


def _caller(scope: Scope) -> Caller:
    return Caller(principal_of(scope), peer_of(scope), "rest", derived_id("ses", "rest", str(scope.get("client"))))


async def read_body(exchange: Exchange, headers: Mapping[str, str], limit_bytes: int) -> bytes:
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
            raise Left
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


async def answer(send: Send, status: int, body: bytes, headers: Headers) -> None:
    """Answer with JSON.

    Args:
        send: to the client.
        status: HTTP's.
        body: the JSON.
        headers: beside the usual ones.
    """
    usual = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": [*usual, *headers]})
    await send({"type": "http.response.body", "body": body})
