"""Every line of the log is read once and in order, also while files are moved under the reader."""

from __future__ import annotations

import logging
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sulla.cli.log_files import LogFiles
from sulla.telemetry.logs import FILE, _PrivateFile


def _rotate(path: Path, keep: int = 9) -> None:
    for number in range(keep, 0, -1):
        older = path.with_name(f"{FILE}.{number}")
        if older.exists():
            older.rename(path.with_name(f"{FILE}.{number + 1}"))
    path.rename(path.with_name(f"{FILE}.1"))


def test_without_any_file_there_is_nothing_and_later_there_is(tmp_path: Path) -> None:
    path = tmp_path / FILE
    with LogFiles(path) as files:
        before = files.is_there
        assert list(files.lines()) == []
        path.write_bytes(b"one\n")
        assert (before, files.is_there) == (False, True)
        assert list(files.lines()) == [b"one"]


def test_the_oldest_comes_first_and_ten_is_older_than_two(tmp_path: Path) -> None:
    for number in (2, 1, 10):
        (tmp_path / f"{FILE}.{number}").write_bytes(b"%d\n" % number)
    (tmp_path / f"{FILE}.damaged").write_bytes(b"no\n")
    (tmp_path / FILE).write_bytes(b"0\n")
    with LogFiles(tmp_path / FILE) as files:
        assert list(files.lines()) == [b"10", b"2", b"1", b"0"]


def test_a_line_is_given_once_and_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / FILE
    with LogFiles(path) as files, path.open("ab", buffering=0) as out:
        out.write(b"one\ntw")
        assert list(files.lines()) == [b"one"]
        assert list(files.lines()) == []
        out.write(b"o\nthree\n")
        assert list(files.lines()) == [b"two", b"three"]


def test_what_was_written_just_before_a_move_is_not_missed(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_bytes(b"one\n")
    with LogFiles(path) as files:
        assert list(files.lines()) == [b"one"]
        for first, second in ((b"two\n", b"three\n"), (b"four\n", b"five\n")):
            with path.open("ab") as out:
                out.write(first)
            _rotate(path)
            path.write_bytes(second)
        assert list(files.lines()) == [b"two", b"three", b"four", b"five"]


def test_a_file_that_was_removed_for_good_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_bytes(b"one\n")
    with LogFiles(path) as files:
        assert list(files.lines()) == [b"one"]
        path.unlink()
        path.write_bytes(b"two\n")
        assert list(files.lines()) == [b"two"]


@given(st.lists(st.integers(min_value=1, max_value=12), max_size=30))
def test_a_follower_of_the_real_writer_misses_and_doubles_nothing(tmp_path_factory: object, looks: list[int]) -> None:
    folder: Path = tmp_path_factory.mktemp("logs")  # type: ignore[attr-defined]  # pytest's own
    writer, written, read = _PrivateFile(folder / FILE, 60, 500), 0, list[bytes]()
    with LogFiles(folder / FILE) as files:
        for count in looks:
            for _ in range(count):
                writer.emit(logging.makeLogRecord({"msg": f"entry {written}"}))
                written += 1
            read += files.lines()
    writer.close()
    assert read == [b"entry %d" % number for number in range(written)]
