from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import ToolCall
from sulla.core.words import Author, Words, ours
from sulla.tools.base import Done
from sulla.tools.builtin import files as module
from sulla.tools.builtin.files import MAX_ENTRIES, MAX_FILE_BYTES, MAX_WRITE_BYTES, file_tools
from sulla.tools.builtin.ranges import MAX_SHOWN_BYTES
from sulla.tools.call import run_call
from sulla.tools.origins import AllTrusted
from sulla.tools.registry import Toolbox
from tests.tools.contexts import context_in, use, use_whole


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "workspace"
    (place / "docs").mkdir(parents=True)
    (place / "docs" / "three.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / "secret.txt").write_text("secret")
    (place / "out").symlink_to("../secret.txt")
    return place


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_a_repeat_would_do_is_declared() -> None:
    assert {tool.name: tool.effect for tool in file_tools()} == {
        "read_file": "pure",
        "list_dir": "pure",
        "search_files": "pure",
        "write_file": "idempotent",
    }
    assert {tool.category for tool in file_tools()} == {"files"}


ESCAPES: list[tuple[str, dict[str, str]]] = [
    ("read_file", {}),
    ("list_dir", {}),
    ("write_file", {"content": "x"}),
    ("search_files", {"pattern": "secret"}),
]


@pytest.mark.parametrize(("tool", "args"), ESCAPES, ids=str)
@pytest.mark.parametrize("path", ["../secret.txt", "out", "/etc/passwd", "docs/../../secret.txt"])
async def test_no_file_tool_leaves_the_workspace(root: Path, tool: str, args: dict[str, str], path: str) -> None:
    result = await use(tool, root, path=path, **args)
    assert result.is_error
    assert "leads out of the workspace" in result.text
    assert (root.parent / "secret.txt").read_text() == "secret"


# ----------------------------------------------------------------------------------------------------------- reading


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        ({}, "[docs/three.txt: lines 1-3 of 3]\none\ntwo\nthree"),
        ({"first_line": 2}, "[docs/three.txt: lines 2-3 of 3]\ntwo\nthree"),
        ({"lines": 1}, "[docs/three.txt: lines 1-1 of 3; go on with first_line=2]\none"),
        ({"first_line": 2, "lines": 1}, "[docs/three.txt: lines 2-2 of 3; go on with first_line=3]\ntwo"),
        ({"first_line": 3, "lines": 9}, "[docs/three.txt: lines 3-3 of 3]\nthree"),
    ],
)
async def test_a_range_of_lines_says_which_of_how_many(root: Path, args: dict[str, int], shown: str) -> None:
    assert await use("read_file", root, path="docs/three.txt", **args) == Done(
        Words(shown, Author.AGENT), origin="file"
    )


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"", "[x is empty]"),
        (b"no newline", "[x: lines 1-1 of 1]\nno newline"),
        (b"\n\n", "[x: lines 1-2 of 2]\n\n"),
        (b"  indented\r\n\tkept\r\n", "[x: lines 1-2 of 2]\n  indented\r\n\tkept\r"),
        ("\ufeffwith a mark é".encode(), "[x: lines 1-1 of 1]\nwith a mark é"),
        ("a\u2028b\x0cc".encode(), "[x: lines 1-1 of 1]\na\u2028b\x0cc"),
    ],
)
async def test_a_files_text_is_shown_as_it_is(root: Path, raw: bytes, shown: str) -> None:
    (root / "x").write_bytes(raw)
    assert (await use("read_file", root, path="x")).text == shown


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (b"\x7fELF\0\0", "'x' is a binary file (6 bytes), not text"),
        (b"caf\xe9", "'x' is not text in UTF-8 (byte 0xe9 at offset 3 of 4)"),
    ],
)
async def test_what_is_not_text_is_refused(root: Path, raw: bytes, complaint: str) -> None:
    (root / "x").write_bytes(raw)
    assert await use("read_file", root, path="x") == Done(ours(complaint), is_error=True, refused=True)


async def test_a_range_behind_the_end_is_refused(root: Path) -> None:
    result = await use("read_file", root, path="docs/three.txt", first_line=4)
    assert result == Done(
        ours("'docs/three.txt' has only 3 lines; first_line=4 is behind its end"), is_error=True, refused=True
    )


async def test_a_long_file_is_cut_between_lines(root: Path) -> None:
    (root / "long").write_text("".join(f"{number:099}\n" for number in range(2000)))
    first = await use("read_file", root, path="long")
    head, *lines = first.text.split("\n")
    assert head == f"[long: lines 1-{len(lines)} of 2000; go on with first_line={len(lines) + 1}]"
    assert len(lines) == MAX_SHOWN_BYTES // 100
    second = await use("read_file", root, path="long", first_line=len(lines) + 1)
    assert second.text.split("\n")[1] == f"{len(lines):099}"


