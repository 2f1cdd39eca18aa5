"""Defects that are planted on purpose, one at a time, in a copy of the tree: the tests that each names have to fail.

They are data, in the files `*.toml` beside this one. A section's name says what the defect does:

    [fold-doubles-inputs]
    file = "sulla/threads/log/fold.py"   # what it is planted in
    text = "seq <= state.inbox.seen"     # what is replaced; it occurs there exactly once
    instead = "False"                    # what with
    tests = ["tests/threads/test_x.py"]  # node ids, as pytest is given them: each has to fail

`python -m tests.planted.defects NAME...` plants some by hand, and prints what pytest said.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.house.source import ROOT
from tests.kits.points import seed

TABLES = Path(__file__).parent
COPIED = ("sulla", "tests", "bench", "docs", "skills", "workflows", "projects")
"""What tests read or start."""
BESIDE = ("pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "dev", "uv.lock")
PATIENCE_S = 600.0
"""How long the tests of one defect may take, on a machine that is ten times as slow as ours."""
_BAD = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
_OVERDUE = re.compile(r"Timeout \(>|Session timeout")


@dataclass(frozen=True, slots=True)
class Defect:
    """One planted defect; see above."""

    name: str
    file: str
    text: str
    instead: str
    tests: tuple[str, ...]

    @property
    def place(self) -> str:
        """What is wrong about where it is to be planted; empty if nothing is."""
        found = (ROOT / self.file).read_text(encoding="utf-8").count(self.text) if (ROOT / self.file).is_file() else 0
        if found == 1:
            return ""
        return f"{self.name}: {self.file} has {found} times, expected once: {self.text!r}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What tests came to."""

    code: int
    """What pytest ended with: 0 if all passed, 1 if some failed, else something is wrong with what it was given."""
    bad: frozenset[str]
    """The node ids of those that failed."""
    said: str

    @property
    def overdue(self) -> bool:
        """Whether it was only that time ran out: on a slow machine that proves nothing."""
        return _OVERDUE.search(self.said) is not None

    def missing(self, tests: Iterable[str]) -> list[str]:
        """Those of `tests` of which nothing failed."""
        return [test for test in tests if not any(_is_of(bad, test) for bad in self.bad)]


def _is_of(node: str, test: str) -> bool:
    """Whether a test is one of those that a node id stands for: of a function, a file or a folder."""
    return node == test or node.startswith((f"{test}[", f"{test}::", f"{test}/"))


def read(tables: Mapping[str, str] | None = None) -> list[Defect]:
    """All that there are.

    Args:
        tables: the texts of the tables, by name; None for those beside this file.
    """
    if tables is None:
        tables = {path.stem: path.read_text(encoding="utf-8") for path in sorted(TABLES.glob("*.toml"))}
    found = []
    for table, text in tables.items():
        for name, row in tomllib.loads(text).items():
            tests = tuple(row.pop("tests"))
            found.append(Defect(f"{table}: {name}", tests=tests, **row))
    return found


class Copy:
    """A copy of the tree, in which tests are run.

    Args:
        folder: where; it is made.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in COPIED:
            shutil.copytree(ROOT / name, folder / name)
        for name in BESIDE:
            shutil.copy2(ROOT / name, folder / name)

    @contextmanager
    def planted(self, defect: Defect) -> Iterator[None]:
        """The copy with a defect.

        Raises:
            AssertionError: its text is not there exactly once.
        """
        assert not defect.place, defect.place
        file = self._folder / defect.file
        before = file.read_text(encoding="utf-8")
        file.write_text(before.replace(defect.text, defect.instead), encoding="utf-8")
        try:
            yield
        finally:
            shutil.copy2(ROOT / defect.file, file)

    def run(self, tests: Iterable[str], patience_s: float = PATIENCE_S) -> Verdict:
        """Run tests there.

        Args:
            tests: node ids, as pytest is given them.
            patience_s: how long they may take.
        """
        environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        # What is compiled is known by its age in seconds and its size: a defect of the same size could be overlooked.
        environ |= {"PYTHONPATH": str(self._folder), "PYTHONDONTWRITEBYTECODE": "1", "POINTS_SEED": seed()}
        # With one seed: whether a property notices a defect must not be a matter of chance.
        line = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", "--hypothesis-seed=0", *tests]
        done = subprocess.run(
            line, cwd=self._folder, env=environ, timeout=patience_s, capture_output=True, text=True, check=False
        )
        said = done.stdout + done.stderr
        return Verdict(done.returncode, frozenset(_BAD.findall(said)), said)


def main(names: list[str]) -> int:
    """Plant those whose names hold one of the words, and say of each whether it was noticed."""
    unnoticed = 0
    with tempfile.TemporaryDirectory(prefix="sulla-planted-") as folder:
        copy = Copy(Path(folder) / "tree")
        for defect in read():
            if not any(name in defect.name for name in names):
                continue
            with copy.planted(defect):
                verdict = copy.run(defect.tests)
            missing = verdict.missing(defect.tests)
            noticed = verdict.code == 1 and not missing and not verdict.overdue
            unnoticed += not noticed
            sys.stdout.write(f"{'noticed ' if noticed else 'MISSED  '} {defect.name} (exit {verdict.code})\n")
            if not noticed:
                sys.stdout.write(f"{missing}\n{verdict.said[-4000:]}\n")
            sys.stdout.flush()
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
