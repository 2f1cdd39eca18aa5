"""What is over a bound is told, and what is left out takes no room from what follows."""

from __future__ import annotations

from sulla.knowledge.room import Room
from sulla.knowledge.settings import KnowledgeSettings


def room(**bounds: int) -> Room:
    return Room(KnowledgeSettings(**bounds))


def test_a_file_that_is_too_large_is_refused_before_it_is_read() -> None:
    assert room(file_bytes=2000).refuses(2000) == ""
    assert room(file_bytes=2000).refuses(2001) == (
        "has 2001 bytes, and 2000 are read at the most (knowledge.file_bytes): split it"
    )


def test_no_more_files_than_allowed() -> None:
    one = room(files=1)
    assert one.takes(10, 1) == ""
    assert one.refuses(10) == "is more than the 1 files that are read (knowledge.files)"


def test_no_more_bytes_than_allowed_and_a_smaller_file_still_fits() -> None:
    one = room(total_bytes=2000)
    assert one.takes(1500, 1) == ""
    assert one.refuses(501) == "is more than the 2000 bytes that are read in all (knowledge.total_bytes)"
    assert one.takes(501, 1).startswith("has text that is more than the 2000 bytes")
    assert one.refuses(500) == one.takes(500, 1) == ""


def test_no_more_sections_than_allowed() -> None:
    one = room(sections=5)
    assert one.takes(10, 6) == "has more than is left of the 5 sections that are read (knowledge.sections)"
    assert one.takes(10, 5) == ""
    assert one.refuses(10).startswith("has more than is left of the 5 sections")
