"""A URL is read as libpq reads it, and shown without what is secret."""

from __future__ import annotations

import pytest
from psycopg.conninfo import conninfo_to_dict

from sulla.core.errors import SettingsError
from sulla.store.postgres.url import parse_address


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:hunter2@host:5433/db", "postgresql://u@host:5433/db"),
        ("postgres://u:hun%40ter2@host/db", "postgresql://u@host/db"),
        ("postgresql://host/db?user=u&password=hunter2", "postgresql://u@host/db"),
        ("postgresql://u:hunter2@a:1,b:2/db?sslpassword=hunter2", "postgresql://u@a:1,b:2/db"),
        ("postgresql://u:hunter2@a,b/db", "postgresql://u@a,b/db"),
        ("postgresql://u@/db?host=/var/run&port=5433", "postgresql://u@/var/run:5433/db"),
        ("postgresql://[::1]:5433/db", "postgresql://[::1]:5433/db"),
        ("postgresql://", "postgresql:///"),
    ],
)
def test_a_url_is_shown_without_its_secrets(url: str, shown: str) -> None:
    address = parse_address(url)
    assert address.shown == shown
    assert "hunter2" not in repr(address)


@pytest.mark.parametrize("url", ["postgresql://u:hunter2@[host/db", "postgresql://u:h%ZZunter2@host/db", "hunter2"])
def test_what_is_no_url_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(SettingsError, match="expected postgresql://user:password@host:port/database") as told:
        parse_address(url)
    assert "unter2" not in str(told.value)
    assert told.value.__cause__ is None


def test_what_people_ask_of_the_connection_goes_before_what_is_usual() -> None:
    given = conninfo_to_dict(parse_address("postgresql://host/db?application_name=mine&tcp_user_timeout=1").conninfo)
    assert given["application_name"] == "mine"
    assert given["target_session_attrs"] == "read-write"
    assert given["tcp_user_timeout"] == "5000", "a deadline of ours"
