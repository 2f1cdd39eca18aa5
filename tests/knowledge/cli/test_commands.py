"""`sulla knowledge`: what people type is answered plainly, without a daemon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sulla.knowledge.cli.commands import COMMANDS
from sulla.knowledge.cli.look import LOOKS
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.knowledge.shelves import put

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path))
    return tmp_path


def test_every_command_does_something() -> None:
    assert LOOKS.keys() == COMMANDS.keys()


def test_the_list_names_what_is_read_and_what_is_not(home: Path, capsys: Capsys) -> None:
    put(home, "returns.md")
    put(home, "x.docx")
    shown = typed(capsys, "knowledge", "list")
    assert shown.out.splitlines()[1].split() == ["returns.md", "2", "87"]
    assert shown.err.startswith("x.docx is of a kind that is not read")
    rows = [json.loads(line) for line in typed(capsys, "knowledge", "list", "--json").out.splitlines()]
    assert rows[0] == {"file": "returns.md", "sections": 2, "bytes": 87, "left_out": ""}
    assert rows[1]["left_out"].startswith("is of a kind")


def test_a_home_without_knowledge_says_where_to_put_it(home: Path, capsys: Capsys) -> None:
    shown = typed(capsys, "knowledge", "list")
    assert (shown.code, shown.err) == (Exit.OK, f"there is nothing to read in {home / 'knowledge'}\n")
    assert list(home.iterdir()) == []


def test_a_search_shows_passages_with_where_they_stand(home: Path, capsys: Capsys) -> None:
    put(home, "returns.md", "# Refunds\n\nTo \x1b[2Jthe card.\n\n# More refunds\n\nIn cash.")
    shown = typed(capsys, "knowledge", "search", "refunds?")
    assert shown.code == Exit.OK
    assert shown.out.startswith("[1] returns.md, Refunds, line 3\n\nTo [2Jthe card.\n")
    assert len(typed(capsys, "knowledge", "search", "refunds", "--limit", "1", "--json").out.splitlines()) == 1
    (row, _) = map(json.loads, typed(capsys, "knowledge", "search", "refunds", "--json").out.splitlines())
    assert (row["file"], row["headings"], row["line"], row["fit"]) == ("returns.md", ["Refunds"], 3, 1.0)


def test_a_search_that_finds_nothing_fails_and_says_what_there_is(home: Path, capsys: Capsys) -> None:
    put(home, "returns.md")
    shown = typed(capsys, "knowledge", "search", "world", "cup")
    assert (shown.code, shown.out) == (Exit.FAILED, "")
    assert "answers 'world cup'. There is: returns.md." in shown.err
