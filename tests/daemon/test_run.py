"""A daemon's life, with real processes on real sockets."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sulla.cli.main import main
from sulla.core.errors import HomeInUse
from sulla.host.home import Home
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.place import door
from tests.daemon.running import NOWHERE, Daemon, Place, Service, service
from tests.kits.in_turn import in_turn
from tests.processes.forked import start
from tests.servers.script import Reply, Rule, Script
from tests.soon import pause

pytestmark = in_turn(2)

NEVER_OFFLINE = ("ANTHROPIC_API_KEY=<your key>", "SULLA_MODEL=ollama:<model>")
"""The two lines that configure a model."""


# ------------------------------------------------------------------------------------------------ one that serves


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A home without any settings."""
    place = Place(tmp_path_factory.mktemp("offline") / "home")
    place.forks = False
    return place


@pytest.fixture(scope="module")
def daemon(place: Place) -> Iterator[Daemon]:
    """The daemon of that home."""
    with place.up() as daemon:
        yield daemon


def test_it_says_ready_on_a_line_of_its_own_after_all_else(daemon: Daemon, place: Place) -> None:
    assert re.fullmatch(r"ready http://127\.0\.0\.1:\d+", daemon.greeting[-1])
    assert f"home {place.home}" in daemon.greeting[0]
    assert f"sqlite:///{place.home}/sulla.db (the default)" in daemon.greeting[0]


def test_it_says_where_it_is_and_who_it_is(daemon: Daemon, place: Place) -> None:
    written = json.loads((place.home / "daemon.json").read_text())
    assert written == {"url": daemon.url, "pid": daemon.process.pid, "zone": ""}


def test_without_a_model_it_says_so_at_start_in_status_and_in_the_reply(daemon: Daemon, place: Place) -> None:
    code, status, _ = place.run("status")
    assert code == Exit.OK
    for said in ("\n".join(daemon.greeting), status):
        assert "offline" in said
        assert all(line in said for line in NEVER_OFFLINE), said
    code, reply, _ = place.ask("who are you")
    assert code == Exit.OK
    assert "not a language model" in reply
    assert "today: 0 of" in place.run("status")[1], "what it says counts as nothing"


def test_a_second_daemon_on_its_home_is_refused_and_the_first_one_unharmed(daemon: Daemon, place: Place) -> None:
    before = (place.home / "daemon.json").read_text()
    code, said, error = place.run("up", "--port", "0")
    assert (code, said) == (Exit.SETTINGS, "")
    assert error == (
        f"sulla: another daemon (pid {daemon.process.pid}, {daemon.url}) runs on the home {place.home}; "
        "stop it, or start this one with --home DIR\n"
    )
    assert (place.home / "daemon.json").read_text() == before
    assert Home(place.home).whereabouts() is not None
    assert place.run("status", "--json")[0] == Exit.OK


