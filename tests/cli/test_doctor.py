"""`sulla doctor` on homes in every state, beside real daemons and without one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from sulla.host.home import Home
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.daemon.running import Place, service
from tests.daemon.serving import beside
from tests.kits.in_turn import in_turn
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.openai_server import FakeOpenAi
from tests.servers.script import Reply, Rule, Script

pytestmark = in_turn(3)

NAMES = [
    *("home", "settings", "token", "workspace", "shell", "agents", "skills", "projects", "playbooks"),
    *(
        "intents",
        "flows",
        "routes",
        "heartbeat",
        "web",
        "mcp",
        "notify",
        "daemon",
        "port",
        "exposure",
        "store",
        "queue",
        "memory",
        "knowledge",
        "clock",
        "model",
        "fallback",
        "channels",
        "browser",
        "console",
    ),
]
SCRIPT = Script([Rule(Reply("Hello.<AGENT_DONE/>"))])


@dataclass(frozen=True)
class Diagnosis:
    """What doctor printed."""

    code: int
    report: dict[str, Any]

    def of(self, name: str) -> list[tuple[str, str]]:
        """The results of one check, each with what was found and what to do."""
        return [
            (check["result"], f"{check['found']} → {check['remedy']}")
            for check in self.report["checks"]
            if check["check"] == name
        ]

    def one(self, name: str) -> tuple[str, str]:
        """The only result of one check."""
        (found,) = self.of(name)
        return found

    @property
    def bad(self) -> list[str]:
        """The checks that found a fault."""
        return [check["check"] for check in self.report["checks"] if check["result"] == "fault"]


class Bed(Place):
    """A home, and a doctor inside the test's own process: quick, because everything is imported already."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        # Whether this machine has a sandbox must not decide whether the home is well.
        super().__init__(home, SULLA_GATEWAY__PORT="0", SULLA_MODEL="offline", SULLA_SHELL__SANDBOX="false")
        self.capsys = capsys


def _diagnosed(bed: Bed, answer_s: float = 30.0) -> Diagnosis:
    """What doctor says; a daemon that only stands still for a moment is no fault."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("SULLA_", "ANTHROPIC_", "OPENAI_"))]:
            patch.delenv(name)
        for name, value in bed.environ.items():
            patch.setenv(name, value)
        patch.setattr("sulla.daemon.doctor.port.ANSWER_S", answer_s)
        shown = typed(bed.capsys, "doctor", "--json")
    assert (shown.err, shown.code) in (("", Exit.OK), ("", Exit.FAILED))
    return Diagnosis(shown.code, json.loads(shown.out))


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bed:
    """A home that does not exist yet, with settings that disturb nobody."""
    return Bed(tmp_path / "home", capsys)


@pytest.fixture(scope="module")
def well_kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home on which a daemon has answered and stopped in order."""
    place = Place(tmp_path_factory.mktemp("well") / "home", SULLA_MODEL="offline", SULLA_SHELL__SANDBOX="false")
    with place.up() as daemon:
        assert place.ask("hello")[0] == Exit.OK
        assert daemon.ended(signal.SIGTERM) == 0
    return place.home


@pytest.fixture
def lived_in(place: Bed, well_kept: Path) -> Bed:
    """A copy of it."""
    shutil.copytree(well_kept, place.home)
    return place


def _all_of(home: Path) -> dict[str, tuple[int, str]]:
    """Every file of a home, with its mode and what it holds."""
    return {
        str(path.relative_to(home)): (path.stat().st_mode, sha256(path.read_bytes()).hexdigest())
        for path in home.rglob("*")
        if path.is_file()
    }


# ----------------------------------------------------------------------------------------------------- in good health


def test_a_home_that_is_not_there_is_no_fault_and_is_not_made(place: Bed) -> None:
    found = _diagnosed(place)
    assert found.code == Exit.OK
    assert [check["check"] for check in found.report["checks"]] == NAMES
    assert found.one("home")[0] == "warning"
    assert not place.home.exists()


