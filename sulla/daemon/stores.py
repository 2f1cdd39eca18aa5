"""The store that the settings name: one of the two places that name adapters (`minds.py` is the other)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sulla.core.clock import Clock
from sulla.core.errors import SettingsError
from sulla.daemon.checkup import StoreFile
from sulla.daemon.settings.config import Settings
from sulla.host.place import Place
from sulla.memory.base import MemoryIndex
from sulla.memory.note import Capacity
from sulla.memory.settings import MemorySettings
from sulla.store import Store

SQLITE = "sqlite:///"
STORE_FILE = "sulla.db"
MEMORY = "memory:"
MEMORY_SUFFIX = ".memory.db"
"""What agents remember lies beside the store's file, under its name with this ending."""

MEMORY_CONNECTIONS = 2
"""Connections to a PostgreSQL that are the memory's own."""

BUSY_S = 5.0
"""How long a write to that file waits for another process's, in seconds."""


@dataclass(frozen=True, slots=True)
class Named:
    """The store that the settings name."""

    url: str = field(repr=False)
    """Can hold a password; empty for the default."""
    source: str
    """Which setting says so."""
    redis_direct: bool = True
    """How a Redis is written to."""

    @property
    def scheme(self) -> str:
        """What stands before the colon."""
        return self.url.partition(":")[0]


def named_store(settings: Settings) -> Named:
    """Which store it is to be, and who says so (design §3)."""
    kept = settings.store
    given = (
        (kept.url, "SULLA_STORE or store.url"),
        (kept.postgres_url.get_secret_value(), "POSTGRES_URL or store.postgres_url"),
        (kept.redis_url.get_secret_value(), "REDIS_URL or store.redis_url"),
    )
    found = ((url, source) for url, source in given if url)
    return Named(*next(found, ("", "the default")), kept.redis_direct)


def is_shared(settings: Settings) -> bool:
    """Whether it is a server's, which other daemons may use too."""
    return named_store(settings).scheme in _SHARED


def store_file(settings: Settings) -> Path | None:
    """The file that everything is kept in; None for a store without one.

    Raises:
        SettingsError: the settings name no store that there is.
    """
    named = named_store(settings)
    if named.url == MEMORY or named.scheme in _SHARED:
        return None
    path = named.url.removeprefix(SQLITE)
    if named.url and path in ("", named.url):
        # Only the scheme is shown, and only of a URL: what follows can hold a password.
        asked = f" asks for {named.scheme!r}" if "://" in named.url else ""
        fault = asked if asked and named.scheme != "sqlite" else " is not the URL of a store"
        raise SettingsError(f"{named.source}{fault}: expected sqlite:///path, {_SERVERS} or memory:")
    return settings.place(path or STORE_FILE)


def make_store(settings: Settings, place: Place) -> Store:
    """The store that the settings name; not opened yet.

    Raises:
        SettingsError: they name none that there is, or its library is not installed.
    """
    named = named_store(settings)
    if (shared := _SHARED.get(named.scheme)) is not None:
        return shared(named, place)
    path = store_file(settings)
    if path is None:
        from sulla.store.memory import MemoryStore

        return MemoryStore(place.clock, place.make_id)
    from sulla.store.sqlite.store import SqliteStore

    return SqliteStore(path, place.clock, place.make_id)


def make_memory_index(settings: Settings, clock: Clock) -> MemoryIndex:
    """Whoever keeps what agents remember: the server that the store is on, or a file beside the store's.

    Nothing is opened yet.

    Raises:
        SettingsError: the settings name no store that there is, or its library is not installed.
    """
    named, kept = (
        named_store(settings),
        Capacity(settings.section(MemorySettings).episodes, settings.section(MemorySettings).facts),
    )
    if named.scheme in _SHARED:
        return (_redis_memory if _SHARED[named.scheme] is _redis else _postgres_memory)(named, clock, kept)
    from sulla.memory.sqlite import IN_MEMORY, SqliteMemory, open_memory
    from sulla.store.sqlite.thread import SqliteThread

    path = store_file(settings)
    file = path.with_suffix(MEMORY_SUFFIX) if path is not None else IN_MEMORY
    return SqliteMemory(SqliteThread(file, BUSY_S, open_memory), kept)


