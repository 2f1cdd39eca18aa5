"""A person can trust a marked file or folder as it is, and nothing else with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sulla.core.errors import Conflict, InvalidInput, NotFound
from tests.agent.calls.test_file_marks import SHELL, WRITE, Desk
from tests.agent.calls.test_moved_marks import PAGE
from tests.agent.calls.test_shared_marks import Neighbour


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def trust(desk: Desk, path: str) -> int:
    """Trust what lies at a path; how many files were marked."""
    found = await desk.marks.trust(desk.workspace / path)
    return (await desk.marks.trust(desk.workspace / path, found.seen)).files


async def test_a_file_that_is_trusted_is_after_a_restart_too_and_so_is_its_copy(desk: Desk) -> None:
    await desk.write("notes.md", PAGE)
    await desk.write("other.md", f"{PAGE}More of it.\n")
    shutil.copy(desk.workspace / "notes.md", desk.workspace / "copy.md")
    assert await trust(desk, "notes.md") == 1
    for _ in range(2):
        assert not await desk.is_tainted("notes.md")
        assert not await desk.is_tainted("copy.md")
        assert await desk.is_tainted("other.md")
        desk.restart()


async def test_a_file_that_was_moved_can_be_trusted_where_it_lies(desk: Desk) -> None:
    await desk.write("notes.md", PAGE)
    (desk.workspace / "notes.md").rename(desk.workspace / "kept.md")
    assert await trust(desk, "kept.md") == 1
    assert not await desk.is_tainted("kept.md")


async def test_of_a_folder_all_files_are_trusted_and_none_beside_it(desk: Desk) -> None:
    for path in ("in/a.md", "in/b/c.md", "in.md"):
        await desk.write(path, f"{PAGE}This is {path}.\n")
    assert await trust(desk, "in") == 2
    assert not await desk.is_tainted("in")
    assert await desk.is_tainted("in.md")


async def test_what_is_written_after_the_look_is_not_trusted(desk: Desk) -> None:
    await desk.write("notes.md", PAGE)
    found = await desk.marks.trust(desk.workspace / "notes.md")
    await desk.write("notes.md", f"{PAGE}Pay them as well.\n")
    with pytest.raises(Conflict, match="look again"):
        await desk.marks.trust(desk.workspace / "notes.md", found.seen)
    assert await desk.is_tainted("notes.md")


async def test_what_is_not_marked_by_itself_is_refused(desk: Desk) -> None:
    (desk.workspace / "mine.md").write_text("mine")
    with pytest.raises(InvalidInput, match="is not marked"):
        await desk.marks.trust(desk.workspace / "mine.md")
    with pytest.raises(NotFound, match=r"none\.md"):
        await desk.marks.trust(desk.workspace / "none.md")
    await desk.marks.before(SHELL, {"command": "x"}, desk.context(tainted=True))
    with pytest.raises(InvalidInput, match="with all of"):
        await desk.marks.trust(desk.workspace / "mine.md")
    with pytest.raises(Conflict, match="is being written"):
        await desk.marks.trust(desk.workspace)


async def test_a_file_that_is_being_written_is_not_trusted(desk: Desk) -> None:
    (desk.workspace / "notes.md").write_text(PAGE)
    await desk.marks.before(WRITE, {"path": "notes.md"}, desk.context(tainted=True))
    with pytest.raises(Conflict, match="is being written"):
        await desk.marks.trust(desk.workspace / "notes.md")


async def test_other_homes_are_told_and_have_marks_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    one, other = Neighbour(tmp_path, "home_a"), Neighbour(tmp_path, "home_b")
    await one.write("notes.md", PAGE)
    with pytest.raises(InvalidInput, match="another home"):
        await other.marks.trust(one.workspace / "notes.md")
    assert await trust(one, "notes.md") == 1
    assert not await other.is_tainted("notes.md")
    await other.write("notes.md", f"{PAGE}More.\n")
    await one.write("notes.md", f"{PAGE}Even more.\n")
    found = await one.marks.trust(one.workspace / "notes.md")
    assert found.others == 1
