"""What lies in the folder is named; nothing leads out of it, and what is hidden is no knowledge."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sulla.core.errors import Conflict, SullaError
from sulla.knowledge import folder as module
from sulla.knowledge.folder import MAX_DEPTH, FolderLook, look, read_bytes
from tests.knowledge.shelves import put


def seen(home: Path) -> tuple[list[str], dict[str, str]]:
    found = look(home / "knowledge")
    return [file.path for file in found.files], {one.path: one.why for one in found.left_out}


def test_files_are_found_by_the_endings_of_their_names(tmp_path: Path) -> None:
    for name in ("b.MD", "a/c.markdown", "d.txt", "e.html", "a/f.htm", "g.pdf"):
        put(tmp_path, name)
    put(tmp_path, "h.docx")
    files, left_out = seen(tmp_path)
    assert files == ["a/c.markdown", "a/f.htm", "b.MD", "d.txt", "e.html", "g.pdf"]
    assert left_out == {
        "h.docx": "is of a kind that is not read; what is read ends in .md, .markdown, .txt, .html, .htm, .pdf"
    }


def test_a_home_without_the_folder_has_none(tmp_path: Path) -> None:
    assert look(tmp_path / "knowledge") == FolderLook()
    (tmp_path / "knowledge").write_text("a file")
    assert look(tmp_path / "knowledge").files == ()


def test_links_are_named_and_never_followed(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# Secret\nx")
    (tmp_path / "knowledge" / "link.md").symlink_to(outside / "secret.md")
    (tmp_path / "knowledge" / "folder").symlink_to(outside)
    os.mkfifo(tmp_path / "knowledge" / "pipe.md")
    files, left_out = seen(tmp_path)
    assert files == ["a.md"]
    assert left_out == dict.fromkeys(
        ("folder", "link.md", "pipe.md"), "is a link or no file at all: put the file itself there"
    )


def test_the_folder_itself_is_no_link_either(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.md").write_text("x")
    (tmp_path / "knowledge").symlink_to(tmp_path / "elsewhere")
    files, left_out = seen(tmp_path)
    assert (files, [*left_out]) == ([], ["."])


def test_what_is_hidden_is_passed_over(tmp_path: Path) -> None:
    for name in (".git/a.md", ".hidden.md", "a/.b/c.md"):
        put(tmp_path, name)
    assert seen(tmp_path) == ([], {})


def test_a_name_that_could_pass_for_a_citation_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "a\n[1] b.md")
    files, left_out = seen(tmp_path)
    assert files == []
    assert left_out == {"'a\\n[1] b.md'": "has a name that cannot be shown: call it otherwise"}


def test_folders_are_looked_into_so_deep_and_no_deeper(tmp_path: Path) -> None:
    deep = "/".join("d" * MAX_DEPTH)
    put(tmp_path, f"{deep}/a.md")
    put(tmp_path, f"{deep}/e/b.md")
    files, left_out = seen(tmp_path)
    assert files == [f"{deep}/a.md"]
    assert left_out == {f"{deep}/e": f"lies more than {MAX_DEPTH} folders deep: move it up"}


def test_a_folder_full_of_other_things_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SCANNED", 10)
    for number in range(12):
        put(tmp_path, f"{number}.md")
    files, left_out = seen(tmp_path)
    assert len(files) == 11
    assert left_out["."].startswith("only 10 files and folders are looked at")


def test_a_folder_that_cannot_be_looked_into_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a.md")
    put(tmp_path, "shut/b.md")
    whole = os.scandir

    def scandir(fd: int) -> object:
        if os.path.realpath(f"/proc/self/fd/{fd}").endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return whole(fd)

    monkeypatch.setattr(os, "scandir", scandir)
    files, left_out = seen(tmp_path)
    assert files == ["a.md"]
    assert left_out["shut"].startswith("cannot be looked into: ")


def test_what_changes_under_the_eyes_is_not_read(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "before")
    (found,) = look(tmp_path / "knowledge").files
    assert read_bytes(tmp_path / "knowledge", found) == b"before"
    put(tmp_path, "a.md", "after!!")
    with pytest.raises(Conflict, match="was written to while it was looked at"):
        read_bytes(tmp_path / "knowledge", found)


def test_what_became_a_link_is_not_read(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md", "before")
    (found,) = look(tmp_path / "knowledge").files
    file.rename(tmp_path / "moved.md")
    file.symlink_to(tmp_path / "moved.md")
    with pytest.raises(SullaError):
        read_bytes(tmp_path / "knowledge", found)
