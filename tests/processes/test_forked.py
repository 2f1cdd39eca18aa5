"""A process that is forked is like one that begins afresh: environment, files, folder, session, exit code, signals."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from sulla import __version__
from tests.daemon.running import PATIENCE_S, Place
from tests.processes.forked import Process, start

each_way = pytest.mark.parametrize("afresh", [False, True], ids=["forked", "afresh"])


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "home", SULLA_MODEL="offline")


@each_way
def test_it_prints_where_it_was_told_to_and_ends_with_its_exit_code(place: Place, tmp_path: Path, afresh: bool) -> None:
    with (tmp_path / "errors").open("w") as errors:
        with start(["--version"], place.environ, stderr=errors.fileno(), afresh=afresh) as told:
            assert told.stdout.read() == f"sulla {__version__}\n"
            assert told.wait(PATIENCE_S) == 0
        with start(["nothing"], place.environ, stderr=errors.fileno(), afresh=afresh) as wrong:
            assert wrong.wait(PATIENCE_S) == wrong.poll() == 2
    assert "usage: sulla" in (tmp_path / "errors").read_text()


@each_way
def test_it_has_the_environment_and_the_folder_that_it_was_given(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, afresh: bool
) -> None:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path / "another"))
    monkeypatch.chdir(tmp_path)
    environ = place.environ | {"SULLA_HOME": "here"} | ({"PYTHONPATH": str(_ROOT)} if afresh else {})
    with start(["token"], environ, stderr=2, afresh=afresh) as told:
        assert told.stdout.read() == (tmp_path / "here" / "token").read_text()
    assert not (tmp_path / "another").exists()


_ROOT = Path(__file__).resolve().parents[2]


def _up(place: Place, *, afresh: bool, session: bool = False) -> Process:
    daemon = start(["up", "--port", "0"], place.environ, stderr=2, afresh=afresh, session=session)
    while not daemon.stdout.readline().startswith("ready "):
        assert daemon.poll() is None
    return daemon


@each_way
def test_it_is_a_process_of_its_own_and_takes_signals(place: Place, afresh: bool) -> None:
    with _up(place, afresh=afresh) as daemon:
        assert daemon.pid != os.getpid()
        assert os.getpgid(daemon.pid) == os.getpgid(0)
        with pytest.raises(subprocess.TimeoutExpired):
            daemon.wait(0.01)
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(PATIENCE_S) == 0
        daemon.send_signal(signal.SIGTERM)
        daemon.kill()


@each_way
def test_a_signal_that_ends_it_is_its_exit_code(place: Place, afresh: bool) -> None:
    with _up(place, afresh=afresh, session=True) as daemon:
        assert os.getsid(daemon.pid) == daemon.pid
        daemon.kill()
        assert daemon.wait(PATIENCE_S) == -signal.SIGKILL
