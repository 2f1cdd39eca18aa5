"""What all connections of a server share: who is known, who is not, and who takes too long to say what they want."""

from __future__ import annotations

import logging
from asyncio import Transport
from typing import cast

from sulla.core.clock import Clock
from sulla.gateway.server.auth import address_key
from sulla.gateway.server.head_deadlines import HeadDeadlines
from sulla.gateway.server.unauthenticated import UnauthenticatedPeers
from sulla.rpc.limits import Limits

_SAID_EVERY_S = 60.0
_log = logging.getLogger("sulla.gateway")


class Admission:
    """Counts connections, and cuts those that there is no room or no time for.

    Args:
        clock: for deadlines.
        limits: bounds.
    """

    def __init__(self, clock: Clock, limits: Limits) -> None:
        self.clock = clock
        self.limits = limits
        self.heads = HeadDeadlines(clock, limits.handshake_s)
        self._strangers = UnauthenticatedPeers(limits.strangers, limits.strangers_per_address)
        self._known: set[object] = set()
        self._pushed_out = 0
        self._said_at_s: float | None = None

    def come(self, transport: Transport, address: str) -> None:
        """Somebody has connected; if too many are here whom nobody knows, the oldest of them is cut off."""
        oldest = self._strangers.come(transport, address_key(address))
        if oldest is None:
            return
        cast(Transport, oldest).abort()
        self._pushed_out += 1
        now_s = self.clock.elapsed()
        if self._said_at_s is None or now_s - self._said_at_s >= _SAID_EVERY_S:
            self._said_at_s = now_s
            _log.warning(
                "more than %d connections without a token, or %d from one address (now %s): %d of the oldest were cut",
                self.limits.strangers,
                self.limits.strangers_per_address,
                address,
                self._pushed_out,
            )

    def know(self, transport: Transport, *, admin: bool) -> bool:
        """The peer has shown a valid token.

        Args:
            transport: its connection.
            admin: whether the token may revoke others.

        Returns:
            False if as many are known as may be; then it stays a stranger.
        """
        if transport not in self._strangers:
            return True  # known already; or gone meanwhile, and then nobody would take it out again
        if len(self._known) >= self.limits.connections - (0 if admin else self.limits.kept_free):
            return False
        self._strangers.leave(transport)
        self._known.add(transport)
        return True

    def leave(self, transport: Transport) -> None:
        """It is gone."""
        self._strangers.leave(transport)
        self._known.discard(transport)
