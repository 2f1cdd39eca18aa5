"""Whether a client of OpenAI's API makes a request again, and what became of it when it was made before.

Its library tries again by itself and says that it does (``x-stainless-retry-count``), but has no name for the request;
other clients name it (``Idempotency-Key``). People's own "again" has neither, and means another answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sulla.gateway.dialects.openai import conversation as conversations
from sulla.gateway.dialects.openai.conversation import Posted
from sulla.gateway.dialects.openai.form import Completion
from sulla.gateway.dialects.request import RequestContext
from sulla.store.swapping import UNREAD, Swapped, UnreadValue, swap_until

RETRY_S = 900.0
"""How long after a request its library may make it again: its own time-out is 600 s. Later the same words are new."""


class Again:
    """One request, and the same one before it.

    Args:
        request: the request.
        asked: what it asks for.
    """

    def __init__(self, request: RequestContext, asked: Completion) -> None:
        self._request = request
        self._named = request.said.key is not None
        tries = request.said.headers.get("x-stainless-retry-count")
        self._looks = self._named or tries not in (None, "0")
        self.is_known = self._named or tries is not None
        """Whether it can be told from another request that says the same."""
        name = request.said.key or ""
        self._key = conversations.request_key(request.principal.name, asked, name) if self.is_known else ""
        self.message_id = request.said.key or request.make_id("msg")
        """The message's: the same one whenever the request is made."""
        self._noted: str | None = None
        """What is noted, as far as this attempt knows."""

    async def find(self) -> Posted | None:
        """Where the message went; None if it went nowhere yet.

        From here on a second request finds the message's id, so that both are the same message even if the client did
        not wait for the first one to get anywhere.
        """
        if not self._key:
            return None
        if not self._looks:  # whatever is noted is of another request
            self._noted = self._written(Posted("", self.message_id))
            await self._request.look(self._request.commands.bookmarks.put(self._key, self._noted))
            return None

        def noted(before: str | None) -> str | None:
            return None if self._named else self._written(self._counting(before) or Posted("", self.message_id))

        # In the place of what was read: another attempt may find nothing in the same moment.
        found = self._counting((await self._change(noted)).value)
        if found is not None:
            self.message_id = found.message_id
        return found if found is not None and found.thread_id else None

    async def note(self, posted: Posted) -> Posted | None:
        """Note where the message goes, before it does.

        Returns:
            Where it goes instead, because another attempt at the same request has noted that meanwhile; None if it is
            noted now.
        """
        if not self._key:
            return None
        known = self._noted

        def noted(before: str | None) -> str | None:
            found = self._counting(before) if before != known else None
            is_sent = found is not None and found.thread_id and found.message_id == self.message_id
            return None if is_sent else self._written(posted)

        done = await self._change(noted, known)
        found = None if done.changed else self._counting(done.value)
        return found if found is not None and replace(found, at_s=0.0) != replace(posted, at_s=0.0) else None

    async def _change(
        self, change: Callable[[str | None], str | None], known: str | UnreadValue | None = UNREAD
    ) -> Swapped[str]:
        bookmarks, clock = self._request.commands.bookmarks, self._request.context.server.clock
        changing = swap_until(self._key, change, clock, get=bookmarks.get, swap=bookmarks.swap, known=known)
        done = await self._request.look(changing)
        self._noted = done.value
        return done

    def _counting(self, noted: str | None) -> Posted | None:
        """What is noted, if it counts."""
        found = None if noted is None else conversations.read_posted(noted)
        if found is None or (not self._named and self._now_s - found.at_s > RETRY_S):
            return None
        return found

    def _written(self, posted: Posted) -> str:
        return conversations.note_posted(replace(posted, at_s=self._now_s))

    @property
    def _now_s(self) -> float:
        return self._request.context.server.clock.now()
