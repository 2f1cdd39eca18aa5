"""The door for webhooks: whoever signs with the right secret begins a playbook, and needs no token."""

from __future__ import annotations

import hashlib
import logging
from functools import partial
from typing import Protocol

import orjson
from starlette.types import Receive, Scope, Send

from sulla.access.principal import Principal
from sulla.core.errors import Busy, Refused, SullaError, Unauthorized
from sulla.core.ids import MakeId
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.context import ServerContext
from sulla.gateway.methods.observing import Asked
from sulla.gateway.problems import Malformed, problem_of
from sulla.gateway.rest.app import ClientLeft, answer, answer_problem, read_body
from sulla.gateway.rest.shown import HttpExchange
from sulla.gateway.rest.webhook import ID, Signed, is_genuine, is_timely, payload_of, read_signed
from sulla.gateway.server.auth import Lockout, address_key
from sulla.gateway.server.perimeter import peer_of
from sulla.playbooks.rpc_forms import PlayBegun, WorkflowStart
from sulla.rpc.caller import Caller
from sulla.rpc.row import dump

_NOBODYS = "nobody has this one"
"""A signature is worked out with it where there is no playbook, so that the time taken says nothing."""
UNPROVEN = 32
"""Messages at once that are read before their signature can be looked at: each may be large, and come from anybody."""
_log = logging.getLogger("sulla.gateway")


class Hooks(Protocol):
    """What messages from outside may begin."""

    async def secret_of(self, playbook: str) -> str | None:
        """What a playbook's messages are signed with; None if it takes none, or there is none that is good for it."""

    async def begin(self, playbook: str, message_id: str, payload: Json) -> PlayBegun:
        """Begin a run; the same message begins it once.

        Args:
            playbook: one that has a secret.
            message_id: the sender's id of the message.
            payload: what it says; nobody trusts it.

        Raises:
            InvalidInput: the playbook asks for more than it is given.
            MessageIdReused: the message came before with another payload.
            QueueFull: too many runs are open.
        """


class HookDoor:
    """An ASGI application for ``POST /hooks/{playbook}``.

    Args:
        hooks: knows the secrets, and begins runs; None if nobody does.
        server: what all connections share.
        make_id: names requests.
    """

    def __init__(self, hooks: Hooks | None, server: ServerContext, make_id: MakeId) -> None:
        self._hooks = hooks
        self._server = server
        self._make_id = make_id
        self._lockout = Lockout()
        self._unproven = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        exchange = HttpExchange(scope, receive, send, self._make_id("req"))
        playbook = str(scope["path_params"]["playbook"])
        try:
            result = await self._serve(exchange, playbook)
        except Unauthorized as error:
            self._server.observer.refused("rest", peer_of(scope), error.code)
            await answer_problem(send, problem_of(error), exchange.names)
        except (SullaError, Malformed) as error:
            await answer_problem(send, problem_of(error), exchange.names)
        except ClientLeft:
            return
        else:
            await answer(send, 202, orjson.dumps(result), exchange.names)

    async def _serve(self, exchange: HttpExchange, playbook: str) -> JsonObject:
        """Take one message.

        Raises:
            Unauthorized: it is not signed as it should be, or too many were not; whether there is such a playbook is
                not said.
        """
        scope = exchange.scope
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        key = f"{address_key(peer_of(scope))} {playbook[:100]}"
        signed = read_signed(headers)
        if scope["method"] != "POST" or signed is None:
            self._check_patience(key)
            raise _unsigned(playbook, "it is not a POST with the three headers")
        body = await self._body(exchange, headers)
        await self._check(playbook, signed, body, key)
        principal = Principal(f"webhook {playbook}", frozenset({"write"}))
        caller = Caller(principal, peer_of(scope), "rest", exchange.request_id)
        asked = Asked(caller, signed.id, WorkflowStart(playbook=playbook))
        return await self._server.calls.perform(asked, do=partial(self._begin, playbook, signed.id, headers, body))

    async def _check(self, playbook: str, signed: Signed, body: bytes, key: str) -> None:
        """See whether somebody sent this who knows the secret, and just now.

        Raises:
            Unauthorized: no.
        """
        secret = None if self._hooks is None else await self._hooks.secret_of(playbook)
        genuine = is_genuine(signed, _NOBODYS if secret is None else secret, body)
        if secret is None or not genuine:
            self._check_patience(key)
            digest = hashlib.sha256("".join(signed.signatures).encode()).digest()
            self._lockout.wrong(key, digest, self._server.clock.elapsed())
            missing = "no playbook of that name takes webhooks, or its secret is not set, or too short"
            raise _unsigned(playbook, missing if secret is None else "its signature is wrong")
        if not is_timely(signed, self._server.clock.now()):
            raise _unsigned(playbook, "it was not sent just now, or a clock is wrong")

    def _check_patience(self, key: str) -> None:
        """See whether too many wrong ones came from there. Right ones are taken all the same: behind a proxy everybody
        has one address.

        Raises:
            Unauthorized: too many did.
        """
        if (wait_s := self._lockout.locked_s(key, self._server.clock.elapsed())) > 0:
            message = "too many messages with a wrong signature came from this address: wait, then send it again"
            raise Unauthorized(message, retry_after_s=round(wait_s, 1))

    async def _begin(self, playbook: str, message_id: str, headers: dict[str, str], body: bytes) -> JsonObject:
        if self._hooks is None:
            raise Refused("nobody takes webhooks here")
        payload = payload_of(headers.get("content-type", ""), body)
        begun = await self._hooks.begin(playbook, message_id, payload)
        return dump(PlayBegun, begun)

    async def _body(self, exchange: HttpExchange, headers: dict[str, str]) -> bytes:
        limits = self._server.limits
        if self._unproven >= UNPROVEN:
            raise Busy(f"{UNPROVEN} messages are being read already: send it again", retry_after_s=1.0)
        self._unproven += 1
        try:
            async with self._server.clock.timeout(limits.body_s):
                return await read_body(exchange, headers, limits.frame_bytes)
        except TimeoutError:
            raise Malformed(408, "timeout", f"the body did not come within {limits.body_s:g} s") from None
        finally:
            self._unproven -= 1


def _unsigned(playbook: str, why: str) -> Unauthorized:
    """The same words for whoever sends, whatever is wrong; the log says what."""
    _log.warning("refused a webhook for %r: %s", playbook[:100], why)
    return Unauthorized(
        f"the message is not signed as it should be: see {ID} and the other headers below Webhooks in docs/playbooks.md"
    )
