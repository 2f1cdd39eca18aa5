"""The audit log's observer: what is done by whom, and who was not let in, before the client is told."""

from __future__ import annotations

from typing import Final, NoReturn

from sulla.access.audit import AuditLog
from sulla.access.refusals import RefusalCounter, RefusedAccess
from sulla.core.clock import Clock
from sulla.core.errors import Forbidden
from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.gateway.methods.observing import OK, Done, Unobserved
from sulla.gateway.server.auth import address_key
from sulla.rpc.caller import Way

_FLUSH_S: Final = 1.0
_OFTEN: Final = frozenset({"speech.chunk"})
"""What a client does ten times a second: that it went well is summed up by thread."""
_OFTEN_S: Final = 10.0


class AuditTrail(Unobserved):
    """Keeps `gateway.Observer`: writes down every request that could change something, and every refusal.

    A request that only reads is not written down, unless its token does not even allow that. Pieces of speech are
    summed up by thread, and what a token does not allow is summed up too: else it could push everything else out of the
    log, which keeps so many bytes, within a minute.

    Args:
        log: the file.
        clock: all time.
    """

    def __init__(self, log: AuditLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._refusals = RefusalCounter()
        self._often = RefusalCounter(_OFTEN_S)

    @property
    def failing(self) -> bool:
        """Whether the last entry could not be written."""
        return self._log.failing

    @property
    def failed(self) -> int:
        """Entries that could not be written."""
        return self._log.failed

    def done(self, done: Done) -> None:
        """A request was carried out or refused."""
        asked = done.asked
        caller = asked.caller
        if done.code == Forbidden.code:
            who, address = caller.principal, address_key(caller.address)
            self._sum_up(RefusedAccess(caller.way, address, done.code, 1, who.name, who.id, asked.method))
            return
        if done.code == OK and asked.method in _OFTEN:
            who, address, thread_id = (
                caller.principal,
                address_key(caller.address),
                str(getattr(asked.params, "thread_id", "")),
            )
            one = RefusedAccess(caller.way, address, OK, 1, who.name, who.id, asked.method, thread_id)
            self._write_down(self._often.add(one, self._clock.elapsed()))
            return
        if asked.scope == "read":
            return
        self._log.write(
            {
                "at": self._now(),
                "token": caller.principal.name,
                "token_id": caller.principal.id,
                "address": caller.address,
                "way": caller.way,
                "session": caller.session,
                "request_id": asked.request_id,
                "method": asked.method,
                "about": asked.about,
                "code": done.code,
                "took_ms": round(done.took_s * 1000, 1),
            }
        )

    def refused(self, way: Way, address: str, code: str) -> None:
        """Somebody was not let in."""
        self._sum_up(RefusedAccess(way, address_key(address), code, 1))

    async def run(self) -> NoReturn:
        """Write down what was summed up, until cancelled."""
        while True:
            await self._clock.sleep(_FLUSH_S)
            self._write_down(self._refusals.due(self._clock.elapsed()))
            self._write_down(self._often.due(self._clock.elapsed()))

    def close(self) -> None:
        """Write down the rest."""
        self._write_down(self._refusals.all())
        self._write_down(self._often.all())
        self._log.close()

    def _sum_up(self, one: RefusedAccess) -> None:
        self._write_down(self._refusals.add(one, self._clock.elapsed()))

    def _write_down(self, refusals: list[RefusedAccess]) -> None:
        for one in refusals:
            who: JsonObject = {"token": one.token, "token_id": one.token_id} if one.token else {}
            about: JsonObject = {"about": {"thread_id": one.thread_id}} if one.thread_id else {}
            self._log.write(
                {
                    "at": self._now(),
                    **who,
                    "way": one.way,
                    "address": one.address,
                    "method": one.method,
                    **about,
                    "code": one.code,
                    "count": one.count,
                }
            )

    def _now(self) -> str:
        return stamp(round(self._clock.now() * 1000))
