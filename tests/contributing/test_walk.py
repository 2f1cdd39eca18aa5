"""Adding a capability is one folder and one line, as CONTRIBUTING.md walks through it; and no line from a package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.contributing.walk import Edit, copied, installed, steps
from tests.house.source import ROOT
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)

TITLES = [title for title, _ in steps()]


@dataclass(frozen=True, slots=True)
class Sulla:
    """A Sulla with the capability, and a home for it."""

    environ: Mapping[str, str]
    home: Path

    def tried(self, *words: str) -> tuple[int, str]:
        """A command's exit code, and all that it said."""
        line = [sys.executable, "-m", "sulla", *words]
        done = subprocess.run(line, env=self.environ, capture_output=True, text=True, check=False, cwd=self.home.parent)
        return done.returncode, done.stdout + done.stderr

    def run(self, *words: str) -> str:
        """A command's output; it has to succeed."""
        code, said = self.tried(*words)
        assert code == 0, said
        return said

    @contextmanager
    def up(self) -> Iterator[str]:
        """A daemon of it; its URL."""
        line = [sys.executable, "-m", "sulla", "up", "--port", "0"]
        with subprocess.Popen(
            line, env=self.environ, stdout=subprocess.PIPE, text=True, cwd=self.home.parent
        ) as daemon:
            try:
                assert daemon.stdout is not None
                said = next((line for line in daemon.stdout if line.startswith("ready ")), "")
                assert said, "the daemon did not start"
                yield said.split()[1]
            finally:
                daemon.terminate()


def made(tmp_path: Path, where: Path) -> Sulla:
    """A Sulla that finds its packages in a folder first."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "sulla.toml").write_text("[counter]\nstep = 2\n")
    environ = os.environ | {"PYTHONPATH": str(where), "SULLA_HOME": str(home), "SULLA_MODEL": "offline"}
    environ["PYTHONDONTWRITEBYTECODE"] = "1"
    return Sulla(environ, home)


@pytest.fixture(params=["a folder and a line", "an installed package"])
def sulla(request: pytest.FixtureRequest, tmp_path: Path) -> Sulla:
    """With the whole walk carried out."""
    if request.param == "an installed package":
        (tmp_path / "site").mkdir()
        return made(tmp_path, installed(tmp_path / "site"))
    copy = copied(tmp_path / "copy")
    for _, edits in steps():
        for edit in edits:
            edit.carry_out(copy)
    return made(tmp_path, copy)


def test_it_is_all_there(sulla: Sulla) -> None:
    """Its setting, record, state, method, REST route, command, tool, figure and check."""
    assert "count something in a conversation" in sulla.run("--help")
    token_of = sulla.home / "token"
    with sulla.up() as url:

        def get(path: str, body: object = None) -> str:
            data = json.dumps(body).encode() if body is not None else None
            head = {"Authorization": f"Bearer {token_of.read_text().strip()}", "Content-Type": "application/json"}
            with urllib.request.urlopen(urllib.request.Request(url + path, data, head)) as answer:  # noqa: S310 - ours
                said: str = answer.read().decode()
            return said

        thread = json.loads(get("/api/threads", {}))["thread_id"]
        assert json.loads(get(f"/api/threads/{thread}/counts", {"key": "one"})) == {"total": 2}
        assert json.loads(get(f"/api/threads/{thread}/counts", {"key": "one"})) == {"total": 2}, "the same key, once"
        assert sulla.run("count", thread, "two") == "4\n"
        assert "COUNTED" in sulla.run("thread", "show", thread, "--json")
        assert "count_once" in get("/api/tools")
        assert re.search(r"^sulla_counter_counted_total 2", get("/metrics"), re.MULTILINE)
        assert "counter.add" in get("/asyncapi.json")
        assert "each count is 2 more" in sulla.run("doctor", "--json")
    with sulla.up():
        assert sulla.run("count", thread, "three") == "6\n", "what was counted outlives the daemon"


def test_each_step_leaves_a_sulla_that_works(tmp_path: Path) -> None:
    copy = copied(tmp_path / "copy")
    sulla = made(tmp_path, copy)
    for _, edits in steps():
        for edit in edits:
            edit.carry_out(copy)
        sulla.run("prompt", "show")


@pytest.mark.parametrize(("title", "edits"), steps(), ids=TITLES)
def test_no_step_touches_anything_but_the_folder_and_the_line(title: str, edits: list[Edit]) -> None:
    paths = {edit.path for edit in edits}
    assert paths, f"{title}: a step without a change"
    assert {path for path in paths if not path.startswith("sulla/counter/")} <= {"sulla/capabilities.py"}


def test_what_is_written_there_keeps_the_rules_of_the_house(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    for _, edits in steps():
        for edit in edits:
            edit.carry_out(copy)
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    kept = ROOT / ".mypy_cache" / "walk"  # what the whole house comes to, which does not change between two runs
    for check in (("ruff", "format", "--check"), ("ruff", "check"), ("mypy", "--strict", "--cache-dir", str(kept))):
        line = [sys.executable, "-m", *check, "sulla/counter"]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
