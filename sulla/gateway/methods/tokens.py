"""How tokens are made, listed and taken back: who may come in."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from sulla.access.principal import ALL_SCOPES, MOST_TOKEN_S, Scope, TicketUse
from sulla.access.token_store import TokenStore
from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Name, Params
from sulla.rpc.method import Method, Methods
from sulla.rpc.row import Time

TICKETS: Final = "/hub/"
"""The path where a ticket opens the door stands before it."""
PAGE: Final = "/#ticket="
"""The same for the console: what stands behind a ``#`` stays in the browser."""


"""What travels over ``sulla.v1`` about tokens, as strict models. Pure."""


class TokenCreate(Params):
    """`token.create`."""

    name: Name
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=len(ALL_SCOPES))]
    expires_s: Annotated[int, Field(ge=1, le=MOST_TOKEN_S)] | None = None
    """For how long it is good, in seconds; null for ever."""


class TokenList(Params):
    """`token.list`."""


class TokenRevoke(Params):
    """`token.revoke`."""

    name: Name


class TokenTicket(Params):
    """`token.ticket`."""

    use: TicketUse = "hub"
    """What it opens: a socket below ``/hub``, or the console's page."""


@dataclass(frozen=True, slots=True)
class TokenCreated:
    """The answer to `token.create`."""

    name: str
    token: str
    """The secret; nobody can show it again."""
    scopes: tuple[Scope, ...]
    expires_ms: Annotated[Time | None, Field(alias="expires_at")]


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One token, without its secret, which nobody has."""

    name: str
    scopes: tuple[Scope, ...]
    created_ms: Annotated[Time | None, Field(alias="created_at")]
    """Null for the owner's."""
    expires_ms: Annotated[Time | None, Field(alias="expires_at")]
    expired: bool
    by: str
    """The name of the token that it was made with; empty for the owner's."""


@dataclass(frozen=True, slots=True)
class TokenRows:
    """The answer to `token.list`."""

    tokens: tuple[TokenRow, ...]


@dataclass(frozen=True, slots=True)
class TokenRevoked:
    """The answer to `token.revoke`."""

    revoked: bool
    """Whether it was good until now."""


@dataclass(frozen=True, slots=True)
class TicketMade:
    """The answer to `token.ticket`."""

    ticket: str
    """The secret; good once, until `expires_at`."""
    path: str
    """Where it opens the door, behind the daemon's address."""
    expires_ms: Annotated[Time, Field(alias="expires_at")]


async def _create(service: TokenStore, params: TokenCreate, context: Context) -> TokenCreated:
    made = await service.create(params.name, frozenset(params.scopes), params.expires_s, context.caller.principal)
    return TokenCreated(made.name, made.secret, tuple(sorted(made.scopes)), made.expires_ms)


async def _list(service: TokenStore, params: TokenList, context: Context) -> TokenRows:
    rows = (
        TokenRow(one.name, tuple(sorted(one.scopes)), one.created_ms, one.expires_ms, one.expired, one.by)
        for one in await service.list()
    )
    return TokenRows(tuple(rows))


async def _revoke(service: TokenStore, params: TokenRevoke, context: Context) -> TokenRevoked:
    return TokenRevoked(await service.revoke(params.name, context.caller.principal))


async def _ticket(service: TokenStore, params: TokenTicket, context: Context) -> TicketMade:
    made = await service.mint_ticket(context.caller.principal, params.use)
    return TicketMade(made.secret, (TICKETS if params.use == "hub" else PAGE) + made.secret, made.expires_ms)


METHODS: Final[Methods[TokenStore]] = Methods(
    "tokens",
    (
        Method(
            "token.create",
            TokenCreate,
            TokenCreated,
            "admin",
            _create,
        ),
        Method(
            "token.list",
            TokenList,
            TokenRows,
            "admin",
            _list,
        ),
        Method(
            "token.revoke",
            TokenRevoke,
            TokenRevoked,
            "admin",
            _revoke,
        ),
        Method(
            "token.ticket",
            TokenTicket,
            TicketMade,
            "write",
            _ticket,
        ),
    ),
)
