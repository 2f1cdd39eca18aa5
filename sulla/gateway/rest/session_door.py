"""The console's way in: a ticket or a token is exchanged for a session, and a session ends (docs/console.md)."""

from __future__ import annotations

from typing import Annotated, Final

import orjson
from pydantic import Field, ValidationError
from starlette.types import Receive, Scope, Send

from sulla.access.principal import SESSION_S, NewSession, Principal
from sulla.access.valid import is_session_of
from sulla.core.errors import Conflict, InvalidInput, SullaError, Unauthorized, Unavailable
from sulla.core.ids import MakeId, derived_id
from sulla.core.stamp import stamp
from sulla.gateway import rpc
from sulla.gateway.context import ServerContext
from sulla.gateway.methods.observing import OK, Asked, Done
from sulla.gateway.methods.tokens import TokenCreate, TokenRevoke
from sulla.gateway.problems import Malformed, no_such_verb, problem_of, told_to
from sulla.gateway.rest.app import ClientLeft, answer, answer_problem, read_body
from sulla.gateway.rest.auth import SESSION
from sulla.gateway.rest.shown import HttpExchange
from sulla.gateway.server.browser_session import KEY_HEADER, check_own_page, cookies_of, drop_cookie, set_cookie
from sulla.gateway.server.perimeter import peer_of, welcome
from sulla.rpc.caller import Caller
from sulla.rpc.form import Params

BODY_BYTES: Final = 4096
"""A ticket and a token have some fifty characters; nobody is known yet who sends this."""
Secret = Annotated[str, Field(min_length=1, max_length=512)]


class SignIn(Params):
    """The body of ``POST /console/session``: one of the first two."""

    ticket: Secret | None = None
    token: Secret | None = None
    replace: bool = False
    """Whether the person has said that a ticket of another token may end the session that the browser has."""
    had: Annotated[str, Field(max_length=512)] = ""
    """The name of the token that the page was last signed in with; empty for none. It alone opens nothing."""


