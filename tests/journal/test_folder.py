"""The folder says how far every thread is written, whatever happened to it."""

from __future__ import annotations

import errno
import os
import stat
from itertools import pairwise
from pathlib import Path

import pytest

from sulla.core.errors import CorruptRecord
from sulla.core.ids import MessageId, ThreadId
from sulla.core.redact import Redactor
from sulla.journal.folder import JournalFolder
from sulla.journal.lines import START, JournalLine, JournalPosition, to_line
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.records import Input
from tests.journal.desk import lines_of, older_first

A, B, C = ThreadId("thr_a"), ThreadId("thr_b"), ThreadId("thr_c")


def line(thread_id: ThreadId, seq: int, text: str = "hello") -> JournalLine:
    """An event's line."""
    data = Input(MessageId(f"msg_{seq}"), text).data()
    return to_line(thread_id, Entry(seq, "INPUT", offered=True, origin=Origin(seq), data=data), Redactor())


SIZE = len(line(A, 1).body)


def example(end: JournalLine) -> bytes:
    """The example of a run that ends there."""
    metadata = f'{{"thread_id":"{end.thread_id}","seq":{end.mark.seq},"at":"{end.mark.at}"}}'
    return f'{{"messages":[],"metadata":{metadata}}}\n'.encode()


class Folder:
    """A journal's folder that is opened again and again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = path / "conversations.jsonl"
        self.shelf = self.open()

    def open(self, file_bytes: int = 3 * SIZE, keep_files: int = 100, *, training: bool = False) -> JournalFolder:
        """As a new start does it; the one before just stops, as if it had been killed."""
        self.shelf = JournalFolder(self.path, file_bytes, keep_files, training=training)
        self.shelf.open()
        return self.shelf

    @property
    def written(self) -> list[tuple[str, int]]:
        """Every line as its thread and number."""
        return [(found["thread_id"], found["seq"]) for found in lines_of(self.file)]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "journal")


def test_nothing_is_written_of_a_thread_that_nobody_wrote(folder: Folder) -> None:
    assert folder.shelf.mark(A) == START


def test_how_far_a_thread_is_written_outlives_every_end_and_every_rotation(folder: Folder) -> None:
    for number in range(1, 30):
        thread_id = (A, B, C)[number % 3]
        seq = folder.shelf.mark(thread_id).seq + 1
        folder.shelf.append([line(thread_id, seq)])
        folder.open()
        assert folder.shelf.mark(thread_id) == line(thread_id, seq).mark
    expected = {(name, seq) for name in (A, B, C) for seq in range(1, 10)} | {(B, 10), (C, 10)}
    assert sorted(folder.written) == sorted(expected)


def test_a_file_that_was_cut_anywhere_says_how_far_it_still_goes(folder: Folder) -> None:
    whole = b"".join(line(A, seq).body for seq in (1, 2))
    for length in range(len(whole) + 1):
        folder.file.write_bytes(whole[:length])
        shelf = folder.open(10_000)
        reached = length // SIZE
        assert shelf.mark(A).seq == reached
        shelf.append([line(A, seq) for seq in range(reached + 1, 4)])
        assert folder.written == [("thr_a", 1), ("thr_a", 2), ("thr_a", 3)]
        assert not (folder.path / "conversations.jsonl.damaged").exists()


@pytest.mark.parametrize("damage", [b"\x00" * 10 + b"\n", b"nonsense\n", b"\n", b'{"thread_id":"thr_a"}\n'])
def test_what_follows_a_damaged_line_is_put_aside_and_written_anew(folder: Folder, damage: bytes) -> None:
    rest = damage + line(A, 2).body
    folder.file.write_bytes(line(A, 1).body + rest)
    shelf = folder.open()
    assert shelf.mark(A).seq == 1
    assert folder.written == [("thr_a", 1)]
    aside = folder.path / "conversations.jsonl.damaged"
    assert aside.read_bytes() == rest
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600


def test_files_are_no_larger_than_they_may_be_and_no_more_than_are_kept(folder: Folder) -> None:
    shelf = folder.open(keep_files=2)
    shelf.append([line(A, seq) for seq in range(1, 30)])
    assert [path.name for path in older_first(folder.file)] == [
        "conversations.jsonl.2",
        "conversations.jsonl.1",
        "conversations.jsonl",
    ]
    assert all(path.stat().st_size <= 3 * SIZE for path in older_first(folder.file))
    assert folder.written == [("thr_a", seq) for seq in range(30 - len(folder.written), 30)]
    assert folder.open().mark(A).seq == 29


def test_a_line_that_is_larger_than_a_file_has_one_of_its_own(folder: Folder) -> None:
    folder.shelf.append([line(A, 1), line(A, 2, "long" * SIZE), line(A, 3)])
    assert [len(path.read_bytes().splitlines()) for path in older_first(folder.file)] == [1, 1, 1]


def test_what_is_private_stays_private_also_if_it_was_not(folder: Folder) -> None:
    folder.shelf.append([line(A, seq) for seq in range(1, 5)], [])
    folder.file.chmod(0o644)
    folder.open(training=True)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.path.iterdir()} == {0o600}


def test_killed_between_the_table_and_the_new_file_nothing_is_doubled(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.shelf.append([line(A, seq) for seq in (1, 2, 3)])
    with monkeypatch.context() as patch:

        def killed(*paths: Path) -> None:
            raise KeyboardInterrupt

        patch.setattr(Path, "rename", killed)
        with pytest.raises(KeyboardInterrupt):
            folder.shelf.append([line(A, 4)])
    assert (folder.path / "positions").exists()
    shelf = folder.open()
    assert shelf.mark(A).seq == 3
    shelf.append([line(A, 4), line(A, 5)])
    assert folder.written == [("thr_a", seq) for seq in range(1, 6)]


def test_a_failed_write_is_mended_by_the_next_opening(folder: Folder) -> None:
    room = SIZE + SIZE // 2

    def until_it_is_full(handle: int, data: bytes) -> int:
        nonlocal room
        if room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = os.write(handle, data[:room])
        room -= count
        return count

    shelf = JournalFolder(folder.path, 10_000, 10, write=until_it_is_full)
    shelf.open()
    with pytest.raises(OSError, match="No space"):
        shelf.append([line(A, 1), line(A, 2)])
    assert folder.file.stat().st_size == SIZE + SIZE // 2
    shelf.close()
    shelf.open()
    assert shelf.mark(A).seq == 1
    room = 10_000
    shelf.append([line(A, 2)])
    assert folder.written == [("thr_a", 1), ("thr_a", 2)]


def test_a_file_that_somebody_moved_away_is_begun_anew_with_what_it_held(folder: Folder) -> None:
    shelf = folder.open(10_000)
    shelf.append([line(A, 1)])
    folder.file.unlink()
    shelf.open()
    assert shelf.mark(A) == START


def test_what_is_no_ordinary_file_is_refused(folder: Folder) -> None:
    folder.file.unlink()
    os.mkfifo(folder.file)
    with pytest.raises(OSError, match="no ordinary file"):
        folder.open()


def test_a_thread_that_is_gone_is_told_and_forgotten_with_the_next_table(folder: Folder) -> None:
    folder.shelf.append([line(A, 1), line(B, 1), line(C, 1), line(C, 2)])  # the fourth does not fit: a table is made
    assert folder.shelf.compare([A, C], "", last=True) == ([line(A, 1).mark, line(C, 2).mark], [B])
    folder.shelf.forget([B])
    folder.shelf.append([line(A, 2), line(A, 3), line(A, 4)])
    assert b"thr_b" not in (folder.path / "positions").read_bytes()
    assert folder.open().mark(B) == START


def test_a_thread_that_is_written_again_after_it_was_gone_is_known(folder: Folder) -> None:
    folder.shelf.append([line(A, 1), line(B, 1), line(B, 2), line(C, 1)])
    folder.shelf.forget([B])
    folder.shelf.append([line(B, 1), line(C, 2), line(C, 3)])
    assert folder.open().mark(B).seq == 1


def test_pages_of_threads_are_compared_without_gaps(folder: Folder) -> None:
    names = [ThreadId(f"thr_{number}") for number in range(1, 8)]
    folder.shelf.append([line(name, 1) for name in names])
    pages = [(names[0:2], ""), (names[3:5], names[1]), ([], names[4])]
    found = [folder.shelf.compare(page, after, last=not page) for page, after in pages]
    assert [gone for _, gone in found] == [[], [names[2]], [names[5]]]
    assert [[mark.seq for mark in marks] for marks, _ in found] == [[1, 1], [1, 1], []]


def test_a_damaged_table_is_refused_not_read_as_nothing(folder: Folder) -> None:
    folder.shelf.append([line(A, seq) for seq in range(1, 6)])
    table = folder.path / "positions"
    table.write_bytes(table.read_bytes()[:-3])
    with pytest.raises(CorruptRecord, match="cut"):
        folder.open()


# ------------------------------------------------------------------------------------------------ the training log


def test_an_example_whose_run_has_no_line_yet_is_known_after_a_crash(folder: Folder) -> None:
    shelf = folder.open(10_000, training=True)
    shelf.append([line(A, 1)], [example(line(A, 1))])
    with (folder.path / "training.jsonl").open("ab") as file:
        file.write(example(line(A, 2)))
    shelf = folder.open(10_000, training=True)
    assert shelf.has_example(A, line(A, 2).mark)
    assert not shelf.has_example(A, line(A, 3).mark)
    assert not shelf.has_example(A, line(A, 1).mark), "its line says so: it need not be remembered"
    assert not shelf.has_example(A, JournalPosition(2, "at another time"))
    assert not shelf.has_example(B, line(A, 2).mark)


def test_an_example_is_written_before_the_line_that_says_so(folder: Folder) -> None:
    def fails(handle: int, data: bytes) -> int:
        if b'"type"' in data:
            raise OSError(errno.EIO, "broken")
        return os.write(handle, data)

    shelf = JournalFolder(folder.path, 10_000, 10, training=True, write=fails)
    shelf.open()
    with pytest.raises(OSError, match="broken"):
        shelf.append([line(A, 1)], [example(line(A, 1))])
    shelf = folder.open(10_000, training=True)
    assert (shelf.mark(A), shelf.has_example(A, line(A, 1).mark)) == (START, True)


def test_the_training_log_is_rotated_too(folder: Folder) -> None:
    shelf = folder.open(3 * SIZE, training=True)
    for seq in range(1, 20):
        shelf.append([line(A, seq)], [example(line(A, seq))])
    files = older_first(folder.path / "training.jsonl")
    assert len(files) > 2
    seqs = [found["metadata"]["seq"] for found in lines_of(folder.path / "training.jsonl")]
    assert all(after == before + 1 for before, after in pairwise(seqs))
    assert seqs == list(range(1, 20))


def test_memory_holds_the_threads_of_the_current_file_only(folder: Folder) -> None:
    shelf = folder.open(10 * SIZE)
    shelf.append([line(ThreadId(f"thr_{number:03}"), 1) for number in range(200)])
    assert len(shelf._newer) <= 10
    assert shelf.mark(ThreadId("thr_000")).seq == 1
