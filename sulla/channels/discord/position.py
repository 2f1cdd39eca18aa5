"""How far a bot has read: the cursor of a Discord channel. Pure."""

from __future__ import annotations

from typing import Any, Final

import orjson

MOST_PLACES: Final = 500
"""So many chats are looked through after a session was lost: those in which somebody said something last."""


class Position:
    """A place in a session of the gateway, which tells all that came behind it; and the last message of each chat, for
    when the session is gone. It lives as long as one reading, and is written into each batch.

    Args:
        session: the gateway's; empty where there is none to go on with.
        seq: the number of its last event.
        gateway: where it goes on.
        since: the id of a message: of a chat that is not in `read`, what is behind it counts.
        read: the last message that was handed on, by the chat.
        left: the private chats that have to be looked through, since the session before was lost.
    """

    def __init__(
        self, session: str, seq: int, gateway: str, since: int, read: dict[str, int], left: list[str] | None = None
    ) -> None:
        self.session, self.seq, self.gateway, self.since = session, seq, gateway, since
        self.read = read
        self.left = left or []
        self.private: set[str] = set()

    @classmethod
    def of(cls, cursor: str) -> Position:
        """What a cursor says; of an empty one that nothing was read.

        Args:
            cursor: as `cursor` wrote it.
        """
        raw: dict[str, Any] = orjson.loads(cursor) if cursor else {}
        found = cls(
            raw.get("s", ""), raw.get("q", 0), raw.get("g", ""), raw.get("m", 0), raw.get("r", {}), raw.get("l")
        )
        found.private = set(raw.get("p", ()))
        return found

    def cursor(self) -> str:
        """It, to be kept."""
        said = {"s": self.session, "q": self.seq, "g": self.gateway, "m": self.since, "r": self.read}
        return orjson.dumps(said | {"l": self.left, "p": sorted(self.private)}).decode()

    def begins(self, session: str, seq: int, gateway: str) -> None:
        """There is a new session; what came before it in private chats has to be looked for.

        Args:
            session, seq, gateway: see the class.
        """
        self.session, self.seq, self.gateway = session, seq, gateway
        self.left = [chat for chat in self.read if chat in self.private]

    def has(self, chat: str, message: int, *, private: bool) -> None:
        """A message is handed on.

        Args:
            chat: where it is.
            message: its id.
            private: whether the chat is one.
        """
        last = max(message, self.read.pop(chat, 0))
        self.read[chat] = last  # the chats stand in the order of their last messages
        if private:
            self.private.add(chat)
        while len(self.read) > MOST_PLACES:
            gone = next(iter(self.read))
            self.forget(gone)

    def forget(self, chat: str) -> None:
        """A chat is gone, or was not used for long."""
        self.since = max(self.since, 0 if chat in self.private else self.read.get(chat, 0))
        self.read.pop(chat, None)
        self.private.discard(chat)

    def behind(self, chat: str) -> int:
        """The message behind which a chat is to be read."""
        return self.read.get(chat, self.since)
