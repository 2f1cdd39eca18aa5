"""`sulla stop` and `sulla reload`, with real daemons."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from sulla.cli.stop import has_home
from sulla.host.home import Home
from sulla.terminal.exits import Exit
from tests.daemon.running import Place, service
from tests.kits.in_turn import in_turn
from tests.mcp.benches import HERE
from tests.servers.script import Reply, Rule, Script

pytestmark = in_turn(3)

SLOW = Script(
    [Rule(Reply("One moment. <AGENT_DONE>ok</AGENT_DONE>", pieces=4, hold="gate", hold_after=2), text="slow")]
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A home."""
    return Place(tmp_path / "home", SULLA_MODEL="offline")


def test_it_stops_the_daemon_and_returns_when_it_has_ended(place: Place) -> None:
    with place.up() as daemon:
        code, said, complaints = place.run("stop")
        assert (code, said, complaints) == (Exit.OK, "stopped\n", "")
        assert daemon.ended() == 0
    assert Home(place.home).whereabouts() is None
    assert place.run("stop")[:2] == (Exit.OK, f"no daemon runs on the home {place.home}\n")
    assert json.loads(place.run("stop", "--json")[1]) == {"stopped": False, "running": False}


def test_it_says_what_it_waits_for_and_now_waits_for_nothing(tmp_path: Path) -> None:
    with service(SLOW) as model:
        place = Place(tmp_path / "home", **model.environ, SULLA_DAEMON__DRAIN_S="600")
        with place.up() as daemon, place.begin("ask", "slow") as client:
            client.until("One moment")
            with place.begin("stop") as first:
                first.complains("waiting up to 600 s for 1 turn to reach a step border (--now cuts off)")
                assert place.run("stop", "--now")[0] == Exit.OK
                assert first.ended() == Exit.OK
            assert daemon.ended() == 0
            client.ended(signal.SIGINT)


def test_one_that_does_not_answer_is_sent_a_signal(place: Place) -> None:
    with place.up() as daemon:
        os.kill(daemon.process.pid, signal.SIGSTOP)
        with place.begin("stop") as command:
            command.complains(f"process {daemon.process.pid} is sent SIGTERM")
            os.kill(daemon.process.pid, signal.SIGCONT)
            assert command.ended() == Exit.OK
        assert daemon.ended() == 0


