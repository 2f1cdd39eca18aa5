"""A home's own token, the owner's."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from sulla.access.principal import KnownToken, owner_token
from sulla.access.tokens import TokenFold
from sulla.core.errors import SettingsError

log = logging.getLogger(__name__)

UNTOLD: Final = (
    "the owner's token is another one now, but no other home on this store that has the old one could be told: revoke "
    "it there too"
)
"""What is said where the store does not answer."""


class OwnerToken:
    """Which one is good now. It lives as long as the tokens' store.

    Args:
        secret: the one that the home has.
        renew: makes another one in its place, for good, and returns it.
    """

    def __init__(self, secret: str, renew: Callable[[], str]) -> None:
        self.known: KnownToken | None = owner_token(secret)
        """None where it was taken back at another home, and none could be made here."""
        self._renew = renew

    @property
    def good(self) -> tuple[KnownToken, ...]:
        """It, or nothing."""
        return () if self.known is None else (self.known,)

    def renew(self) -> None:
        """Put another one in its place.

        Raises:
            SettingsError: it cannot be kept; the old one is still there.
        """
        self.known = owner_token(self._renew())

    def follow(self, fold: TokenFold) -> None:
        """Put another one in its place if it was taken back at a home that has the same."""
        if self.known is None or not fold.was_withdrawn(self.known):
            return
        try:
            self.renew()
        except SettingsError as error:
            log.critical("the owner's token was revoked at another home, and none can be made: %s", error.message)
            self.known = None
