from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path

import pytest

from sulla.core.jsontypes import Json
from sulla.core.words import ours
from sulla.testing.clock import ManualClock
from sulla.tools.base import Done
from sulla.tools.builtin import search as module
from sulla.tools.builtin.expression import Expression
from sulla.tools.builtin.search import MAX_FILE_BYTES, MAX_LINE, TIME_S
from sulla.tools.paths import open_folder
from tests.tools.contexts import use, use_whole


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "workspace"
    for name, text in {
        "a.py": "import os\nprint('Hello')\n",
        "b.txt": "hello there\r\nnothing\nsay hello twice: hello\n",
        "docs/c.md": "# Hello\n\nworld\n",
        "docs/deep/d.py": "def hello() -> None: ...\n",
        ".git/config": "hello\n",
        "node_modules/x.js": "hello\n",
        ".hidden": "hello\n",
    }.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, newline="")
    return place


async def search(root: Path, **args: Json) -> tuple[list[str], str]:
    result = await use("search_files", root, **args)
    assert not result.is_error, result.text
    *lines, note = result.text.split("\n")
    return lines, note


async def test_each_matching_line_is_found_in_order(root: Path) -> None:
    lines, note = await search(root, pattern="hello")
    assert lines == [
        ".hidden:1: hello",
        "b.txt:1: hello there",
        "b.txt:3: say hello twice: hello",
        "docs/deep/d.py:1: def hello() -> None: ...",
    ]
    assert note == "[4 matches in 5 searched files]"


async def test_what_was_found_comes_from_files(root: Path) -> None:
    assert (await use("search_files", root, pattern="hello")).origin == "file"


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        ({"pattern": "HELLO"}, []),
        ({"pattern": "HELLO", "ignore_case": True, "path": "docs", "files": "*.md"}, ["docs/c.md:1: # Hello"]),
        ({"pattern": "^h.*e$", "regex": True}, ["b.txt:1: hello there"]),
        ({"pattern": "HELLO$", "regex": True, "ignore_case": True, "files": "*.md"}, ["docs/c.md:1: # Hello"]),
        ({"pattern": "^#", "path": "docs/c.md", "regex": True}, ["docs/c.md:1: # Hello"]),
        ({"pattern": "print(", "files": "*.py"}, ["a.py:2: print('Hello')"]),
        ({"pattern": "hello", "path": "docs/deep/"}, ["docs/deep/d.py:1: def hello() -> None: ..."]),
        ({"pattern": "config", "path": ".git"}, []),
        ({"pattern": "hello", "path": ".git"}, [".git/config:1: hello"]),
    ],
)  # fmt: skip
async def test_a_search_can_be_narrowed(root: Path, args: dict[str, Json], lines: list[str]) -> None:
    assert (await search(root, **args))[0] == lines


async def test_results_are_limited_and_say_so(root: Path) -> None:
    for regex in (False, True):
        lines, note = await search(root, pattern="hello", limit=2, regex=regex)
        assert lines == [".hidden:1: hello", "b.txt:1: hello there"]
        assert note == "[2 matches in 3 searched files; stopped at the limit: there may be more]"


async def test_nothing_found_is_said(root: Path) -> None:
    assert await search(root, pattern="qqq") == ([], "[no matches in 5 searched files]")


async def test_what_cannot_be_searched_is_counted(root: Path) -> None:
    (root / "binary").write_bytes(b"hello\0")
    with (root / "large").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    _, note = await search(root, pattern="world")
    assert (
        note
        == f"[1 match in 5 searched files; 2 files left out (binary, over {MAX_FILE_BYTES} bytes, or not readable)]"
    )


async def test_a_file_in_another_encoding_is_searched_all_the_same(root: Path) -> None:
    (root / "latin").write_bytes(b"caf\xe9 world\n")
    assert (await search(root, pattern="world"))[0] == ["latin:1: caf\ufffd world", "docs/c.md:3: world"]


async def test_links_are_not_followed(root: Path) -> None:
    (root.parent / "secret").mkdir()
    (root.parent / "secret" / "key").write_text("world\n")
    (root / "out").symlink_to("../secret")
    (root / "key").symlink_to("../secret/key")
    (root / "loop").symlink_to(".")
    assert (await search(root, pattern="world"))[0] == ["docs/c.md:3: world"]


async def test_odd_names_do_not_end_a_search(root: Path) -> None:
    (root / "line\nbreak").mkdir()
    (root / "line\nbreak" / "x").write_text("world")
    (root / os.fsdecode(b"bad\xff")).write_text("world")
    text = (await use("search_files", root, pattern="world")).text
    assert text.startswith("'bad\\udcff':1: world\ndocs/c.md:3: world\n[2 matches")