def test_a_process_that_is_another_one_is_told_from_the_homes(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for pid, target in ((1, home / "lock"), (2, tmp_path / "lock")):
        (tmp_path / str(pid) / "fd").mkdir(parents=True)
        (tmp_path / str(pid) / "fd" / "7").symlink_to(target)
    assert [has_home(pid, home, tmp_path) for pid in (1, 2, 3)] == [True, False, False]
    assert has_home(os.getpid(), home, tmp_path / "no such folder")


def test_a_reload_takes_up_agents_servers_and_the_log_level_and_says_what_waits(place: Place) -> None:
    with place.up():
        assert place.run("reload")[:2] == (Exit.OK, "nothing has changed\n")
        agent = place.home / "agents" / "gardener"
        agent.mkdir(parents=True)
        (agent / "agent.yaml").write_text("name: Gardener\ndescription: knows plants\n")
        server = f'[mcp.servers.real]\ncommand = "{sys.executable}"\nargs = ["{HERE}/real_server.py"]\n'
        (place.home / "sulla.toml").write_text(f'[gateway]\nport = 1\n[daemon]\nlog_level = "debug"\n{server}')
        code, said, _ = place.run("reload", "--json")
        assert code == Exit.OK
        assert json.loads(said) == {
            "taken": ["daemon.log_level", "mcp.servers", "agents"],
            "waiting": [],
            "doubtful": [],
            "faults": [],
        }
        code, said, _ = place.run("ask", "--agent", "gardener", "hello")
        assert code == Exit.OK
        status = json.loads(place.run("status", "--json")[1])
        assert "gardener" in status["agents"]
        assert [one["name"] for one in status["mcp"]] == ["real"]
        (place.home / "sulla.toml").write_text("[limits]\nruns = 3\n")
        said = place.run("reload")[1]
        assert "taken up: daemon.log_level, mcp.servers" in said
        assert "waits for a restart: limits.runs" in said
        status = json.loads(place.run("status", "--json")[1])
        assert status["mcp"] == []
        (trouble,) = [one for one in status["troubles"] if one["what"] == "restart"]
        assert trouble["why"] == "settings that have changed wait for a restart: limits.runs"


def test_a_reload_says_what_may_be_a_slip_of_the_pen_in_an_agents_folder(place: Place) -> None:
    with place.up():
        agent = place.home / "agents" / "gardener"
        agent.mkdir(parents=True)
        (agent / "agent.yaml").write_text("name: Gardener\ntools: [read_file, raed_file]\n")
        code, said, _ = place.run("reload")
    assert code == Exit.OK
    assert said.splitlines()[0] == "taken up: agents"
    assert "perhaps a slip: the agent 'gardener': " in said
    assert "raed_file" in said


def test_a_reload_with_one_broken_agent_takes_up_the_others_and_leaves_that_one_as_it_was(place: Place) -> None:
    gardener, cook = (place.home / "agents" / name / "agent.yaml" for name in ("gardener", "cook"))
    for file in (gardener, cook):
        file.parent.mkdir(parents=True)
        file.write_text("name: Somebody\n")
    with place.up():
        gardener.write_text("name: [\n")
        cook.write_text("name: Cook\ndescription: cooks\n")
        new = place.home / "agents" / "new" / "agent.yaml"
        new.parent.mkdir()
        new.write_text("nmae: New\n")
        code, out, told = place.run("reload")
        assert (code, out) == (Exit.REFUSED, "taken up: agents\n")
        first, second = told.splitlines()
        assert first.startswith(f"not taken up: {gardener.parent}: agent.yaml")
        assert first.endswith("; what was read before stays in force")
        assert second.startswith(f"not taken up: {new.parent}: agent.yaml: there is no setting 'nmae'")
        assert second.endswith("; until that is mended there is no such agent")
        status = json.loads(place.run("status", "--json")[1])
        assert status["agents"] == ["sulla", "cook", "gardener"]
        gardener.write_text("name: Gardener\n")
        new.write_text("name: New\n")
        assert place.run("reload")[:2] == (Exit.OK, "taken up: agents\n")


def test_a_reload_with_faults_changes_nothing_and_says_all_of_them(place: Place) -> None:
    with place.up():
        file = place.home / "sulla.toml"
        file.write_text('[gateway]\nprot = 1\n[limits]\nruns = 0\n[daemon]\nlog_level = "debug"\n[mcp.servers.x]\n')
        code, _, said = place.run("reload")
        assert code == Exit.REFUSED
        assert "nothing was changed" in said
        for part in (f"{file}:2: 'gateway.prot'", f"{file}:4: limits.runs", "mcp.servers.x: expected"):
            assert part in said
        file.unlink()
        assert place.run("reload")[1] == "nothing has changed\n"


def test_a_reload_refuses_settings_with_which_the_daemon_could_not_start(place: Place) -> None:
    file = place.home / "sulla.toml"
    with place.up():
        file.write_text(
            '[daemon]\nzone = "Nowhere/X"\n[model]\nfallback = "gpt-5"\n[agent]\nworkspace = "/proc/nope"\n'
        )
        code, _, said = place.run("reload")
        assert code == Exit.REFUSED
        for part in (f"{file}:2: daemon.zone", f"{file}:4: model.fallback", f"{file}:6: cannot make the workspace"):
            assert said.count(part) == 1
        code, told, _ = place.run("doctor", "--json")
        faults = [one["found"] for one in json.loads(told)["checks"] if one["result"] == "fault"]
        assert [fault.partition(": ")[0] for fault in faults] == [f"{file}:{line}" for line in (4, 2, 6)]
    assert place.run("up")[0] != Exit.OK


def test_agents_come_and_go_without_a_reload(place: Place) -> None:
    gardener = place.home / "agents" / "gardener"
    with place.up():
        gardener.mkdir(parents=True)
        (gardener / "agent.toml").write_text('description = "knows plants"\n')
        assert place.run("ask", "--agent", "gardener", "hello")[0] == Exit.OK
        assert json.loads(place.run("status", "--json")[1])["agents"] == ["sulla", "gardener"]
        shutil.rmtree(gardener)
        assert json.loads(place.run("status", "--json")[1])["agents"] == ["sulla"]
        code, _, said = place.run("ask", "--agent", "gardener", "hello")
        assert code != Exit.OK
        assert "no agent 'gardener'" in said
