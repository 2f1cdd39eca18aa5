"""Further ways on which notices go out: capabilities bring them, each for addresses that begin in its own way. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

WaySend = Callable[[str, str, str, str, str], Awaitable[str]]
"""Sends one message: to an address, with a title, a text, a key that is the same for every attempt at it, and its
matter (`values.News.matter`); why it was not taken, empty if it was. What came with a key before is taken, and does
nothing."""
OWN: Final = ("channel://",)
"""How addresses begin that Apprise has nothing to do with."""


class Ways:
    """The ways beside Apprise, by the beginning of their addresses. It lives as long as the daemon."""

    def __init__(self) -> None:
        self._ways: dict[str, WaySend] = {}

    def add(self, scheme: str, send: WaySend) -> None:
        """From now on addresses that begin so go this way.

        Args:
            scheme: what stands before ``://``.
            send: see `WaySend`.
        """
        self._ways[scheme] = send

    def of(self, address: str) -> WaySend | None:
        """How something is sent to an address; None for by Apprise.

        Args:
            address: where to.
        """
        return self._ways.get(address.partition("://")[0])
