"""What is kept from a command that somebody may have asked for whom nobody trusts."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import Refused
from sulla.tools.program_files import PROGRAMS
from sulla.tools.shell import seals
from sulla.tools.shell.seals import MOST_SEALS, seals_of


def sealed(workspace: Path) -> list[tuple[str, bool]]:
    """What is sealed, and whether as a folder that stands for too much."""
    return [(seal.path.removeprefix(f"{workspace}/"), seal.whole) for seal in seals_of(str(workspace), PROGRAMS)]


def filled(folder: Path, name: str, count: int) -> None:
    """So many files in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / name.format(number)).touch()


def test_where_not_all_can_be_sealed_one_by_one_the_folder_with_most_of_it_is(tmp_path: Path) -> None:
    filled(tmp_path / "tests/unit", "test_{}.py", MOST_SEALS)
    filled(tmp_path, "Makefile", 1)
    assert sealed(tmp_path) == [("tests/unit", True), ("Makefile", False)]


def test_one_file_in_each_of_too_many_folders_seals_what_is_above_them(tmp_path: Path) -> None:
    for number in range(MOST_SEALS + 1):
        filled(tmp_path / f"packages/p{number}", "package.json", 1)
    filled(tmp_path, "Makefile", 1)
    assert sealed(tmp_path) == [("packages", True), ("Makefile", False)]


def test_a_run_that_fills_all_places_with_files_of_its_own_opens_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    filled(tmp_path, ".a{}", MOST_SEALS)
    with pytest.raises(Refused, match=f"in {tmp_path} itself lies more of that than can be kept apart"):
        seals_of(str(tmp_path), PROGRAMS)


def test_what_lies_too_deep_or_cannot_be_looked_at_is_sealed_as_a_whole(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d" * 200] * 6)
    filled(deep, "Makefile", 1)
    ((whole, is_whole),) = sealed(tmp_path)
    assert is_whole
    assert deep.is_relative_to(tmp_path / whole)


def test_folders_beyond_what_is_looked_at_are_sealed_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seals, "MOST_LOOKED", 10)
    filled(tmp_path / "big", "{}.txt", 10)
    filled(tmp_path, "{}.txt", 5)
    assert sealed(tmp_path) == [("big", True)]


def linked(folder: Path, names: range) -> None:
    """Files with a second name in a folder."""
    folder.mkdir(parents=True)
    (first := folder.parent / "first").touch()
    for number in names:
        (folder / f"{number}.txt").hardlink_to(first)


def test_a_folder_that_is_called_as_a_build_file_can_be_written_in_and_what_lies_in_it_is_sealed(
    tmp_path: Path,
) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build/Makefile").touch()
    assert [seal.path for seal in seals_of(str(tmp_path), PROGRAMS)] == [str(tmp_path / "build/Makefile")]
