"""The SQLite keeper passes the kit."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from sulla.store.sqlite import SqliteStore
from tests.kits.store_kit import StoreKit
from tests.kits.store_world import ManualWorld, StoreWorld


def _world(path: Path) -> ManualWorld:
    return ManualWorld(lambda clock, make_id: SqliteStore(path, clock, make_id))


class TestSqliteStore(StoreKit):
    """One file is one store."""

    @pytest.fixture
    def world(self, tmp_path: Path) -> StoreWorld:
        return _world(tmp_path / "sulla.db")

    @pytest.fixture
    def new_world(self, tmp_path: Path) -> Callable[[], StoreWorld]:
        numbers = count()
        return lambda: _world(tmp_path / f"{next(numbers)}.db")
