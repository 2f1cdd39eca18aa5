"""What `./dev setup` installs is held to hashes: what makes the environment, and each package in it."""

from __future__ import annotations

import os
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

    def with_console(self, npm: str) -> Path:
        """Have a console and what its gates run by: the file of it that a test may change.

        Args:
            npm: what `npm` does, in the words of a shell.
        """
        for name in ("mypy", "ruff", "lint-imports", "node", "npm"):
            self._program(name, npm if name == "npm" else "exit 0")
        modules = self.root / "console" / "node_modules"
        modules.mkdir(parents=True)
        (modules / ".package-lock.json").write_text("{}")
        (self.root / "console" / "package-lock.json").write_text("{}")
        source = self.root / "console" / "source.ts"
        source.write_text("one")
        return source

    def dev(self, *words: str, fails: bool = False) -> tuple[str, list[str]]:
        """Run `./dev`: what it printed, and what the installer was told."""
        self.asked.write_text("")
        programs = f"{self.root / '.venv' / 'bin'}:{os.environ['PATH']}"
        ran = subprocess.run(
            [self.root / "dev", *words],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": programs},
        )
        assert (ran.returncode != 0) == fails, ran.stdout + ran.stderr
        return ran.stdout, self.asked.read_text().splitlines()


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


def test_the_consoles_gates_run_anew_unless_they_held_with_each_file_as_it_is(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    asked = tmp_path / "npm"
    source = clone.with_console(
        f'echo "$*" >>"{asked}"; case $* in *lint*) exit "$(cat "{tmp_path / "lints"}")";; esac'
    )
    (tmp_path / "lints").write_text("1")
    asked.write_text("")

    def gates_run(*, fails: bool = False) -> int:
        before = asked.read_text().count("--silent lint")
        clone.dev("check", fails=fails)
        return asked.read_text().count("--silent lint") - before

    assert gates_run(fails=True) == 1
    assert gates_run(fails=True) == 1, "what failed is looked at again"
    (tmp_path / "lints").write_text("0")
    assert gates_run() == 1
    assert gates_run() == 0, "nothing has changed since it held"
    assert "console-lint: ok" in clone.dev("check")[0]
    source.write_text("two")
    assert gates_run() == 1
