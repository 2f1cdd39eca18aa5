"""A file that an untrusted run wrote stays untrusted until a person has changed it, whoever reads it and however."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sulla.agent.calls import file_marks, mark_book
from sulla.agent.calls.file_marks import FileMarks
from sulla.core.errors import CorruptRecord
from sulla.core.words import agent
from sulla.tools.base import Tool, ToolContext
from sulla.tools.overflow import FOLDER as OUTPUTS
from tests.doubles.attacks import Hooks
from tests.tools.contexts import context_in

READ = replace(Hooks().tool("read", "path", effect="pure", reach="inward"), files="path")
WRITE = replace(Hooks().tool("write", "path", effect="idempotent", reach="inward"), files="path")
SHELL = replace(Hooks().tool("shell", "command", reach="inward"), files="all")


class Desk:
    """A workspace, and the marks of the home beside it."""

    def __init__(self, root: Path) -> None:
        self.file = root / "home" / "tainted.jsonl"
        self.workspace = root / "workspace"
        self.workspace.mkdir()
        self.marks = FileMarks(self.file)

    def context(self, *, tainted: bool) -> ToolContext:
        return replace(context_in(self.workspace), by=agent(tainted=tainted))

    async def write(self, path: str, text: str, *, tainted: bool = True, tool: Tool = WRITE) -> bool:
        """Have a run write a file; whether its result is tainted."""
        touch = await self.marks.before(tool, {"path": path, "command": "x"}, self.context(tainted=tainted))
        (self.workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (self.workspace / path).write_text(text)
        await self.marks.after(touch, None)
        return touch.tainted

    async def is_tainted(self, path: str = ".", tool: Tool = READ) -> bool:
        """Whether a clean run gets something tainted."""
        touch = await self.marks.before(tool, {"path": path}, self.context(tainted=False))
        await self.marks.after(touch, None)
        return touch.tainted

    def restart(self) -> None:
        self.marks = FileMarks(self.file)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_what_an_untrusted_run_wrote_is_tainted_after_a_restart_too(desk: Desk) -> None:
    await desk.write("a/notes.md", "bad")
    await desk.write("clean.md", "good", tainted=False)
    for _ in range(2):
        assert await desk.is_tainted("a/notes.md")
        assert await desk.is_tainted("a/../a/notes.md")
        assert await desk.is_tainted("a")
        assert await desk.is_tainted(".")
        assert not await desk.is_tainted("clean.md")
        assert await desk.is_tainted(tool=SHELL)
        desk.restart()


async def test_a_link_to_it_is_no_way_around(desk: Desk) -> None:
    await desk.write("notes.md", "bad")
    (desk.workspace / "link.md").symlink_to("notes.md")
    assert await desk.is_tainted("link.md")


async def test_once_a_person_has_changed_it_it_is_trusted_again(desk: Desk) -> None:
    await desk.write("notes.md", "bad")
    (desk.workspace / "notes.md").write_text("read over")
    assert not await desk.is_tainted("notes.md")
    assert not await desk.is_tainted()
    (desk.workspace / "notes.md").write_text("bad")
    assert await desk.is_tainted("notes.md")


async def test_a_clean_run_that_changes_it_does_not_clean_it(desk: Desk) -> None:
    await desk.write("notes.md", "bad")
    assert await desk.write("notes.md", "bad, and more", tainted=False)
    assert await desk.is_tainted("notes.md")


async def test_a_command_marks_what_it_wrote_and_nothing_else(desk: Desk) -> None:
    (desk.workspace / "before.md").write_text("good")
    await desk.write("made.md", "bad", tool=SHELL)
    assert await desk.is_tainted("made.md")
    assert not await desk.is_tainted("before.md")
    # Copied by a clean command: it may have read what is marked.
    await desk.write("copy.md", "bad", tainted=False, tool=SHELL)
    assert await desk.is_tainted("copy.md")


async def test_a_command_in_a_clean_workspace_leaves_it_clean(desk: Desk) -> None:
    assert not await desk.write("made.md", "good", tainted=False, tool=SHELL)
    assert not await desk.is_tainted()


@pytest.mark.parametrize("tool", [WRITE, SHELL], ids=["a write", "a command"])
async def test_a_kill_between_the_mark_and_the_write_leaves_it_tainted(desk: Desk, tool: Tool) -> None:
    await desk.marks.before(tool, {"path": "notes.md"}, desk.context(tainted=True))
    (desk.workspace / "notes.md").write_text("bad")
    desk.restart()
    assert await desk.is_tainted("notes.md")


async def test_the_rest_of_a_long_result_is_tainted(desk: Desk) -> None:
    rest = desk.workspace / OUTPUTS / "call.txt"
    rest.parent.mkdir(parents=True)
    rest.write_text("the rest")
    assert await desk.is_tainted(f"{OUTPUTS}/call.txt")
    assert not await desk.is_tainted(tool=SHELL)  # its own run may have been clean
    await desk.marks.after(await desk.marks.before(READ, {}, desk.context(tainted=False)), rest)
    assert await desk.is_tainted(tool=SHELL)


async def test_a_torn_last_line_is_left_out_and_written_over(desk: Desk) -> None:
    await desk.write("notes.md", "bad")
    with desk.file.open("ab") as file:
        file.write(b'{"/x": "1')
    desk.restart()
    await desk.write("more.md", "bad")
    desk.restart()
    assert await desk.is_tainted("notes.md")
    assert await desk.is_tainted("more.md")


async def test_a_damaged_line_is_never_taken_for_nothing(desk: Desk) -> None:
    await desk.write("notes.md", "bad")
    desk.file.write_bytes(b"garbage\n" + desk.file.read_bytes())
    desk.restart()
    for _ in range(2):
        with pytest.raises(CorruptRecord, match="nobody knows which files can be trusted"):
            await desk.is_tainted("notes.md")


async def test_marks_are_bounded_and_what_is_dropped_is_not_trusted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mark_book, "MOST_MARKS", 5)
    for number in range(12):
        await desk.write(f"n{number}.md", "bad")
    assert len(desk.file.read_bytes().splitlines()) <= 12
    desk.restart()
    assert all([await desk.is_tainted(f"n{number}.md") for number in range(12)])


async def test_dead_marks_make_room(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mark_book, "MOST_MARKS", 5)
    for number in range(5):
        await desk.write(f"n{number}.md", "bad")
        (desk.workspace / f"n{number}.md").unlink()
    await desk.write("last.md", "bad")
    (desk.workspace / "clean.md").write_text("good")
    assert await desk.is_tainted("last.md")
    assert not await desk.is_tainted("clean.md")


async def test_a_workspace_with_too_many_files_is_marked_as_a_whole(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_marks, "MOST_WATCHED", 3)
    for number in range(6):
        (desk.workspace / f"n{number}.md").write_text("good")
    await desk.write("n1.md", "bad", tool=SHELL)
    assert await desk.is_tainted("n0.md")


async def test_a_file_outside_the_workspace_is_marked_where_the_tool_says_which_one_it_is(
    desk: Desk, tmp_path: Path
) -> None:
    page = tmp_path / "projects" / "garden" / "PROJECT.md"
    page.parent.mkdir(parents=True)
    look = replace(READ, files=lambda args, context: tmp_path / "projects" / str(args["project"]) / "PROJECT.md")
    change = replace(look, effect="idempotent")
    touch = await desk.marks.before(change, {"project": "garden"}, desk.context(tainted=True))
    page.write_text("bad")
    await desk.marks.after(touch, None)
    desk.restart()
    assert (await desk.marks.before(look, {"project": "garden"}, desk.context(tainted=False))).tainted
    assert not (await desk.marks.before(look, {"project": "house"}, desk.context(tainted=False))).tainted
    assert not (await desk.marks.before(look, {}, desk.context(tainted=False))).tainted
    page.write_text("read over")
    assert not (await desk.marks.before(look, {"project": "garden"}, desk.context(tainted=False))).tainted