# ---------------------------------------------------------------------------------------- ones that do not start


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, with nothing in the environment that says otherwise."""
    for name in ("REDIS_URL", "POSTGRES_URL", "ANTHROPIC_API_KEY", "SULLA_MODEL", "SULLA_STORE", "SULLA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OLLAMA_HOST", NOWHERE)
    return tmp_path / "home"


def _refused(home: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["up", "--home", str(home), "--port", "0", *words]) == Exit.SETTINGS
    said = capsys.readouterr()
    assert said.out == "", "nobody may take it for a daemon that runs"
    assert not (home / "daemon.json").exists()
    return "".join(line for line in said.err.splitlines(keepends=True) if not line.startswith("{"))  # without the log


def _is_free(home: Path) -> None:
    """Whatever was claimed was given back."""
    after = Home(home)
    try:
        after.lock()
    except HomeInUse:
        pytest.fail("a daemon that did not start holds its home")
    after.unlock()


def test_a_port_in_use_is_named_with_a_remedy(daemon: Daemon, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port = daemon.url.rpartition(":")[2]
    said = _refused(home, capsys, "--port", port)
    assert said == f"sulla: 127.0.0.1:{port} is in use: choose another port with `--port N` (0 picks a free one)\n"
    _is_free(home)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (
            "REDIS_URL",
            "redis://:hunter2@127.0.0.1:1",
            "the store redis://:***@127.0.0.1:1: it cannot be reached: start",
        ),
        (
            "REDIS_URL",
            "redis://:hunter2@127.0.0.1/x",
            "REDIS_URL or store.redis_url: redis://:***@127.0.0.1/x: 'x' is no",
        ),
        ("POSTGRES_URL", "postgres://u:hunter2@127.0.0.1:1/db", "the store postgresql://u@127.0.0.1:1/db: start the"),
        (
            "POSTGRES_URL",
            "postgres://u:hunter2@[host/db",
            "POSTGRES_URL or store.postgres_url: the URL of a",
        ),
        ("SULLA_STORE", "mysql://u:hunter2@host", "SULLA_STORE or store.url asks for 'mysql': expected sqlite:///path"),
        ("SULLA_STORE", "sqlite://hunter2", "SULLA_STORE or store.url is not the URL of a store: expected sqlite:///"),
        ("SULLA_STORE", "sqlite:///", "SULLA_STORE or store.url is not the URL of a store: expected sqlite:///"),
        ("SULLA_STORE", "sqlite:///missing/folder/x.db", "missing/folder/x.db"),
        ("SULLA_STORE", "sqlite:///~nobody-of-that-name/x.db", "write the path out"),
        ("SULLA_MODEL", "claude", "did you mean 'anthropic:claude'?"),
        ("OLLAMA_HOST", "ftp://hunter", "OLLAMA_HOST: model.ollama_host: expected host, host:port or a URL"),
        ("SULLA_AGENT__WORKSPACE", "/", "the workspace / holds the home /"),
        ("SULLA_AGENT__WORKSPACE", "/dev/null/x", "cannot make the workspace /dev/null/x: Not a directory; set agent"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_served(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    value: str,
    said: str,
) -> None:
    monkeypatch.setenv(name, value)
    error = _refused(home, capsys)
    assert error.startswith("sulla: ")
    assert error.count("\n") == 1, "one line, no traceback"
    assert said in error
    assert "hunter2" not in error
    _is_free(home)


def test_a_store_of_ones_own_choice_makes_a_redis_url_harmless(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://host")
    monkeypatch.setenv("SULLA_STORE", "sqlite:///missing/folder/x.db")
    assert "REDIS_URL" not in _refused(home, capsys)


_SLOW_TRIAL = """#!/bin/sh
[ -e {released} ] || read -r line < {gate}
exit 1
"""


def test_clients_are_let_in_while_the_sandbox_is_tried_and_no_turn_begins_before_it_was(tmp_path: Path) -> None:
    programs, gate, released = tmp_path / "bin", tmp_path / "gate", tmp_path / "released"
    programs.mkdir()
    os.mkfifo(gate)
    (programs / "bwrap").write_text(_SLOW_TRIAL.format(gate=gate, released=released))
    (programs / "bwrap").chmod(0o755)
    with service(Script([Rule(Reply("yes<AGENT_DONE/>"))])) as model:
        path = f"{programs}:{os.environ['PATH']}"
        place = Place(tmp_path / "home", **model.environ, SULLA_SHELL__PATH=path)
        with place.up(), place.begin("ask", "are you there") as client:
            with gate.open("w") as trial:  # it has begun once somebody reads here
                while "are you there" not in place.run("thread", "list")[1]:
                    assert client.process.poll() is None
                assert model.asked == 0
                released.touch()
                trial.write("\n")
            assert client.ended() == Exit.OK
        assert client.said == "yes\n"


# ------------------------------------------------------------------------------------------------ ends and new starts

ANSWER = "one two three four five six seven eight"
SLOW = Rule(Reply(f"{ANSWER}<AGENT_DONE/>", pieces=8, hold="gate", hold_after=4), text="slow")
BEGUN = "four"
"""What of it is shown while it stands still."""


@pytest.fixture
def model() -> Iterator[Service]:
    """A model that stops in the middle of an answer."""
    with service(Script([SLOW])) as service_:
        yield service_


@pytest.fixture
def home_with_model(tmp_path: Path, model: Service) -> Place:
    """A home that uses it."""
    return Place(tmp_path / "home", **model.environ, SULLA_DAEMON__DRAIN_S="0.2")


def test_a_stop_cuts_a_slow_turn_and_the_next_start_finishes_it_without_calling_it_a_crash(
    home_with_model: Place, model: Service
) -> None:
    with home_with_model.up() as first, home_with_model.begin("ask", "slow", "--json") as client:
        client.until(BEGUN)
        assert first.ended(signal.SIGTERM) == 0
        assert "get 0.2 s" in first.complaints
        assert Home(home_with_model.home).whereabouts() is None
        assert not (home_with_model.home / "daemon.json").exists()
        with home_with_model.up() as second:
            model.release("gate")
            assert client.ended() == Exit.OK
            assert second.ended(signal.SIGTERM) == 0
    assert "[the daemon went away; waiting for it to come back]" in client.complaints
    events = [json.loads(line) for line in client.said.splitlines()]
    assert [data["text"] for data in _of(events, "TEXT_MESSAGE_END")] == [ANSWER]
    assert [(data["reason"], data.get("crashes", 0)) for data in _of(events, "RESUMED")] == [("drained", 0)]
    assert len(_of(events, "RUN_FINISHED")) == 1
    assert model.asked == 2, "the reply that was cut off was asked for again"


def test_a_stop_waits_for_a_reply_that_is_nearly_there(tmp_path: Path, model: Service) -> None:
    place = Place(tmp_path / "home", **model.environ, SULLA_DAEMON__DRAIN_S="15")
    with place.up() as first, place.begin("ask", "slow") as client:
        client.until(BEGUN)
        first.process.send_signal(signal.SIGTERM)
        first.complains("stopping")
        model.release("gate")
        assert first.ended() == 0
        with place.up():  # the client may have been told good-bye before it saw the end
            assert client.ended() == Exit.OK
    assert client.said == f"{ANSWER}\n"
    assert model.asked == 1, "what was waited for is not asked for again"


def test_a_second_signal_waits_for_nothing(tmp_path: Path, model: Service) -> None:
    place = Place(tmp_path / "home", **model.environ, SULLA_DAEMON__DRAIN_S="600")
    with place.up() as daemon, place.begin("ask", "slow") as client:
        client.until(BEGUN)
        daemon.process.send_signal(signal.SIGTERM)
        daemon.complains("stopping")
        assert daemon.ended(signal.SIGINT) == 0
        assert "asked twice: turns in progress are cut off" in daemon.complaints
        client.complains("waiting for it to come back")
        assert client.ended(signal.SIGINT) == Exit.INTERRUPTED
        assert "[not stopped: the daemon is away, and the turn goes on when it is back; " in client.complaints
    assert not (place.home / "daemon.json").exists()


def test_a_terminal_that_closes_is_an_orderly_stop_however_often_it_says_so(tmp_path: Path, model: Service) -> None:
    place = Place(tmp_path / "home", **model.environ, SULLA_DAEMON__DRAIN_S="600")
    with place.up() as daemon, place.begin("ask", "slow") as client:
        client.until(BEGUN)
        daemon.process.send_signal(signal.SIGHUP)
        daemon.complains("stopping")
        daemon.process.send_signal(signal.SIGHUP)  # a shell passes on what the kernel has said already
        model.release("gate")
        assert daemon.ended() == 0
        assert "cut off" not in daemon.complaints
        assert not (place.home / "daemon.json").exists()
        with place.up():
            assert client.ended() == Exit.OK
    assert model.asked == 1, "the turn came to its end"


_OWN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "sulla", "up", "--port", "0"])
"""