def test_a_home_that_was_lived_in_is_whole_and_looking_changes_nothing(lived_in: Bed) -> None:
    before = _all_of(lived_in.home)
    found = _diagnosed(lived_in)
    assert (found.code, found.report["faults"], found.report["warnings"]) == (Exit.OK, 0, 0)
    result, said = found.one("store")
    assert result == "ok"
    assert "1 thread with" in said
    assert "all readable" in said
    assert "the newest record is" in found.one("clock")[1]
    assert _all_of(lived_in.home) == before


def test_beside_a_running_daemon_it_asks_that(place: Bed) -> None:
    with place.up() as daemon:
        assert place.ask("hello")[0] == Exit.OK
        found = _diagnosed(place)
        assert (found.code, found.bad) == (Exit.OK, [])
        assert f"answers at {daemon.url} with the model offline" in found.one("daemon")[1]
        assert found.one("port") == ("ok", f"the daemon has the one of {daemon.url} → ")
        assert "1 thread with" in found.one("store")[1]
        code, _, complaint = place.ask("hello again")
        assert code == Exit.OK, complaint


def test_people_get_a_line_for_each_result_and_a_sum(lived_in: Bed) -> None:
    lived_in.home.chmod(0o755)
    code, out, err = lived_in.run("doctor")
    assert (code, err) == (Exit.OK, "")
    lines = out.splitlines()
    assert lines[0].startswith(f"warning  home       others may look into {lived_in.home} (mode 0755)")
    assert lines[1].strip() == f"→ chmod 700 '{lived_in.home}'"
    assert lines[2].startswith("ok       settings   ")
    assert lines[-1] == "0 faults, 1 warning"
    assert "\x1b" not in out


# -------------------------------------------------------------------------------------------------------- out of order


def test_a_home_that_others_may_write_in_is_a_fault(lived_in: Bed) -> None:
    lived_in.home.chmod(0o777)
    found = _diagnosed(lived_in)
    assert (found.code, found.bad) == (Exit.FAILED, ["home"])


def test_a_token_that_others_may_read_is_a_fault_and_is_not_shown(lived_in: Bed) -> None:
    (lived_in.home / "token").chmod(0o644)
    found = _diagnosed(lived_in)
    assert found.bad == ["token"]
    assert (lived_in.home / "token").read_text().strip() not in json.dumps(found.report)
    assert (lived_in.home / "token").stat().st_mode & 0o777 == 0o644, "looking changes nothing"


def test_every_fault_of_the_settings_is_told_with_its_place_and_the_rest_is_looked_at(place: Bed) -> None:
    place.home.mkdir(mode=0o700)
    file = place.home / "sulla.toml"
    file.write_text('[gatway]\nport = 1\n[limits]\nruns = 0\n[model]\nanthropic_api_key = ["hunter2"]\n')
    place.environ["SULLA_STROE"] = "memory:"
    found = _diagnosed(place)
    said = [text.split(" → ")[0] for result, text in found.of("settings") if result == "fault"]
    assert said[0] == f"{file}:2: 'gatway.port' is not a setting; did you mean 'port' under [gateway]?"
    assert said[1] == "SULLA_STROE is not a setting; did you mean SULLA_STORE?"
    assert set(said[2:]) == {
        f"{file}:4: limits.runs is 0: it should be greater than or equal to 1",
        f"{file}:6: model.anthropic_api_key: it should be a valid string",
    }
    assert found.bad == ["settings"] * 4
    assert "hunter2" not in json.dumps(found.report)


def test_settings_that_are_no_toml_hide_no_other_check(lived_in: Bed) -> None:
    (lived_in.home / "sulla.toml").write_text("[gateway\n")
    found = _diagnosed(lived_in)
    assert "not valid TOML" in found.one("settings")[1]
    assert found.bad == ["settings"]
    assert found.one("store")[0] == "ok"


