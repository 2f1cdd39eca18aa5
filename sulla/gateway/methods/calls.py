"""Requests to commands, and what they answer to results."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from sulla.access import TokenOffice
from sulla.core.clock import Clock
from sulla.core.errors import Forbidden, SullaError, Unavailable
from sulla.core.ids import MakeId
from sulla.core.jsontypes import JsonObject
from sulla.core.trail import trail
from sulla.gateway.commands import Commands
from sulla.gateway.methods import threads as threads_rpc
from sulla.gateway.methods import tokens as tokens_rpc
from sulla.gateway.methods.observing import GIVEN_UP, OK, Asked, Done, Observer
from sulla.gateway.methods.table import GROUP_OF
from sulla.people import presence_rpc
from sulla.rpc import Context, Limits, Method

_log = logging.getLogger("sulla.gateway")


class Calls:
    """Carries requests out, whichever door they came by: what the token allows, within a deadline, with an error that a
    client can read.

    Args:
        commands: who does it.
        tokens: who does what is about tokens.
        limits: sizes of replies, and the deadline.
        clock: for the deadline.
        observer: is told of every request.
        make_id: names what a request has not named.
    """

    def __init__(
        self,
        commands: Commands,
        tokens: TokenOffice,
        limits: Limits,
        clock: Clock,
        observer: Observer,
        make_id: MakeId,
    ) -> None:
        self._commands = commands
        others = (threads_rpc.METHODS.done_by(commands), tokens_rpc.METHODS.done_by(tokens))
        self._services = dict([*commands.services.items(), *others])
        self._people = presence_rpc.METHODS.service_in(self._services)
        self._limits = limits
        self._clock = clock
        self._observer = observer
        self._make_id = make_id

    async def perform(self, asked: Asked, taken: Callable[[], None] | None = None) -> JsonObject:
        """Have a request done. Of a subscription this is the answer; following is the business of who asks.

        Args:
            asked: it.
            taken: is called, by methods that overlap, as soon as the next one may be taken.

        Returns:
            The result, in the form of the method's result model.

        Raises:
            SullaError: whatever the daemon refused it with, that it took too long, or a defect of ours.
        """
        row, caller = asked.row, asked.caller
        result = await self.answer(asked, self._handle(row, asked, taken))
        if row.idle_s is not None and (idle_s := row.idle_s(asked.params)) is not None:
            self._people.active(caller.session, caller.name, caller.way, idle_s)
        return result

    async def answer(self, asked: Asked, work: Coroutine[object, object, JsonObject]) -> JsonObject:
        """Do `work` for a request, and tell the observer.

        Raises:
            SullaError: see `perform`.
        """
        code, began_s = GIVEN_UP, self._clock.elapsed()
        try:
            _check_scope(asked)
            with trail(**_names(asked)):
                async with self._clock.timeout(self._limits.call_s):
                    result = await work
            code = OK
            return result
        except SullaError as error:
            code = error.code
            raise
        except TimeoutError:
            code = Unavailable.code
            raise Unavailable(f"no answer within {self._limits.call_s:g} s: ask again with the same id") from None
        except Exception:  # noqa: BLE001  # a defect of ours is an answer too: nobody waits for ever
            code = SullaError.code
            _log.exception("a request failed", extra={**_names(asked), "method": asked.method})
            raise SullaError("something went wrong inside the daemon; its log has the details") from None
        finally:
            work.close()  # it never began if it was refused
            self._observer.done(Done(asked, code, self._clock.elapsed() - began_s))

    async def _handle(self, row: Method[Any, Any, Any], asked: Asked, taken: Callable[[], None] | None) -> JsonObject:
        self._commands.check_ready(row.needs)
        at_ms = round(self._clock.now() * 1000)
        context = Context(asked.caller, at_ms, self._limits.history_bytes, self._make_id, taken)
        return await row.answer(self._services[GROUP_OF[row.name]], asked.params, context)


def _names(asked: Asked) -> dict[str, str]:
    return {"session": asked.caller.session, "request_id": asked.request_id}


def _check_scope(asked: Asked) -> None:
    scope = asked.scope
    if scope is not None and scope not in asked.caller.principal.scopes:
        raise Forbidden(f"{asked.method!r} needs a token with the scope {scope!r}")
