"""What the first hour goes wrong with: each is explained in one line, within three seconds of the start."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from datetime import datetime
from pathlib import Path

import pytest

from sulla.host.system import SystemClock
from sulla.terminal.exits import Exit
from tests.daemon.running import NOWHERE, Place, service
from tests.daemon.serving import beside
from tests.house.source import ROOT
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.ollama_server import FakeOllama
from tests.servers.script import Reply, Rule, Script
from tests.soon import attempts

EXPLAINED_S = 3.0
FIRST_S = 60.0
"""So long the first useful answer may take, all commands taken together."""

Mistakes = dict[str, tuple[dict[str, str], str]]


def _explained(home: Path, said: str, **environ: str) -> float:
    """How long after its start a daemon has said it, by its own log, in seconds."""
    with Place(home, **environ).up() as daemon:
        daemon.complains(said)
        entries = [json.loads(line) for line in daemon.complaints.splitlines() if line.endswith("}")]
    (line,) = [one for one in entries if said in one["event"]]
    assert (line["level"], "→" in line["event"], "\n" in line["event"]) == ("warning", True, False)
    began = next(one for one in entries if one["event"] == "started")
    return (datetime.fromisoformat(line["at"]) - datetime.fromisoformat(began["at"])).total_seconds()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel holds, by the table that it is built from."""
    made = tmp_path_factory.mktemp("wheel")
    target = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    for there, inside in [*((name, name) for name in target["packages"]), *target["force-include"].items()]:
        shutil.copytree(ROOT / there, made / inside, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    return made


def _installed(wheel: Path) -> dict[str, str]:
    """The environment of somebody who has no clone."""
    return {"PYTHONPATH": str(wheel), "PYTHONSAFEPATH": "1"}


def test_a_wheel_holds_all_that_the_first_answer_takes(wheel: Path, tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline", **_installed(wheel))
    with place.up():
        code, said, _ = place.run("ask", "hello")
        assert (code, "offline stand-in" in said) == (Exit.OK, True)
        assert "nightly-backup-check" in place.run("flow", "list")[1]
        assert "tour" in place.run("project", "list")[1]
        assert place.run("skills", "list", "--json")[1] != ""
    where = subprocess.run(
        (sys.executable, "-c", "import sulla; print(sulla.__file__)"),
        env=place.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(where.stdout.strip()).is_relative_to(wheel), "else nothing is proved"


@pytest.mark.parametrize("way", ["clone", pytest.param("wheel", marks=pytest.mark.faults)])
def test_the_first_answer_takes_less_than_a_minute_from_where_nothing_is(tmp_path: Path, wheel: Path, way: str) -> None:
    clock = SystemClock()
    with service(Script((Rule(Reply("Three files.<AGENT_DONE/>")),))) as model:
        for number, took in enumerate(attempts(FIRST_S)):
            home = tmp_path / str(number) / "home"
            home.parent.mkdir()
            place = Place(home, **model.environ, **(_installed(wheel) if way == "wheel" else {}))
            begun_s = clock.elapsed()
            assert place.run("init", "--yes", "--model", "ollama:fake:1b")[0] == Exit.OK
            with place.up():
                code, said, told = place.run("ask", "what is here?")
            assert (code, said) == (Exit.OK, "Three files.\n"), told
            took.append(clock.elapsed() - begun_s)


@pytest.mark.parametrize("way", ["clone", pytest.param("wheel", marks=pytest.mark.faults)])
@pytest.mark.parametrize("mistake", ["wrong key", "no network", "no Ollama", "wrong model", "another's key"])
def test_it_is_explained_in_one_line_within_three_seconds(tmp_path: Path, wheel: Path, mistake: str, way: str) -> None:
    installed = _installed(wheel) if way == "wheel" else {}
    with beside(lambda clock: FakeAnthropic(Script(()), clock, key="the-right-key")) as fake:
        key = {"ANTHROPIC_API_KEY": "a-wrong-key", "ANTHROPIC_BASE_URL": fake.url}
        mistakes: Mistakes = {
            "wrong key": (key, "Anthropic answered 401"),
            "no network": (key | {"ANTHROPIC_BASE_URL": f"http://{NOWHERE}"}, "no connection to http://127.0.0.1:1"),
            "no Ollama": ({"SULLA_MODEL": "ollama:llama3"}, "start it with `ollama serve`"),
            "wrong model": ({"SULLA_MODEL": "ollama:fake:7b"}, "it has fake:1b"),
            "another's key": ({"ANTHROPIC_API_KEY": "sk-proj-a-key"}, "begins like one of OpenAI, not of Anthropic"),
        }
        environ, said = mistakes[mistake]
        environ = environ | installed
        for number, took in enumerate(attempts(EXPLAINED_S)):
            if mistake == "wrong model":
                with beside(lambda clock: FakeOllama(Script(()), clock)) as ollama:
                    took.append(_explained(tmp_path / f"{number}", said, **environ, OLLAMA_HOST=ollama.url))
            else:
                took.append(_explained(tmp_path / f"{number}", said, **environ))
