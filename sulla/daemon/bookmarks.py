"""Where clients that remember nothing were in a conversation, kept in the store (`gateway.Bookmarks`)."""

from __future__ import annotations

from typing import Final

from sulla.core.errors import TooLarge
from sulla.gateway.bookmarks import BOOKMARK_BYTES
from sulla.store.base import Store

KEPT_S: Final = 30 * 86_400.0
"""A conversation that rests for longer is told anew by its client; what it says is seldom longer ago."""
_KEY: Final = "bookmark:"


class StoreBookmarks:
    """Keeps `gateway.Bookmarks`.

    Args:
        store: where they are.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def get(self, key: str) -> str | None:
        """What was noted."""
        found = await self._store.get(_KEY + key)
        return None if found is None else found.decode()

    async def put(self, key: str, value: str) -> None:
        """Note something."""
        await self._store.put(_KEY + key, _encoded(value), KEPT_S)

    async def swap(self, key: str, old: str | None, new: str) -> bool:
        """Note something, but only in the place of what is known."""
        return await self._store.swap(_KEY + key, None if old is None else old.encode(), _encoded(new), KEPT_S)


def _encoded(value: str) -> bytes:
    raw = value.encode()
    if len(raw) > BOOKMARK_BYTES:
        raise TooLarge(f"a bookmark of {len(raw)} bytes, at most {BOOKMARK_BYTES}")
    return raw
