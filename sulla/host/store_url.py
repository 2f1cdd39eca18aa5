"""Which store the settings name."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.distribution import install_hint
from sulla.core.errors import SettingsError
from sulla.host.sections import StoreSettings, WorkSettings
from sulla.host.settings import HomeSettings

SQLITE: Final = "sqlite:///"
STORE_FILE: Final = "sulla.db"
MEMORY: Final = "memory:"
SERVERS: Final = "postgresql://user@host/database, redis://host"
"""What a server's URL looks like."""
POSTGRES: Final = ("postgresql", "postgres")
"""The schemes of a PostgreSQL's URL."""
REDIS: Final = ("redis", "rediss", "unix")
"""Those of a Redis's."""


@dataclass(frozen=True, slots=True)
class StoreUrl:
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

    @property
    def is_shared(self) -> bool:
        """Whether it is a server's, which other daemons may use too."""
        return self.scheme in (*POSTGRES, *REDIS)


def named_store(settings: HomeSettings) -> StoreUrl:
    """Which store it is to be, and who says so (design §3)."""
    kept = settings.section(StoreSettings)
    given = (
        (kept.url, "SULLA_STORE or store.url"),
        (kept.postgres_url.get_secret_value(), "POSTGRES_URL or store.postgres_url"),
        (kept.redis_url.get_secret_value(), "REDIS_URL or store.redis_url"),
    )
    found = ((url, source) for url, source in given if url)
    return StoreUrl(*next(found, ("", "the default")), kept.redis_direct)


def work_database(settings: HomeSettings) -> str:
    """The URL of the PostgreSQL by which work is shared; empty for none. It can hold a password."""
    if given := settings.section(WorkSettings).database_url.get_secret_value():
        return given
    named = named_store(settings)
    return named.url if named.scheme in POSTGRES else ""


def store_file(settings: HomeSettings) -> Path | None:
    """The file that everything is kept in; None for a store without one.

    Raises:
        SettingsError: the settings name no store that there is.
    """
    named = named_store(settings)
    if named.url == MEMORY or named.is_shared:
        return None
    path = named.url.removeprefix(SQLITE)
    if named.url and path in ("", named.url):
        # Only the scheme is shown, and only of a URL: what follows can hold a password.
        asked = f" asks for {named.scheme!r}" if "://" in named.url else ""
        fault = asked if asked and named.scheme != "sqlite" else " is not the URL of a store"
        raise SettingsError(f"{named.source}{fault}: expected sqlite:///path, {SERVERS} or memory:")
    return settings.place(path or STORE_FILE)


def not_installed(named: StoreUrl, error: ModuleNotFoundError, extra: str) -> SettingsError:
    """The error of a store whose library is missing.

    Args:
        named: the store.
        error: says which library.
        extra: of this package, which brings it.
    """
    asked = f"{named.source} asks for {named.scheme!r}, which needs the library {error.name!r}"
    return SettingsError(f"{asked}: {install_hint(extra)}")
