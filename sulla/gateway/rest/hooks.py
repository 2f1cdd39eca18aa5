"""The door for webhooks: whoever signs with the right secret begins a playbook, and needs no token.

Whether there is a playbook of a name, and how its messages are signed, is nobody's business: each message is read, one
signature is worked out, and what is wrong is told in the same words.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from contextlib import suppress
from functools import partial
from typing import Protocol

import orjson
from starlette.types import Receive, Scope, Send

from sulla.access.principal import Principal
from sulla.core.errors import Busy, Refused, SullaError, Unauthorized
from sulla.core.ids import MakeId
from sulla.core.jsontypes import JsonObject
from sulla.gateway.context import ServerContext
from sulla.gateway.methods.observing import Asked
from sulla.gateway.problems import Malformed, Problem, problem_of
from sulla.gateway.rest.app import ClientLeft, answer, answer_problem, read_body
from sulla.gateway.rest.shown import HttpExchange
from sulla.gateway.rest.webhook import (
    NOBODYS,
    Signed,
    challenge_of,
    is_genuine,
    is_timely,
    message_of,
    read_signed,
    why_unread,
)
from sulla.gateway.server.auth import Lockout, address_key
from sulla.gateway.server.perimeter import peer_of
from sulla.playbooks.definition import WebhookForm
from sulla.playbooks.rpc_forms import PlayBegun, WorkflowStart
from sulla.playbooks.webhook_message import HookEnd, HookMessage, HookTerms
from sulla.rpc.caller import Caller
from sulla.rpc.row import dump

UNPROVEN = 32
"""Messages at once that are read before their signature can be looked at: each may be large, and come from anybody."""
ANSWERING = 64
"""Messages at once whose answer waits for a run; a further one is told at once that its run has begun."""
_LOOK_AGAIN_S = 1.0
"""So often at least is looked whether a run has ended: that it has may not have been heard."""
_log = logging.getLogger("sulla.gateway")


class Hooks(Protocol):
    """What messages from outside may begin."""

    async def terms_of(self, playbook: str) -> HookTerms | None:
        """On which terms a playbook takes messages; None if it takes none, or has no secret that is good for it."""

    async def begin(self, playbook: str, message: HookMessage) -> PlayBegun:
        """Begin a run; the same message begins it once.

        Args:
            playbook: one that has terms.
            message: what it says; nobody trusts it.

        Raises:
            InvalidInput: the playbook asks for more than it is given.
            MessageIdReused: the message came before with another payload.
            QueueFull: too many runs are open.
        """

    async def ended(self, run: str, form: WebhookForm) -> HookEnd | None:
        """What came of a run, and of those that it handed over to; None while one of them goes on."""


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
        self._answering = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        exchange = HttpExchange(scope, receive, send, self._make_id("req"))
        playbook = str(scope["path_params"]["playbook"])
        try:
            await self._serve(exchange, playbook)
        except Unauthorized as error:
            self._server.observer.refused("rest", peer_of(scope), error.code)
            await answer_problem(send, problem_of(error), exchange.names)
        except (SullaError, Malformed) as error:
            await answer_problem(send, problem_of(error), exchange.names)
        except ClientLeft:
            return

    async def _serve(self, exchange: HttpExchange, playbook: str) -> None:
        """Take one message, and answer it.

        Raises:
            Unauthorized: it is not signed as it should be, or too many were not; whether there is such a playbook is
                not said.
        """
        scope = exchange.scope
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        key = f"{address_key(peer_of(scope))} {playbook[:100]}"
        if scope["method"] != "POST":
            self._check_patience(key)
            raise _unsigned(playbook, "it is not a POST")
        body = await self._body(exchange, headers)
        form, signed = await self._check(playbook, headers, body, key)
        message = message_of(form, signed, headers, scope["query_string"], body)
        if (challenge := challenge_of(form, message.payload)) is not None:
            await answer(exchange.send, 200, orjson.dumps({"challenge": challenge}), exchange.names)
            return
        principal = Principal(f"webhook {playbook}", frozenset({"write"}))
        caller = Caller(principal, peer_of(scope), "rest", exchange.request_id)
        asked = Asked(caller, message.id, WorkflowStart(playbook=playbook))
        begun = await self._server.calls.perform(asked, do=partial(self._begin, playbook, message))
        await self._answer(exchange, form, begun)

    async def _check(self, playbook: str, headers: dict[str, str], body: bytes, key: str) -> tuple[WebhookForm, Signed]:
        """See whether somebody sent this who knows the secret, and just now: how it is signed.

        Raises:
            Unauthorized: no.
        """
        terms = None if self._hooks is None else await self._hooks.terms_of(playbook)
        form = WebhookForm() if terms is None else terms.form
        signed = read_signed(form, headers)
        genuine = is_genuine(form, signed, NOBODYS if terms is None else terms.secret, body)
        if terms is None or signed is None or not genuine:
            self._check_patience(key)
            digest = hashlib.sha256(b"".join(signed.signatures) if signed is not None else b"").digest()
            self._lockout.wrong(key, digest, self._server.clock.elapsed())
            raise _unsigned(playbook, _why_not(terms, signed, headers))
        if not is_timely(form, signed, self._server.clock.now()):
            raise _unsigned(playbook, "it was not sent just now, or a clock is wrong")
        return form, signed

    def _check_patience(self, key: str) -> None:
        """See whether too many wrong ones came from there. Right ones are taken all the same: behind a proxy everybody
        has one address.

        Raises:
            Unauthorized: too many did.
        """
        if (wait_s := self._lockout.locked_s(key, self._server.clock.elapsed())) > 0:
            message = "too many messages with a wrong signature came from this address: wait, then send it again"
            raise Unauthorized(message, retry_after_s=round(wait_s, 1))

    async def _begin(self, playbook: str, message: HookMessage) -> JsonObject:
        if self._hooks is None:
            raise Refused("nobody takes webhooks here")
        return dump(PlayBegun, await self._hooks.begin(playbook, message))

    async def _answer(self, exchange: HttpExchange, form: WebhookForm, begun: JsonObject) -> None:
        """Say what came of a message: of its run, where the playbook wants that and it does not take too long."""
        run = str(begun["run"])
        end = await self._end(run, form) if form.answer == "run" and self._answering < ANSWERING else None
        if end is None and form.signed == "slack":
            await answer(exchange.send, 200, b"{}", exchange.names)  # Slack shows people any other answer as an error
        elif end is None:
            await answer(exchange.send, 202, orjson.dumps(begun), exchange.names)
        elif not end.completed:
            # Why stands in the run, for whoever may read it.
            failed = Problem(500, "run_failed", f"the run {run} was not completed: `sulla flow show {run}` says why")
            await answer_problem(exchange.send, failed, exchange.names)
        elif isinstance(end.output, str):
            await answer(exchange.send, 200, end.output.encode(), exchange.names, b"text/plain; charset=utf-8")
        else:
            await answer(exchange.send, 200, orjson.dumps(end.output), exchange.names)

    async def _end(self, run: str, form: WebhookForm) -> HookEnd | None:
        """What comes of a run; None if it is not over in time."""
        assert self._hooks is not None  # noqa: S101  - it has begun the run
        clock, news = self._server.clock, asyncio.Event()
        self._answering += 1
        try:
            async with clock.timeout(form.within_s), self._server.commands.listen(run, lambda _: news.set()):
                while (end := await self._hooks.ended(run, form)) is None:
                    with suppress(TimeoutError):
                        async with clock.timeout(_LOOK_AGAIN_S):
                            await news.wait()
                    news.clear()
                return end
        except TimeoutError:
            return None
        finally:
            self._answering -= 1

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


def _why_not(terms: HookTerms | None, signed: Signed | None, headers: dict[str, str]) -> str:
    """For the log alone."""
    if terms is None:
        return "no playbook of that name takes webhooks, or its secret is not set, or too short"
    if signed is None:
        return why_unread(terms.form, headers)
    return "its signature is wrong"


def _unsigned(playbook: str, why: str) -> Unauthorized:
    """The same words for whoever sends, whatever is wrong; the log says what."""
    _log.warning("refused a webhook for %r: %s", playbook[:100], why)
    return Unauthorized(
        "the message is not signed as it should be: the trigger's `signed` says how (Webhooks in docs/playbooks.md), "
        "and the daemon's log what is wrong"
    )
