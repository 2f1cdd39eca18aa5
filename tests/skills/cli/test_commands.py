"""`sulla skills`: no daemon has to run; what people type is answered plainly, and the exit code says how it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sulla.skills.cli.commands import COMMANDS
from sulla.skills.cli.look import LOOKS
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.skills.catalogs import put

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path))
    return tmp_path


def _rows(text: str) -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in map(json.loads, text.splitlines())}


def test_every_command_does_something() -> None:
    assert LOOKS.keys() == COMMANDS.keys()


def test_the_list_says_where_each_comes_from_and_who_is_allowed(home: Path, capsys: Capsys) -> None:
    put(home / "skills", "tea", "Makes \x1b[2Jtea.")
    rows = _rows(typed(capsys, "skills", "list", "--json").out)
    assert (rows["tea"]["from"], rows["tea"]["trusted"]) == ("home", False)
    assert (rows["debug-a-failure"]["from"], rows["debug-a-failure"]["trusted"]) == ("shipped", True)
    shown = typed(capsys, "skills", "list")
    assert [line.split()[:3] for line in shown.out.splitlines() if line.startswith("tea ")] == [["tea", "home", "no"]]
    assert "\x1b" not in shown.out


def test_looking_makes_nothing(home: Path, capsys: Capsys) -> None:
    for words in (["list"], ["check"], ["show", "plan-a-project"], ["show", "plan-a-project", "assets/PROJECT.md"]):
        assert typed(capsys, "skills", *words).code == Exit.OK
    assert list(home.iterdir()) == []


def test_show_prints_the_text_and_names_the_files(home: Path, capsys: Capsys) -> None:
    put(home / "skills", "tea", body="Boil \x1b]0;water.", cups__md="Two cups.")
    shown = typed(capsys, "skills", "show", "tea").out
    for said in ("sha256:", "cups.md", "Boil ]0;water."):
        assert said in shown
    assert json.loads(typed(capsys, "skills", "show", "tea", "cups.md", "--json").out)["text"] == "Two cups."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "tee"), "no skill 'tee'. Did you mean 'tea'"),
        (("trust", "tee"), "no skill 'tee'"),
        (("show", "tea", "cup"), "no file 'cup'; there are: SKILL.md"),
    ],
)
def test_a_wrong_name_is_refused_and_helped(home: Path, capsys: Capsys, words: tuple[str, ...], said: str) -> None:
    put(home / "skills", "tea")
    shown = typed(capsys, "skills", *words)
    assert (shown.code, said in shown.err) == (Exit.REFUSED, True)


def test_trust_is_good_until_the_skill_changes_or_it_is_taken_back(home: Path, capsys: Capsys) -> None:
    def trusted() -> str:
        rows = typed(capsys, "skills", "list").out.splitlines()
        return next(line.split()[2] for line in rows if line.startswith("tea "))

    put(home / "skills", "tea")
    assert "is allowed as it is now (sha256:" in typed(capsys, "skills", "trust", "tea").out
    assert trusted() == "yes"
    put(home / "skills", "tea", body="Something else.")
    assert trusted() == "changed"
    assert "asked about again" in typed(capsys, "skills", "forget", "tea").out
    assert "was not allowed" in typed(capsys, "skills", "forget", "tea").out
    assert trusted() == "no"


def test_check_tells_warnings_and_fails_on_what_cannot_be_used(home: Path, capsys: Capsys) -> None:
    assert typed(capsys, "skills", "check").code == Exit.OK
    odd, bad = put(home / "skills", "odd", "Use when: asked"), put(home / "skills", "Bad")
    shown = typed(capsys, "skills", "check")
    assert shown.code == Exit.FAILED
    assert f"warning  {odd}: the front matter is not YAML" in shown.out
    assert f"fault    {bad}: a skill cannot be called 'Bad'" in shown.out
    assert typed(capsys, "skills", "check", str(odd)).code == Exit.OK
    assert typed(capsys, "skills", "check", str(home / "nothing")).code == Exit.FAILED
    found = [json.loads(line) for line in typed(capsys, "skills", "check", "--json", str(bad)).out.splitlines()]
    assert [row["result"] for row in found] == ["fault"]


def test_a_damaged_record_of_trust_is_told(home: Path, capsys: Capsys) -> None:
    put(home / "skills", "tea")
    (home / "trusted_skills.json").write_text("{")
    assert "mend or remove it" in typed(capsys, "skills", "list").err
    assert typed(capsys, "skills", "trust", "tea").code == Exit.REFUSED
