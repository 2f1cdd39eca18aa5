"""`sulla doctor` names what no answer comes from, and what nobody trusts."""

from __future__ import annotations

from pathlib import Path

from sulla.host.findings import Finding
from sulla.knowledge.checks import MOST_TOLD, judge_knowledge
from tests.knowledge.shelves import put, shelf_of


async def judged(home: Path, *marked: str) -> list[Finding]:
    return judge_knowledge(await shelf_of(home, file_bytes=1024).read(), marked)


async def test_a_home_without_knowledge_is_fine(tmp_path: Path) -> None:
    (found,) = await judged(tmp_path)
    assert (found.result, found.found) == ("ok", "none: files in knowledge/ are what agents can quote")


async def test_what_there_is_is_counted(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "# One\nx\n# Two\ny")
    (found,) = await judged(tmp_path)
    assert (found.result, found.found) == ("ok", "1 file, 2 sections, 15 bytes")


async def test_what_is_wrong_with_files_is_named(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    put(tmp_path, "big.md", "x" * 2000)
    put(tmp_path, "bytes.md", b"\xff")
    big, raw, marked = await judged(tmp_path, "a.md")
    assert big.found.startswith("knowledge/big.md has 2000 bytes, and 1024 are read at the most")
    assert raw.found.startswith("knowledge/bytes.md cannot be read: 'bytes.md' is not text in UTF-8")
    assert marked.found.startswith("knowledge/a.md was written by a run that had read what nobody trusts")
    assert "sulla safety trust" in marked.remedy


async def test_blanks_that_are_left_are_a_warning_with_their_lines(tmp_path: Path) -> None:
    put(tmp_path, "help.md", "# Number\n\n[[fill in: number]]\n")
    (found,) = await judged(tmp_path)
    assert found.result == "warning"
    assert "knowledge/help.md has blanks that nobody has filled in" in found.found


async def test_of_very_many_the_rest_is_counted(tmp_path: Path) -> None:
    for number in range(MOST_TOLD + 3):
        put(tmp_path, f"{number:03}.png")
    found = await judged(tmp_path, *map(str, range(MOST_TOLD + 1)))
    assert len(found) == 2 * MOST_TOLD + 2
    assert found[MOST_TOLD].found == "3 more files cannot be read"
    assert found[-1].found == "1 more file were written by such runs"
