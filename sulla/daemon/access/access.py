"""Who may do what with this daemon, and the log of what was done."""

from __future__ import annotations

from sulla.access.audit import AuditLog
from sulla.access.token_store import TokenStore
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.daemon.access.audit_trail import AuditTrail
from sulla.daemon.settings.config import Settings
from sulla.host.place import Place
from sulla.host.system import random_token
from sulla.store.base import Store


@dataclass(frozen=True, slots=True)
class Access:
    """What was built for it."""

    tokens: TokenStore
    audit: AuditTrail

    def status(self) -> JsonObject:
        """What `sulla status` says of it."""
        said: JsonObject = {"audit": "failing" if self.audit.failing else "on", "audit_missing": self.audit.failed}
        return said | ({"tokens_error": self.tokens.damage} if self.tokens.damage is not None else {})


def make_access(settings: Settings, store: Store, place: Place) -> Access:
    """Not opened yet.

    Args:
        settings: where the home is.
        store: where named tokens are kept.
        place: what the daemon stands on.
    """
    audit = AuditTrail(AuditLog(settings.home, place.redactor), place.clock)
    return Access(TokenStore(store, place.clock, random_token), audit)