def test_the_end_of_its_terminal_is_no_failure(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline")
    ours, theirs = pty.openpty()
    words = [sys.executable, "-c", _OWN_TERMINAL]
    with subprocess.Popen(
        words, env=place.environ, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as daemon:
        os.close(theirs)
        shown = b""
        while b"ready http" not in shown:
            shown += os.read(ours, 4096)
        os.close(ours)  # the kernel sends SIGHUP, and whatever is written from now on fails
        assert daemon.wait(50) == 0
    assert not (place.home / "daemon.json").exists()
    assert "stopping: turns in progress" in (place.home / "logs" / "daemon.jsonl").read_text()


def test_a_daemon_outlives_whoever_read_what_it_prints(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline")
    with (
        Path("/dev/full").open("w") as full,
        start(("up", "--port", "0"), place.environ, stdout=full.fileno(), stderr=full.fileno(), afresh=True) as process,
    ):
        while Home(place.home).whereabouts() is None:
            pause()
            assert process.poll() is None
        assert place.ask("hello")[0] == Exit.OK
        process.send_signal(signal.SIGTERM)
        assert process.wait(50) == 0


def test_a_daemon_that_is_killed_in_the_middle_of_an_answer_answers_once_when_it_is_back(
    home_with_model: Place, model: Service
) -> None:
    with home_with_model.up() as first, home_with_model.begin("ask", "slow", "--json") as client:
        client.until(BEGUN)
        assert first.ended(signal.SIGKILL) == -signal.SIGKILL
        with home_with_model.up():
            model.release("gate")
            assert client.ended() == Exit.OK
            events = [json.loads(line) for line in client.said.splitlines()]
            used = asyncio.run(_used(home_with_model))
            again = home_with_model.run("ask", "slow again", "--thread", events[-1]["thread_id"])
    assert [data["text"] for data in _of(events, "TEXT_MESSAGE_END")] == [ANSWER]
    assert [(data["reason"], data["crashes"]) for data in _of(events, "RESUMED")] == [("crashed", 1)]
    assert len(_of(events, "RUN_FINISHED")) == 1
    assert again[:2] == (Exit.OK, f"{ANSWER}\n")
    assert model.asked == 3, "the call in flight was made once more, and the question after it once"

    (end,), (lost,) = _of(events, "RUN_FINISHED"), _of(events, "MODEL_ABANDONED")
    reserved = _of(events, "MODEL_STARTED")[0]["reserved_tokens"]
    assert _tokens(lost["usage"]) == reserved > 0, "nobody knows what the killed call took: it counts with the most"
    assert used == [end["counted"]] * 4 == [_tokens(end["usage"])] * 4, "all that tell it agree"


def _tokens(usage: dict[str, int]) -> int:
    return sum(number for name, number in usage.items() if name.endswith("_tokens"))


async def _used(place: Place) -> list[int]:
    """What was used today: for the limits, in all, by its agent, and by it as it is kept."""
    async with open_client(door(place.home)) as client:
        status = await client.call("system.status")
        (day,) = (await client.call("usage.days", days=1))["days"]
    (agent,) = day["by_agent"]
    return [status["today"]["tokens"], day["tokens"], agent["tokens"], day["tokens_in"] + day["tokens_out"]]


def _of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event["data"] for event in events if event["type"] == kind]


def test_a_store_that_was_removed_is_missed_and_a_new_one_is_used_only_if_that_was_meant(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    with place.up():
        assert place.ask("who are you")[0] == Exit.OK
    for left in place.home.glob("sulla.db*"):
        left.unlink()
    code, said, error = place.run("up", "--port", "0")
    assert (code, said) == (Exit.SETTINGS, "")
    assert error.startswith("sulla: the store is not the one that this home used last")
    assert "`sulla up --accept-store`" in error
    with place.up("--accept-store"):
        assert place.ask("who are you")[0] == Exit.OK
    with place.up():  # from now on that is the one
        assert place.ask("who are you")[0] == Exit.OK


def test_an_empty_store_elsewhere_is_used_only_if_that_was_meant(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    with place.up():
        assert place.ask("who are you")[0] == Exit.OK
    moved = Place(place.home, SULLA_STORE=f"sqlite:///{tmp_path}/other.db")
    code, said, error = moved.run("up", "--port", "0")
    assert (code, said) == (Exit.SETTINGS, "")
    assert error.startswith(
        f"sulla: the store is empty, and what this home has kept so far is in sqlite:///{place.home}"
    )
    with moved.up("--accept-store"):
        assert moved.ask("who are you")[0] == Exit.OK
    for here in (place, moved):
        with here.up():
            assert here.ask("who are you")[0] == Exit.OK


def test_a_store_that_is_emptied_under_a_running_daemon_is_told_to_everybody(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    with place.up() as daemon:
        assert place.ask("who are you")[0] == Exit.OK
        with sqlite3.connect(place.home / "sulla.db") as kept:
            kept.execute("UPDATE meta SET value = 'store_other' WHERE name = 'incarnation'")
        kept.close()
        daemon.complains("the store was emptied or replaced")
        code, _, error = place.run("ask", "and now?")
        assert code == Exit.SETTINGS
        assert "--accept-store" in error
        code, status, _ = place.run("status")
        assert "degraded: the store was emptied or replaced" in status
