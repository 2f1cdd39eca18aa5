"""Tickets: what stands for a token in an address, once and for a minute, for clients that can be given nothing else.

An address ends up in settings, histories and logs; so what stands in it has to be worthless by then (design §12).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from sulla.access.principal import TICKET_S, NewTicket, Principal, TicketUse, TokenOwner, token_digest
from sulla.core.clock import Clock
from sulla.core.errors import Unauthorized
from sulla.store.base import Store

_KEY: Final = "ticket:"
_USED: Final = (
    "the ticket is not valid: it was used, or its minute is over; `sulla console` makes another one for the console, "
    "`sulla token ticket` one for /hub"
)

_FOR_OTHER: Final[dict[TicketUse, str]] = {
    "hub": "the ticket was for the console, not for /hub, and is used up now: `sulla token ticket` makes one for /hub",
    "console": "the ticket was for /hub, not for the console, and is used up now: `sulla console` makes one for it",
}
"""Why a ticket does not open what it was shown at."""


class TicketStore:
    """Tickets until they are used: kept in the store, so that any daemon on it can redeem one, once.

    Args:
        store: keeps their digests.
        clock: all time.
        make_token: makes a secret.
    """

    def __init__(self, store: Store, clock: Clock, make_token: Callable[[], str]) -> None:
        self._store = store
        self._clock = clock
        self._make_token = make_token

    async def put(self, by: Principal, use: TicketUse = "hub") -> NewTicket:
        """Make one.

        Args:
            by: who may come in with it.
            use: what it opens.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        made = NewTicket(self._make_token(), round((self._clock.now() + TICKET_S) * 1000))
        value = {"name": by.name, "id": by.id, "expires_ms": made.expires_ms, "use": use}
        await self._store.put(_key(made.secret), json.dumps(value).encode(), TICKET_S)
        return made

    async def take(self, secret: str, use: TicketUse = "hub", *, looks: bool = False) -> TokenOwner:
        """Use one up.

        Args:
            secret: the ticket.
            use: what it shall open.
            looks: it is only looked at, and stays good.

        Raises:
            Unauthorized: it was used, its time is over, it opens something else, or there never was one.
            StoreUnavailable: the store does not answer; whether it is used up then, nobody knows.
        """
        key = _key(secret)
        kept = await self._store.get(key)
        # Of all who saw it, one removes it: that one alone may come in.
        if kept is None or (not looks and not await self._store.remove(key)):
            raise Unauthorized(_USED)
        value = json.loads(kept)
        if self._clock.now() * 1000 >= value["expires_ms"]:  # the store may keep it longer, never shorter
            raise Unauthorized(_USED)
        if value.get("use", "hub") != use:
            raise Unauthorized(_FOR_OTHER[use])
        return TokenOwner(value["name"], value["id"])


def _key(secret: str) -> str:
    return _KEY + token_digest(secret).hex()
