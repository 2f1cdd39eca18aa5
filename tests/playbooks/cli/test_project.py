"""`sulla project` reads what people and agents have written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sulla.cli.main import main

TEXT = "---\npriority: p1\nstatus: odd\n---\n# Garden\x1b[2J\n\n- [ ] Dig\n- [x] Sow\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path))
    (tmp_path / "projects" / "garden").mkdir(parents=True)
    (tmp_path / "projects" / "garden" / "PROJECT.md").write_text(TEXT)
    return tmp_path


def test_the_list_is_a_table(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "projects" / "broken").mkdir()
    (home / "projects" / "broken" / "PROJECT.md").write_bytes(b"\xff")
    assert main(["project", "list"]) == 0
    head, broken, garden = capsys.readouterr().out.splitlines()
    assert head.split() == ["NAME", "STATUS", "URGENCY", "OPEN", "TITLE"]
    assert "cannot be read: broken/PROJECT.md: byte 0 is not UTF-8" in broken
    assert garden.split() == ["garden", "active", "p1", "1", "Garden[2J"]


def test_both_speak_json(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["project", "list", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["project"], row["open"], row["tasks"]) == ("garden", 1, 2)
    assert "status: got 'odd'" in row["trouble"]
    assert main(["project", "show", "garden", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [task["done"] for task in shown["tasks"]] == [False, True]
    assert shown["text"] == TEXT


def test_a_project_is_shown_as_it_stands_without_its_control_characters(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["project", "show", "garden"]) == 0
    out = capsys.readouterr().out
    assert "note: status: got 'odd'" in out
    assert out.endswith(TEXT.replace("\x1b", ""))


def test_one_that_is_not_there_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["project", "show", "house"]) != 0
    assert "no project 'house'. `sulla project list` shows them" in capsys.readouterr().err
    assert main(["project", "show", "gardne"]) != 0
    assert "no project 'gardne'. Did you mean 'garden'?" in capsys.readouterr().err


def test_a_home_without_projects_says_where_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path))
    assert main(["project", "list"]) == 0
    assert f"make a folder with a PROJECT.md in {tmp_path}/projects" in capsys.readouterr().err


def test_how_the_tasks_of_a_plan_stand_is_counted(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "# Garden\n\n- [x] Dig (id: dig)\n- [ ] Sow (id: sow; after: dig) (in progress)\n- [ ] Weed\n"
    (home / "projects" / "garden" / "PROJECT.md").write_text(text)
    assert main(["project", "show", "garden"]) == 0
    assert capsys.readouterr().out.startswith("plan: 1 completed, 1 in_progress\n# Garden\n")
    assert main(["project", "show", "garden", "--json"]) == 0
    tasks = json.loads(capsys.readouterr().out)["tasks"]
    assert [(task["id"], task["state"], task["depends_on"]) for task in tasks] == [
        ("dig", "completed", []),
        ("sow", "in_progress", ["dig"]),
        ("", "pending", []),
    ]
