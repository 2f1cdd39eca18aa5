"""Begins sessions of Discord's gateway and goes on with them, as long as that is of any use."""

from __future__ import annotations

import logging
from typing import Final

from sulla.channels.discord.link import FAILURES, Client, Event, Gateway, raised
from sulla.channels.discord.position import Position
from sulla.core.clock import Clock
from sulla.core.errors import Unavailable

log = logging.getLogger(__name__)

READY_S: Final = 60.0
"""How long a new session may take to begin."""
RESUMES_S: Final = (1.0, 3.0)
"""How long it rests between tries to go on with a session, while Discord itself answers; after them it is given up."""
_MOST_CHARS: Final = 500
"""Of a session's id, and of its address."""


class Sessions:
    """It lives as long as its channel.

    Args:
        client: the library's.
        gateway: is connected.
        clock: all time.
    """

    def __init__(self, client: Client, gateway: Gateway, clock: Clock) -> None:
        self._client = client
        self._gateway = gateway
        self._clock = clock

    async def connect(self, at: Position) -> None:
        """Go on with the session, or begin another one; that of the position is kept until there is another.

        Discord gives each session an address of its own to go on at. That may be gone for good while Discord is there.
        """
        if not at.session:
            return await self.begin(at)
        for rest_s in (*RESUMES_S, None):
            try:
                return await self._gateway.connect(at.gateway, at.session, at.seq)
            except Unavailable as error:
                if error.retry_after_s is not None:
                    raise
                await self._where()  # is it Discord that is away?
                if rest_s is not None:
                    await self._clock.sleep(rest_s)
        log.warning("where Discord's session is to go on cannot be reached: another is begun, and histories are read")
        return await self.begin(at)

    async def _where(self) -> str:
        """Where sessions begin.

        Raises:
            Unauthorized, Unavailable: Discord does not say it.
        """
        try:
            return str((await self._client.call("GET", "/gateway/bot"))["url"])
        except FAILURES as error:
            raise raised(error) from None

    async def begin(self, at: Position) -> None:
        """Begin a session."""
        try:
            await self._gateway.connect(await self._where())
            async with self._clock.timeout(READY_S):
                while True:
                    for event in await self._gateway.next():
                        if event.name == "READY":
                            return at.begins(*_begun(event))
        except FAILURES as error:
            raise raised(error) from None


def _begun(event: Event) -> tuple[str, int, str]:
    """A session's id, the number of its first event, and where it goes on.

    Raises:
        Unavailable: it is no session.
    """
    session, gateway = event.data.get("session_id"), event.data.get("resume_gateway_url")
    good = isinstance(session, str) and isinstance(gateway, str) and gateway.startswith(("wss://", "ws://"))
    if not good or not 0 < len(str(session)) <= _MOST_CHARS or len(str(gateway)) > _MOST_CHARS:
        raise Unavailable("Discord began a session that nobody could go on with")
    return str(session), event.seq, str(gateway)
