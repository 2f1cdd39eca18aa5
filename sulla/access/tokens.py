"""The log of named tokens: its facts as records, and what they add up to. Pure."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any, ClassVar, Final

from sulla.access.principal import (
    ALL_SCOPES,
    NAME_CHARS,
    OWNER,
    KnownToken,
    Principal,
    Scope,
    TokenInfo,
    TokenOwner,
    token_id,
)
from sulla.core.dataclass import dataclass
from sulla.core.errors import Busy, Conflict, CorruptRecord, InvalidInput, NotFound
from sulla.store.sealing import seal, unseal
from sulla.store.values import Draft, Head, Record

KEY: Final = "access:tokens"
"""The log. No thread can be called so: a client's ids have no colon."""
HEAD: Final = Head("tokens")
"""Never due and never open, so that nobody looks for work in it."""

MOST_TOKENS: Final = 256
"""Tokens that are good at once, sessions included."""
MOST_SESSIONS: Final = 20
"""Sessions of browsers that are good at once of one token; for a further one its own oldest ends. A person has a few
browsers."""
MOST_RECORDS: Final = 100_000
"""Where the log stops taking new tokens; revoking goes on."""

EXPIRY: Final = "(expiry)"
"""Who takes a token back whose time is over, so that it is not good again if the clock is put back. No token can be
called so."""

_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_.\-]{{0,{NAME_CHARS - 1}}}")


@dataclass(frozen=True, slots=True)
class TokenAdded:
    """A token was made."""

    kind: ClassVar[str] = "TOKEN_CREATED"
    name: str
    digest: str
    """SHA-256, 64 hex digits."""
    scopes: tuple[Scope, ...]
    expires_at_ms: int | None
    by: str
    """The name of the token that asked for it."""
    at_ms: int
    """UTC milliseconds."""
    owner_id: str = ""
    """Of a browser's session, the id of the token `by`, with which it ends; empty for a token."""


@dataclass(frozen=True, slots=True)
class TokenWithdrawn:
    """A token was taken back."""

    kind: ClassVar[str] = "TOKEN_REVOKED"
    name: str
    by: str
    at_ms: int


Fact = TokenAdded | TokenWithdrawn


def owners_name(token: KnownToken) -> str:
    """What a home's own token is called in the log, where it was taken back: other homes may have the same one. No
    token can be called so.
    """
    return f"(owner {token.principal.id})"


def check_name(name: str) -> str:
    """The name of a new token, if it is a good one.

    Raises:
        InvalidInput: it is not.
    """
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"name: got {name[:80]!r}, expected 1 to {NAME_CHARS} letters, digits, '_', '.' and '-', "
            "beginning with a letter or digit"
        )
    if name == OWNER:
        raise InvalidInput(f"name: {OWNER!r} is the home's own token; choose another name")
    return name


def encode(fact: Fact) -> Draft:
    """A fact as a record to be kept."""
    value: dict[str, Any] = {name: getattr(fact, name) for name in fact.__slots__}
    if value.get("owner_id") == "":
        del value["owner_id"]  # as tokens were written down before there were sessions
    return Draft(fact.kind, seal(fact.kind, json.dumps(value, separators=(",", ":")).encode()))


def decode(record: Record) -> Fact:
    """The fact of a record.

    Raises:
        CorruptRecord: it is damaged, or of a kind that only a later version knows.
    """
    where = f"{KEY} record {record.seq} ({record.kind})"
    payload = unseal(record.kind, record.body, where)
    try:
        match record.kind, json.loads(payload):
            case TokenAdded.kind, {
                "name": str(name),
                "digest": str(digest),
                "scopes": list(scopes),
                "expires_at_ms": int() | None as expires_at_ms,
                "by": str(by),
                "at_ms": int(at_ms),
                **more,
            } if set(scopes) <= ALL_SCOPES and len(bytes.fromhex(digest)) == 32:
                return TokenAdded(name, digest, tuple(scopes), expires_at_ms, by, at_ms, str(more.get("owner_id", "")))
            case TokenWithdrawn.kind, {"name": str(name), "by": str(by), "at_ms": int(at_ms)}:
                return TokenWithdrawn(name, by, at_ms)
    except (ValueError, TypeError) as error:
        raise CorruptRecord(f"{where}: {error}") from None
    raise CorruptRecord(f"{where}: not what this version writes")


@dataclass(frozen=True, slots=True)
class _Grant:
    seq: int
    """The record that made it."""
    token: KnownToken
    created_ms: int
    by: str


