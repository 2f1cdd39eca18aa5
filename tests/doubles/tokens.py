"""The gateway's tokens, in memory: those that a test names, and those that clients make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from sulla.access.principal import (
    ALL_SCOPES,
    OWNER,
    TICKET_SCOPES,
    KnownToken,
    NewTicket,
    NewToken,
    Principal,
    Scope,
    TicketUse,
    TokenInfo,
    token_digest,
)
from sulla.access.token_store import TokenStore
from sulla.core.errors import Conflict, NotFound, Unauthorized

_AT_MS = 1_800_000_000_000


class MemoryTokens(TokenStore):
    """The tokens without a store.

    Args:
        scopes: what each token allows, by its secret, which is its name too; by default only the owner's, ``owner``.

    Attributes:
        tokens: those that are valid; a test may change them.
    """

    def __init__(self, scopes: Mapping[str, Iterable[Scope]] | None = None) -> None:
        given = scopes if scopes is not None else {OWNER: ALL_SCOPES}
        self.tokens = [_token(name, name, frozenset(allowed)) for name, allowed in given.items()]
        self._open_tickets: dict[tuple[TicketUse, str], Principal] = {}
        self._made = 0
        self._changed: Callable[[], None] = lambda: None

    def known(self) -> Sequence[KnownToken]:
        """All of them."""
        return self.tokens

    def on_change(self, changed: Callable[[], None]) -> None:
        """Whom to call when a token was made or revoked."""
        self._changed = changed

    async def create(self, name: str, scopes: frozenset[Scope], expires_s: float | None, by: Principal) -> NewToken:
        """Make a token; its secret is ``secret of <name>``."""
        if any(known.principal.name == name for known in self.tokens):
            raise Conflict(f"there is a token {name!r} already")
        expires_ms = None if expires_s is None else _AT_MS + round(expires_s * 1000)
        made = NewToken(name, f"secret of {name}", scopes, expires_ms)
        self.tokens.append(_token(name, made.secret, scopes, expires_ms))
        self._changed()
        return made

    async def list(self) -> Sequence[TokenInfo]:
        """All of them."""
        return [
            TokenInfo(known.principal.name, known.principal.scopes, _AT_MS, known.expires_ms, False, OWNER)
            for known in self.tokens
        ]

    async def revoke(self, name: str, by: Principal) -> bool:
        """Take a token away."""
        kept = [known for known in self.tokens if known.principal.name != name]
        if len(kept) == len(self.tokens):
            raise NotFound(f"no token {name!r}")
        self.tokens = kept
        self._changed()
        return True

    async def mint_ticket(self, by: Principal, use: TicketUse = "hub") -> NewTicket:
        """Make a ticket, which is good until it is used; the first is ``ticket_1``."""
        self._made += 1
        made = NewTicket(f"ticket_{self._made}", _AT_MS)
        scopes = by.scopes & TICKET_SCOPES if use == "hub" else by.scopes
        self._open_tickets[use, made.secret] = replace(by, scopes=scopes)
        return made

    async def redeem(self, ticket: str, use: TicketUse = "hub", *, looks: bool = False) -> Principal:
        """Use a ticket up, or only look at it."""
        if (use, ticket) not in self._open_tickets:
            raise Unauthorized("the ticket is not valid")
        return self._open_tickets[use, ticket] if looks else self._open_tickets.pop((use, ticket))


def _token(name: str, secret: str, scopes: frozenset[Scope], expires_ms: int | None = None) -> KnownToken:
    digest = token_digest(secret)
    return KnownToken(digest, Principal(name, scopes, digest.hex()[:16]), expires_ms)
