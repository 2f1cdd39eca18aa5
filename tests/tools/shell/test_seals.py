"""What is kept from a command that somebody may have asked for whom nobody trusts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sulla.core.errors import Refused
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


def linked(folder: Path, names: range) -> None:
    """Files with a second name in a folder."""
    folder.mkdir(parents=True)
    (first := folder.parent / "first").touch()
    for number in names:
        (folder / f"{number}.txt").hardlink_to(first)


def test_a_workspace_of_more_linked_files_than_can_be_sealed_is_refused_with_what_to_do(tmp_path: Path) -> None:
    linked(tmp_path / "workspace", range(MOST_SEALS + 1))
    said = (
        f"{MOST_SEALS + 1} files of the workspace have a second name elsewhere (hard links) or are sockets, such as 0."
    )
    with pytest.raises(Refused, match=re.escape(said)):
        seals_of(str(tmp_path / "workspace"), PROGRAMS)


def test_program_files_get_what_linked_files_leave(tmp_path: Path) -> None:
    linked(tmp_path / "workspace", range(MOST_SEALS - 1))
    for name in ("package.json", "test_a.py"):
        (tmp_path / "workspace" / name).touch()
    sealed = [Path(seal.path).name for seal in seals_of(str(tmp_path / "workspace"), PROGRAMS)]
    assert (len(sealed), sealed[-1]) == (MOST_SEALS, "package.json")
