"""Where clients that remember nothing were in a conversation. Pure."""

from __future__ import annotations

from typing import Protocol

BOOKMARK_BYTES = 8192
"""The most that one holds, in UTF-8."""


class Bookmarks(Protocol):
    """Small notes that dialects make, because their clients have no place for a thread's id.

    A note is a help to find the way, never the truth: that is in the threads. It may be lost at any moment, and is
    forgotten when nobody has made it again for a while.
    """

    async def get(self, key: str) -> str | None:
        """What was noted; None for nothing, or nothing any more.

        Raises:
            StoreUnavailable: the store does not answer.
        """

    async def put(self, key: str, value: str) -> None:
        """Note something, in the place of what was noted before.

        Args:
            key: letters, digits and ``_``, made so that nobody else's is the same.
            value: up to `BOOKMARK_BYTES`.

        Raises:
            StoreUnavailable: the store does not answer.
            TooLarge: it is too long.
        """

    async def swap(self, key: str, old: str | None, new: str) -> bool:
        """Note something, but only in the place of what is known; see `Store.swap`.

        Args:
            key: as for `put`.
            old: what has to be noted there; None for nothing.
            new: as for `put`.

        Returns:
            Whether `new` is noted there now. False: something else is, and nothing has changed.

        Raises:
            StoreUnavailable: the store does not answer.
            TooLarge: it is too long.
        """