async def test_a_very_long_line_is_shown_in_part(root: Path) -> None:
    (root / "long").write_text("é" * MAX_SHOWN_BYTES + "\nshort\n")
    head, line = (await use("read_file", root, path="long")).text.split("\n")
    assert head == (
        "[long: lines 1-1 of 2; only the beginning of this very long line is shown; go on with first_line=2]"
    )
    assert line == "é" * (MAX_SHOWN_BYTES // 2)


async def test_a_huge_file_is_refused(root: Path) -> None:
    with (root / "huge").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    result = await use("read_file", root, path="huge")
    assert result.is_error
    assert "search_files" in result.text


# ----------------------------------------------------------------------------------------------------------- listing


async def test_a_folder_is_listed_in_order_with_sizes(root: Path) -> None:
    (root / "b").write_text("12345")
    os.mkfifo(root / "a")
    result = await use("list_dir", root)
    assert result == Done(
        Words("a (device, pipe or socket)\nb (5 bytes)\ndocs/\nout (link)", Author.AGENT), origin="file"
    )
    assert (await use("list_dir", root, path="docs")).text == "three.txt (14 bytes)"


async def test_an_empty_folder_says_so(root: Path) -> None:
    (root / "new").mkdir()
    assert (await use("list_dir", root, path="new")).text == "[new is empty]"


async def test_a_folder_with_very_many_entries_is_cut(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(MAX_ENTRIES + 2):
        (root / "docs" / f"{number:04}").touch()
    lines = (await use("list_dir", root, path="docs")).text.split("\n")
    assert lines[0] == "0000 (0 bytes)"
    assert lines[-1] == "[… and 3 more]"
    assert len(lines) == MAX_ENTRIES + 1
    monkeypatch.setattr(module, "MAX_SCANNED", MAX_ENTRIES)
    assert "over 500 entries" in (await use("list_dir", root, path="docs")).text


async def test_a_name_that_cannot_be_shown_is_escaped(root: Path) -> None:
    (root / "docs" / os.fsdecode(b"bad\xff")).touch()
    (root / "docs" / "a\nb").touch()
    lines = (await use("list_dir", root, path="docs")).text.split("\n")
    assert lines == [r"'a\nb' (0 bytes)", r"'bad\udcff' (0 bytes)", "three.txt (14 bytes)"]


# ----------------------------------------------------------------------------------------------------------- writing


async def test_a_file_is_written_with_its_folders(root: Path) -> None:
    result = await use("write_file", root, path="new/folder/x.txt", content="é\nb")
    told = ours("Wrote new/folder/x.txt: 4 bytes, 2 lines.")
    assert result == Done(told, data={"path": "new/folder/x.txt", "bytes": 4})
    assert (root / "new" / "folder" / "x.txt").read_bytes() == b"\xc3\xa9\nb"


async def test_writing_again_leaves_the_same(root: Path) -> None:
    await use("write_file", root, path="x", content="same\n")
    assert (await use("write_file", root, path="x", content="same\n")).text == "Replaced x: 5 bytes, 1 line."
    assert (root / "x").read_text() == "same\n"
    assert names(root) == ["docs", "out", "x"]


async def test_a_files_permissions_stay(root: Path) -> None:
    (root / "run.sh").write_text("old")
    (root / "run.sh").chmod(0o750)
    await use("write_file", root, path="run.sh", content="new")
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o750


async def test_a_link_within_the_workspace_is_written_through(root: Path) -> None:
    (root / "alias").symlink_to("docs/three.txt")
    assert (await use("write_file", root, path="alias", content="new")).text.startswith("Replaced docs/three.txt")
    assert (root / "alias").is_symlink()
    assert (root / "docs" / "three.txt").read_text() == "new"


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("docs", "is a folder"),
        (".", "is a folder"),
        ("new/", "names a folder"),
        ("docs/three.txt/x", "which is not a folder"),
        ("pipe", "a pipe"),
    ],
)
async def test_only_files_are_written(root: Path, path: str, complaint: str) -> None:
    os.mkfifo(root / "pipe")
    result = await use("write_file", root, path=path, content="x")
    assert result.is_error
    assert complaint in result.text


@pytest.mark.parametrize(
    ("content", "complaint"),
    [("x" * (MAX_WRITE_BYTES + 1), f"may write {MAX_WRITE_BYTES}"), ("half \ud83d", "not valid Unicode at offset 5")],
)
async def test_content_that_cannot_be_written_changes_nothing(root: Path, content: str, complaint: str) -> None:
    result = await use("write_file", root, path="docs/three.txt", content=content)
    assert result.is_error
    assert complaint in result.text
    assert (root / "docs" / "three.txt").read_text() == "one\ntwo\nthree\n"


