"""Further ways on which notices go out: capabilities bring them, each for addresses that begin in its own way. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from sulla.core.dataclass import dataclass

WaySend = Callable[[str, str, str, str, str], Awaitable[str]]
"""Sends one message: to an address, with a title, a text, a key that is the same for every attempt at it, and its
matter (`values.News.matter`); why it was not taken, empty if it was. What came with a key before is taken, and does
nothing."""
WayFault = Callable[[str], str]
"""Says why nothing can be sent to an address now, without secrets; empty for nothing, and where nobody knows yet."""
OWN: Final = ("channel://",)
"""How addresses begin that Apprise has nothing to do with."""


@dataclass(frozen=True, slots=True)
class Way:
    """One of them."""

    send: WaySend
    fault_of: WayFault


class Ways:
    """The ways beside Apprise, by the beginning of their addresses. It lives as long as the daemon."""

    def __init__(self) -> None:
        self._ways: dict[str, Way] = {}

    def add(self, scheme: str, way: Way) -> None:
        """From now on addresses that begin so go this way.

        Args:
            scheme: what stands before ``://``.
            way: that way.
        """
        self._ways[scheme] = way

    def of(self, address: str) -> Way | None:
        """How something is sent to an address; None for by Apprise.

        Args:
            address: where to.
        """
        return self._ways.get(address.partition("://")[0])
