from __future__ import annotations

import os
from pathlib import Path

import pytest

from sulla.core.errors import PathEscape
from sulla.tools import overflow
from sulla.tools.overflow import FOLDER, keep, rest_of, where
from tests.tools.contexts import use


async def test_a_result_is_kept_where_the_file_tools_find_it(tmp_path: Path) -> None:
    path = await keep(tmp_path, "call_7", ("one\n", "two\n"))
    assert path == ".sulla/outputs/call_7.txt"
    done = await use("read_file", tmp_path, path=path, first_line=2)
    assert done.text == f"[{path}: lines 2-2 of 2]\ntwo"
    assert (tmp_path / path).stat().st_mode & 0o777 == 0o600


async def test_the_same_name_is_replaced(tmp_path: Path) -> None:
    await keep(tmp_path, "a", ("a long first text",))
    path = await keep(tmp_path, "a", ("short",))
    assert (tmp_path / path).read_text() == "short"


@pytest.mark.parametrize("name", ["../../escape", "/etc/x", "a/b", "x" * 500, "nul\0", ".."])
def test_no_name_leads_elsewhere(name: str) -> None:
    path = where(name)
    assert path.startswith(f"{FOLDER}/")
    assert "/" not in path.removeprefix(f"{FOLDER}/")
    assert len(path) < 150


async def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    workspace = tmp_path / "workspace"
    (workspace / FOLDER).mkdir(parents=True)
    (workspace / where("a")).symlink_to(outside)
    with pytest.raises(PathEscape):
        await keep(workspace, "a", ("theirs",))
    assert outside.read_text() == "mine"
    (workspace / "inside").write_text("mine too")
    (workspace / where("b")).symlink_to(workspace / "inside")
    await keep(workspace, "b", ("theirs",))
    assert (workspace / where("b")).read_text() == "theirs"


async def test_a_folder_that_leads_out_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / ".sulla").symlink_to(tmp_path / "elsewhere")
    said = await rest_of(workspace, "a", ("text",))
    assert said.startswith("The rest could not be kept: the path '.sulla/outputs/a.txt' leads out of the workspace")
    assert not list((tmp_path / "elsewhere").iterdir())


async def test_the_oldest_goes_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overflow, "MAX_FILES", 3)
    await _aged(tmp_path, ["x"] * 5)
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == ["n2.txt", "n3.txt", "n4.txt"]


async def test_the_oldest_goes_when_it_is_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overflow, "MAX_TOTAL_BYTES", 100)
    await _aged(tmp_path, ["x" * 40] * 4)
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == ["n2.txt", "n3.txt"]
    await keep(tmp_path, "huge", ("x" * 500,))
    assert [path.name for path in (tmp_path / FOLDER).iterdir()] == ["huge.txt"]


async def _aged(workspace: Path, texts: list[str]) -> None:
    for number, text in enumerate(texts):
        path = workspace / await keep(workspace, f"n{number}", (text,))
        os.utime(path, ns=(number, number))