@pytest.mark.parametrize("step", ["fsync", "rename"])
async def test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(
    root: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    result = await use("write_file", root, path="docs/three.txt", content="new")
    assert result == Done(ours("'docs/three.txt': No space left on device"), is_error=True, refused=True)
    assert (root / "docs" / "three.txt").read_text() == "one\ntwo\nthree\n"
    assert names(root / "docs") == ["three.txt"]


async def test_a_second_attempt_cleans_up_behind_one_that_was_killed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", lambda *args, **options: None)  # killed after writing, before the change of names
        await use("write_file", root, path="x", content="same call")
    assert len([name for name in names(root) if name.startswith(".sulla-")]) == 1
    await use("write_file", root, path="x", content="same call")
    assert (root / "x").read_text() == "same call"
    assert names(root) == ["docs", "out", "x"]


async def test_files_are_touched_on_another_thread(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[int] = set()
    real = os.stat

    def stat_and_tell(path: str, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> os.stat_result:
        threads.add(threading.get_ident())
        return real(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(os, "stat", stat_and_tell)
    calls: list[tuple[str, FrozenJson]] = [
        ("read_file", {"path": "docs/three.txt"}),
        ("list_dir", {"path": "docs"}),
        ("write_file", {"path": "docs/x", "content": ""}),
        ("search_files", {"pattern": "x", "path": "docs"}),
    ]
    box = Toolbox(file_tools())
    for name, args in calls:
        tool = box.get(name)
        assert tool is not None
        threads.clear()
        await tool.run(args, context_in(root))
        assert threads
        assert threading.get_ident() not in threads


async def test_calls_side_by_side_do_not_disturb_each_other(root: Path) -> None:
    paths = [f"many/{number % 4}/{number}.txt" for number in range(24)]
    await asyncio.gather(*(use("write_file", root, path=path, content=path) for path in paths))
    texts = await asyncio.gather(*(use("read_file", root, path=path) for path in paths))
    assert [result.text.split("\n")[1] for result in texts] == paths


# ------------------------------------------------------------------------------------------------- all of it, as data


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"a,b\r\n1,2\r\n",
        b"no line break at the end",
        b"\n\n\n",
        b"\xef\xbb\xbfname;amount\nM\xc3\xbcller;3\n",
        b"x" * 200_000,
        b"".join(b"%d,row\n" % number for number in range(3_000)),
    ],
)
async def test_a_playbook_is_given_a_whole_file_to_the_letter(root: Path, raw: bytes) -> None:
    (root / "data").write_bytes(raw)
    result = await use_whole("read_file", root, path="data")
    assert result.data is not None
    assert str(result.data["text"]).encode() == raw
    assert result.cut == ""


async def test_a_file_that_a_step_cannot_take_says_what_to_do(root: Path) -> None:
    (root / "data").write_text("0123456789\n" * 10_000)
    result = await use_whole("read_file", root, 20_000, path="data")
    assert result.data is not None
    assert result.data["lines"] == 10_000
    assert "first_line=" in result.cut
    assert len(result.text.encode()) <= 20_000


async def test_lines_that_were_asked_for_are_no_cut(root: Path) -> None:
    result = await use_whole("read_file", root, path="docs/three.txt", first_line=2, lines=1)
    assert (result.data, result.cut) == ({"text": "two\n", "first_line": 2, "last_line": 2, "lines": 3}, "")


async def test_a_folder_is_told_as_entries_and_more_of_them_than_a_model_is_shown(root: Path) -> None:
    for number in range(MAX_ENTRIES + 1):
        (root / "docs" / f"f{number}").write_text("x")
    result = await use_whole("list_dir", root, path="docs")
    assert result.data is not None
    entries = result.data["entries"]
    assert isinstance(entries, list)
    assert len(entries) == MAX_ENTRIES + 2
    assert entries[0] == {"name": "f0", "kind": "file", "bytes": 1}
    assert result.cut == ""


class Saved(AllTrusted):
    """Names that a stranger has given."""

    def names_outside(self, folder: Path, names: Iterable[str]) -> frozenset[str]:
        return frozenset(name for name in names if name.startswith("mail"))


@pytest.mark.parametrize(
    ("args", "found", "cut", "by"),
    [
        ({}, ["three.txt"], "1 of the names come from outside: `names: true` gives them, too", Author.AGENT),
        ({"names": True}, ["mail-7.txt", "three.txt"], "", Author.OUTSIDE),
    ],
)
async def test_a_playbook_is_told_how_it_gets_names_from_outside_and_what_it_makes_of_them_is_so_too(
    root: Path, args: dict[str, bool], found: list[str], cut: str, by: Author
) -> None:
    (root / "docs" / "mail-7.txt").write_text("hello")
    context = replace(context_in(root), whole_bytes=MAX_WRITE_BYTES, origins=Saved())
    call = ToolCall(CallId("c1"), "list_dir", {"path": "docs", **args})
    result = await run_call(Toolbox(file_tools()), call, context)
    assert isinstance(result, Done)
    assert result.data is not None
    entries = result.data["entries"]
    assert isinstance(entries, list)
    assert [entry["name"] for entry in entries if isinstance(entry, dict)] == found
    assert (cut in result.cut, bool(result.cut), result.words.by) == (True, bool(cut), by)
