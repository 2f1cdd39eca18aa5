"""The store that the settings name: the only module that names the adapters of stores."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.clock import Clock
from sulla.core.errors import SettingsError
from sulla.daemon.checkup import StoreFile
from sulla.daemon.settings.config import Settings
from sulla.host.place import Place
from sulla.host.store_url import MEMORY, SQLITE, STORE_FILE, StoreUrl, named_store, not_installed, store_file
from sulla.store.base import Store
from sulla.store.checked import CheckedStore
from sulla.store.refusals import Refusals
from sulla.store.url import shown_url
from sulla.threads.log.records import RunStarted


def make_store(settings: Settings, place: Place, *, read_only: bool = False) -> Store:
    """The store that the settings name; not opened yet.

    Args:
        settings: name it.
        place: what it stands on.
        read_only: its file, if it has one, lies where nothing can be written.

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

    return SqliteStore(path, place.clock, place.make_id, read_only=read_only)


def _postgres(named: StoreUrl, place: Place) -> Store:
    try:
        from sulla.store.postgres.store import PostgresStore
    except ModuleNotFoundError as error:
        raise not_installed(named, error, "postgres") from error
    try:
        return PostgresStore(named.url, place.clock, place.make_id)
    except SettingsError as error:
        raise SettingsError(f"{named.source}: {error.message}") from None


def _redis(named: StoreUrl, place: Place) -> Store:
    try:
        from sulla.store.redis.store import RedisStore
    except ModuleNotFoundError as error:
        raise not_installed(named, error, "redis") from error
    try:
        return RedisStore(named.url, place.clock, place.make_id, direct=named.redis_direct)
    except SettingsError as error:
        raise SettingsError(f"{named.source}: {error.message}") from None


_SHARED: dict[str, Callable[[StoreUrl, Place], Store]] = {
    "postgresql": _postgres,
    "postgres": _postgres,
    "redis": _redis,
    "rediss": _redis,
    "unix": _redis,
}
"""Servers by the scheme of their URL."""


def refusals_of(store: Store) -> Refusals:
    """What a store remembers of writes that it refused.

    Args:
        store: as it was made; one that is no backend of Sulla's remembers none.
    """
    return store.refusals if isinstance(store, CheckedStore) else Refusals()


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


def compact_store(settings: Settings, scrub: Callable[[str, bytes], bytes]) -> str:
    """Write the store's file anew, without what was deleted; what came of it, for people. Nobody may have it open.

    Args:
        settings: name it.
        scrub: gives for a record's kind and body the body that takes its place.

    Raises:
        StoreUnavailable: it could not be; it is as it was.
    """
    path = store_file(settings)
    if path is None:
        return "kept by a server, which looks after its own disk"
    from sulla.store.sqlite.file import compact_file

    before, after = compact_file(path, RunStarted.kind, scrub)
    return f"{before:,} bytes written anew as {after:,}"


def store_place(settings: Settings) -> str:
    """Where everything is kept, by a name that holds no password."""
    return store_source(settings).rpartition(" (")[0]


def store_source(settings: Settings) -> str:
    """Where everything is kept, and which setting says so, for people."""
    named = named_store(settings)
    where = named.url
    if named.scheme in _SHARED:
        where = shown_url(named.url)
    elif where != MEMORY:
        where = f"{SQLITE}{settings.place(where.removeprefix(SQLITE) or STORE_FILE)}"
    return f"{where} ({named.source})"
