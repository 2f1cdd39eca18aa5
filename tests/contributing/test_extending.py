"""docs/extending.md, carried out as it stands: a package is built, installed as a wheel, and its agent talks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.running import Place, service
from tests.house.source import ROOT
from tests.servers.script import Reply, Rule, Script, ToolUse

PAGE = ROOT / "docs" / "extending.md"
_BLOCK = re.compile(r"^`([^`]+)`:\n\n```(?:python|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = dict(_BLOCK.findall(PAGE.read_text(encoding="utf-8")))
SCRIPT = Script(
    [
        Rule(Reply("", tools=(ToolUse("herb_care", {"herb": "Basil"}),)), results=0, times=1),
        Rule(Reply("Water it each morning."), results=1),
        Rule(Reply("Gladly.")),
    ]
)


def uv(*words: str, cwd: Path) -> None:
    line = [str(Path(sys.executable).with_name("uv")), *words]
    done = subprocess.run(line, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def site_of(folder: Path, **changes: tuple[str, str]) -> Path:
    """The page carried out below a folder, with a text of some files changed; where the wheel was installed."""
    for name, text in FILES.items():
        file = folder / "package" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        old, new = changes.get(file.stem, ("", ""))
        assert old in text
        file.write_text(text.replace(old, new) if old else text, encoding="utf-8")
    uv("build", "--wheel", "--offline", cwd=folder / "package")
    [wheel] = (folder / "package" / "dist").glob("*.whl")
    site = folder / "site"
    uv("pip", "install", "--offline", "--no-deps", "--target", str(site), str(wheel), cwd=folder)
    return site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site_of(tmp_path_factory.mktemp("extending"))


def sections(request: dict[str, Any]) -> str:
    return "\n".join(message["content"] for message in request["messages"] if message["role"] == "system")


def test_its_agent_talks_with_its_own_prompt_graph_and_tool(site: Path, tmp_path: Path) -> None:
    with service(SCRIPT) as model:
        settings = {"PYTHONPATH": str(site), "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0"}
        place = Place(tmp_path / "home", **settings, **model.environ)
        with place.up():
            said = place.ask("--agent", "gardener", "how do I care for basil?")
            assert (said[0], said[1]) == (0, "Water it each morning.\n"), said
            assert place.ask("--last", "thank you")[1] == "Gladly.\n"
            listed = place.run("status", "--json")[1]
    first, second, third = model.requests
    assert "Greet the person first." in sections(first)
    assert "do not greet again" in sections(third)
    assert {tool["function"]["name"] for tool in first["tools"]} >= {"herb_care", "get_time_date"}
    assert [one["content"] for one in second["messages"] if one["role"] == "tool"] == ["water it each morning"]
    assert sum("season of basil" in one["content"] for one in first["messages"]) == 1
    assert sum("season of basil" in one["content"] for one in third["messages"]) == 2, "once in each turn"
    assert "gardener" in listed


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("gardener", '"gardener",\n', '"The Gardener",\n', "an agent cannot be called 'The Gardener'"),
        ("gardener", '"gardener",\n', '"sulla",\n', "both have the agent 'sulla'"),
        ("gardener", "draft.add_edge(SEASON, AGENT)", 'draft.add_edge(SEASON, NodeId("gone"))', "agent 'gardener'"),
        ("capability", ":GARDENER", ":SEASON", "is no PackagedAgent but str"),
        ("capability", '("herb_garden.gardener:GARDENER",)', '"herb_garden.gardener:GARDENER"', "expected a tuple"),
    ],
)
def test_what_cannot_be_an_agent_stops_the_start_and_says_whose_it_is(
    file: str, old: str, new: str, said: str, tmp_path: Path
) -> None:
    place = Place(tmp_path / "home", PYTHONPATH=str(site_of(tmp_path, **{file: (old, new)})), SULLA_MODEL="offline")
    code, _, told = place.run("up", "--port", "0")
    assert (code, said in told, "Traceback" in told) == (7, True, False), told


def test_a_prompt_that_fails_fails_the_turn_and_says_whose_it_is(tmp_path: Path) -> None:
    broken = site_of(tmp_path, gardener=('"""Says hello once."""', "raise ZeroDivisionError"))
    place = Place(tmp_path / "home", PYTHONPATH=str(broken), SULLA_MODEL="offline")
    with place.up():
        code, _, told = place.ask("--agent", "gardener", "hello")
    assert code != 0
    assert "the prompt of the agent 'gardener' cannot be made: ZeroDivisionError" in told


def test_a_folder_takes_the_place_of_a_packages_agent(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "agents" / "gardener"
    folder.mkdir(parents=True)
    (folder / "soul.md").write_text("You are somebody else.")
    (folder / "agent.toml").write_text('completion = "plain"\n')
    with service(Script([Rule(Reply("Hello."))])) as model:
        place = Place(tmp_path / "home", PYTHONPATH=str(site), **model.environ)
        with place.up():
            assert place.ask("--agent", "gardener", "hello")[0] == 0
    assert "You are somebody else." in sections(model.requests[0])
    assert "season of basil" not in str(model.requests[0]["messages"])