class SessionDoor:
    """An ASGI application for ``/console/session``.

    Args:
        server: what all connections share.
        make_id: names requests.
    """

    def __init__(self, server: ServerContext, make_id: MakeId) -> None:
        self._server = server
        self._make_id = make_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        exchange = HttpExchange(scope, receive, send, self._make_id("req"))
        serve = {"POST": self._sign_in, "DELETE": self._sign_out}.get(scope["method"])
        if serve is None:
            await answer_problem(send, no_such_verb(scope["method"], SESSION, ("DELETE", "POST")), exchange.names)
            return
        try:
            async with self._server.clock.timeout(self._server.limits.call_s):
                check_own_page(scope)
                await serve(exchange)
        except TimeoutError:
            late = Unavailable(f"no answer within {self._server.limits.call_s:g} s: make another ticket and try again")
            await answer_problem(send, problem_of(late), exchange.names)
        except ClientLeft:
            return
        except (SullaError, Malformed) as error:
            problem = problem_of(told_to(error, ()) if isinstance(error, SullaError) else error)
            if problem.status in (401, 403, 429):
                self._server.observer.refused("rest", peer_of(scope), problem.code)
            await answer_problem(send, problem, exchange.names)

    async def _sign_in(self, exchange: HttpExchange) -> None:
        said = await self._read(exchange)
        began_s = self._server.clock.elapsed()
        address, current = peer_of(exchange.scope), self._current(exchange.scope)
        if said.ticket is not None and not said.replace and (current or said.had or _key_of(exchange.scope)):
            # Whoever has a ticket can have a browser follow a link with it, and a page at another port can take the
            # cookie away before; whose session it is the person decides.
            by = await self._checked(address, said.ticket, looks=True)
            if current is not None or by.name != said.had:
                await self._tell(exchange, current, by)
                return
        by = await self._who(address, said)
        made = await self._server.tickets.open_session(by)
        if current is not None and (ended := await self._server.tickets.close_session(current)):
            self._note(exchange, current, TokenRevoke(name=ended), began_s)
        welcome(exchange.scope, made.principal)
        scopes = sorted(by.scopes)
        self._note(exchange, by, TokenCreate(name=made.name, scopes=scopes, expires_s=SESSION_S), began_s)
        body = {"key": made.key, "name": by.name, "session": made.name, "scopes": scopes}
        told = orjson.dumps(body | {"expires_at": stamp(made.expires_ms)})
        cookie = set_cookie(exchange.scope, made.cookie, self._age_s(made))
        await answer(exchange.send, 200, told, [cookie, *exchange.names])

    async def _sign_out(self, exchange: HttpExchange) -> None:
        scope, began_s = exchange.scope, self._server.clock.elapsed()
        who = self._server.guard.admit_session(peer_of(scope), cookies_of(scope), _key_of(scope))
        if ended := await self._server.tickets.close_session(who):
            self._note(exchange, who, TokenRevoke(name=ended), began_s)
        await answer(exchange.send, 200, b'{"ended":true}', [drop_cookie(scope), *exchange.names])

    async def _read(self, exchange: HttpExchange) -> SignIn:
        """What whoever signs in brings.

        Raises:
            Malformed: it is no JSON by its header, or does not come in time.
            InvalidInput: it is something else than one of the two.
            TooLarge: it is more than that.
        """
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in exchange.scope["headers"]}
        kind = headers.get("content-type", "")
        if kind.partition(";")[0].strip().lower() != "application/json":
            # A form of another page can send any other type without asking.
            message = f"Content-Type: got {kind[:80]!r}, expected 'application/json'"
            raise Malformed(415, "invalid_input", message)
        limits = self._server.limits
        try:
            async with self._server.clock.timeout(limits.body_s):
                body = await read_body(exchange, headers, BODY_BYTES)
        except TimeoutError:
            raise Malformed(408, "timeout", f"the body did not come within {limits.body_s:g} s") from None
        try:
            said = SignIn.model_validate(orjson.loads(body))
        except orjson.JSONDecodeError:
            raise InvalidInput('the body is not JSON; expected {"ticket": …} or {"token": …}') from None
        except ValidationError as error:
            details = error.errors(include_url=False)
            raise InvalidInput("; ".join(rpc.explain(detail, SignIn, "") for detail in details[:5])) from None
        if (said.ticket is None) == (said.token is None):
            raise InvalidInput("expected either 'ticket' or 'token'")
        return said

    async def _who(self, address: str, said: SignIn) -> Principal:
        """Who signs in.

        Raises:
            Unauthorized: the ticket or the token is not valid, or too many that came from there were not.
        """
        if said.ticket is None:
            return self._server.guard.admit(address, said.token)
        return await self._checked(address, said.ticket, looks=False)

    async def _checked(self, address: str, ticket: str, *, looks: bool) -> Principal:
        """Whose ticket it is, and unless it is only looked at, it is used up.

        Raises:
            Unauthorized: see `_who`.
        """
        try:
            return await self._server.tickets.redeem(ticket, "console", looks=looks)
        except Unauthorized:
            self._server.guard.count_wrong(address, ticket)
            raise

    def _current(self, scope: Scope) -> Principal | None:
        """Whose session the browser has; None if it has none, or one that is over."""
        if (key := _key_of(scope)) is None:
            return None
        try:
            return self._server.guard.admit_session(peer_of(scope), cookies_of(scope), key)
        except Unauthorized:
            return None  # it is replaced by one that lives

    async def _tell(self, exchange: HttpExchange, current: Principal | None, by: Principal) -> None:
        """Say who is signed in, if anybody still is, and who would be; the ticket stays good, and one of the same
        token is not needed.
        """
        if current is None:
            said = "the session that this browser had has ended"
        elif is_session_of(self._server.tickets.known(), current, by):
            await answer(exchange.send, 200, orjson.dumps(_told(current) | {"stays": True}), exchange.names)
            return
        else:
            said = f"this browser is signed in as {current.name!r}, which would end"
        refused = problem_of(Conflict(f'{said}: "replace": true signs in as {by.name!r}'))
        now = None if current is None else _told(current)
        told = {"error": refused.error(), "signed_in": now, "would_be": _told(by)}
        await answer(exchange.send, refused.status, orjson.dumps(told), exchange.names)

    def _age_s(self, made: NewSession) -> int:
        return max(1, round(made.expires_ms / 1000 - self._server.clock.now()))

    def _note(self, exchange: HttpExchange, who: Principal, params: Params, began_s: float) -> None:
        """Have the audit log say it as of any token that is made or taken back."""
        scope = exchange.scope
        caller = Caller(who, peer_of(scope), "rest", derived_id("ses", "console", str(scope.get("client"))))
        took_s = self._server.clock.elapsed() - began_s
        self._server.observer.done(Done(Asked(caller, exchange.request_id, params), OK, took_s))


def _told(who: Principal) -> dict[str, object]:
    return {"name": who.name, "scopes": sorted(who.scopes)}


def _key_of(scope: Scope) -> str | None:
    """The page's half of the session, if it says one."""
    keys = [value.decode("latin-1").strip() for name, value in scope["headers"] if name == KEY_HEADER.encode()]
    return keys[0] if len(keys) == 1 else None