def test_a_workspace_that_holds_the_home_is_a_fault(lived_in: Bed) -> None:
    lived_in.environ["SULLA_AGENT__WORKSPACE"] = str(lived_in.home.parent)
    found = _diagnosed(lived_in)
    assert found.bad == ["workspace"]
    assert "the agent's file tools reach the token" in found.one("workspace")[1]


def test_what_a_killed_daemon_left_is_noticed_and_its_store_is_whole(place: Bed) -> None:
    with place.up() as daemon:
        assert place.ask("hello")[0] == Exit.OK
        pid = daemon.process.pid
        daemon.ended(signal.SIGKILL)
    kept = {name: found for name, found in _all_of(place.home).items() if not name.endswith("-shm")}
    found = _diagnosed(place)
    assert found.code == Exit.OK
    assert found.one("daemon")[0] == "warning"
    assert f"is left over, of process {pid}, which is gone" in found.one("daemon")[1]
    assert found.one("store")[0] == "ok"
    assert {name: item for name, item in _all_of(place.home).items() if not name.endswith("-shm")} == kept
    with place.up():  # the store is as good as before
        assert _diagnosed(place).one("daemon")[0] == "ok"


def test_a_daemon_that_hangs_is_a_fault_of_its_own_and_the_rest_is_looked_at(place: Bed) -> None:
    with place.up() as daemon:
        pid = daemon.process.pid
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            found = _diagnosed(place, 0.5)
        finally:
            daemon.process.send_signal(signal.SIGCONT)
    assert found.bad == ["daemon"]
    assert f"the daemon (pid {pid}) does not answer at {daemon.url}" in found.one("daemon")[1]
    assert found.one("store")[0] == "warning"
    assert [check["check"] for check in found.report["checks"]] == NAMES


def test_a_port_that_somebody_else_has_is_named_with_who_that_is(place: Bed) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
        place.environ["SULLA_GATEWAY__PORT"] = str(number)
        found = _diagnosed(place, 0.5)
        assert found.bad == ["port"]
        assert f"127.0.0.1:{number} is taken by " in found.one("port")[1]
        if Path("/proc/net/tcp").exists():
            assert f"(pid {os.getpid()})" in found.one("port")[1]
    assert _diagnosed(place).one("port") == ("ok", f"127.0.0.1:{number} is free → ")


def test_a_port_that_a_daemon_on_another_home_has_is_told_apart(place: Bed, tmp_path: Path) -> None:
    other = Place(tmp_path / "other", SULLA_MODEL="offline")
    with other.up() as daemon:
        place.environ["SULLA_GATEWAY__PORT"] = daemon.url.rpartition(":")[2]
        result, said = _diagnosed(place).one("port")
        assert result == "fault"
        assert "which answers like a Sulla daemon: one on another home?" in said


# ----------------------------------------------------------------------------------------------------------- the store


def _scratch(home: Path, statement: str) -> None:
    with sqlite3.connect(home / "sulla.db") as connection:
        assert connection.execute(statement).rowcount > 0
    connection.close()


def test_a_record_and_a_head_that_were_changed_are_named(lived_in: Bed) -> None:
    _scratch(lived_in.home, "UPDATE records SET body = CAST(replace(body, 'hello', 'hullo') AS BLOB) WHERE seq = 2")
    _scratch(lived_in.home, "UPDATE logs SET body = CAST(substr(body, 1, length(body) - 1) AS BLOB)")
    found = _diagnosed(lived_in)
    said = [text for result, text in found.of("store") if result == "fault"]
    assert found.code == Exit.FAILED
    assert len(said) == 2
    assert " head: the checksum does not match" in said[0]
    assert " record 2 (INPUT): the checksum does not match" in said[1]
    assert found.bad == ["store", "store"]


