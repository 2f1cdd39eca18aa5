"""`sulla memory`: what agents remember, with or without a daemon."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from sulla.memory.note import MemoryNote
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.sqlite_file import open_memory
from sulla.store.sqlite.thread import SqliteThread
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.kits.memory_kit import make_note
from tests.memory.entities.world import named, said

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path))
    return tmp_path


def fill(home: Path, notes: Sequence[MemoryNote]) -> None:
    async def add() -> None:
        index = SqliteMemory(SqliteThread(home / "sulla.memory.db", 5.0, open_memory))
        await index.open()
        await index.add(notes)
        await index.close()

    asyncio.run(add())


def test_an_empty_memory_says_so(home: Path, capsys: Capsys) -> None:
    shown = typed(capsys, "memory", "list")
    assert (shown.code, shown.out, shown.err) == (Exit.OK, "", "nothing is remembered yet\n")


def test_it_lists_the_newest_first_and_finds_by_words(home: Path, capsys: Capsys) -> None:
    tea, pot = make_note("tea in the \x1b[31mtin", kind="fact", at_ms=1000), make_note("pot broken", at_ms=2000)
    fill(home, [tea, pot, make_note("bob's own", scope="bob", at_ms=3000)])
    listed = typed(capsys, "memory", "list", "--agent", "ada").out.splitlines()
    assert listed == [
        f'- 1970-01-01: asked "asked of it"; ended: "pot broken" [{pot.id}, ada, thr_1]',
        f"- 1970-01-01: tea in the [31mtin [{tea.id}, ada, thr_1]",
    ]
    assert len(typed(capsys, "memory", "list").out.splitlines()) == 3
    found = typed(capsys, "memory", "search", "where", "tea?", "--json").out
    assert [json.loads(line)["id"] for line in found.splitlines()] == [tea.id]


def test_export_gives_every_note_once(home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sulla.memory.cli.commands._PAGE", 4)
    notes = [make_note(f"note {n}", at_ms=n // 2, kind="fact" if n % 5 else "episode") for n in range(23)]
    fill(home, notes)
    out = typed(capsys, "memory", "export").out
    assert sorted(json.loads(line)["id"] for line in out.splitlines()) == sorted(note.id for note in notes)


def test_forgetting_asks_first_or_is_told_yes(home: Path, capsys: Capsys) -> None:
    note = make_note("tea in the tin", kind="fact")
    fill(home, [note])
    refused = typed(capsys, "memory", "forget", note.id)
    assert refused.code == Exit.USAGE
    assert "there is nobody to ask: say --yes to forget" in refused.err
    assert note.id in typed(capsys, "memory", "list").out
    assert typed(capsys, "memory", "forget", note.id, "--yes").out == "forgotten: 1\n"
    assert typed(capsys, "memory", "list").out == ""


def test_what_is_not_there_and_a_store_without_a_file_are_said_plainly(
    home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = typed(capsys, "memory", "forget", "nope", "--yes")
    assert "nothing is remembered under nope: `sulla memory list` shows what is" in missing.err
    monkeypatch.setenv("SULLA_STORE", "memory:")
    assert "there is nothing to open" in typed(capsys, "memory", "list").err
    monkeypatch.delenv("SULLA_STORE")
    monkeypatch.setenv("SULLA_HOME", str(home / "none"))
    assert "make a home with `sulla init`" in typed(capsys, "memory", "list").err


def draw(home: Path) -> tuple[MemoryNote, MemoryNote]:
    """Two turns, and what was drawn from them."""
    one, two = make_note("Ana lives in Lund", at_ms=1000), make_note("Ana \x1b[31mhas a dog", at_ms=2000)
    fill(home, [one, two])

    async def put() -> None:
        index = SqliteMemory(SqliteThread(home / "sulla.memory.db", 5.0, open_memory))
        await index.open()
        lund = named("Lund", "place")
        statements = [
            said("Ana", "lives in", to=lund, source=one.id, at_ms=1000),
            said(lund, source=one.id, at_ms=1000),
            said("Ana", "pet", "a \x1b[31mdog", source=two.id, at_ms=2000),
            said("Anna", source=two.id, at_ms=2000),
        ]
        await index.statements.put("ada", statements, [one.id, two.id])
        await index.close()

    asyncio.run(put())
    return one, two


def test_who_is_known_is_shown_corrected_merged_and_forgotten(home: Path, capsys: Capsys) -> None:
    assert "nothing is known of anybody yet" in typed(capsys, "memory", "graph").err
    one, two = draw(home)
    graph = typed(capsys, "memory", "graph").out.splitlines()
    assert sorted(line.partition(" [")[0] for line in graph) == [
        "Ana (person): lives in: Lund",
        "Anna (person)",
        "Lund (place): Ana lives in Lund",
    ]
    assert len(typed(capsys, "memory", "graph", "ana").out.splitlines()) == 2
    shown = typed(capsys, "memory", "entity", "ana").out
    assert f"1970-01-01, {two.id}]" in shown
    assert "\x1b" not in shown
    corrected = typed(capsys, "memory", "correct", "Ana", "lives in", "Malmö", "town")
    assert "lives in: Malmö town" in corrected.out
    assert "corrected by a person" in corrected.out
    assert "Lund" not in corrected.out
    merged = json.loads(typed(capsys, "memory", "merge", "Ana", "Anna", "--json").out)
    assert [fact["value"] for fact in merged["facts"]] == ["Malmö town", "a \x1b[31mdog"]
    assert merged["facts"][1]["notes"] == [two.id]
    pet = merged["facts"][1]["id"]
    assert typed(capsys, "memory", "forget", pet).code == Exit.USAGE
    assert typed(capsys, "memory", "forget", pet, "--yes").out == "forgotten: 1\n"
    assert typed(capsys, "memory", "forget", one.id, "--yes").out == "forgotten: 1\n"
    assert "Lund" not in typed(capsys, "memory", "graph").out
    assert typed(capsys, "memory", "forget", merged["id"], "--yes").out == "forgotten: 3\n"
    assert typed(capsys, "memory", "graph").out == ""
    missing = typed(capsys, "memory", "entity", "ana")
    assert (missing.code == Exit.OK, "`sulla memory graph` shows all" in missing.err) == (False, True)


def test_an_empty_graph_says_when_it_fills(home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "`memory.entities = true` in the settings has it drawn" in typed(capsys, "memory", "graph").err
    monkeypatch.setenv("SULLA_MEMORY__ENTITIES", "true")
    told = typed(capsys, "memory", "graph").err
    assert "draws it from conversations every 8 turns" in told
    assert "memory.entities" not in told


def test_what_is_not_known_is_made_by_a_correction_that_says_so(
    home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw(home)
    missing = typed(capsys, "memory", "correct", "Bo", "age", "7")
    assert (missing.code == Exit.OK, "`--new KIND` has it known" in missing.err) == (False, True)
    assert "Bo (person)" in typed(capsys, "memory", "correct", "Bo", "age", "7", "--new", "person").out
    answers = iter(["", "place"])

    async def answer(hint: str, clock: object) -> str:
        return next(answers)

    monkeypatch.setattr("sulla.memory.cli.entities.somebody_is_there", lambda: True)
    monkeypatch.setattr("sulla.memory.cli.entities.read_answer", answer)
    assert typed(capsys, "memory", "correct", "Ume", "river", "wide").code == Exit.CANCELLED
    assert "Ume (place)" in typed(capsys, "memory", "correct", "Ume", "river", "wide").out


def test_two_of_two_kinds_are_merged_after_a_question_or_with_an_option(
    home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw(home)
    refused = typed(capsys, "memory", "merge", "Ana", "Lund")
    assert (refused.code == Exit.OK, "'Ana' is a person, and 'Lund' a place" in refused.err) == (False, True)
    sure = iter([False, True])

    async def is_sure(question: str, clock: object) -> bool:
        assert "Ana is a person, and Lund a place" in question
        return next(sure)

    monkeypatch.setattr("sulla.memory.cli.entities.somebody_is_there", lambda: True)
    monkeypatch.setattr("sulla.memory.cli.entities.is_sure", is_sure)
    assert typed(capsys, "memory", "merge", "Ana", "Lund").code == Exit.CANCELLED
    assert "(person, also Ana)" in typed(capsys, "memory", "merge", "Ana", "Lund").out
    assert typed(capsys, "memory", "merge", "Ana", "Anna", "--other-kind").code == Exit.OK
