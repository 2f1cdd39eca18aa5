"""The named tokens: a log of their own in the store, which every daemon on that store follows."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from sulla.access import tokens
from sulla.access.owner import UNTOLD, OwnerToken
from sulla.access.principal import (
    ALL_SCOPES,
    MOST_TOKEN_S,
    OWNER,
    SESSION_NAME,
    SESSION_S,
    TICKET_SCOPES,
    KnownToken,
    NewSession,
    NewTicket,
    NewToken,
    Principal,
    Scope,
    TicketUse,
    TokenInfo,
    session_digest,
    token_digest,
    token_id,
)
from sulla.access.tickets import TicketStore
from sulla.access.valid import ValidTokens, take_stock
from sulla.core.clock import Clock
from sulla.core.errors import (
    Conflict,
    CorruptRecord,
    Forbidden,
    InvalidInput,
    MessageIdReused,
    StoreUnavailable,
    Unauthorized,
)
from sulla.store.base import Store

log = logging.getLogger(__name__)

POLL_S: Final = 0.5
"""How often the log's end is looked at, in case a wake-up was lost."""
CHANNEL: Final = "access:tokens"
_PAGE: Final = 512
_TRIES: Final = 8
"""How often a change is tried anew because another daemon made one of the same name in between."""


class TokenStore:
    """Makes named tokens and tickets, takes them back, and knows which are valid. It lives as long as the daemon.

    If a record cannot be read, no named token is good any more, because it may have been the one that revoked it; the
    owner's still is.

    Args:
        store: where the log is.
        clock: all time.
        make_token: makes a secret.
    """

    def __init__(self, store: Store, clock: Clock, make_token: Callable[[], str]) -> None:
        self._store = store
        self._clock = clock
        self._make_token = make_token
        self._tickets = TicketStore(store, clock, make_token)
        self._owner: OwnerToken | None = None
        self._fold = tokens.TokenFold()
        self._valid = ValidTokens()
        self._changed: Callable[[], None] = lambda: None
        self._reading = asyncio.Lock()
        self._damage: str | None = None
        self._away = False

    @property
    def damage(self) -> str | None:
        """Why no named token is good, if none is."""
        return self._damage

    def known(self) -> Sequence[KnownToken]:
        """All that were not revoked, expired ones too."""
        return self._valid.known

    async def open(self, owner: str, renew: Callable[[], str]) -> None:
        """Read what there is.

        Args:
            owner: the owner's token.
            renew: makes another one in its place, for good, and returns it.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        self._owner = OwnerToken(owner, renew)
        await self._catch_up()

    def on_change(self, changed: Callable[[], None]) -> None:
        """From now on, have `changed` called whenever a token has become good or is good no more."""
        self._changed = changed

    async def run(self) -> None:
        """Follow what other daemons do, and notice what expires, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._poll())
            tasks.create_task(self._listen())

    # -------------------------------------------------------------------------------------------------------- changes

    async def create(self, name: str, scopes: frozenset[Scope], expires_s: float | None, by: Principal) -> NewToken:
        """Make a token.

        Args:
            name: what it is called.
            scopes: what it allows.
            expires_s: for how long it is good, in seconds; None for ever.
            by: the caller.

        Raises:
            InvalidInput: the name is no good, or no scope is named.
            Forbidden: `by` lacks one of the scopes.
            Conflict: there is a token of that name.
            Busy: there are as many as there may be.
        """
        tokens.check_name(name)
        if not scopes or not scopes <= ALL_SCOPES:
            raise InvalidInput(f"scopes: name at least one of {', '.join(sorted(ALL_SCOPES))}")
        if expires_s is not None and not 0 < expires_s <= MOST_TOKEN_S:
            raise InvalidInput(f"expires_s: got {expires_s:g}, expected more than 0 and at most {MOST_TOKEN_S}")
        if lacking := sorted(scopes - by.scopes):
            raise Forbidden(f"{by.name!r} cannot grant {', '.join(map(repr, lacking))}, which it does not have itself")
        for _ in range(_TRIES):
            await self._read()
            self._check_good(by)
            self._fold.check_free(name, self._clock.now())
            made = await self._try_to_create(name, scopes, expires_s, by)
            if made is not None:
                return made
        raise Conflict(f"others make and revoke tokens called {name!r} at this moment: choose another name")

    async def _try_to_create(
        self, name: str, scopes: frozenset[Scope], expires_s: float | None, by: Principal
    ) -> NewToken | None:
        """One attempt; None if another daemon was quicker."""
        secret, now_ms = self._make_token(), round(self._clock.now() * 1000)
        expires_ms = None if expires_s is None else now_ms + round(expires_s * 1000)
        digest = token_digest(secret)
        fact = tokens.TokenAdded(name, digest.hex(), tuple(sorted(scopes)), expires_ms, by.name, now_ms)
        seq = await self._offer("create", fact, digest)
        if seq is None or not self._fold.made_by(seq, name):
            return None
        return NewToken(name, secret, scopes, expires_ms)

    async def list(self) -> Sequence[TokenInfo]:
        """All that were not revoked, the owner's first, then by name."""
        await self._read()
        return [
            TokenInfo(OWNER, ALL_SCOPES, None, None, False, ""),
            *self._fold.infos(self._clock.now(), self._valid.orphans),
        ]

    async def revoke(self, name: str, by: Principal) -> bool:
        """Take a token back; what was opened with it is closed. The owner's is replaced by a new one, also at every
        other home on this store that has the same.

        Returns:
            Whether it was good until now; False if it was revoked before.

        Raises:
            NotFound: there never was a token of that name.
            StoreUnavailable: nobody else could be told; the owner's is another one here all the same.
        """
        if name == OWNER:
            return await self._revoke_owner(by)
        for _ in range(_TRIES):
            await self._read()
            self._check_good(by)
            if not self._fold.is_granted(name):
                return False
            fact = tokens.TokenWithdrawn(name, by.name, round(self._clock.now() * 1000))
            if await self._offer("revoke", fact, b"revoke") is not None:
                return True
        raise Conflict(f"others make and revoke tokens called {name!r} at this moment: try again")

    async def _revoke_owner(self, by: Principal) -> bool:
        if self._owner is None or (old := self._owner.known) is None:
            raise Unauthorized("this home has no owner's token: mend what its log says, and start it anew")
        fact = tokens.TokenWithdrawn(tokens.owners_name(old), by.name, round(self._clock.now() * 1000))
        try:
            await self._offer("revoke", fact, b"revoke")
        except (StoreUnavailable, CorruptRecord) as error:
            raise type(error)(f"{UNTOLD} ({error.message})") from error
        finally:
            if self._owner.known is old:
                self._owner.renew()
            self._take_stock()
        return True

    async def open_session(self, by: Principal) -> NewSession:
        """Make a browser's session. It ends with the token that it is made with, and after `SESSION_S`.

        Args:
            by: who signs in, by a token or by a ticket for the console.

        Raises:
            Unauthorized: `by` is good no more.
            Forbidden: `by` came by a session.
            Busy: there are as many tokens as there may be.
        """
        for _ in range(_TRIES):
            await self._read()
            self._check_good(by)
            self._check_token(by)
            cookie, key, now_ms = self._make_token(), self._make_token(), round(self._clock.now() * 1000)
            digest = session_digest(cookie, key)
            name = f"{SESSION_NAME}{token_id(digest)}"
            self._fold.check_free(name, self._clock.now())
            ends = [one.expires_ms for one in self._valid.known if one.principal == by and one.expires_ms is not None]
            expires_ms = min([now_ms + SESSION_S * 1000, *ends])
            scopes = tuple(sorted(by.scopes))
            fact = tokens.TokenAdded(name, digest.hex(), scopes, expires_ms, by.name, now_ms, by.id)
            seq = await self._offer("create", fact, digest)
            if seq is not None and self._fold.made_by(seq, name):
                return NewSession(name, cookie, key, Principal(by.name, by.scopes, token_id(digest)), expires_ms)
        raise Conflict("other sessions were made at this moment under the same name: try again")

    async def close_session(self, who: Principal) -> str:
        """End a browser's session, and close what was opened with it.

        Args:
            who: came by it.

        Returns:
            The name under which it was listed; empty if it has ended before.
        """
        await self._read()
        name = self._fold.session_name(who)
        return name if name and await self.revoke(name, who) else ""

    def _check_token(self, by: Principal) -> None:
        """Check that the caller came by a token and no session: what is revoked must leave nothing behind.

        Raises:
            Forbidden: it is a session, or nothing that could be revoked.
        """
        if not by.id or any(known.principal == by and known.session_of is not None for known in self._valid.known):
            raise Forbidden("a session makes no other one: open the console with `sulla console`, or paste a token")

    async def mint_ticket(self, by: Principal, use: TicketUse = "hub") -> NewTicket:
        """Make what stands for a token in an address, once and for a minute.

        Args:
            by: who may come in with it; what such tickets never allow, it does not allow either.
            use: what it opens.

        Raises:
            Unauthorized: `by` is good no more.
            Forbidden: `by` came by a session, and asks for another one.
        """
        await self._read()
        self._check_good(by)
        if use == "console":
            self._check_token(by)
        return await self._tickets.put(by, use)

    async def redeem(self, ticket: str, use: TicketUse = "hub", *, looks: bool = False) -> Principal:
        """Use a ticket up.

        Args:
            ticket: its secret.
            use: what it shall open.
            looks: it is only asked whose it is, and stays good.

        Returns:
            Whose it is; for ``/hub`` with no more than `TICKET_SCOPES`.

        Raises:
            Unauthorized: it was used, its minute is over, it opens something else, there never was one, or its token
                is good no more.
            StoreUnavailable: the store does not answer; whether it is used up then, nobody knows.
        """
        bearer = await self._tickets.take(ticket, use, looks=looks)
        await self._read()  # its token may be newer than what is known here, or revoked a moment ago
        for known in self._valid.known:
            who = known.principal
            if (who.name, who.id) == (bearer.name, bearer.id) and not known.expired(self._clock.now()):
                return who if use == "console" else replace(who, scopes=who.scopes & TICKET_SCOPES)
        raise Unauthorized(f"the token {bearer.name!r}, with which the ticket was made, is good no more")

    def _check_good(self, by: Principal) -> None:
        """Check that the caller's token was not revoked a moment ago, perhaps at another daemon.

        Raises:
            Unauthorized: it was.
        """
        if by.id and by not in self._valid.principals:  # without an id it is the owner at the machine itself
            raise Unauthorized(f"the token {by.name!r} is good no more")

    async def _offer(self, what: str, fact: tokens.Fact, digest: bytes) -> int | None:
        """Write a change down and read it back; None if another one stands in its place."""
        dedupe_id = self._fold.dedupe_id(what, fact.name)
        try:
            offered = await self._store.offer(
                tokens.KEY, dedupe_id, tokens.encode(fact), digest=digest, create=tokens.HEAD, wakes=False
            )
        except MessageIdReused:
            return None
        self._store.publish(CHANNEL, b"")
        await self._read()
        return offered.seq

    # -------------------------------------------------------------------------------------------------------- reading

    async def _read(self) -> None:
        """Take in what is new.

        Raises:
            CorruptRecord: a record cannot be read.
            StoreUnavailable: the store does not answer.
        """
        await self._catch_up()
        if self._damage is not None:
            raise CorruptRecord(self._damage)

    async def _catch_up(self) -> None:
        async with self._reading:
            try:
                await self._pages()
            except CorruptRecord as error:
                if self._damage is None:
                    log.critical("the log of tokens cannot be read, so only the owner's is good: %s", error.message)
                self._damage = error.message
            self._take_stock()

    async def _pages(self) -> None:
        info = await self._store.head(tokens.KEY)
        last, born_ms = (info.last_seq, info.created_ms) if info is not None else (0, 0)
        if last < self._fold.seq or born_ms != self._fold.born_ms:
            # Another log than the one that was read: what that one said holds no more.
            self._fold = tokens.TokenFold(born_ms)
        while self._damage is None and self._fold.seq < last:
            await self._page()

    async def _page(self) -> None:
        records = await self._store.read(tokens.KEY, after=self._fold.seq, limit=_PAGE)
        if not records:
            raise CorruptRecord(f"{tokens.KEY}: nothing follows record {self._fold.seq}")
        for record in records:
            if record.seq != self._fold.seq + 1:
                raise CorruptRecord(f"{tokens.KEY}: record {record.seq} follows record {self._fold.seq}")
            self._fold.apply(record.seq, tokens.decode(record))

    def _take_stock(self) -> None:
        """Find out what is good now, and tell if that has changed."""
        if self._owner is not None:
            self._owner.follow(self._fold)
        owners = self._owner.good if self._owner is not None else ()
        every = (*owners, *(self._fold.known() if self._damage is None else ()))
        before, self._valid = self._valid, take_stock(every, self._clock.now())
        if self._valid.principals != before.principals:
            self._changed()

    async def _poll(self) -> None:
        while True:
            await self._clock.sleep(POLL_S)
            await self._look()

    async def _listen(self) -> None:
        while True:
            try:
                async with self._store.subscribe(CHANNEL) as heard:
                    async for _ in heard:
                        await self._look()
            except StoreUnavailable as error:
                log.debug("nobody can listen for changes of tokens, so they are only polled: %s", error)
            await self._clock.sleep(POLL_S)

    async def _write_down_expired(self) -> None:
        now_s = self._clock.now()
        for name in () if self._damage is not None else self._fold.expiring(now_s):
            with suppress(CorruptRecord):  # `damage` says so
                await self._offer("expire", tokens.TokenWithdrawn(name, tokens.EXPIRY, round(now_s * 1000)), b"expire")

    async def _look(self) -> None:
        try:
            await self._catch_up()
            await self._write_down_expired()
        except StoreUnavailable as error:
            if not self._away:
                log.warning("the store does not answer; tokens stay as they were until it does: %s", error)
            self._away = True
            self._take_stock()  # time goes on all the same
        else:
            self._away = False
