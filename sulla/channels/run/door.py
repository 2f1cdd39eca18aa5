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
"""How long a person's message waits for room in its conversation before he is told that it was not taken. Those of
members of a group whom nobody has let in do not wait: there is no end to them."""
PAUSE_S: Final = 0.5
"""How long is waited between two attempts."""
FULL: Final = (
    "This was not taken: too much waits here for its turn already. Send it again in a while; `/status` says how it is, "
    "`/stop` drops what waits, `/new` begins beside it."
)
"""What whoever wrote is told once there was no room for `PATIENCE_S`."""


class NoRoom(Exception):
    """There is no room in a conversation now, and who else writes is not to wait for it."""


class Door:
    """Lets words into the conversations of one channel. It lives as long as the channel is held.

    Args:
        held: the channel.
    """

    def __init__(self, held: Held) -> None:
        self._held = held

    async def offer(self, talk: Talk, said: Input, caller: str, patience_s: float | None) -> str:
        """Keep a message in its conversation, once; why it was not taken, empty if it was.

        Args:
            talk: the conversation.
            said: the message.
            caller: under whose name it is counted.
            patience_s: how long it waits for room, in seconds; None where that is left to whoever asks.

        Raises:
            NoRoom: there is none now, and `patience_s` is None.
        """
        held, clock = self._held, self._held.around.clock
        until_s = clock.elapsed() + (patience_s or 0.0)
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
                if patience_s is None:
                    raise NoRoom from None
                if clock.elapsed() >= until_s:
                    return FULL if isinstance(error, QueueFull) else f"This was not taken: {error.message}"
                await clock.sleep(min(error.retry_after_s or PAUSE_S, until_s - clock.elapsed()))
            else:
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
