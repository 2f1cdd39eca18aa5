from __future__ import annotations

from pathlib import Path

import pytest

from sulla.tools import program_links
from sulla.tools.program_files import PROGRAMS
from sulla.tools.program_links import led_to


def test_a_link_with_the_name_of_a_program_file_leads_on_over_each_link_on_the_way(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "conf").symlink_to("real")
    (tmp_path / "b.txt").symlink_to("conf/c.txt")
    (tmp_path / "Makefile").symlink_to(tmp_path / "b.txt")
    led = led_to(str(tmp_path), PROGRAMS.known)
    assert {place.name for place in led.places} == {"Makefile", "b.txt", "conf", "c.txt"}
    assert led.reader(tmp_path / "real/c.txt")
    assert not led.reader(tmp_path / "real/d.txt")


def test_links_that_go_in_circles_or_out_lead_nowhere(tmp_path: Path) -> None:
    (workspace := tmp_path / "workspace").mkdir()
    (workspace / "Makefile").symlink_to("Makefile")
    (workspace / "makefile").symlink_to("../out")
    assert {place.name for place in led_to(str(workspace), PROGRAMS.known).places} == {"Makefile", "makefile"}


def test_in_a_workspace_that_nobody_can_look_through_everything_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10):
        (tmp_path / f"{number}.txt").touch()
    assert not led_to(str(tmp_path), PROGRAMS.known).reader(tmp_path / "1.txt")
    monkeypatch.setattr(program_links, "MOST_LOOKED", 5)
    assert led_to(str(tmp_path), PROGRAMS.known).reader(tmp_path / "1.txt")


def test_what_a_repository_is_fetched_from_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text(
        '[remote "origin"]\n\turl = ../other\n\tfetch = a/b\n[core]\n\tpager = sh/p\n'
    )
    assert {place.name for place in led_to(str(tmp_path), PROGRAMS.known).places} == {"p"}


@pytest.mark.parametrize(
    "settings",
    [
        '[alias]\n\tx = "!python3 \\"tools/x.py\\""\n',
        "[alias] x = !python3 tools/x.py\n",
        "[alias]\n\tx = !python3 \\\n\ttools/x.py\n",
        '[alias]\n\tx = "!echo \\" # \\"; python3 tools/x.py"\n',
        "[alias]\n\tx = !python3 $PWD/tools/x.py\n",
        "[alias]\n\tx = !F=tools/x.py; python3 $F\n",
        '[filter "a"]\n\tclean = sh <tools/x.py\n',
        "# long\n" * 200_000 + "[alias]\n\tx = !python3 tools/x.py\n",
    ],
)
def test_a_program_that_gits_settings_name_in_whatever_form_is_found(settings: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text(settings)
    assert led_to(str(tmp_path), PROGRAMS.known).reader(tmp_path / "tools/x.py")


@pytest.mark.parametrize("begins", [".git", "Makefile", "package.json", "pyproject.toml", "pom.xml"])
@pytest.mark.parametrize(
    "name", ["typedoc.json", "TSLint.JSON", "behat.xml", "config-overrides.js", "hook_env.py", "site-settings.rb"]
)
def test_at_the_top_of_a_project_data_and_what_sets_up_tools_counts_as_their_settings(
    begins: str, name: str, tmp_path: Path
) -> None:
    (project := tmp_path / "work/project").mkdir(parents=True)
    (project / begins).touch()
    led = led_to(str(tmp_path), PROGRAMS.known)
    assert led.reader(project / name) == "a tool that looks for its settings at the top of a project"
    assert [led.reader(place / name) for place in (tmp_path, project.parent, project / "data")] == ["", "", ""]


@pytest.mark.parametrize(
    "name", ["main.py", "app.js", "config.py", "notes.md", "table.csv", "builder.py", "rebuild.js", "index.html"]
)
def test_at_the_top_of_a_project_other_source_and_text_is_free(name: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert led_to(str(tmp_path), PROGRAMS.known).reader(tmp_path / name) == ""
