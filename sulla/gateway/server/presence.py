"""Everything that is open by virtue of a token, so that it can be closed when the token is good no more. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sulla.access.principal import KnownToken, Principal, TokenOwner
from sulla.access.token_store import TokenStore
from sulla.core.clock import Clock
from sulla.core.errors import Unauthorized

Close = Callable[[str], None]
"""Ends something at once; the argument says why. Must not wait, and never raises; may be called more than once."""


class Presence:
    """Who is here: sockets, and streams of other dialects.

    Args:
        tokens: those that are valid.
        clock: for those that expire.
    """

    def __init__(self, tokens: TokenStore, clock: Clock) -> None:
        self._tokens = tokens
        self._clock = clock
        self._here: dict[Principal, dict[Close, None]] = {}
        self._made_with: dict[Principal, TokenOwner] = {}
        """Of those of them who came by a browser's session, its token: a session that has ended is known no more."""

    @contextmanager
    def of(self, principal: Principal, close: Close) -> Iterator[None]:
        """Something that belongs to `principal` is open for as long as the block lasts: see `enter`."""
        self.enter(principal, close)
        try:
            yield
        finally:
            self.leave(principal, close)

    def enter(self, principal: Principal, close: Close) -> None:
        """Something is open from now on.

        Args:
            principal: whose it is.
            close: is called when the token is good no more; at once, if it is not now. Each thing has its own.
        """
        self._here.setdefault(principal, {})[close] = None
        known = self._known(principal.name, principal.id)
        if known is not None and known.session_of is not None:
            self._made_with[principal] = known.session_of
        if (reason := self._over(principal)) is not None:
            close(reason)

    def check(self, principal: Principal) -> None:
        """See whether somebody who was let in a while ago may still go on.

        Raises:
            Unauthorized: the token is good no more.
        """
        if (reason := self._over(principal)) is not None:
            raise Unauthorized(reason)

    def leave(self, principal: Principal, close: Close) -> None:
        """It is open no more."""
        here = self._here[principal]
        del here[close]
        if not here:
            del self._here[principal]
            self._made_with.pop(principal, None)

    def sweep(self) -> None:
        """Close whatever is open by a token that is good no more; to be called when tokens have changed."""
        for principal in list(self._here):
            if (reason := self._over(principal)) is not None:
                for close in list(self._here.get(principal, ())):
                    close(reason)

    def _over(self, principal: Principal) -> str | None:
        """Why the principal may not be here; None if it may."""
        known = self._known(principal.name, principal.id)
        if known is not None and not known.expired(self._clock.now()):
            return None
        owner = self._made_with.get(principal)
        token = self._known(owner.name, owner.id) if owner is not None else known
        if token is None:
            return f"the token {principal.name!r} was revoked"
        if token.expired(self._clock.now()):
            return f"the token {principal.name!r} has expired"
        return "this session was ended: sign in again"

    def _known(self, name: str, id_: str) -> KnownToken | None:
        """The token or session of that id. Who came with a ticket may do less than the token that it was made with."""
        found = (one for one in self._tokens.known() if (one.principal.name, one.principal.id) == (name, id_))
        return next(found, None)