def test_beside_a_daemon_damage_is_named_just_the_same(lived_in: Bed) -> None:
    _scratch(lived_in.home, "UPDATE records SET body = CAST(replace(body, 'hello', 'hullo') AS BLOB) WHERE seq = 2")
    with lived_in.up():
        result, said = _diagnosed(lived_in).one("store")
        assert result == "fault"
        assert " record 2 (INPUT): the checksum does not match" in said


def test_a_file_with_damaged_pages_is_a_fault_with_a_remedy(lived_in: Bed) -> None:
    with (lived_in.home / "sulla.db").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * 4096)
    found = _diagnosed(lived_in)
    assert set(found.bad) == {"store"}
    assert "damaged" in found.of("store")[0][1]
    assert "restore a backup" in found.of("store")[0][1]


def test_a_file_that_is_no_store_is_a_fault_and_stays_as_it_is(lived_in: Bed) -> None:
    (lived_in.home / "sulla.db").write_bytes(b"rubbish" * 1000)
    found = _diagnosed(lived_in)
    assert found.bad == ["store"]
    assert "this is no SQLite file" in found.one("store")[1]
    assert (lived_in.home / "sulla.db").read_bytes() == b"rubbish" * 1000


def test_a_store_that_others_may_read_is_worth_a_word(lived_in: Bed) -> None:
    (lived_in.home / "sulla.db").chmod(0o644)
    found = _diagnosed(lived_in)
    assert [result for result, _ in found.of("store")] == ["ok", "warning"]


def test_a_store_that_there_is_not_is_a_fault(lived_in: Bed) -> None:
    lived_in.environ["SULLA_STORE"] = "mysql://:hunter2@localhost"
    found = _diagnosed(lived_in)
    assert found.bad == ["settings"]
    assert "asks for 'mysql'" in found.one("settings")[1]
    assert "hunter2" not in json.dumps(found.report)


def test_a_home_that_another_command_holds_is_not_pushed_aside(lived_in: Bed) -> None:
    home = Home(lived_in.home)
    home.lock()
    try:
        assert _diagnosed(lived_in).one("store")[0] == "warning"
    finally:
        home.unlock()


# ----------------------------------------------------------------------------------------------------------- the model


def test_an_ollama_that_has_the_model_and_one_that_has_not(place: Bed) -> None:
    with service(SCRIPT) as model:
        place.environ |= model.environ
        assert _diagnosed(place).one("model")[0] == "ok"
        place.environ["SULLA_MODEL"] = "ollama:absent:7b"
        found = _diagnosed(place)
        assert found.bad == ["model"]
        assert "→ ollama pull absent:7b" in found.one("model")[1]


def test_an_ollama_that_is_not_there_is_a_fault_only_if_it_is_asked_for(place: Bed) -> None:
    place.environ["SULLA_MODEL"] = "ollama:fake:1b"
    assert "start it with `ollama serve`" in _diagnosed(place).one("model")[1]
    del place.environ["SULLA_MODEL"]
    found = _diagnosed(place)
    assert found.code == Exit.OK
    assert found.one("model")[0] == "warning"


def test_an_anthropic_key_is_tried_and_a_wrong_one_is_a_fault_that_does_not_show_it(place: Bed) -> None:
    del place.environ["SULLA_MODEL"]
    with beside(lambda clock: FakeAnthropic(SCRIPT, clock, key="right", models=("claude-sonnet-5-5",))) as fake:
        place.environ |= {"ANTHROPIC_BASE_URL": fake.url, "ANTHROPIC_API_KEY": "right"}
        assert _diagnosed(place).one("model")[0] == "ok"
        place.environ["ANTHROPIC_API_KEY"] = "hunter2-wrong"
        found = _diagnosed(place)
        assert (found.code, found.bad) == (Exit.FAILED, ["model"])
        assert "Anthropic answered 401" in found.one("model")[1]
        assert "hunter2" not in json.dumps(found.report)
        place.environ |= {"ANTHROPIC_API_KEY": "right", "SULLA_MODEL": "anthropic:absent"}
        assert _diagnosed(place).one("model")[0] == "warning", "another service than Anthropic's own may list less"
        assert fake.requests == []