def _postgres_memory(named: Named, clock: Clock, kept: Capacity) -> MemoryIndex:
    try:
        from sulla.memory.postgres import SCHEMA, PostgresMemory
        from sulla.store.postgres.pool import ANSWER_S, ConnectionPool
        from sulla.store.postgres.url import parse_address
    except ModuleNotFoundError as error:
        raise _not_installed(named, error, "postgres") from error
    pool = ConnectionPool(parse_address(named.url), SCHEMA, clock, most=MEMORY_CONNECTIONS, answer_s=ANSWER_S)
    return PostgresMemory(pool, kept)


def _redis_memory(named: Named, clock: Clock, kept: Capacity) -> MemoryIndex:
    try:
        from sulla.memory.redis import RedisMemory
        from sulla.store.redis.client import RedisClient
        from sulla.store.redis.url import address_of
    except ModuleNotFoundError as error:
        raise _not_installed(named, error, "redis") from error
    return RedisMemory(RedisClient(address_of(named.url, direct=named.redis_direct), clock), kept)


def _postgres(named: Named, place: Place) -> Store:
    try:
        from sulla.store.postgres.store import PostgresStore
    except ModuleNotFoundError as error:
        raise _not_installed(named, error, "postgres") from error
    try:
        return PostgresStore(named.url, place.clock, place.make_id)
    except SettingsError as error:
        raise SettingsError(f"{named.source}: {error.message}") from None


def _redis(named: Named, place: Place) -> Store:
    try:
        from sulla.store.redis.store import RedisStore
    except ModuleNotFoundError as error:
        raise _not_installed(named, error, "redis") from error
    try:
        return RedisStore(named.url, place.clock, place.make_id, direct=named.redis_direct)
    except SettingsError as error:
        raise SettingsError(f"{named.source}: {error.message}") from None


def _not_installed(named: Named, error: ModuleNotFoundError, extra: str) -> SettingsError:
    asked = f"{named.source} asks for {named.scheme!r}, which needs the library {error.name!r}"
    return SettingsError(f"{asked}: pip install 'sulla[{extra}]'")


_SHARED: dict[str, Callable[[Named, Place], Store]] = {
    "postgresql": _postgres,
    "postgres": _postgres,
    "redis": _redis,
    "rediss": _redis,
    "unix": _redis,
}
"""Servers by the scheme of their URL."""

_SERVERS = "postgresql://user@host/database, redis://host"
"""What a server's URL looks like."""


def store_reader(settings: Settings, clock: Clock, *, quiet: bool) -> StoreFile | None:
    """The file that everything is kept in, to be looked at; None for a store without one.

    Args:
        settings: where it is.
        clock: for deadlines.
        quiet: nobody writes to it meanwhile.

    Raises:
        SettingsError: the settings ask for a store that there is not.
    """
    path = store_file(settings)
    if path is None:
        return None
    from sulla.store.sqlite.reader import SqliteReader

    return SqliteReader(path, clock, quiet=quiet)


def store_place(settings: Settings) -> str:
    """Where everything is kept, by a name that holds no password."""
    return store_source(settings).rpartition(" (")[0]


def store_source(settings: Settings) -> str:
    """Where everything is kept, and which setting says so, for people."""
    named = named_store(settings)
    where = named.url
    if named.scheme in _SHARED:
        where = _hidden(named.url)
    elif where != MEMORY:
        where = f"{SQLITE}{settings.place(where.removeprefix(SQLITE) or STORE_FILE)}"
    return f"{where} ({named.source})"


def _hidden(url: str) -> str:
    """A server's URL without what may be secret: its password, and its options, where one could stand too."""
    scheme, _, rest = url.partition("://")
    netloc, slash, path = rest.partition("?")[0].partition("/")
    login, at, host = netloc.rpartition("@")
    if ("@" in rest and not at) or "#" in netloc:
        return (
            f"{scheme}://…"  # A sign in the password that should have been written as %XX: nobody knows what is what.
        )
    return f"{scheme}://{login.partition(':')[0]}{at}{host}{slash}{path}"
