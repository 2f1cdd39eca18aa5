"""A saved file counts for the next question; what has not changed is not read again; what is over is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.clock import Clock
from sulla.knowledge import shelf as module
from sulla.knowledge.folder import FoundFile
from sulla.knowledge.reading import KnowledgeFile, read_knowledge
from sulla.knowledge.shelf import LOOK_S, KnowledgeShelf
from sulla.testing.clock import ManualClock
from tests.knowledge.shelves import put, shelf_of


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which files were read, in that order."""
    names: list[str] = []

    async def noted(folder: Path, found: FoundFile, clock: Clock) -> KnowledgeFile:
        names.append(found.path)
        return await read_knowledge(folder, found, clock)

    monkeypatch.setattr(module, "read_knowledge", noted)
    return names


async def found(shelf: KnowledgeShelf, question: str) -> list[str]:
    return [hit.section.citation for hit in await shelf.search(question, 3)]


async def test_a_saved_file_counts_for_the_next_question_and_a_removed_one_no_more(
    tmp_path: Path, read: list[str]
) -> None:
    shelf = shelf_of(tmp_path)
    assert await found(shelf, "refunds") == []
    file = put(tmp_path, "a.md", "# Refunds\nTo the card.")
    put(tmp_path, "b.md", "# Kettles\nBoil water.")
    assert await found(shelf, "refunds") == ["a.md, Refunds, line 2"]
    file.write_text("# News\n\n# Refunds\nIn cash.")
    assert await found(shelf, "refunds") == ["a.md, Refunds, line 4"]
    assert await found(shelf, "refunds") == ["a.md, Refunds, line 4"]
    assert read == ["a.md", "b.md", "a.md"]
    file.unlink()
    assert await found(shelf, "refunds") == []
    assert await found(shelf, "kettles") == ["b.md, Kettles, line 2"]
    assert read == ["a.md", "b.md", "a.md"]


async def test_whether_there_is_anything_is_known_without_reading(tmp_path: Path, read: list[str]) -> None:
    clock = ManualClock()
    shelf = shelf_of(tmp_path, clock)

    async def has_files() -> bool:
        await shelf.look()
        return shelf.has_files

    assert not await has_files()
    file = put(tmp_path, "a.md")
    assert await has_files()
    file.unlink()
    assert await has_files()  # it was looked at just now
    await clock.advance(LOOK_S)
    assert not await has_files()
    assert read == []


async def test_what_was_read_before_a_question_was_given_up_stays_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.md", "b.md"):
        put(tmp_path, name, "# Refunds\nx")
    read: list[str] = []

    async def broken_off(folder: Path, file: FoundFile, clock: Clock) -> KnowledgeFile:
        read.append(file.path)
        if read == ["a.md", "b.md"]:
            raise TimeoutError
        return await read_knowledge(folder, file, clock)

    monkeypatch.setattr(module, "read_knowledge", broken_off)
    shelf = shelf_of(tmp_path)
    with pytest.raises(TimeoutError):
        await shelf.read()
    assert len((await shelf.read()).files) == 2
    assert read == ["a.md", "b.md", "b.md"]


async def test_what_is_over_a_bound_is_told_and_the_rest_is_found(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "# Refunds\nTo the card.")
    put(tmp_path, "b.md", "# Long\n" + "x " * 2000)
    put(tmp_path, "c.md", "# Kettles\nBoil water.")
    shelf = shelf_of(tmp_path, file_bytes=1024, files=1)
    told = {one.path: one.why.partition(" (")[0] for one in (await shelf.read()).left_out}
    assert told == {
        "b.md": "has 4007 bytes, and 1024 are read at the most",
        "c.md": "is more than the 1 files that are read",
    }
    assert await found(shelf, "refunds") == ["a.md, Refunds, line 2"]
    assert await found(shelf, "kettles") == []


async def test_a_file_that_fits_once_another_one_is_gone_is_read_then(tmp_path: Path) -> None:
    first = put(tmp_path, "a.md", "# One\nx\n# Two\ny")
    put(tmp_path, "b.md", "# Three\nx\n# Four\ny")
    shelf = shelf_of(tmp_path, sections=3)
    shelved = await shelf.read()
    assert ([file.path for file in shelved.files], shelved.sections) == (["a.md"], 2)
    assert [one.path for one in shelved.left_out] == ["b.md"]
    first.unlink()
    assert [file.path for file in (await shelf.read()).files] == ["b.md"]


async def test_a_file_that_cannot_be_read_is_told_and_takes_no_other_away(tmp_path: Path, read: list[str]) -> None:
    put(tmp_path, "a.md", b"\xff")
    put(tmp_path, "b.md", "# Refunds\nx")
    shelf = shelf_of(tmp_path)
    for _ in range(2):
        shelved = await shelf.read()
        assert [one.path for one in shelved.left_out] == ["a.md"]
        assert [file.path for file in shelved.files] == ["b.md"]
    assert read == ["a.md", "b.md"]
