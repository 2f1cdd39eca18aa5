"""What installed packages bring is found where `importlib.metadata` finds it, and that is loaded for nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from importlib.metadata import Distribution, DistributionFinder, PathDistribution, entry_points
from pathlib import Path

import pytest

from sulla.host.installed import entry_points_of
from tests.house.source import ROOT

GROUP = "planted.group"
FILES = {"METADATA": "Metadata-Version: 2.1\nName: planted\nVersion: 1\n"}
LISTS = {"entry_points.txt": f"[other]\nb = c:D\n\n[{GROUP}]\nlast = planted:LAST\nfirst = planted:FIRST\n"}
Place = Callable[[Path, pytest.MonkeyPatch], None]


def _write(info: Path) -> None:
    info.mkdir(parents=True)
    for name, text in (FILES | LISTS).items():
        (info / name).write_text(text)


def _folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(folder / "planted-1.dist-info")
    monkeypatch.syspath_prepend(str(folder))


def _working_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(folder / "planted-1.dist-info")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend("")


def _old_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(folder / "planted.egg-info")
    monkeypatch.syspath_prepend(str(folder))


def _egg(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(folder / "planted-1.egg" / "EGG-INFO")
    monkeypatch.syspath_prepend(str(folder / "planted-1.egg"))


def _zip(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(folder / "all.zip", "w") as packed:
        for name, text in (FILES | LISTS).items():
            packed.writestr(f"planted-1.dist-info/{name}", text)
    monkeypatch.syspath_prepend(str(folder / "all.zip"))


def _finder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(folder / "hidden" / "planted-1.dist-info")

    class Finder(DistributionFinder):
        def find_spec(self, *_: object) -> None:
            return None

        def find_distributions(self, context: object = None) -> Iterable[Distribution]:
            return [PathDistribution(folder / "hidden" / "planted-1.dist-info")]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])


@pytest.mark.parametrize("place", [_folder, _working_folder, _old_folder, _egg, _zip, _finder])
def test_what_is_found_is_what_the_standard_library_finds(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert entry_points_of(GROUP) == []
    place(tmp_path, monkeypatch)
    assert [point.name for point in entry_points_of(GROUP)] == ["first", "last"]
    assert set(entry_points_of(GROUP)) == set(entry_points(group=GROUP))


def test_what_cannot_be_looked_into_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty-1.dist-info").mkdir()
    (tmp_path / "odd-1.dist-info" / "entry_points.txt").mkdir(parents=True)
    (tmp_path / "file-1.dist-info").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path / "missing"))
    assert entry_points_of(GROUP) == []


@pytest.mark.parametrize(("group", "loaded"), [("no.such.group", False), ("console_scripts", True)])
def test_the_standard_librarys_way_is_loaded_where_a_package_names_the_group(group: str, *, loaded: bool) -> None:
    code = f"""
import sys
from sulla.host.installed import entry_points_of
assert bool(entry_points_of({group!r})) is {loaded}
assert ("importlib.metadata" in sys.modules) is {loaded}
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
