"""The wheel and the sdist, as they would be published: installed where nothing of the repository is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import sulla
from tests.house.source import ROOT

UV = Path(sys.executable).with_name("uv")


def _uv(*words: str | Path) -> None:
    done = subprocess.run([UV, *words], capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with both; the wheel is built from the sdist, as an index would have it."""
    folder = tmp_path_factory.mktemp("published")
    _uv("build", "--quiet", "--offline", "--out-dir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def program(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of the wheel. Only the libraries come from the environment of the tests: there may be no network."""
    folder = tmp_path_factory.mktemp("empty")
    _uv("venv", "--quiet", "--python", sys.executable, folder / "env")
    python = folder / "env" / "bin" / "python"
    _uv("pip", "install", "--quiet", "--offline", "--no-deps", "--python", python, *published.glob("*.whl"))
    [site] = (folder / "env" / "lib").glob("python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "env" / "bin" / "sulla"


def _run(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run it with nothing of this environment and this folder."""
    home = program.parents[2]
    environ = {"PATH": os.defpath, "HOME": str(home), "SULLA_HOME": str(home / "home")}
    return subprocess.run(
        [program, *words], cwd=home, env=environ, capture_output=True, text=True, timeout=150, check=False
    )


def test_the_sdist_has_what_a_build_needs_and_the_wheel_the_program_alone(published: Path) -> None:
    (wheel,), (sdist,) = published.glob("*.whl"), published.glob("*.tar.gz")
    assert wheel.name == f"sulla_agent-{sulla.__version__}-py3-none-any.whl"
    assert sdist.name == f"sulla_agent-{sulla.__version__}.tar.gz"


def test_the_installed_program_says_its_version(program: Path) -> None:
    assert sulla.__version__ in _run(program, "--version").stdout


@pytest.mark.timeout(300)
def test_what_was_installed_is_whole_and_answers(program: Path) -> None:
    run = _run(program, "self-check", "--json")
    told = json.loads(run.stdout)
    assert (run.returncode, told["faults"]) == (0, 0), told
    checks = {one["check"]: one["found"] for one in told["checks"]}
    assert checks.keys() == {"libraries", "modules", "starter", "console", "answer"}
    assert str(program.parents[1]) in checks["starter"], "it is the wheel's, not the repository's"
