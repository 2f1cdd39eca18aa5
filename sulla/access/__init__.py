"""The door to who may do what: named tokens, what they allow, and the log of what was done with them."""

from sulla.access.audit import AuditLog
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
    TokenInfo,
    hide_tokens,
    token_digest,
)
from sulla.access.refusals import RefusalCounter, RefusedAccess
from sulla.access.token_store import TokenStore

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
    "TokenInfo",
    "TokenStore",
    "hide_tokens",
    "token_digest",
]