@pytest.mark.parametrize("column", [0, 500, 5000, 9995])
async def test_of_a_long_line_the_part_around_the_match_is_shown(root: Path, column: int) -> None:
    (root / "long").write_text("x" * column + "NEEDLE" + "x" * (10_000 - column))
    for regex in (False, True):
        ((line,), _) = await search(root, pattern="NEEDLE", regex=regex)
        assert "NEEDLE" in line
        assert len(line) <= MAX_LINE + len("long:1: ……")


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ({"pattern": "("}, "is not a regular expression"),
        ({"pattern": "a{99999999999}"}, "is not a regular expression"),
        ({"pattern": "a\nb"}, "line break"),
        ({"pattern": "x", "path": "no"}, "there is no 'no'"),
        ({"pattern": ""}, "at least 1 characters"),
        ({"pattern": "x", "limit": 201}, "at most 200"),
    ],
)
async def test_what_cannot_be_searched_for_is_refused(root: Path, args: dict[str, Json], complaint: str) -> None:
    result = await use("search_files", root, regex=True, **args)
    assert result.is_error
    assert complaint in result.text


async def _started(clock: ManualClock) -> None:
    while not clock.sleepers:
        await asyncio.sleep(0)


async def test_an_expression_that_never_ends_is_killed_and_keeps_nobody_waiting(root: Path) -> None:
    (root / "trap").write_text("a" * 64 + "b\n")
    clock = ManualClock()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(use("search_files", root, clock, pattern="(a+)+$|^print", regex=True))
        await _started(clock)
        while not running.done():
            await clock.advance(TIME_S / 4)
    result = running.result()
    assert not result.is_error
    assert "stopped after 10 s: make the pattern simpler" in result.text


async def test_a_cancelled_search_leaves_no_process_behind(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "trap").write_text("a" * 64 + "b\n")
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Watched(Expression):
        def close(self) -> None:
            super().close()
            loop.call_soon_threadsafe(ended.set)

    monkeypatch.setattr(module, "Expression", Watched)
    clock = ManualClock()
    running = asyncio.ensure_future(use("search_files", root, clock, pattern="(a+)+$", regex=True))
    await _started(clock)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await ended.wait()


@pytest.mark.parametrize(("bound", "value"), [("MAX_FILES", 2), ("MAX_BYTES", 1)])
async def test_a_search_reads_only_so_much(root: Path, monkeypatch: pytest.MonkeyPatch, bound: str, value: int) -> None:
    monkeypatch.setattr(module, bound, value)
    _, note = await search(root, pattern="world")
    assert note.endswith("stopped at the most that one search reads: narrow path or files]")


async def test_a_matcher_that_dies_by_itself_is_an_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying(Expression):
        def find(self, text: str) -> list[tuple[int, int]]:
            self.kill()
            return super().find(text)

    monkeypatch.setattr(module, "Expression", Dying)
    result = await use("search_files", root, pattern="x", regex=True)
    assert result == Done(
        ours("the expression 'x' takes too much to match; make it simpler"), is_error=True, refused=True
    )


async def test_what_is_kept_of_results_is_searched_where_it_is_named_alone(root: Path) -> None:
    kept = root / ".sulla/outputs/call_1.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("hello again")
    assert not [line for line in (await search(root, pattern="hello"))[0] if "again" in line]
    for path in (".sulla", ".sulla/outputs", ".sulla/outputs/call_1.txt"):
        assert (await search(root, pattern="hello", path=path))[0] == [".sulla/outputs/call_1.txt:1: hello again"]


async def test_of_a_folder_with_more_files_than_are_looked_at_no_more_are_listed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []

    def counted(entries: Iterator[os.DirEntry[str]], most: int) -> Iterator[os.DirEntry[str]]:
        taken.append(most)
        return islice(entries, most)

    monkeypatch.setattr(module, "islice", counted)
    monkeypatch.setattr(module, "MAX_FILES", 3)
    for number in range(9):
        (root / f"{number}.txt").write_text("nothing")
    lines, note = await search(root, pattern="qqq", files="*.none")
    assert lines == []
    assert note.endswith("stopped at the most that one search reads: narrow path or files]")
    assert set(taken) == {4}


async def test_a_search_through_folders_alone_ends_when_it_is_told_to(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread is one of few: no call may keep it for longer than it is waited for."""
    (root / "more").mkdir()
    begun, ended = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    search_real = module._SearchJob.for_text

    def endless(place: Path, path: str) -> AbstractContextManager[int]:
        loop.call_soon_threadsafe(begun.set)
        return open_folder(place, ".")  # so that there is a folder in every folder

    def watched(hunt: module._SearchJob, pattern: str, ignore_case: bool) -> None:
        search_real(hunt, pattern, ignore_case)
        loop.call_soon_threadsafe(ended.set)

    monkeypatch.setattr(module, "open_folder", endless)
    monkeypatch.setattr(module._SearchJob, "for_text", watched)
    searching = asyncio.ensure_future(use("search_files", root, pattern="qqq", files="*.none"))
    await begun.wait()
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    async with asyncio.timeout(50):
        await ended.wait()


async def test_matches_are_whole_lines_for_a_playbook_and_a_search_that_stopped_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 1_000 + " hit\nhit\n")
    result = await use_whole("search_files", tmp_path, pattern="hit")
    assert result.data is not None
    whole: list[Json] = [
        {"path": "a.txt", "line": 1, "text": "x" * 1_000 + " hit"},
        {"path": "a.txt", "line": 2, "text": "hit"},
    ]
    assert result.data["matches"] == whole
    assert result.cut == ""
    assert "`limit` is 1" in (await use_whole("search_files", tmp_path, pattern="hit", limit=1)).cut
