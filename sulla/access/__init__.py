"""The door to who may do what: named tokens, what they allow, and the log of what was done with them."""

from sulla.access.audit import AuditLog
from sulla.access.keeper import TokenStore
from sulla.access.principal import (
    ALL_SCOPES,
    MOST_TOKEN_S,
    NAME_CHARS,
    OWNER,
    PREFIX,
    TICKET_S,
    TICKET_SCOPES,
    KnownToken,
    NewTicket,
    NewToken,
    Principal,
    Scope,
    Tickets,
    TokenInfo,
    TokenOffice,
    Tokens,
    hide_tokens,
    token_digest,
)
from sulla.access.refusals import RefusalCounter, RefusedAccess

__all__ = [
    "ALL_SCOPES",
    "MOST_TOKEN_S",
    "NAME_CHARS",
    "OWNER",
    "PREFIX",
    "TICKET_S",
    "TICKET_SCOPES",
    "AuditLog",
    "KnownToken",
    "NewTicket",
    "NewToken",
    "Principal",
    "RefusalCounter",
    "RefusedAccess",
    "Scope",
    "Tickets",
    "TokenInfo",
    "TokenOffice",
    "TokenStore",
    "Tokens",
    "hide_tokens",
    "token_digest",
]
