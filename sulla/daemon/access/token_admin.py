"""The tokens of a home that no daemon runs on: made and revoked by whoever owns the home, and audited all the same."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from sulla.access.audit import AuditLog
from sulla.access.principal import ALL_SCOPES, OWNER, NewToken, Principal, Scope, TokenInfo
from sulla.access.token_store import TokenStore
from sulla.core.clock import Clock
from sulla.core.errors import SullaError
from sulla.core.jsontypes import JsonObject
from sulla.core.redact import Redactor
from sulla.core.stamp import stamp
from sulla.daemon.home.archive import open_kept
from sulla.daemon.settings.config import Settings
from sulla.host.system import random_token

_OWNER = Principal(OWNER, ALL_SCOPES)


class TokenAdmin:
    """Does what the owner asks at the machine itself, and writes it down.

    Args:
        keeper: the tokens.
        log: the audit log.
        clock: for its times.
    """

    def __init__(self, keeper: TokenStore, log: AuditLog, clock: Clock) -> None:
        self._keeper = keeper
        self._log = log
        self._clock = clock

    async def create(self, name: str, scopes: frozenset[Scope], expires_s: float | None) -> NewToken:
        """Make a token."""
        about: JsonObject = {"name": name, "scopes": [*sorted(scopes)], "expires_s": expires_s}
        try:
            made = await self._keeper.create(name, scopes, expires_s, _OWNER)
        except SullaError as error:
            self._note("token.create", about, error.code)
            raise
        self._note("token.create", about, "ok")
        return made

    async def list(self) -> Sequence[TokenInfo]:
        """All that were not revoked."""
        return await self._keeper.list()

    async def revoke(self, name: str) -> bool:
        """Take a token back."""
        try:
            revoked = await self._keeper.revoke(name, _OWNER)
        except SullaError as error:
            self._note("token.revoke", {"name": name}, error.code)
            raise
        self._note("token.revoke", {"name": name}, "ok")
        return revoked

    def _note(self, method: str, about: JsonObject, code: str) -> None:
        at = stamp(round(self._clock.now() * 1000))
        self._log.write({"at": at, "token": OWNER, "way": "home", "method": method, "about": about, "code": code})


@asynccontextmanager
async def open_desk(settings: Settings, *, make: bool, only_reads: bool = False) -> AsyncIterator[TokenAdmin]:
    """Claim a home and open its tokens: see `archive.open_kept`."""
    async with open_kept(settings, make=make, only_reads=only_reads) as kept:
        keeper = TokenStore(kept.store, kept.place.clock, random_token)
        token = kept.home.token(random_token)
        await keeper.open(token, lambda: kept.home.renew_token(random_token))
        log = AuditLog(kept.home.path, Redactor([token]))
        try:
            yield TokenAdmin(keeper, log, kept.place.clock)
        finally:
            log.close()
