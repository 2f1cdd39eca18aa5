"""Where a PostgreSQL is: its URL with what a store needs of a connection, and in a form that can be shown."""

from __future__ import annotations

from dataclasses import field

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.store.url import ENCODED, check_login

_ALWAYS = {
    "client_encoding": "UTF8",
    # A peer that vanished is known after some seconds, also where nothing is being asked.
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "5000",
}
_UNLESS_GIVEN = {
    "application_name": "sulla",
    "target_session_attrs": "read-write",  # Of several hosts the one that takes writes.
    "gssencmode": "disable",
}


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """Where a PostgreSQL is."""

    conninfo: str = field(repr=False)
    """For the library; holds the password, if there is one."""
    shown: str
    """For people."""


def parse_address(url: str) -> PostgresAddress:
    """Read a URL as libpq does, with several hosts or a Unix socket too.

    Args:
        url: ``postgresql://user:password@host:port/database?option=value``.

    Raises:
        SettingsError: it is none; the message does not show it, because it can hold a password.
    """
    check_login(url)
    try:
        given = conninfo_to_dict(url)
    except ProgrammingError:
        raise SettingsError(
            f"the URL of a PostgreSQL cannot be read: expected postgresql://user:password@host:port/database, {ENCODED}"
        ) from None
    words = {name: str(value) for name, value in given.items() if value is not None}
    return PostgresAddress(make_conninfo("", **(_UNLESS_GIVEN | words | _ALWAYS)), _shown(words))


def _shown(given: dict[str, str]) -> str:
    """Who, where and what; no password, and no options, where it could stand too."""
    hosts = [f"[{host}]" if ":" in host else host for host in given.get("host", given.get("hostaddr", "")).split(",")]
    ports = given.get("port", "").split(",")
    ports = ports * len(hosts) if len(ports) == 1 else ports
    where = ",".join(f"{host}:{port}" if port else host for host, port in zip(hosts, ports, strict=False))
    user = f"{given['user']}@" if "user" in given else ""
    return f"postgresql://{user}{where}/{given.get('dbname', '')}"
