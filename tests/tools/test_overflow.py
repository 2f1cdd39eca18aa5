from __future__ import annotations

import os
from pathlib import Path

import pytest

from sulla.core.errors import PathEscape
from sulla.core.ids import derived_id
from sulla.tools import overflow
from sulla.tools.overflow import FOLDER, keep, kept_names, remove, rest_of, where
from tests.tools.contexts import use


def called(number: int) -> str:
    return derived_id("tool", str(number))


async def test_a_result_is_kept_where_the_file_tools_find_it(tmp_path: Path) -> None:
    path = await keep(tmp_path, called(7), ("one\n", "two\n"))
    assert path == f".sulla/outputs/{called(7)}.txt"
    done = await use("read_file", tmp_path, path=path, first_line=2)
    assert done.text == f"[{path}: lines 2-2 of 2]\ntwo"
    assert (tmp_path / path).stat().st_mode & 0o777 == 0o600


async def test_git_passes_over_what_is_kept_unless_somebody_says_otherwise(tmp_path: Path) -> None:
    await keep(tmp_path, called(1), ("x",))
    ignored = tmp_path / ".sulla" / ".gitignore"
    assert ignored.read_text() == "*\n"
    ignored.write_text("mine\n")
    await keep(tmp_path, called(2), ("x",))
    assert ignored.read_text() == "mine\n"


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
    assert path == where(name)


async def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    workspace = tmp_path / "workspace"
    (workspace / FOLDER).mkdir(parents=True)
    (workspace / where("a")).symlink_to(mine)
    await keep(workspace, "a", ("theirs",))
    assert mine.read_text() == "mine"
    assert (workspace / where("a")).read_text() == "theirs"
    assert not (workspace / where("a")).is_symlink()


@pytest.mark.parametrize("link", [".sulla", FOLDER])
@pytest.mark.parametrize("target", ["workspace/.cfg", "elsewhere"])
async def test_a_link_in_the_place_of_the_folder_is_refused_in_words(tmp_path: Path, link: str, target: str) -> None:
    """Whether it leads out of the workspace or not: nothing behind it is written or removed."""
    workspace, behind = tmp_path / "workspace", tmp_path / target
    for folder in (behind, behind / "outputs"):
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(overflow.MAX_FILES + 5):
            (folder / f"{called(number)}.txt").write_text("mine")
    (workspace / link).parent.mkdir(parents=True, exist_ok=True)
    (workspace / link).symlink_to(behind)
    before = sorted(behind.rglob("*"))
    said = await rest_of(workspace, "a", ("text",))
    assert said.startswith("The rest could not be kept: '.sulla/outputs' of the workspace has to be a folder, and ")
    assert f"{Path(link).name!r} on the way there is a link; remove it" in said
    with pytest.raises(PathEscape, match="is a link; remove it"):
        kept_names(workspace)
    with pytest.raises(PathEscape, match="is a link; remove it"):
        remove(workspace, [called(1)])
    assert sorted(behind.rglob("*")) == before


async def test_so_is_a_file(tmp_path: Path) -> None:
    (tmp_path / ".sulla").write_text("mine")
    with pytest.raises(PathEscape, match=r"'.sulla' on the way there is a file; remove it"):
        await keep(tmp_path, "a", ("text",))
    assert (tmp_path / ".sulla").read_text() == "mine"


async def test_what_does_not_bear_a_name_of_ours_or_has_a_second_one_is_never_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overflow, "MAX_FILES", 1)
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    theirs = {"todo.txt", "tool_1.txt", f"{called(0)}.md", f"{called(1)}.txt", f"{called(2)}.txt", f"{called(3)}.txt"}
    for name in theirs - {f"{called(2)}.txt", f"{called(3)}.txt"}:
        (folder / name).write_text("mine")
    (tmp_path / "second").hardlink_to(folder / f"{called(1)}.txt")
    (folder / f"{called(2)}.txt").symlink_to(tmp_path / "second")
    (folder / f"{called(3)}.txt").mkdir()
    await _aged(tmp_path, ["x"] * 3)
    assert {path.name for path in folder.iterdir()} == theirs | {f"{called(12)}.txt"}
    assert kept_names(tmp_path) == [called(12)]
    remove(tmp_path, [called(1), called(2), called(3), called(12), "todo"])
    assert {path.name for path in folder.iterdir()} == theirs


def test_where_nothing_was_kept_nothing_is_found_and_nothing_made(tmp_path: Path) -> None:
    assert kept_names(tmp_path) == []
    remove(tmp_path, [called(1)])
    assert not list(tmp_path.iterdir())


async def test_what_a_job_printed_is_ours(tmp_path: Path) -> None:
    name = f"{derived_id('thr', 'x')}-job_12"
    assert await keep(tmp_path, name, ("x",)) == f"{FOLDER}/{name}.txt"
    assert kept_names(tmp_path) == [name]


async def test_the_oldest_goes_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overflow, "MAX_FILES", 3)
    await _aged(tmp_path, ["x"] * 5)
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == sorted(
        f"{called(n)}.txt" for n in (12, 13, 14)
    )


async def test_the_oldest_goes_when_it_is_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overflow, "MAX_TOTAL_BYTES", 100)
    await _aged(tmp_path, ["x" * 40] * 4)
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == sorted(f"{called(n)}.txt" for n in (12, 13))
    huge = await keep(tmp_path, "huge", ("x" * 500,))
    assert list((tmp_path / FOLDER).iterdir()) == [tmp_path / huge]


async def _aged(workspace: Path, texts: list[str]) -> None:
    for number, text in enumerate(texts):
        path = workspace / await keep(workspace, called(10 + number), (text,))
        os.utime(path, ns=(number, number))
