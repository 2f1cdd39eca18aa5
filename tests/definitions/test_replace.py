"""Whatever a person saves while a file is being replaced stands, however their editor does it and whenever it comes."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import pytest

from sulla.definitions import replace as swapping
from sulla.definitions.replace import exchange, lease, swap, turn

OLD, NEW = b"as it was", b"as an agent wants it"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "PROJECT.md"
    path.write_bytes(OLD)
    return path


@pytest.fixture
def folder_fd(file: Path) -> Iterator[int]:
    fd = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


def as_before(file: BinaryIO) -> bool:
    file.seek(0)
    return file.read() == OLD


def put(folder_fd: int, file: Path) -> bool:
    """Replace it, as an agent does."""
    with turn(folder_fd), file.open("rb") as old:
        return swap(folder_fd, file.name, NEW, old, as_before)


def save_by_rename(file: Path, text: bytes) -> None:
    """Save, as most editors do."""
    draft = file.with_suffix(".draft")
    draft.write_bytes(text)
    draft.replace(file)


def meanwhile(monkeypatch: pytest.MonkeyPatch, *does: Callable[[], None]) -> None:
    """Have something done right before each change of places."""
    todo = iter(does)

    def interrupted(folder_fd: int, one: str, other: str) -> None:
        next(todo, lambda: None)()
        exchange(folder_fd, one, other)

    monkeypatch.setattr(swapping, "exchange", interrupted)


def left(file: Path) -> list[str]:
    """What lies in the folder."""
    return sorted(path.name for path in file.parent.iterdir())


def test_a_file_that_nobody_touches_is_replaced(folder_fd: int, file: Path) -> None:
    assert put(folder_fd, file)
    assert (file.read_bytes(), left(file)) == (NEW, [file.name])
    assert not put(folder_fd, file)  # it is another one by now


def test_what_a_kill_left_is_in_nobodys_way(folder_fd: int, file: Path) -> None:
    (file.parent / f".{file.name}.sulla").write_bytes(b"half of")
    assert put(folder_fd, file)
    assert (file.read_bytes(), left(file)) == (NEW, [file.name])


def test_a_save_by_rename_at_the_last_moment_stands(
    folder_fd: int, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: save_by_rename(file, b"mine"))
    assert not put(folder_fd, file)
    assert (file.read_bytes(), left(file)) == (b"mine", [file.name])


def test_of_two_saves_by_rename_at_the_last_moment_the_later_one_stands(
    folder_fd: int, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: save_by_rename(file, b"mine"), lambda: save_by_rename(file, b"mine again"))
    assert not put(folder_fd, file)
    assert (file.read_bytes(), left(file)) == (b"mine again", [file.name])


def test_a_file_that_is_taken_away_at_the_last_moment_stays_away(
    folder_fd: int, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, file.unlink)
    assert not put(folder_fd, file)
    assert left(file) == []


def test_a_file_that_somebody_is_writing_is_left_alone(folder_fd: int, file: Path) -> None:
    with file.open("r+b") as editor:
        assert not put(folder_fd, file)
        editor.truncate(0)
        editor.write(b"mine")
    assert file.read_bytes() == b"mine"


def test_an_editor_that_opens_the_file_at_the_last_moment_waits_and_writes_where_people_look(
    folder_fd: int, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = threading.Thread(target=file.write_bytes, args=(b"mine",))
    asked = threading.Event()
    alone: list[Callable[[], bool]] = []

    def watched(opened: BinaryIO) -> bool | None:
        held = real(opened)
        alone.append(lambda: fcntl.fcntl(opened, fcntl.F_GETLEASE) == fcntl.F_RDLCK)
        return held

    def open_it() -> None:
        editor.start()
        while alone[0]():  # until it stands before the closed door
            asked.wait(0)

    real = swapping._lease
    monkeypatch.setattr(swapping, "_lease", watched)
    meanwhile(monkeypatch, open_it)
    assert not put(folder_fd, file)
    editor.join()
    assert (file.read_bytes(), left(file)) == (b"mine", [file.name])


def test_where_nothing_is_known_of_leases_and_exchanges_the_digest_still_counts(
    folder_fd: int, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swapping, "_lease", lambda opened: None)
    monkeypatch.setattr(swapping, "_renameat2", lambda: None)

    def save() -> None:
        file.write_bytes(b"mine")

    with pytest.MonkeyPatch.context() as patch:
        meanwhile(patch, save)
        assert not put(folder_fd, file)
    assert file.read_bytes() == b"mine"
    file.write_bytes(OLD)
    assert put(folder_fd, file)
    assert (file.read_bytes(), left(file)) == (NEW, [file.name])


def test_a_lease_that_is_not_given_is_not_taken_back(file: Path) -> None:
    with file.open("rb") as reader:
        with file.open("ab"), lease(reader) as alone:
            assert not alone()
        with lease(reader) as alone:
            assert alone()
        with file.open("ab"):
            pass  # nobody has to wait any more


def test_of_many_at_once_each_gets_a_turn(folder_fd: int, file: Path) -> None:
    file.write_bytes(b"")

    def add(number: int) -> int:
        fd = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with turn(fd), file.open("rb") as old:
                before = old.read()

                def same(opened: BinaryIO) -> bool:
                    opened.seek(0)
                    return opened.read() == before

                return number if swap(fd, file.name, before + b"%d\n" % number, old, same) else -1
        finally:
            os.close(fd)

    with ThreadPoolExecutor(8) as pool:
        done = sorted(pool.map(add, range(40)))
    assert done == list(range(40))
    assert sorted(map(int, file.read_text().split())) == done
