"""Files of lines are written anew without what is gone, and whole at every moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.host.compaction import DRAFT, Rewritten, rewrite_lines


def without_b(line: bytes) -> bytes:
    return b"" if line.startswith(b"b") else line.replace(b"c", b"d")


def test_lines_are_dropped_and_changed_and_the_rest_stays(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a\nb\nc\nb")
    assert rewrite_lines(path, without_b) == Rewritten(2, 1)
    assert path.read_bytes() == b"a\nd\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_without_them_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a\n")
    before = path.stat()
    assert rewrite_lines(path, without_b) == Rewritten()
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert rewrite_lines(tmp_path / "none", without_b) == Rewritten()
    assert [one.name for one in tmp_path.iterdir()] == ["log"]


def test_from_a_bad_line_on_all_may_go(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a\n?\na\n")
    assert rewrite_lines(path, lambda line: None if line == b"?\n" else line) == Rewritten(2)
    assert path.read_bytes() == b"a\n"


def test_what_is_cut_off_in_the_middle_leaves_the_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a\nb\nc\n")

    def dies(line: bytes) -> bytes:
        if line == b"c\n":
            raise OSError(28, "No space left on device")
        return without_b(line)

    with pytest.raises(OSError, match="No space"):
        rewrite_lines(path, dies)
    assert path.read_bytes() == b"a\nb\nc\n"
    assert (tmp_path / f".log{DRAFT}").exists()
    assert rewrite_lines(path, without_b) == Rewritten(1, 1)
    assert [one.name for one in tmp_path.iterdir()] == ["log"]
