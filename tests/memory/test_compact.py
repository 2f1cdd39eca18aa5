"""What was forgotten is in no index and in no text that was made of it."""

from __future__ import annotations

from pathlib import Path

from sulla.memory.compact import digest_of, without_gone
from sulla.memory.note import MemoryNote
from sulla.memory.section import MemorySection, row, section
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.sqlite_file import open_memory
from sulla.store.sqlite.thread import SqliteThread


def note(id_: str, text: str) -> MemoryNote:
    about = ("sulla", f"thr_{id_}", "run_1", f"about {text}")
    return MemoryNote(id_, "episode", "sulla", text, 1_800_000_000_000, *about, tainted=False)


async def test_no_word_of_a_forgotten_note_is_left_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sulla.memory.db"
    index = SqliteMemory(SqliteThread(path, 5.0, open_memory))
    await index.open()
    await index.add([note("ep1", "zebrafish"), note("ep2", "otters")])
    await index.add([note("ep3", "zebrafish")])
    await index.drop_thread("thr_ep1")
    await index.drop_thread("thr_ep3")
    await index.compact()
    assert [hit.note.id for hit in await index.search(["sulla"], "otters", 9)] == ["ep2"]
    await index.close()
    left = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"zebrafish" not in left
    assert b"otter" in left


def test_lines_of_notes_that_are_gone_leave_what_agents_were_told() -> None:
    gone, kept = note("ep1", "zebrafish"), note("ep2", "otters")
    told = section(MemorySection(recent=[gone, kept])).text
    scrub = without_gone({digest_of(row(kept).text)})
    assert scrub(f"before {told} after") == f"before {section(MemorySection(recent=[kept])).text} after"
    assert scrub(section(MemorySection(recent=[gone])).text) == ""
    fine = section(MemorySection(recent=[kept])).text
    assert scrub(fine) is fine
    assert scrub("- zebrafish") == "- zebrafish"
