"""Who somebody is, what he may do, and how a token shows it. Pure."""

from __future__ import annotations

from hashlib import sha256
from typing import Final, Literal, get_args

from sulla.core.dataclass import dataclass
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
TicketUse = Literal["hub", "console"]
"""What a ticket opens: a socket below ``/hub``, or the console's page."""
TICKET_SCOPES: Final[frozenset[Scope]] = frozenset({"read", "write", "approve"})
"""The most that one for ``/hub`` allows: nobody makes tokens, or stops the daemon's work, by an address that ends up in
logs. One for the console stands behind a ``#``, which no browser sends to anybody."""
SESSION_S: Final = 30 * 86_400
"""How long a browser's session is good, in seconds, if its token is; then the token is asked for again."""
SESSION_NAME: Final = "console-"
"""What the names of sessions begin with."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a connection belongs to and what it may do."""

    name: str
    """What the token is called, never the token itself: messages are counted by it."""
    scopes: frozenset[Scope]
    id: str = ""
    """Tells a token from an earlier one of the same name."""


@dataclass(frozen=True, slots=True)
class TokenOwner:
    """The token that something else was made with."""

    name: str
    """The token's."""
    id: str
    """See `Principal.id`."""


@dataclass(frozen=True, slots=True)
class KnownToken:
    """A token that opens the door, or a session; only its digest is kept."""

    digest: bytes
    principal: Principal
    expires_ms: int | None = None
    """From when on it is refused, UTC milliseconds; None for never."""
    run_out: bool = False
    """Whether it was seen to have expired: then it has, whatever the clock says later."""
    session_of: TokenOwner | None = None
    """Of a browser's session, the token that it was made with; None for a token."""

    def expired(self, now_s: float) -> bool:
        """Whether its time is over.

        Args:
            now_s: UTC seconds.
        """
        return self.run_out or (self.expires_ms is not None and now_s * 1000 >= self.expires_ms)


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


@dataclass(frozen=True, slots=True)
class NewSession:
    """A browser's session that was just made. Its two halves are here and nowhere else."""

    name: str
    """Under which it is listed and revoked."""
    cookie: str
    """The half that the browser keeps by itself, and shows to no page."""
    key: str
    """The half that the page keeps."""
    principal: Principal
    """Who comes in with it: the name of the token that it was made with, and what that one allows."""
    expires_ms: int
    """UTC milliseconds."""

    def __repr__(self) -> str:
        return f"NewSession({self.name!r}, {MARK})"


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


def token_digest(token: str) -> bytes:
    """What is kept of a token. Tokens are long and random, so one round of SHA-256 is enough."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


def session_digest(cookie: str, key: str) -> bytes:
    """What is kept of a session: of both halves, so that neither is good without the other.

    Args:
        cookie: the browser's half.
        key: the page's half.
    """
    halves = token_digest(cookie) + token_digest(
        key
    )  # of one length each, so that nothing can move from one to the other
    return sha256(b"session" + halves).digest()


def token_id(digest: bytes) -> str:
    """What `Principal.id` is made of."""
    return digest[:8].hex()


def owner_token(secret: str) -> KnownToken:
    """The owner's, which may do everything."""
    digest = token_digest(secret)
    return KnownToken(digest, Principal(OWNER, ALL_SCOPES, token_id(digest)))
