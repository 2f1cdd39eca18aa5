"""What `./dev setup` installs is held to hashes: what makes the environment, and each package in it."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

from tests.house.source import ROOT


def test_what_makes_the_environment_is_one_version_with_hashes() -> None:
    lines = (ROOT / "uv-requirements.txt").read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    (wanted,) = [line for line in lines if not line.startswith("#")]
    assert re.fullmatch(r"uv==[0-9.]+( +--hash=sha256:[0-9a-f]{64})+", wanted)
    assert "--require-hashes" in (ROOT / "dev").read_text(encoding="utf-8")


def test_every_package_of_the_lock_has_hashes() -> None:
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    files = {
        one["name"]: [*one.get("wheels", ()), *([one["sdist"]] if "sdist" in one else [])]
        for one in packages
        if "registry" in one["source"]
    }
    assert len(files) > 50
    assert [name for name, some in files.items() if not some or any("hash" not in file for file in some)] == []


class Clone:
    """A clone whose environment is made, but for its packages, and whose installer only writes down what it is told.

    Args:
        root: the folder that it is in.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("dev", "uv-requirements.txt", "uv.lock", "pyproject.toml"):
            shutil.copy2(ROOT / name, root / name)
        programs = root / ".venv" / "bin"
        programs.mkdir(parents=True)
        (root / ".venv" / "pyvenv.cfg").write_text(f"command = python3 -m venv {root / '.venv'}\n")
        version = re.search(r"^uv==([0-9.]+)", (root / "uv-requirements.txt").read_text(), re.MULTILINE)
        assert version is not None
        self.asked = root / "asked"
        self._program("uv", f'[ "$1" = --version ] && echo "uv {version[1]}" && exit; echo "$*" >>"{self.asked}"')
        self._program("python", "exit 0")
        self._program("sulla", 'echo "sulla $*"')

    def _program(self, name: str, script: str) -> None:
        path = self.root / ".venv" / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o700)

    def dev(self, *words: str) -> tuple[str, list[str]]:
        """Run `./dev`: what it printed, and what the installer was told."""
        self.asked.write_text("")
        said = subprocess.run([self.root / "dev", *words], check=True, capture_output=True, text=True).stdout
        return said, self.asked.read_text().splitlines()


def test_running_installs_what_running_needs_and_tests_install_the_rest(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    said, asked = clone.dev("run", "--port", "0")
    assert said == "sulla up --port 0\n"
    (first,) = asked
    assert first.endswith("--inexact --no-default-groups --all-extras")
    assert clone.dev("run")[1] == [], "it is there"
    (second,) = clone.dev("setup")[1]
    assert second.endswith("--inexact")
    assert clone.dev("setup")[1] == clone.dev("run")[1] == [], "all of it is there"
    with (tmp_path / "uv.lock").open("a") as lock:
        lock.write("\n# another version\n")
    assert len(clone.dev("run")[1]) == len(clone.dev("setup")[1]) == 1
