"""Which store it is to be is said by one setting, which is named, and by no word of a password."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

import pytest

from sulla.core.errors import SettingsError
from sulla.daemon.settings.config import Settings, load_settings
from sulla.daemon.stores import make_store, store_place, store_source
from sulla.host.place import Place
from sulla.host.store_url import named_store, store_file
from sulla.testing.clock import ManualClock

POSTGRES, REDIS = "postgresql://u:hunter2@host/db", "redis://u:hunter2@host"


def _settings(home: Path, **environ: str) -> Settings:
    return load_settings(environ, {}, home)


def _place() -> Place:
    numbers = count()
    return Place(ManualClock(), lambda prefix: f"{prefix}_{next(numbers)}", "home:boot", lambda: 0.5)


@pytest.mark.parametrize(
    ("environ", "source"),
    [
        (
            {"SULLA_STORE": "memory:", "POSTGRES_URL": POSTGRES, "REDIS_URL": REDIS},
            "memory: (SULLA_STORE or store.url)",
        ),
        (
            {"POSTGRES_URL": POSTGRES, "REDIS_URL": REDIS},
            "postgresql://u@host/db (POSTGRES_URL or store.postgres_url)",
        ),
        ({"SULLA_STORE": POSTGRES, "REDIS_URL": REDIS}, "postgresql://u@host/db (SULLA_STORE or store.url)"),
        ({"REDIS_URL": REDIS}, "redis://u@host (REDIS_URL or store.redis_url)"),
        ({}, "sqlite://{home}/sulla.db (the default)"),
        ({"SULLA_STORE": "sqlite:///kept.db"}, "sqlite://{home}/kept.db (SULLA_STORE or store.url)"),
    ],
)
def test_the_first_of_these_that_is_set_says_where(tmp_path: Path, environ: dict[str, str], source: str) -> None:
    settings = _settings(tmp_path, **environ)
    wanted = source.replace("{home}", f"/{tmp_path}")
    assert store_source(settings) == wanted
    assert wanted.startswith(store_place(settings))
    assert named_store(settings).is_shared is ("@" in source)
    assert (store_file(settings) is None) is not source.startswith("sqlite")


def test_the_file_of_settings_says_it_as_well(tmp_path: Path) -> None:
    (tmp_path / "sulla.toml").write_text(f'[store]\npostgres_url = "{POSTGRES}"\n')
    assert store_place(_settings(tmp_path)) == "postgresql://u@host/db"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:hunter2@a:1,b:2/db?password=hunter2", "postgresql://u@a:1,b:2/db"),
        ("postgresql://host/db?user=u&password=hunter2", "postgresql://host/db"),
    ],
)
def test_a_servers_url_is_shown_without_its_password(tmp_path: Path, url: str, shown: str) -> None:
    settings = _settings(tmp_path, SULLA_STORE=url)
    assert store_place(settings) == shown
    assert "ter2" not in repr(settings)


def test_a_server_whose_library_is_missing_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for name in [name for name in sys.modules if name.startswith("sulla.store.postgres.")]:
        monkeypatch.delitem(sys.modules, name)
    said = r"POSTGRES_URL or store\.postgres_url asks for 'postgresql', .*'psycopg.*: pip install '.*\[postgres\]'"
    with pytest.raises(SettingsError, match=said):
        make_store(_settings(tmp_path, POSTGRES_URL=POSTGRES), _place())


def test_a_servers_url_that_cannot_be_read_is_named_and_not_shown(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^SULLA_STORE or store\.url: .*expected postgresql://") as told:
        make_store(_settings(tmp_path, SULLA_STORE="postgresql://u:hunter2@[host/db"), _place())
    assert "hunter2" not in str(told.value)
