"""Who is connected without having shown a valid token yet: a bounded number, and the newest have the best chance. Pure.

Whoever floods the door pushes out those who wait there, its own first, and never somebody who is known; a client that
shows its token at once is through before it is anybody's turn.
"""

from __future__ import annotations

from collections import OrderedDict


class UnauthenticatedPeers:
    """Keeps strangers in the order in which they came.

    Args:
        most: of all.
        most_per_address: of one address.
    """

    def __init__(self, most: int, most_per_address: int) -> None:
        self._most = most
        self._most_per_address = most_per_address
        self._all: OrderedDict[object, str] = OrderedDict()
        self._by_key: dict[str, OrderedDict[object, None]] = {}

    def __len__(self) -> int:
        """How many there are."""
        return len(self._all)

    def __contains__(self, peer: object) -> bool:
        """Whether this one is still a stranger."""
        return peer in self._all

    def come(self, peer: object, key: str) -> object | None:
        """Somebody has connected.

        Args:
            peer: the connection.
            key: one name for all addresses that it can easily use.

        Returns:
            Who has to go for it: the oldest of the same address, or of all; None if there is room.
        """
        self._all[peer] = key
        same = self._by_key.setdefault(key, OrderedDict())
        same[peer] = None
        if len(same) > self._most_per_address:
            oldest = next(iter(same))
        elif len(self._all) > self._most:
            oldest = next(iter(self._all))
        else:
            return None
        self.leave(oldest)
        return oldest

    def leave(self, peer: object) -> None:
        """It is known from now on, or gone."""
        key = self._all.pop(peer, None)
        if key is None:
            return
        same = self._by_key[key]
        del same[peer]
        if not same:
            del self._by_key[key]
