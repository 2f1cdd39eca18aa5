"""The store that the settings name: one of the two places that name adapters (`minds.py` is the other)."""

from __future__ import annotations

from pathlib import Path

from sulla.core.clock import Clock
from sulla.core.errors import SettingsError
from sulla.daemon.checkup import StoreFile
from sulla.daemon.config import Settings
from sulla.daemon.place import Place
from sulla.store import Store

SQLITE = "sqlite:///"
STORE_FILE = "sulla.db"
MEMORY = "memory:"


def store_file(settings: Settings) -> Path | None:
    """The file that everything is kept in; None for a store without one.

    Raises:
        SettingsError: the settings name no store that there is.
    """
    url = settings.store.url
    if not url:
        for name, given in (("POSTGRES_URL", settings.store.postgres_url), ("REDIS_URL", settings.store.redis_url)):
            if given.get_secret_value():
                raise SettingsError(
                    f"{name} is set, but this version keeps everything in SQLite only: unset it, or set "
                    "SULLA_STORE=sqlite:///path to say so"
                )
    if url == MEMORY:
        return None
    path = url.removeprefix(SQLITE)
    if url and path in ("", url):
        scheme, found, _ = url.partition("://")  # what follows can hold a password
        known = not found or scheme == "sqlite"
        fault = "is not the URL of a store" if known else f"asks for {scheme!r}, but this version keeps all in SQLite"
        raise SettingsError(f"store.url (SULLA_STORE) {fault}: expected sqlite:///path or memory:")
    return settings.place(path or STORE_FILE)


def make_store(settings: Settings, place: Place) -> Store:
    """The store that the settings name; not opened yet.

    Raises:
        SettingsError: they name none that there is.
    """
    path = store_file(settings)
    if path is None:
        from sulla.store.memory import MemoryStore

        return MemoryStore(place.clock, place.make_id)
    from sulla.store.sqlite import SqliteStore

    return SqliteStore(path, place.clock, place.make_id)


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
    from sulla.store.sqlite_reader import SqliteReader

    return SqliteReader(path, clock, quiet=quiet)


def store_place(settings: Settings) -> str:
    """Where everything is kept, by a name that holds no password."""
    return store_source(settings).rpartition(" (")[0]


def store_source(settings: Settings) -> str:
    """Where everything is kept, and which setting says so, for people."""
    url, source = settings.store.url, "SULLA_STORE or store.url" if settings.store.url else "the default"
    if url != MEMORY:
        url = f"{SQLITE}{settings.place(url.removeprefix(SQLITE) or STORE_FILE)}"
    return f"{url} ({source})"
