"""Which tokens and sessions are good at the moment. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.access.principal import KnownToken, Principal, TokenOwner
from sulla.core.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ValidTokens:
    """What is good at the moment."""

    known: tuple[KnownToken, ...] = ()
    """All that were not revoked, expired ones too."""
    orphans: frozenset[bytes] = frozenset()
    """The digests of sessions whose token is not among them: the owner's was replaced, or is another home's."""
    principals: frozenset[Principal] = frozenset()
    """Who comes in with those that have not expired."""


def take_stock(every: Sequence[KnownToken], now_s: float) -> ValidTokens:
    """Sort out what is good.

    Args:
        every: the owner's token, and what the log of tokens adds up to.
        now_s: UTC seconds.
    """
    roots = {TokenOwner(one.principal.name, one.principal.id) for one in every if one.session_of is None}
    known = tuple(one for one in every if one.session_of is None or one.session_of in roots)
    orphans = frozenset(one.digest for one in every if one not in known)
    return ValidTokens(known, orphans, frozenset(one.principal for one in known if not one.expired(now_s)))


def is_session_of(known: Sequence[KnownToken], session: Principal, by: Principal) -> bool:
    """Whether a browser's session was begun with that very token.

    Args:
        known: all that were not revoked.
        session: who came by the session.
        by: who has the token.
    """
    owner = TokenOwner(by.name, by.id)
    return any(one.session_of == owner for one in known if one.principal == session)
