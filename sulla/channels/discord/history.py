"""What a bot asks Discord for beside what the gateway tells: what chats hold, whose they are, and who wrote what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord

from sulla.channels.discord.link import FAILURES, Client, raised
from sulla.channels.discord.reading import THREADS

MOST_CHATS: Final = 2_000
MOST_AUTHORS: Final = 4_000
"""Of the last messages, for when one of them is deleted."""
PAGE: Final = 100
_MOST_DIGITS: Final = 20
"""Of an id."""


class History:
    """It lives as long as its channel.

    Args:
        client: the library's.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._parents: dict[str, str] = {}
        self._authors: dict[str, str] = {}

    def knows(self, chat: Mapping[str, Any]) -> None:
        """A chat of a server was told.

        Args:
            chat: as Discord writes it.
        """
        parent = str(chat.get("parent_id") or "") if chat.get("type") in THREADS else ""
        _put(self._parents, str(chat["id"]), parent, MOST_CHATS)

    def wrote(self, message_id: str, author: str) -> None:
        """Somebody wrote a message.

        Args:
            message_id: its id.
            author: of whom; empty for nobody's and the bot's own.
        """
        _put(self._authors, message_id, author, MOST_AUTHORS)

    async def parent(self, chat: str) -> str:
        """Of which chat of a server another one is a thread; empty for none.

        Raises:
            Unavailable: Discord does not answer.
        """
        if chat not in self._parents:
            self.knows(await self._chat(chat) or {"id": chat})
        return self._parents[chat]

    async def author(self, message_id: str, chat: str, *, private: bool) -> str:
        """Who wrote a message; empty where nobody knows, or the bot did.

        Raises:
            Unavailable: Discord does not answer.
        """
        if message_id in self._authors or not private:
            return self._authors.get(message_id, "")
        people = (await self._chat(chat) or {}).get("recipients") or ()
        return next((str(one["id"]) for one in people), "")

    async def behind(self, chat: str, message: int) -> list[dict[str, Any]]:
        """The next messages of a chat, the oldest first; none where it is gone, or closed to the bot.

        Args:
            chat: its id.
            message: behind which one.

        Raises:
            Unavailable: Discord does not answer.
        """
        try:
            found = await self._client.call(
                "GET", "/channels/{channel_id}/messages", channel_id=chat, params={"limit": PAGE, "after": message}
            )
        except (discord.NotFound, discord.Forbidden):
            return []
        except FAILURES as error:
            raise raised(error) from None
        numbered = [one for one in found if isinstance(one, dict) and _is_behind(one, message)]
        return sorted(numbered, key=lambda one: int(one["id"]))[:PAGE]  # the rest is told with the next

    async def _chat(self, chat: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = await self._client.call("GET", "/channels/{channel_id}", channel_id=chat)
        except (discord.NotFound, discord.Forbidden):
            return None
        except FAILURES as error:
            raise raised(error) from None
        return found


def _is_behind(one: dict[str, Any], message: int) -> bool:
    """Whether a message is what was asked for: what comes again and again would be read for ever."""
    number = str(one.get("id"))
    return number.isdecimal() and len(number) <= _MOST_DIGITS and int(number) > message


def _put(kept: dict[str, str], name: str, value: str, most: int) -> None:
    kept.pop(name, None)
    kept[name] = value
    while len(kept) > most:
        del kept[next(iter(kept))]
