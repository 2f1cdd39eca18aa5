"""Folders that a killed daemon left are removed; those of others are not."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sulla.browser.folders import OWNER, PREFIX, BrowserFolder, sweep
from tests.house.source import ROOT

KEEPS = """
import sys
from sulla.browser.folders import BrowserFolder
print(BrowserFolder().path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_what_a_killed_daemon_left_is_removed_and_what_another_one_uses_is_not(root: Path) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", KEEPS], cwd=ROOT, text=True, **pipes) as daemon:  # type: ignore[call-overload]  # pipes
        other = Path(daemon.stdout.readline().strip())
        assert other.parent == root
        (other / "life").write_text("")
        own = BrowserFolder()
        assert (sweep(), other.exists(), own.path.exists()) == (0, True, True)
        daemon.kill()
        daemon.wait()
        assert (sweep(), other.exists(), own.path.exists()) == (1, False, True)
    own.remove()
    assert list(root.iterdir()) == []


def test_what_only_looks_like_one_stays(root: Path) -> None:
    nobodys = root / f"{PREFIX}1"
    nobodys.mkdir()
    elsewhere = root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / OWNER).write_text("1\n")
    (root / f"{PREFIX}2").symlink_to(elsewhere)
    (root / f"{PREFIX}3").write_text("a file")
    assert sweep() == 0
    assert len(list(root.iterdir())) == 4
