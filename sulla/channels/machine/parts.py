"""Named values in order that say what of them was changed, so that nothing else has to be written. Pure."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, MutableMapping, ValuesView
from typing import Generic, TypeVar

V = TypeVar("V")


class Parts(MutableMapping[str, V], Generic[V]):
    """A dict of a book's that knows what was changed in it. It lives as long as the book.

    Args:
        parts: what is written already, in its order.
    """

    def __init__(self, parts: Mapping[str, V] | None = None) -> None:
        self._parts: dict[str, V] = dict(parts or {})
        self._set: dict[str, None] = {}
        self._gone: dict[str, None] = {}

    def changes(self) -> tuple[list[str], dict[str, V]]:
        """What was taken out, and then what was set, since this was asked last.

        Whoever does the same to what was there then, first the one and then the other, has what is here, in the same
        order: what was taken out and set again stands at the end.
        """
        gone, now_set = list(self._gone), {key: self._parts[key] for key in self._set}
        self._gone.clear()
        self._set.clear()
        return gone, now_set

    def __getitem__(self, key: str) -> V:
        return self._parts[key]

    def __setitem__(self, key: str, value: V) -> None:
        if key not in self._parts:
            self._set.pop(key, None)  # it stands behind all others now
        self._parts[key] = value
        self._set[key] = None

    def __delitem__(self, key: str) -> None:
        del self._parts[key]
        self._set.pop(key, None)
        self._gone[key] = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def values(self) -> ValuesView[V]:
        """As a dict's: what is looked through often is not fetched one by one."""
        return self._parts.values()

    def items(self) -> ItemsView[str, V]:
        """As a dict's."""
        return self._parts.items()
