from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sulla.cli.self_check import Round, import_all, starter


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with one module that is as it should be."""
    folder = tmp_path / "planted_package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "whole.py").write_text("GOOD = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == folder.name]:
        monkeypatch.delitem(sys.modules, name)
    return folder


def _found(package: Path) -> list[tuple[str, str]]:
    return [(one.result, one.found) for one in import_all(package.name, [str(package)])]


def test_modules_that_can_be_imported_are_counted(package: Path) -> None:
    assert _found(package) == [("ok", "1 module can be imported")]


def test_a_module_that_cannot_be_imported_is_a_fault(package: Path) -> None:
    (package / "broken.py").write_text("1 / 0\n")
    assert _found(package) == [("fault", "planted_package.broken: ZeroDivisionError: division by zero")]


def test_a_module_of_our_own_that_is_missing_is_a_fault(package: Path) -> None:
    (package / "half.py").write_text("import planted_package.gone\n")
    ((result, found),) = _found(package)
    assert result == "fault"
    assert "No module named 'planted_package.gone'" in found


def test_a_module_whose_library_comes_with_an_extra_is_left_out_and_told(package: Path) -> None:
    (package / "more.py").write_text("import no_such_library.part\n")
    assert _found(package) == [("ok", "1 module can be imported; left out is what needs no_such_library")]


def test_a_folder_to_begin_with_that_is_empty_is_a_fault(tmp_path: Path) -> None:
    assert starter("skills", tmp_path, "*/SKILL.md").result == "fault"


async def test_a_daemon_that_does_not_start_is_told_with_what_it_said(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "sulla.toml").write_text("[gateway]\nprt = 1\n")
    finding = await Round(tmp_path).finding()
    assert finding.result == "fault"
    assert "prt" in finding.found
