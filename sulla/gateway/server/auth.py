"""Who may come in: whoever brings a valid token, and a lock for those who guess. Pure."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from hmac import compare_digest
from ipaddress import IPv6Address, ip_address, ip_network

from sulla.access.principal import KnownToken, Principal, session_digest, token_digest
from sulla.access.token_store import TokenStore
from sulla.core.clock import Clock
from sulla.core.errors import Unauthorized
from sulla.core.stamp import stamp

WRONG_TOKENS = 10
"""Different wrong tokens from one address within `WINDOW_S` that lock it for further wrong ones."""
WINDOW_S = 60.0
LOCK_S = 60.0
ADDRESSES = 1024
"""Addresses remembered; the one heard of least recently is forgotten first."""
_LOOPBACK = "127.0.0.1"


def bearer(authorization: str, also: str = "bearer") -> str:
    """The token in an ``Authorization`` header.

    Args:
        authorization: the header.
        also: another word that may stand before the token, in small letters.

    Raises:
        Unauthorized: it is of another form.
    """
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() not in ("bearer", also) or not token.strip():
        raise Unauthorized("the Authorization header has to be 'Bearer <token>'")
    return token.strip()


@lru_cache(maxsize=256)
def address_key(address: str) -> str:
    """One name for all addresses that one peer can easily use.

    An IPv4 address mapped into IPv6 is that IPv4 address; other IPv6 addresses count by their /64 network. All loopback
    addresses are one: whoever is on this machine can use millions of them.
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is not None:
            return address_key(str(ip.ipv4_mapped))
        return _LOOPBACK if ip.is_loopback else str(ip_network((ip, 64), strict=False))
    return _LOOPBACK if ip.is_loopback else str(ip)


class Lockout:
    """Counts wrong tokens by address. Pure: the time is told.

    A stale client that keeps trying the same old token guesses nothing, so it does not lock out its neighbours: only
    different tokens count.
    """

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, dict[bytes, float]] = OrderedDict()
        self._locked: dict[str, float] = {}

    def locked_s(self, key: str, now: float) -> float:
        """For how many more seconds the address is locked; 0 if it is not."""
        until = self._locked.get(key)
        if until is None or until <= now:
            self._locked.pop(key, None)
            return 0.0
        return until - now

    def wrong(self, key: str, digest: bytes, now: float) -> None:
        """A wrong token came from the address."""
        recent = {one: at for one, at in self._wrong.pop(key, {}).items() if at > now - WINDOW_S}
        recent[digest[:8]] = now
        if len(recent) >= WRONG_TOKENS:
            self._locked[key] = now + LOCK_S
        else:
            self._wrong[key] = recent
        while len(self._wrong) > ADDRESSES:
            self._wrong.popitem(last=False)
        while len(self._locked) > ADDRESSES:
            del self._locked[next(iter(self._locked))]


class Guard:
    """Turns a token into a principal, or refuses.

    Args:
        tokens: the valid ones.
        clock: for the lock-out.
    """

    def __init__(self, tokens: TokenStore, clock: Clock) -> None:
        self._tokens = tokens
        self._clock = clock
        self._lockout = Lockout()

    def admit(self, address: str, token: str | None) -> Principal:
        """Who the token belongs to.

        A valid one is let in wherever it comes from: behind a reverse proxy everybody has one address, so that a lock
        for all who come from there would be in anybody's hand.

        Args:
            address: the peer's IP address.
            token: what it presents; None for nothing.

        Raises:
            Unauthorized: no token, a wrong one, one whose time is over, or too many wrong ones from this address.
        """
        if token is None:
            raise Unauthorized("no token: send 'Authorization: Bearer <token>', or a token in hello")
        found = self._find(token_digest(token), session=False)
        if found is None:
            self.count_wrong(address, token)
            raise Unauthorized("the token is not valid: `sulla token` shows one that is")
        if found.expires_ms is not None and found.expired(self._clock.now()):
            name, when = found.principal.name, stamp(found.expires_ms)
            raise Unauthorized(f"the token {name!r} expired at {when}: ask whoever runs the daemon for another one")
        return found.principal

    def admit_session(self, address: str, cookies: Sequence[str], key: str | None) -> Principal:
        """Who a browser's session belongs to. It takes both halves; a token is none, and a session is no token.

        Args:
            address: the peer's IP address.
            cookies: what the browser sends, of which one is its half and others may have been planted: wrong ones
                beside the right one are no guesses.
            key: the half that the page says; None for nothing.

        Raises:
            Unauthorized: a half is missing or wrong, the session is over, or too many wrong ones came from there.
        """
        if not cookies or not key:
            raise Unauthorized("the session has two halves, a cookie and a key: one is missing; sign in again")
        fitting = [self._find(session_digest(cookie, key), session=True) for cookie in cookies]
        found = next((one for one in fitting if one is not None), None)
        if found is None:
            self.count_wrong(address, f"{' '.join(cookies)} {key}")
        if found is None or found.expired(self._clock.now()):
            raise Unauthorized("the session is over, or was revoked: sign in again, e.g. with `sulla console`")
        return found.principal

    def _find(self, digest: bytes, *, session: bool) -> KnownToken | None:
        found: KnownToken | None = None
        for known in self._tokens.known():  # all of them, so that the time taken says nothing
            if compare_digest(known.digest, digest) and (known.session_of is not None) == session:
                found = known
        return found

    def count_wrong(self, address: str, secret: str) -> None:
        """What was shown from there is not valid, as whoever looked has found.

        Raises:
            Unauthorized: too many wrong ones came from this address; this one is not counted.
        """
        key, now = address_key(address), self._clock.elapsed()
        if (wait_s := self._lockout.locked_s(key, now)) > 0:
            message = "too many wrong tokens came from this address: wait before you try another one"
            raise Unauthorized(message, retry_after_s=round(wait_s, 1))
        self._lockout.wrong(key, token_digest(secret), now)
