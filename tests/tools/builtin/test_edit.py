from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from sulla.core.ids import CallId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.tools.base import Done
from sulla.tools.builtin import edit as module
from sulla.tools.builtin.edit import MAX_COMPARED, edit_tools
from sulla.tools.builtin.files import MAX_WRITE_BYTES, decode
from sulla.tools.call import run_call
from sulla.tools.registry import Toolbox
from tests.tools.contexts import context_in

POEM = "one\n  two\nthree\ntwo and a half\nfour\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "workspace"
    place.mkdir()
    (place / "poem.txt").write_text(POEM)
    (tmp_path / "secret.txt").write_text("secret")
    (place / "out").symlink_to("../secret.txt")
    return place


async def edit(root: Path, old: str, new: str, path: str = "poem.txt", *, every: bool = False) -> Done:
    args: JsonObject = {"path": path, "old_text": old, "new_text": new, "every": every}
    call = ToolCall(CallId("call_1"), "edit_file", args)
    result = await run_call(Toolbox(edit_tools()), call, context_in(root))
    assert isinstance(result, Done)
    return result


async def test_a_text_that_stands_there_once_is_replaced_and_nothing_else(root: Path) -> None:
    result = await edit(root, "three\ntwo and", "3\n2 and")
    told = ours("Replaced 1 occurrence in poem.txt (line 3).")
    assert result == Done(told, data={"path": "poem.txt", "replaced": 1})
    assert (root / "poem.txt").read_text() == "one\n  two\n3\n2 and a half\nfour\n"


async def test_an_empty_text_removes(root: Path) -> None:
    assert not (await edit(root, "  two\n", "")).is_error
    assert (root / "poem.txt").read_text() == "one\nthree\ntwo and a half\nfour\n"


async def test_a_text_that_stands_there_twice_is_left_alone_and_its_lines_are_named(root: Path) -> None:
    result = await edit(root, "two", "2")
    assert result.is_error
    assert "stands in 'poem.txt' 2 times (lines 2, 4)" in result.text
    assert "set every" in result.text
    assert (root / "poem.txt").read_text() == POEM


async def test_every_occurrence_is_replaced_when_asked_for(root: Path) -> None:
    told = ours("Replaced 2 occurrences in poem.txt (lines 2, 4).")
    assert await edit(root, "two", "2", every=True) == Done(told, data={"path": "poem.txt", "replaced": 2})
    assert (root / "poem.txt").read_text() == POEM.replace("two", "2")


async def test_of_many_occurrences_ten_lines_are_named(root: Path) -> None:
    (root / "many").write_text("x\n" * 12)
    result = await edit(root, "x", "y", "many", every=True)
    assert result.text == "Replaced 12 occurrences in many (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)."


async def test_a_text_that_is_not_there_shows_the_nearest_with_what_is_around_it(root: Path) -> None:
    result = await edit(root, "two and a hlaf", "x")
    assert result.is_error
    assert result.origin == "file"
    assert "The nearest, lines 1-5:\none\n  two\nthree\ntwo and a half\nfour" in result.text
    assert (root / "poem.txt").read_text() == POEM


async def test_a_text_that_only_differs_in_spaces_is_told_so(root: Path) -> None:
    result = await edit(root, "one\ntwo\nthree", "x")
    assert "if spaces and line breaks are left aside" in result.text
    assert (root / "poem.txt").read_text() == POEM


async def test_a_text_unlike_everything_is_told_so(root: Path) -> None:
    result = await edit(root, "zzzzqqqq", "x")
    assert "Nothing in the file is like it" in result.text


async def test_the_search_for_the_nearest_ends_in_a_file_of_nothing_but_lookalikes(root: Path) -> None:
    (root / "big").write_text("".join(f"{'ab' * 90}{number:07}{'ba' * 90}\n" for number in range(MAX_COMPARED * 2)))
    result = await asyncio.wait_for(edit(root, "ba" * 100 + "c", "x", "big"), 50)
    assert result.is_error


async def test_line_breaks_of_a_windows_file_stay_what_they_are(root: Path) -> None:
    (root / "dos").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")
    assert not (await edit(root, "one\ntwo", "1\n2", "dos")).is_error
    assert (root / "dos").read_bytes() == b"\xef\xbb\xbf1\r\n2\r\nthree\r\n"


@pytest.mark.parametrize("path", ["../secret.txt", "out", "/etc/passwd"])
async def test_no_edit_leaves_the_workspace(root: Path, path: str) -> None:
    result = await edit(root, "secret", "x", path)
    assert result.is_error
    assert "leads out of the workspace" in result.text
    assert (root.parent / "secret.txt").read_text() == "secret"


@pytest.mark.parametrize(
    ("raw", "said"),
    [(b"a\0b", "binary file"), (b"\xff\xfe", "not text in UTF-8"), (b"a" * (MAX_WRITE_BYTES + 1), "can be edited")],
)
async def test_what_is_no_text_or_too_large_is_left_alone(root: Path, raw: bytes, said: str) -> None:
    (root / "odd").write_bytes(raw)
    result = await edit(root, "a", "b", "odd")
    assert result.is_error
    assert said in result.text
    assert (root / "odd").read_bytes() == raw


@pytest.mark.parametrize(
    ("path", "said"), [("none", "write_file makes a new file"), (".", "is a folder"), ("none/x", "there is no folder")]
)
async def test_a_file_that_is_not_there_is_not_made(root: Path, path: str, said: str) -> None:
    result = await edit(root, "a", "b", path)
    assert result.is_error
    assert said in result.text
    assert sorted(entry.name for entry in root.iterdir()) == ["out", "poem.txt"]


async def test_a_change_that_changes_nothing_is_refused(root: Path) -> None:
    assert "nothing would change" in (await edit(root, "one", "one")).text


async def test_a_text_that_cannot_be_kept_is_refused(root: Path) -> None:
    assert "not valid Unicode" in (await edit(root, "one", "\ud800")).text
    assert (root / "poem.txt").read_text() == POEM


async def test_a_result_that_would_be_too_large_is_refused(root: Path) -> None:
    (root / "many").write_text("x" * 1000)
    result = await edit(root, "x", "y" * 100_000, "many", every=True)
    assert "one call may write" in result.text
    assert (root / "many").read_text() == "x" * 1000


async def test_permissions_stay_and_no_temporary_file_is_left(root: Path) -> None:
    (root / "poem.txt").chmod(0o640)
    await edit(root, "one", "1")
    assert stat.S_IMODE((root / "poem.txt").stat().st_mode) == 0o640
    assert sorted(entry.name for entry in root.iterdir()) == ["out", "poem.txt"]


async def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(raw: bytes, path: str) -> str:
        (root / "poem.txt").write_text("a person's own words: one\n")
        os.utime(root / "poem.txt", ns=(1, 1))
        return decode(raw, path)

    monkeypatch.setattr(module, "decode", slow)
    result = await edit(root, "one", "1")
    assert "changed by somebody else meanwhile" in result.text
    assert (root / "poem.txt").read_text() == "a person's own words: one\n"


def test_a_repeat_after_a_crash_is_a_question_for_a_person() -> None:
    (tool,) = edit_tools()
    assert (tool.effect, tool.reach, tool.parallel) == ("once", "inward", False)