class TokenFold:
    """The tokens that a log of records adds up to. The same records give the same result in every daemon.

    Args:
        born_ms: when that log was made, UTC milliseconds; 0 while there is none.
    """

    def __init__(self, born_ms: int = 0) -> None:
        self.born_ms = born_ms
        self.seq = 0
        """The number of the last record that is in it."""
        self._grants: dict[str, _Grant] = {}
        self._last: dict[str, int] = {}
        """The last record about each name that ever was."""

    def apply(self, seq: int, fact: Fact) -> None:
        """Take one more record in; records come in order."""
        self.seq = seq
        if isinstance(fact, TokenWithdrawn) and fact.by == EXPIRY:
            grant = self._grants.get(fact.name)
            if grant is not None and grant.token.expired(fact.at_ms / 1000):  # else it is a newer one of that name
                self._grants[fact.name] = replace(grant, token=replace(grant.token, run_out=True))
        elif isinstance(fact, TokenWithdrawn):
            self._withdraw(fact.name)
        elif self._has_room(fact):
            digest = bytes.fromhex(fact.digest)
            owner = TokenOwner(fact.by, fact.owner_id) if fact.owner_id else None
            # Whoever comes by a session is the same person as by its token.
            principal = Principal(fact.by if owner else fact.name, frozenset(fact.scopes), token_id(digest))
            known = KnownToken(digest, principal, fact.expires_at_ms, session_of=owner)
            self._grants[fact.name] = _Grant(seq, known, fact.at_ms, fact.by)
            if owner is not None:
                self._end_oldest_sessions(owner)
        self._last[fact.name] = seq

    def _withdraw(self, name: str) -> None:
        """Take a token out, and the sessions that were made with it."""
        grant = self._grants.pop(name, None)
        if grant is None:
            return
        owner = TokenOwner(grant.token.principal.name, grant.token.principal.id)
        for other in self._sessions_of(owner):
            del self._grants[other]

    def _end_oldest_sessions(self, owner: TokenOwner) -> None:
        """Keep as many sessions of a token as there may be; the same in every daemon, because it goes by the order of
        the log. Those of other tokens stay: else whoever may only look could end the owner's.
        """
        for name in self._sessions_of(owner)[:-MOST_SESSIONS]:
            del self._grants[name]

    def _sessions_of(self, owner: TokenOwner) -> list[str]:
        """The names of those of one token, the oldest first."""
        return [name for name in self._sessions() if self._grants[name].token.session_of == owner]

    def _sessions(self) -> list[str]:
        """The names of all, the oldest first."""
        names = (name for name, grant in self._grants.items() if grant.token.session_of is not None)
        return sorted(names, key=lambda name: self._grants[name].seq)

    def session_name(self, principal: Principal) -> str:
        """Under which name the session is listed that a principal came by; empty if by none."""
        grants = ((name, self._grants[name].token.principal) for name in self._sessions())
        return next((name for name, known in grants if known == principal), "")

    def _has_room(self, fact: TokenAdded) -> bool:
        """Whether a creation counts, by its own time: it may have been written while another daemon made the same."""
        before = self._grants.get(fact.name)
        if before is not None and not before.token.expired(fact.at_ms / 1000):
            return False
        over = [name for name, grant in self._grants.items() if grant.token.expired(fact.at_ms / 1000)]
        for name in over if len(self._grants) >= MOST_TOKENS else ():
            del self._grants[name]
        return len(self._grants) < MOST_TOKENS

    def known(self) -> tuple[KnownToken, ...]:
        """All that were not revoked, expired ones too."""
        return tuple(grant.token for grant in self._grants.values())

    def expiring(self, now_s: float) -> list[str]:
        """The names of those whose time is over, and of which that is not written down yet."""
        tokens = ((name, grant.token) for name, grant in self._grants.items())
        return sorted(name for name, token in tokens if token.expired(now_s) and not token.run_out)

    def infos(self, now_s: float, without: Collection[bytes] = ()) -> list[TokenInfo]:
        """The same for people, by name.

        Args:
            now_s: UTC seconds.
            without: the digests of those that are good no more for a reason that this log does not know.
        """
        return [
            TokenInfo(
                name=name,
                scopes=grant.token.principal.scopes,
                created_ms=grant.created_ms,
                expires_ms=grant.token.expires_ms,
                expired=grant.token.expired(now_s),
                by=grant.by,
            )
            for name, grant in sorted(self._grants.items())
            if grant.token.digest not in without
        ]

    def made_by(self, seq: int, name: str) -> bool:
        """Whether the token of that name is the one that record `seq` made."""
        grant = self._grants.get(name)
        return grant is not None and grant.seq == seq

    def dedupe_id(self, what: str, name: str) -> str:
        """An id for the next change of a name: two daemons that know the same make the same one."""
        return f"{what}:{name}:{self._last.get(name, 0)}"

    def check_free(self, name: str, now_s: float) -> None:
        """Do nothing if a token of that name can be made.

        Raises:
            Conflict: there is one.
            Busy: there are as many as there may be.
        """
        grant = self._grants.get(name)
        if grant is not None and not grant.token.expired(now_s):
            raise Conflict(f"there is a token {name!r} already: choose another name, or revoke that one first")
        good = sum(not grant.token.expired(now_s) for grant in self._grants.values())
        if good >= MOST_TOKENS:
            raise Busy(f"there are {good} tokens, the most that there may be: revoke one that is not used any more")
        if self.seq >= MOST_RECORDS:
            raise Busy(f"the log of tokens has {self.seq} records, the most that it takes: only revoking is possible")

    def was_withdrawn(self, owner: KnownToken) -> bool:
        """Whether a home's own token was taken back, here or at another home that had the same."""
        return owners_name(owner) in self._last

    def is_granted(self, name: str) -> bool:
        """Whether there is a token of that name, not revoked.

        Raises:
            NotFound: there never was one.
        """
        if name not in self._last:
            near = difflib.get_close_matches(name[:80], sorted([OWNER, *self._grants]), n=1)
            hint = f"did you mean {near[0]!r}?" if near else "`sulla token list` shows all"
            raise NotFound(f"no token {name[:80]!r}; {hint}")
        return name in self._grants
