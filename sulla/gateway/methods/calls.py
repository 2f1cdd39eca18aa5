"""Requests to commands, and what they answer to results."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext

from sulla.access.token_store import TokenStore
from sulla.core.clock import Clock
from sulla.core.errors import Forbidden, SullaError, Unavailable
from sulla.core.ids import MakeId
from sulla.core.jsontypes import JsonObject
from sulla.core.trail import trail
from sulla.gateway.commands import Commands
from sulla.gateway.methods import threads as threads_rpc
from sulla.gateway.methods import tokens as tokens_rpc
from sulla.gateway.methods.heavy import HeavyCalls
from sulla.gateway.methods.observing import GIVEN_UP, OK, Asked, Done, Observer
from sulla.gateway.methods.table import GROUP_OF
from sulla.gateway.problems import told_to
from sulla.people import presence_rpc
from sulla.rpc.caller import Context
from sulla.rpc.limits import Limits

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
        tokens: TokenStore,
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
        self._heavy = HeavyCalls()

    def _turn(self, asked: Asked) -> AbstractAsyncContextManager[None]:
        return self._heavy.turn(asked.caller.principal.name) if asked.row.heavy else nullcontext()

    async def perform(
        self,
        asked: Asked,
        taken: Callable[[], None] | None = None,
        do: Callable[[], Awaitable[JsonObject]] | None = None,
    ) -> JsonObject:
        """Have a request done, and tell the observer. Of a subscription this is the answer; following is the business
        of who asks.

        Args:
            asked: it.
            taken: is called, by methods that overlap, as soon as the next one may be taken.
            do: does it in place of the method's own handler, and is no sign of a person; None for the handler.

        Returns:
            The result, in the form of the method's result model.

        Raises:
            SullaError: whatever the daemon refused it with, that it took too long, or a defect of ours.
        """
        row, caller = asked.row, asked.caller
        names = {"session": caller.session, "request_id": asked.request_id}
        code, began_s = GIVEN_UP, self._clock.elapsed()
        try:
            if row.scope is not None and row.scope not in caller.principal.scopes:
                raise Forbidden(f"{row.name!r} needs a token with the scope {row.scope!r}")
            at_ms = round(self._clock.now() * 1000)
            context = Context(caller, at_ms, self._limits.history_bytes, self._make_id, taken)
            with trail(**names):
                async with self._clock.timeout(self._limits.call_s):
                    if do is not None:
                        result = await do()
                    else:
                        self._commands.check_ready(row.needs)
                        async with self._turn(asked):
                            result = await row.answer(self._services[GROUP_OF[row.name]], asked.params, context)
            code = OK
        except SullaError as error:
            code = error.code
            if (told := told_to(error, caller.principal.scopes)) is not error:
                raise told from error
            raise
        except TimeoutError:
            code = Unavailable.code
            raise Unavailable(f"no answer within {self._limits.call_s:g} s: ask again with the same id") from None
        except Exception:  # noqa: BLE001  # a defect of ours is an answer too: nobody waits for ever
            code = SullaError.code
            _log.exception("a request failed", extra={**names, "method": row.name})
            raise SullaError("something went wrong inside the daemon; its log has the details") from None
        finally:
            self._observer.done(Done(asked, code, self._clock.elapsed() - began_s))
        if do is None and row.idle_s is not None and (idle_s := row.idle_s(asked.params)) is not None:
            self._people.active(caller.session, caller.name, caller.way, idle_s)
        return result
