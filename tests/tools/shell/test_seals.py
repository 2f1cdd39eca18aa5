"""What is kept from a command that somebody may have asked for whom nobody trusts."""

from __future__ import annotations

from pathlib import Path

from sulla.tools.program_files import PROGRAMS
from sulla.tools.shell.seals import MOST_SEALS, seals_of


def test_where_not_all_can_be_sealed_tests_and_scripts_go_last(tmp_path: Path) -> None:
    for number in range(MOST_SEALS):
        (tmp_path / f"test_{number}.py").touch()
    deep = tmp_path / "a/b/package.json"
    deep.parent.mkdir(parents=True)
    deep.touch()
    sealed = [seal.path for seal in seals_of(str(tmp_path), PROGRAMS)]
    assert (len(sealed), sealed[0]) == (MOST_SEALS, str(deep))


def test_a_folder_that_is_called_as_a_build_file_can_be_written_in_and_what_lies_in_it_is_sealed(
    tmp_path: Path,
) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build/Makefile").touch()
    assert [seal.path for seal in seals_of(str(tmp_path), PROGRAMS)] == [str(tmp_path / "build/Makefile")]
