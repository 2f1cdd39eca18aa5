"""Who somebody is, what he may do, and how a token shows it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, Protocol, get_args

from sulla.core.redact import MARK

Scope = Literal["read", "write", "approve", "admin"]
"""What a token allows; granted by the server, never asked for."""

ALL_SCOPES: Final[frozenset[Scope]] = frozenset(get_args(Scope))
OWNER: Final = "owner"
"""The name of the home's own token, which lies in a file and may do everything."""

NAME_CHARS: Final = 64
"""Of a token's name."""
MOST_TOKEN_S: Final = 10 * 365 * 86_400
"""The longest that a token can be good for, in seconds, if not for ever."""
TICKET_S: Final = 60.0
"""How long a ticket is good, in seconds (design §12)."""
TICKET_SCOPES: Final[frozenset[Scope]] = frozenset({"read", "write", "approve"})
"""The most that one allows: nobody makes tokens, or stops the daemon's work, by an address."""
PREFIX: Final = "sulla_"
"""What every token begins with, so that people and scanners recognise one."""
_TOKEN = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a connection belongs to and what it may do."""

    name: str
    """What the token is called, never the token itself: messages are counted by it."""
    scopes: frozenset[Scope]
    id: str = ""
    """Tells a token from an earlier one of the same name."""


@dataclass(frozen=True, slots=True)
class KnownToken:
    """A token that opens the door; only its digest is kept."""

    digest: bytes
    principal: Principal
    expires_ms: int | None = None
    """From when on it is refused, UTC milliseconds; None for never."""

    def expired(self, now_s: float) -> bool:
        """Whether its time is over.

        Args:
            now_s: UTC seconds.
        """
        return self.expires_ms is not None and now_s * 1000 >= self.expires_ms


class Tokens(Protocol):
    """Knows which tokens are valid right now; asked at every check, so that a revoked one is refused at once."""

    def known(self) -> Sequence[KnownToken]:
        """All that were not revoked, expired ones too."""


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made. Its secret is here and nowhere else."""

    name: str
    secret: str
    scopes: frozenset[Scope]
    expires_ms: int | None

    def __repr__(self) -> str:
        return f"NewToken({self.name!r}, {MARK})"


@dataclass(frozen=True, slots=True)
class NewTicket:
    """What stands for a token in an address, once and for a minute. Its secret is here and nowhere else."""

    secret: str
    """Of the form of a token, so that whatever hides those hides it too."""
    expires_ms: int
    """UTC milliseconds."""

    def __repr__(self) -> str:
        return f"NewTicket({MARK})"


class Tickets(Protocol):
    """Takes tickets; implemented by `TokenStore`."""

    async def redeem(self, ticket: str) -> Principal:
        """Use a ticket up.

        Returns:
            Whose it is; with no more than `TICKET_SCOPES`.

        Raises:
            Unauthorized: it was used, its minute is over, there never was one, or its token is good no more.
            StoreUnavailable: the store does not answer; whether it is used up then, nobody knows.
        """


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """One row of a list of tokens."""

    name: str
    scopes: frozenset[Scope]
    created_ms: int | None
    """UTC milliseconds; None for the owner's, which is as old as its file."""
    expires_ms: int | None
    expired: bool
    by: str
    """The name of the token that it was made with; empty for the owner's."""


class TokenOffice(Tokens, Tickets, Protocol):
    """Makes tokens and takes them back; implemented by `TokenStore`."""

    def tell(self, changed: Callable[[], None]) -> None:
        """From now on, have `changed` called whenever a token has become good or is good no more."""

    async def create(self, name: str, scopes: frozenset[Scope], expires_s: float | None, by: Principal) -> NewToken:
        """Make a token.

        Args:
            name: what it is called.
            scopes: what it allows.
            expires_s: for how long it is good, in seconds; None for ever.
            by: who asks.

        Raises:
            InvalidInput: the name is no good, or no scope is named.
            Forbidden: `by` lacks one of the scopes.
            Conflict: there is a token of that name.
            Busy: there are as many as there may be.
        """

    async def list(self) -> Sequence[TokenInfo]:
        """All that were not revoked, the owner's first, then by name."""

    async def mint_ticket(self, by: Principal) -> NewTicket:
        """Make what stands for a token in an address, once and for a minute.

        Args:
            by: who may come in with it; what tickets never allow, it does not allow either.

        Raises:
            Unauthorized: `by` is good no more.
        """

    async def revoke(self, name: str, by: Principal) -> bool:
        """Take a token back; what was opened with it is closed. The owner's is replaced by a new one.

        Returns:
            Whether it was good until now; False if it was revoked before.

        Raises:
            NotFound: there never was a token of that name.
        """


def token_digest(token: str) -> bytes:
    """What is kept of a token. Tokens are long and random, so one round of SHA-256 is enough."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


def token_id(digest: bytes) -> str:
    """What `Principal.id` is made of."""
    return digest[:8].hex()


def hide_tokens(text: str) -> str:
    """The text without anything of a token's form, whoever's it is and whether it is valid or not."""
    return _TOKEN.sub(MARK, text) if PREFIX in text else text


def owner_token(secret: str) -> KnownToken:
    """The owner's, which may do everything."""
    digest = token_digest(secret)
    return KnownToken(digest, Principal(OWNER, ALL_SCOPES, token_id(digest)))
