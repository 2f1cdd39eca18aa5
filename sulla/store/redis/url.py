"""The address of a Redis: read, checked, shown without its password, and its failures put into words."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from redis.asyncio.connection import AbstractConnection, Connection, parse_url
from redis.exceptions import AuthenticationError, BusyLoadingError, RedisError

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, SettingsError, StoreUnavailable
from sulla.store.redis.line import RedisRefusal
from sulla.store.url import ENCODED, check_login

FORM = "redis://[user:password@]host[:port][/database], rediss://… (TLS) or unix://[user:password@]/path[?db=n]"
_QUERY = {
    "db", "username", "password",
    "ssl_ca_certs", "ssl_ca_path", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname", "ssl_cert_reqs",
}  # fmt: skip
"""What may follow the ``?``."""

_REMEDIES = (
    ("OOM command not allowed", "it is full (maxmemory): give it more memory, or remove what it holds besides"),
    ("READONLY", "it is a read-only replica: name the primary"),
    ("MISCONF", "it cannot save to its disk, and refuses to take what it might lose: look at its log"),
    ("no permissions", "its user may not run the commands that Sulla needs: see docs/redis.md for the list"),
    ("can't run this command", "its user may not run the commands that Sulla needs: see docs/redis.md for the list"),
    ("MOVED", "it is one server of a cluster, and has not all slots: name a Redis that has"),
    ("CLUSTERDOWN", "its cluster is down: look at its log"),
    ("NOAUTH", "it asks for a password: put one into the URL"),
    ("LOADING", "it is still reading its data from the disk: try again in a moment"),
    ("BUSY", "a script of somebody else keeps it busy: end that one (SCRIPT KILL)"),
)
"""What a refusal has in it, and what to do about it."""

_TAKES_NOTHING = ("OOM command not allowed", "READONLY", "MISCONF", "NOREPLICAS")
"""What a refusal to write has in it, by a server that answers who reads."""


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """Where a Redis is, and how to talk about it."""

    shown: str
    """The URL without its password and its query."""
    kind: type[AbstractConnection]
    arguments: dict[str, Any]
    """For `kind`."""
    direct: bool = True
    """Whether to write past redis-py (`redis_line_direct`)."""

    def connection(self) -> AbstractConnection:
        """A connection that waits for an answer as long as it takes: deadlines are the caller's, on our clock.

        Its own default, five seconds, would end a listener's wait as well.
        """
        return self.kind(
            **self.arguments, protocol=2, client_name="sulla", driver_info=None,
            socket_timeout=None, socket_connect_timeout=None,
        )  # fmt: skip


def address_of(url: str, *, direct: bool = True) -> RedisAddress:
    """Read the URL of a Redis.

    Args:
        url: see `FORM`.
        direct: whether to write past redis-py.

    Raises:
        SettingsError: it is none; the message does not repeat its password.
    """
    check_login(url)
    try:
        parts = urlsplit(url)
        shown = _shown(parts.scheme, parts.username, parts.password, parts.hostname, parts.port, parts.path)
        given = parse_qs(parts.query, strict_parsing=bool(parts.query))
        arguments: dict[str, Any] = dict(parse_url(url))
    except ValueError as error:
        raise SettingsError(f"the URL of a Redis cannot be read: expected {FORM}, {ENCODED}") from error
    unknown = sorted(set(given) - _QUERY)
    if unknown:
        raise SettingsError(
            f"{shown}: {unknown[0]!r} is not known behind the '?': expected {', '.join(sorted(_QUERY))}"
        )
    number = given.get("db", [parts.path.strip("/") if parts.scheme != "unix" else ""])[0]
    if number and not number.isdecimal():
        raise SettingsError(f"{shown}: {number!r} is no database: expected a number from 0 on, as in {FORM}")
    if parts.scheme == "unix" and not arguments.get("path"):
        raise SettingsError(f"{shown}: there is no path to a socket: expected {FORM}")
    return RedisAddress(shown, arguments.pop("connection_class", Connection), arguments, direct)


def is_replicas(refusal: RedisRefusal) -> bool:
    """Whether a replica refused to write."""
    return "READONLY" in str(refusal)


def explained(where: str, error: RedisError | RedisRefusal | OSError) -> StoreUnavailable | CorruptRecord:
    """What went wrong, and what to do about it.

    Args:
        where: the URL as it may be shown.
        error: of the client or of the server; neither repeats a password.
    """
    said = str(error)
    if said.startswith("CORRUPT "):
        return CorruptRecord(f"the store {where}: {said.removeprefix('CORRUPT ')}: restore a backup of it")
    if isinstance(error, AuthenticationError):
        remedy = "the user or the password is refused: check them in the URL"
    elif isinstance(error, BusyLoadingError):
        remedy = "it is still reading its data from the disk: try again in a moment"
    elif isinstance(error, RedisRefusal):
        remedy = next((remedy for needle, remedy in _REMEDIES if needle in said), "it refused")
    else:
        remedy = "it cannot be reached: start it, or check the URL"
    refused = isinstance(error, RedisRefusal) and any(needle in said for needle in _TAKES_NOTHING)
    return StoreUnavailable(f"the store {where}: {remedy} ({said})", retry_after_s=1.0, refused=refused)


def _shown(scheme: str, user: str | None, password: str | None, host: str | None, port: int | None, path: str) -> str:
    who = f"{user or ''}{':***' if password else ''}@" if user or password else ""
    host = f"[{host}]" if host and ":" in host else host or ""
    return f"{scheme}://{who}{host}{f':{port}' if port else ''}{path}"
