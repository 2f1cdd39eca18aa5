"""Whether a client of OpenAI's API makes a request again, and what became of it when it was made before.

Its library tries again by itself and says that it does (``x-stainless-retry-count``), but has no name for the request;
other clients name it (``Idempotency-Key``). People's own "again" has neither, and means another answer.
"""

from __future__ import annotations

from dataclasses import replace

from sulla.gateway.dialects import openai_talk as talks
from sulla.gateway.dialects.openai_form import Completion
from sulla.gateway.dialects.openai_talk import Posted
from sulla.gateway.dialects.visit import Visit

RETRY_S = 900.0
"""How long after a request its library may make it again: its own time-out is 600 s. Later the same words are new."""


class Again:
    """One request, and the same one before it.

    Args:
        visit: the request.
        asked: what it asks for.
    """

    def __init__(self, visit: Visit, asked: Completion) -> None:
        self._visit = visit
        self._named = visit.said.key is not None
        tries = visit.said.headers.get("x-stainless-retry-count")
        self._looks = self._named or tries not in (None, "0")
        known = self._named or tries is not None
        self._key = talks.request_key(visit.principal.name, asked, visit.said.key or "") if known else ""
        self.message_id = visit.said.key or visit.make_id("msg")
        """The message's: the same one whenever the request is made."""

    async def find(self) -> Posted | None:
        """Where the message went; None if it went nowhere yet.

        From here on a second request finds the message's id, so that both are the same message even if the client did
        not wait for the first one to get anywhere.
        """
        if not self._key:
            return None
        found = await self._noted() if self._looks else None
        if found is not None:
            self.message_id = found.message_id
        if not self._named:
            await self.note(found or Posted("", self.message_id))
        return found if found is not None and found.thread_id else None

    async def note(self, posted: Posted) -> None:
        """Note where the message goes, before it does."""
        if self._key:
            noted = talks.note_posted(replace(posted, at_s=self._now_s))
            await self._visit.look(self._visit.commands.bookmarks.put(self._key, noted))

    async def _noted(self) -> Posted | None:
        noted = await self._visit.look(self._visit.commands.bookmarks.get(self._key))
        found = None if noted is None else talks.read_posted(noted)
        if found is None or (not self._named and self._now_s - found.at_s > RETRY_S):
            return None
        return found

    @property
    def _now_s(self) -> float:
        return self._visit.desk.room.clock.now()