def test_a_server_that_speaks_openais_api_is_asked_for_its_models(place: Bed) -> None:
    with beside(lambda clock: FakeOpenAi(SCRIPT, clock, key="right", models=("a",))) as fake:
        place.environ |= {"OPENAI_BASE_URL": fake.url, "OPENAI_API_KEY": "right", "SULLA_MODEL": "openai:a"}
        assert _diagnosed(place).one("model")[0] == "ok"
        place.environ["SULLA_MODEL"] = "openai:b"
        result, said = _diagnosed(place).one("model")
        assert (result, "it has a →" in said) == ("warning", True)
        place.environ["OPENAI_API_KEY"] = "hunter2-wrong"
        found = _diagnosed(place)
        assert found.bad == ["model"]
        assert "The key is from the environment variable OPENAI_API_KEY: put another one there" in found.one("model")[1]
        assert "hunter2" not in json.dumps(found.report)


def test_a_key_without_a_service_is_a_fault(place: Bed) -> None:
    place.environ |= {
        "SULLA_MODEL": "anthropic:any",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
        "ANTHROPIC_API_KEY": "x",
    }
    result, said = _diagnosed(place).one("model")
    assert result == "fault"
    assert "check the network and ANTHROPIC_BASE_URL" in said


def test_the_model_that_may_answer_in_its_place_is_tried_too(place: Bed) -> None:
    assert _diagnosed(place).one("fallback") == ("ok", "none is set → ")
    place.environ["SULLA_MODEL__FALLBACK"] = "ollama:fake:1b"
    found = _diagnosed(place)
    assert found.bad == ["fallback"]
    assert "start it with `ollama serve`" in found.one("fallback")[1]
    with service(SCRIPT) as model:
        place.environ["OLLAMA_HOST"] = model.environ["OLLAMA_HOST"]
        assert _diagnosed(place).one("fallback")[0] == "ok"
    place.environ["SULLA_MODEL__FALLBACK"] = "offline"
    assert _diagnosed(place).one("fallback")[0] == "ok"


def test_a_daemon_that_runs_is_asked_because_this_shell_may_have_other_settings(place: Bed) -> None:
    del place.environ["SULLA_MODEL"]
    with beside(lambda clock: FakeAnthropic(SCRIPT, clock, key="right-key", models=("claude-sonnet-5-5",))) as fake:
        place.environ |= {"ANTHROPIC_BASE_URL": fake.url, "ANTHROPIC_API_KEY": "right-key"}
        with place.up():
            del place.environ["ANTHROPIC_API_KEY"]
            result, said = _diagnosed(place).one("model")
            assert result == "ok"
            assert "the service answers and has it, as the daemon that runs found out" in said
        assert _diagnosed(place).one("model")[0] == "warning", "without it this shell's settings count"


def test_status_and_doctor_say_the_same_of_a_model_that_cannot_answer(place: Bed) -> None:
    place.environ["SULLA_MODEL"] = "ollama:fake:1b"
    with place.up() as daemon:
        daemon.complains("no Ollama answers at")
        code, said, _ = place.run("status", "--json")
        (trouble,) = [one["why"] for one in json.loads(said)["troubles"] if one["what"] == "model"]
        found, remedy = _diagnosed(place).one("model")[1].split(", as the daemon that runs found out")
        assert (code, trouble) == (Exit.OK, found + remedy)
        assert "start it with `ollama serve`" in trouble


def test_a_name_that_is_no_models_is_a_fault(place: Bed) -> None:
    place.environ["SULLA_MODEL"] = "antropic:x"
    result, said = _diagnosed(place).one("settings")
    assert result == "fault"
    assert "did you mean 'anthropic'?" in said
