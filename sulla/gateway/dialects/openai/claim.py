"""Who goes on from a place in a conversation that is known by its words: of two messages at once only one does.

The note of the place says which message that is. Another one that comes meanwhile begins a conversation of its own.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Final

from sulla.core.errors import ShuttingDown, SullaError, Unavailable
from sulla.gateway.dialects.openai.again import Again
from sulla.gateway.dialects.openai.conversation import ConversationMark, note_mark, read_mark
from sulla.gateway.dialects.positions import ClientPosition
from sulla.gateway.dialects.request import RequestContext

log = logging.getLogger(__name__)

STEPS: Final = 3
"""A claim counts for as long as so many steps may take: one to note where the message goes, one to send it, and one for
clocks that differ."""


async def claim_of(request: RequestContext, again: Again, key: str) -> Claim | None:
    """The claim on a place; None if nobody knows where that is.

    Args:
        request: the request.
        again: says which message it is.
        key: under what the place is noted.
    """
    noted = await request.look(request.commands.bookmarks.get(key))
    mark = None if noted is None else read_mark(noted)
    return None if noted is None or mark is None else Claim(request, again, key, noted, mark)


class Claim:
    """One message's wish to go on from a place.

    Args:
        request: the request.
        again: says which message it is.
        key: of the note.
        noted: what it said when it was read.
        mark: the same, read.
    """

    def __init__(self, request: RequestContext, again: Again, key: str, noted: str, mark: ConversationMark) -> None:
        self._request = request
        self._again = again
        self._key = key
        self._noted = noted
        self._mark = mark

    @property
    def position(self) -> ClientPosition:
        """The place."""
        return self._mark.position

    @property
    def is_taken(self) -> bool:
        """Whether another message may be on its way there just now. One that never arrived is waited for no longer."""
        return self._mark.by not in ("", self._again.message_id) and self._age_s < self._lasts_s

    async def is_mine(self) -> bool:
        """Whether it is this message that goes on from there: it has said so before, or nobody has and it does now."""
        return self._mark.by == self._again.message_id or (not self._mark.by and await self.take())

    async def take(self) -> bool:
        """Say that this message goes on from there; whether it does."""
        if self.is_taken:
            return False
        mine = replace(self._mark, by=self._again.message_id, at_s=self._request.context.server.clock.now())
        noted = note_mark(mine)
        bookmarks = self._request.commands.bookmarks
        if await self._request.look(bookmarks.swap(self._key, self._noted, noted)):
            self._mark, self._noted = mine, noted
            return True
        if not self._again.is_known:
            return False
        # It may be the same message: its client has made the request again, and did not wait.
        there = await self._request.look(bookmarks.get(self._key))
        mark = None if there is None else read_mark(there)
        if there is None or mark is None or mark.by != self._again.message_id:
            return False
        self._mark, self._noted = mark, there
        return True

    async def holds(self) -> bool:
        """Whether it is this message still that goes on from there; to be asked just before it is sent."""
        return self._age_s < self._lasts_s / 2 or await self.take()

    async def give_back(self, error: SullaError) -> None:
        """The message was refused: whoever tries again goes on from there.

        Args:
            error: why. If nobody knows whether the message was kept, the claim stays until it has run out.
        """
        if isinstance(error, Unavailable) and not isinstance(error, ShuttingDown):
            return
        free = note_mark(ConversationMark(self._mark.position))
        try:
            await self._request.look(self._request.commands.bookmarks.swap(self._key, self._noted, free))
        except SullaError as failed:
            log.info("whoever goes on from %s begins a new thread for a while: %s", self._key, failed.message)

    @property
    def _lasts_s(self) -> float:
        return STEPS * self._request.context.server.limits.call_s

    @property
    def _age_s(self) -> float:
        """One that is from a clock ahead of ours is as good as new."""
        return self._request.context.server.clock.now() - self._mark.at_s
