"""What whoever keeps the memory must hold, whatever it is kept in.

A test module of a backend has a fixture ``index`` that gives a fresh, open one whose capacity is `SMALL`, and imports
all of this.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import count

import pytest

from sulla.memory.base import MemoryIndex
from sulla.memory.note import EVERYONE, Kind, MemoryCapacity, MemoryNote, ReadPosition

SMALL = MemoryCapacity(episodes=30, errands=20, facts=10)

_numbers = count(1)


def make_note(
    text: str, *, scope: str = "ada", kind: Kind = "episode", at_ms: int = 0, thread: str = "thr_1"
) -> MemoryNote:
    """A note that no other test has."""
    number = next(_numbers)
    return MemoryNote(
        f"n_{number:06}",
        kind,
        scope,
        text,
        at_ms or number,
        scope or "ada",
        thread,
        "run_1",
        "asked of it",
        tainted=False,
    )


async def _texts(index: MemoryIndex, question: str, *scopes: str, limit: int = 10) -> list[str]:
    return [found.note.text for found in await index.search(scopes or ("ada", EVERYONE), question, limit)]


async def test_what_was_kept_is_found_word_for_word(index: MemoryIndex) -> None:
    note = replace(
        make_note('Zürich: 30 % "done"\n日本語 \U0001f469'), tools=("read_file", "bash"), outcome="done", tainted=True
    )
    await index.add([note])
    (found,) = await index.search(["ada"], "zurich", 5)
    assert found.note == note
    assert found.score > 0
    assert await index.get([note.id]) == [note]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The DEPLOYS failed", "why did the deploy fail, or was it failed?"),
        ("Die Straße nach Köln", "koln"),
        ("called read_file twice", "read_file"),
        ("日本語の文書を読む", "文書"),
        ("port 8137 is taken", "8137"),
        ('it\'s "quoted" AND NOT (a:b*)', 'quoted" OR (NOT a:b*)'),
    ],
)
async def test_words_are_found_however_they_are_written(index: MemoryIndex, text: str, question: str) -> None:
    await index.add([make_note(text), make_note("something else altogether")])
    assert await _texts(index, question) == [text]


@pytest.mark.parametrize("question", ["", " \n", "the of and", '"*():^', "nobodysaidthis", "\0"])
async def test_a_question_without_a_known_word_finds_nothing(index: MemoryIndex, question: str) -> None:
    await index.add([make_note("the garden of ada")])
    assert await _texts(index, question) == []


async def test_the_rarer_word_the_oftener_said_and_the_shorter_note_come_first(index: MemoryIndex) -> None:
    common = [make_note(f"garden number{n}") for n in range(8)]
    rare = make_note("orchid bed")
    await index.add([*common, rare])
    assert (await _texts(index, "garden orchid"))[0] == "orchid bed"
    often, once, long = (
        make_note("kiln kiln kiln clay"),
        make_note("kiln glaze clay wheel"),
        make_note("kiln " + " ".join(f"other{n}" for n in range(100))),
    )
    await index.add([long, once, often])
    assert await _texts(index, "kiln") == [often.text, once.text, long.text]


async def test_a_search_gives_no_more_than_it_was_asked_for(index: MemoryIndex) -> None:
    await index.add([make_note(f"tulip {n}") for n in range(10, 25)])
    assert len(await _texts(index, "tulip", limit=4)) == 4


async def test_nobody_finds_what_is_another_s(index: MemoryIndex) -> None:
    hers, his, all_s = make_note("secret rose"), make_note("secret thorn", scope="bob"), make_note("secret", scope="")
    await index.add([hers, his, all_s])
    assert sorted(await _texts(index, "secret", "ada", EVERYONE)) == ["secret", "secret rose"]
    assert await _texts(index, "secret", "bob") == ["secret thorn"]
    assert await _texts(index, "secret", "nobody") == []
    assert {note.id for note in await index.recent(["ada", EVERYONE], "episode", 10)} == {hers.id, all_s.id}
    assert await index.scopes() == ["", "ada", "bob"]


async def test_a_known_note_stays_as_it_is(index: MemoryIndex) -> None:
    note = make_note("first said")
    await index.add([note])
    await index.add([replace(note, text="then said"), note])
    assert await index.get([note.id]) == [note]
    assert await index.count("ada", "episode") == 1
    assert await _texts(index, "then") == []


async def test_recent_notes_come_newest_first_and_page_backwards(index: MemoryIndex) -> None:
    notes = [make_note(f"day {n}", at_ms=1000 + n) for n in range(6)]
    await index.add([*notes[3:], *notes[:3], make_note("a fact", kind="fact", at_ms=9999)])
    newest = await index.recent(["ada"], "episode", 4)
    assert [note.text for note in newest] == ["day 5", "day 4", "day 3", "day 2"]
    older = await index.recent(["ada"], "episode", 4, newest[-1].at_ms)
    assert [note.text for note in older] == ["day 1", "day 0"]
    assert [note.text for note in await index.recent(["ada"], "fact", 4)] == ["a fact"]


async def test_the_oldest_episodes_make_room_and_facts_do_not(index: MemoryIndex) -> None:
    fact = make_note("oldest of all", kind="fact", at_ms=1)
    await index.add([fact])
    await index.add([make_note(f"bulb number{n}", at_ms=1000 + n) for n in range(SMALL.episodes + 5)])
    assert await index.count("ada", "episode") == SMALL.episodes
    assert await _texts(index, "number4") == []
    assert await _texts(index, "number5") == ["bulb number5"]
    assert await _texts(index, "oldest") == ["oldest of all"]


async def test_what_is_deleted_is_gone_from_everywhere(index: MemoryIndex) -> None:
    gone, stays = make_note("lily pond"), make_note("lily bed")
    await index.add([gone, stays])
    assert await index.delete([gone.id, gone.id, "unknown"]) == 1
    assert await _texts(index, "lily pond") == ["lily bed"]
    assert await index.get([gone.id, stays.id]) == [stays]
    assert await index.recent(["ada"], "episode", 5) == [stays]
    assert await index.count("ada", "episode") == 1
    assert await index.delete([gone.id]) == 0


async def test_a_word_that_only_deleted_notes_had_counts_for_nothing(index: MemoryIndex) -> None:
    notes = [make_note("moss") for _ in range(5)]
    await index.add(notes)
    await index.delete([note.id for note in notes])
    assert await _texts(index, "moss") == []
    await index.add([make_note("moss again")])
    assert await _texts(index, "moss") == ["moss again"]


async def test_how_far_a_thread_was_read_is_kept_with_its_notes(index: MemoryIndex) -> None:
    assert await index.progress("thr_1") is None
    await index.add([make_note("one")], ("thr_1", ReadPosition(5, 3, 2, tainted=False)))
    await index.add([], ("thr_2", ReadPosition(6, tainted=False)))
    await index.add([], ("thr_1", ReadPosition(5, 9, 8, tainted=True)))
    assert await index.progress("thr_1") == ReadPosition(5, 9, 8, tainted=True)
    assert await index.threads("", 10) == ["thr_1", "thr_2"]
    assert await index.threads("thr_1", 10) == ["thr_2"]
    assert await index.threads("", 1) == ["thr_1"]


async def test_a_thread_s_episodes_go_with_it_and_its_facts_stay(index: MemoryIndex) -> None:
    fact = make_note("fern fact", kind="fact")
    other = make_note("fern elsewhere", thread="thr_2")
    await index.add(
        [make_note("fern one"), make_note("fern two", scope="bob"), fact, other],
        ("thr_1", ReadPosition(5, tainted=False)),
    )
    assert await index.drop_thread("thr_1") == 2
    assert await index.progress("thr_1") is None
    assert sorted(await _texts(index, "fern", "ada", "bob")) == ["fern elsewhere", "fern fact"]
    assert await index.drop_thread("thr_1") == 0


async def test_however_much_is_too_much_no_write_removes_more_than_so_many(
    index: MemoryIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[type(index).__module__], "MAX_REMOVED", 4)
    await index.add([make_note(f"sedge number{n}", at_ms=1000 + n) for n in range(SMALL.episodes + 10)])
    assert await index.count("ada", "episode") == SMALL.episodes + 6
    for _ in range(2):
        await index.add([make_note("reed", scope="ada")])
    assert await index.count("ada", "episode") == SMALL.episodes
    assert await index.drop_thread("thr_1") == SMALL.episodes
    assert await index.count("ada", "episode") == 0
    assert await index.progress("thr_1") is None


async def test_what_no_person_spoke_in_takes_no_room_from_what_people_said(index: MemoryIndex) -> None:
    said = make_note("bulb said", at_ms=1)
    await index.add([said])
    errands = [make_note(f"bulb errand{n}", kind="errand", at_ms=1000 + n) for n in range(SMALL.errands + 3)]
    await index.add(errands)
    assert await index.count("ada", "errand") == SMALL.errands
    assert await index.recent(["ada"], "episode", 5) == [said]
    assert await index.recent(["ada"], "errand", 1) == [errands[-1]]
    assert await _texts(index, "errand2") == []
    assert await _texts(index, "errand3") == ["bulb errand3"]
    assert await index.drop_thread("thr_1") == SMALL.errands + 1
    assert await index.scopes() == []
