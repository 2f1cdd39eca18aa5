"""Hands what people say on to the conversations that are held at their places."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sulla.channels.machine.values import Talk
from sulla.channels.run.held import Held
from sulla.core.errors import MessageIdReused, NotFound, QueueFull, RateLimited
from sulla.core.ids import ThreadId, derived_id
from sulla.threads.log.records import Input

PATIENCE_S: Final = 30.0
"""How long people's messages wait for room in their conversation before they are told that these were not taken; see
`Patience`. Those of members of a group whom nobody has let in do not wait: there is no end to them."""
PAUSE_S: Final = 0.5
"""How long is waited between two attempts."""
FULL: Final = (
    "too much waits here for its turn already. Send it again in a while; `/status` says how it is, "
    "`/stop` drops what waits, `/new` begins beside it."
)
"""Why there was no room for `PATIENCE_S`, for whoever wrote."""


class NoRoom(Exception):
    """There is no room in a conversation now, and who else writes is not to wait for it."""


class Crowded(Exception):
    """There was no room in a conversation in time.

    Args:
        why: and what to do; for people.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Patience:
    """How long what waits in one line waits for room: one wait for all of it, from when there was none for the first
    of it. Each that gets in begins it anew; one that came later has its own half minute. It lives as long as anything
    waits there, so after a restart it begins anew, too.
    """

    def __init__(self) -> None:
        self._since_s: float | None = None
        self.came_s = 0.0
        """When the one came whose turn it is, by `Clock.elapsed`."""

    def until_s(self, now_s: float) -> float:
        """There is no room for the one whose turn it is; until when it waits, by `Clock.elapsed`.

        Args:
            now_s: by `Clock.elapsed`.
        """
        if self._since_s is None:
            self._since_s = now_s
        return max(self._since_s, self.came_s) + PATIENCE_S

    def moves(self) -> None:
        """One got in."""
        self._since_s = None


class Door:
    """Lets words into the conversations of one channel. It lives as long as the channel is held.

    Args:
        held: the channel.
    """

    def __init__(self, held: Held) -> None:
        self._held = held

    async def offer(self, talk: Talk, said: Input, caller: str, patience: Patience | None) -> str:
        """Keep a message in its conversation, once; why it was not taken, empty if it was.

        Args:
            talk: the conversation.
            said: the message.
            caller: under whose name it is counted.
            patience: how long it waits for room; None where that is left to whoever asks.

        Raises:
            NoRoom: there is none now, and `patience` is None.
            Crowded: there was none in time.
        """
        held, clock = self._held, self._held.around.clock
        while True:
            try:
                thread = await self._thread(talk)
                await held.around.keeper().say(thread, said, caller)
            except MessageIdReused:
                return ""  # it is there, in other words: an edit that the service told as the message itself
            except NotFound as error:
                talk = held.book.talks[talk.place.key]
                if talk.agent and talk.agent in error.message:
                    known = await held.around.agents()
                    # By its name: the conversation may be one that began with whoever is gone.
                    held.book.talks[talk.place.key] = replace(talk, agent=known[0])
                    return f"{error.message}. This was not taken: send it again, to the usual agent, or after `/agent`."
                # The conversation was deleted: another one begins with this message.
                again = replace(talk, begun=said.message_id, thread="", told_seq=0)
                held.book.talks[talk.place.key] = talk = again
            except (QueueFull, RateLimited) as error:
                if patience is None:
                    raise NoRoom from None
                left_s = patience.until_s(clock.elapsed()) - clock.elapsed()
                if left_s <= 0:
                    raise Crowded(FULL if isinstance(error, QueueFull) else error.message) from None
                await clock.sleep(min(error.retry_after_s or PAUSE_S, left_s))
            else:
                if patience is not None:
                    patience.moves()
                return ""

    async def _thread(self, talk: Talk) -> ThreadId:
        """The conversation that is held at a place."""
        held = self._held
        if talk.thread:
            return ThreadId(talk.thread)
        request_id = derived_id("talk", held.name, held.account.id, talk.place.key, talk.begun)
        thread = await held.around.keeper().begin(talk.agent, "", request_id, f"{held.kind}:{held.name}"[:64])
        held.book.talks[talk.place.key] = replace(held.book.talks[talk.place.key], thread=thread)
        return thread
