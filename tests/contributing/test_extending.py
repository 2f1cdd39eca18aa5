"""docs/extending.md, carried out as it stands: a package is built, installed as a wheel, and its agent talks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.daemon.running import Place, service
from tests.house.source import ROOT
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse

pytestmark = in_turn(3)

WHOLE = "the agent 'gardener' of the capability 'herbs'"
NODE = "note = MessageId("
WORDS = "said by others"
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


def site_of(folder: Path) -> Path:
    """The page carried out below a folder; where the wheel was installed."""
    for name, text in FILES.items():
        file = folder / "package" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    uv("build", "--wheel", "--offline", cwd=folder / "package")
    [wheel] = (folder / "package" / "dist").glob("*.whl")
    site = folder / "site"
    uv("pip", "install", "--offline", "--no-deps", "--target", str(site), str(wheel), cwd=folder)
    return site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site_of(tmp_path_factory.mktemp("extending"))


def changed(site: Path, folder: Path, stem: str, old: str, new: str) -> str:
    """Where the package is installed with a text of one file changed."""
    file = copytree(site, folder / "site") / "herb_garden" / f"{stem}.py"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    return str(file.parent.parent)


def sections(request: dict[str, Any]) -> str:
    return "\n".join(message["content"] for message in request["messages"] if message["role"] == "system")


def test_its_agent_talks_with_its_own_prompt_graph_and_tool(site: Path, tmp_path: Path) -> None:
    with service(SCRIPT) as model:
        settings = {"PYTHONPATH": str(site), "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0"}
        place = Place(tmp_path / "home", **settings, **model.environ)
        with place.up():
            said = place.ask("--agent", "gardener", "how do I care for basil?")
            assert (said[0], said[1]) == (0, "Water it each morning.\n"), said
        with place.up():  # what its node has noted is read on by another process
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


def test_what_the_page_says_of_intents_and_direct_results_holds(site: Path, tmp_path: Path) -> None:
    [intents] = re.findall(r"^`(intents=.*)`, with", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    changed(site, tmp_path, "gardener", "SEASON = ", "from sulla.definitions.intents import Intent\nSEASON = ")
    changed(tmp_path / "site", tmp_path / "more", "gardener", "tools=", f"{intents}, tools=")
    where = changed(
        tmp_path / "more" / "site", tmp_path / "all", "build", "(define(", "(__import__('dataclasses').replace(define("
    )
    build = Path(where) / "herb_garden" / "build.py"
    build.write_text(build.read_text().replace("timeout_s=5.0),", "timeout_s=5.0), return_direct=True),"))
    with service(Script([])) as model:
        place = Place(tmp_path / "home", PYTHONPATH=where, **model.environ)
        with place.up():
            said = place.ask("--agent", "gardener", "tell me, how do I water basil?")
    assert said[:2] == (0, "water it each morning\n"), said
    assert not model.requests


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("gardener", '"gardener",\n', '"The Gardener",\n', "an agent cannot be called 'The Gardener'"),
        ("gardener", '"gardener",\n', '"sulla",\n', "both have the agent 'sulla'"),
        ("gardener", "draft.add_edge(SEASON, AGENT)", 'draft.add_edge(SEASON, NodeId("gone"))', "agent 'gardener'"),
        (
            "gardener",
            "draft.add_node(SEASON, season)",
            "raise KeyError(1)",
            f"the patcher of {WHOLE} fails: KeyError: 1",
        ),
        ("gardener", '"plain"', '"plane"', "GARDENER of the capability 'herbs': spec.completion: expected one of"),
        ("gardener", '("herb_care",)', '"herb_care"', "spec.tools: expected tuple[str, ...] | None, found 'herb_care'"),
        (
            "gardener",
            "    prompt,\n",
            '    "You garden.",\n',
            "prompt: expected a function or None, found 'You garden.'",
        ),
        ("gardener", "tools=", 'hands_to="sulla", tools=', "spec.hands_to: expected tuple[str, ...], found 'sulla'"),
        ("gardener", "tools=", 'intents=({"phrase": "x"},), tools=', "spec.intents: Intent: unknown field 'phrase'"),
        ("gardener", "tools=", "max_turns=True, tools=", "spec.max_turns: expected int, found True"),
        ("capability", ":GARDENER", ":SEASON", "is no PackagedAgent but str"),
        ("capability", '("herb_garden.gardener:GARDENER",)', '"herb_garden.gardener:GARDENER"', "expected a tuple"),
    ],
)
def test_what_cannot_be_an_agent_stops_the_start_and_says_whose_it_is(
    file: str, old: str, new: str, said: str, site: Path, tmp_path: Path
) -> None:
    where = changed(site, tmp_path, file, old, new)
    place = Place(tmp_path / "home", PYTHONPATH=where, SULLA_MODEL="offline")
    code, _, told = place.run("up", "--port", "0")
    assert (code, said in told, "Traceback" in told) == (7, True, False), told


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"""Says hello once."""', "raise ZeroDivisionError", "{agent} cannot be made: ZeroDivisionError"),
        ('"""Says hello once."""', "raise SystemExit(3)", "{agent} cannot be made: SystemExit: 3"),
        (
            NODE,
            f"raise ZeroDivisionError('{WORDS}')\n    {NODE}",
            "the node 'season' of {whole} failed: ZeroDivisionError",
        ),
        (NODE, f"import asyncio\n    raise asyncio.CancelledError\n    {NODE}", "of {whole} failed: CancelledError"),
        (NODE, f"raise SystemExit\n    {NODE}", "the node 'season' of {whole} failed: SystemExit"),
        ('"season", "[It', '7, "[It', "the node 'season' of {whole} failed: ValueError"),
        (
            "add_edge(SEASON, AGENT)",
            "add_edge(SEASON, lambda s: s.no, AGENT)",
            "'season' of {whole} failed: AttributeError",
        ),
    ],
)
def test_what_fails_in_a_package_fails_the_turn_and_says_whose_it_is(
    old: str, new: str, said: str, site: Path, tmp_path: Path
) -> None:
    where = changed(site, tmp_path, "gardener", old, new)
    place = Place(tmp_path / "home", PYTHONPATH=where, SULLA_MODEL="offline")
    with place.up() as daemon:
        code, _, told = place.ask("--agent", "gardener", "hello")
        assert place.ask("hello")[0] == 0, "the daemon works on"
    assert code != 0
    assert said.format(agent="the agent 'gardener'", whole=WHOLE) in told
    assert WORDS not in told, "what an error says may quote others"
    assert "Traceback" in daemon.complaints or "cannot be made" in told


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
