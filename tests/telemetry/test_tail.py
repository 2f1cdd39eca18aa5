"""The newest lines of a log, whichever file they are in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.telemetry import tail as tail_module
from sulla.telemetry.tail import Place, look_back

FILE = "daemon.jsonl"


def write(path: Path, *lines: str, half: str = "") -> None:
    path.write_text("".join(f"{line}\n" for line in lines) + half)


def pages(path: Path, limit: int) -> list[list[str]]:
    """All pages of so many lines."""
    found: list[list[str]] = []
    before: Place | None = None
    while True:
        count = 0

        def take(line: str) -> bool:
            nonlocal count
            count += 1
            return count <= limit

        page = look_back(path, before, lambda line: line.decode(), take)
        found.append(list(page.found))
        before = page.next
        if before is None:
            return found


@given(
    lines=st.lists(st.text("ab", max_size=9), max_size=40), limit=st.integers(1, 9), block=st.integers(1, 20),
    cuts=st.lists(st.integers(0, 40), max_size=3), half=st.text("ab", max_size=3),
)  # fmt: skip
def test_every_whole_line_comes_once_and_the_newest_first_however_it_is_cut(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], limit: int, block: int, cuts: list[int], half: str
) -> None:
    folder = tmp_path_factory.mktemp("log")
    whole = [line for line in lines if line]
    places = sorted(min(cut, len(whole)) for cut in cuts)
    parts = [whole[begin:end] for begin, end in zip([0, *places], [*places, len(whole)], strict=True)]
    for number, part in enumerate(reversed(parts)):
        write(folder / (f"{FILE}.{number}" if number else FILE), *part, half="" if number else half)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail_module, "_BLOCK", block)
        found = pages(folder / FILE, limit)
    assert [line for page in found for line in page] == whole[::-1]
    assert all(len(page) <= limit for page in found)


def test_a_place_stays_good_while_files_are_moved(tmp_path: Path) -> None:
    path = tmp_path / FILE
    write(path, "one", "two", "three")
    first = look_back(path, None, bytes.decode, _room(1))
    assert first.found == ("three",)
    path.rename(tmp_path / f"{FILE}.1")
    write(path, "four")
    assert look_back(path, first.next, bytes.decode, _room(9)).found == ("two", "one")


def test_where_the_file_of_a_place_is_gone_nothing_older_is_there(tmp_path: Path) -> None:
    write(tmp_path / FILE, "one")
    assert look_back(tmp_path / FILE, Place(1, 5), bytes.decode, _room(9)).found == ()


def test_a_look_goes_back_so_far_and_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail_module, "LOOKED_BYTES", 20)
    write(tmp_path / FILE, *(f"line {number}" for number in range(9)))
    page = look_back(tmp_path / FILE, None, lambda line: None, _room(9))
    assert page.found == ()
    assert page.next is not None
    rest = look_back(tmp_path / FILE, page.next, bytes.decode, _room(1))
    assert rest.found == ("line 5",)


def test_no_file_is_an_empty_log(tmp_path: Path) -> None:
    assert look_back(tmp_path / FILE, None, bytes.decode, _room(9)) == tail_module.Tail((), None)


def _room(most: int) -> Callable[[str], bool]:
    taken: list[str] = []

    def take(line: str) -> bool:
        taken.append(line)
        return len(taken) <= most

    return take
