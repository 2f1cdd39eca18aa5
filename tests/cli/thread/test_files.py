"""Threads that move from one home to another, with real daemons on real stores."""

from __future__ import annotations

import asyncio
import json
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sulla.cli.thread.restore import ALONE
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.place import door
from tests.cli.one_daemon import SCRIPT
from tests.cli.typed import typed
from tests.daemon.running import PATIENCE_S, Daemon, Place, Service, service
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)

Capsys = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def model() -> Iterator[Service]:
    """The model's service."""
    with service(SCRIPT) as made:
        yield made


def home_in(folder: Path, model: Service) -> Place:
    folder.mkdir()
    return Place(folder / "home", **model.environ, SULLA_LIMITS__MESSAGE_INTERVAL_MS="0")


def ask(home: Path, method: str, **params: object) -> dict[str, Any]:
    async def call() -> dict[str, Any]:
        async with open_client(door(home)) as client:
            return await client.call(method, **params)

    return asyncio.run(call())


def say(home: Path, thread_id: str, message_id: str, text: str, *, until: str = "RUN_FINISHED") -> str:
    """Send a message and wait for an event of its run; the run's id."""

    async def turn() -> str:
        async with open_client(door(home)) as client:
            sent = await client.call("turn.send", thread_id=thread_id, message_id=message_id, text=text)
            await client.call("events.subscribe", thread_id=thread_id, after=sent["seq"])
            async for event in client.events():
                if event["type"] == until and event["run_id"] == sent["run_id"]:
                    return str(sent["run_id"])
            raise AssertionError("unreachable: events end with an error")

    return asyncio.run(turn())


def history(home: Path, thread_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(home, "thread.history", thread_id=thread_id, limit=500)["events"]
    return found


def stop(daemon: Daemon) -> None:
    assert daemon.ended(signal.SIGTERM) == Exit.OK


# ------------------------------------------------------------------------------------------------- the whole journey


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory, model: Service) -> dict[str, Any]:
    """One thread's journey: talked in one home, exported with and without its daemon, imported into another home."""
    folder = tmp_path_factory.mktemp("moved")
    old, new, file = home_in(folder / "old", model), home_in(folder / "new", model), folder / "thread.jsonl"
    found: dict[str, Any] = {"folder": folder, "file": file, "old": old, "new": new}
    with old.up() as daemon:
        thread = found["thread"] = ask(old.home, "thread.create", title="Trip to Rome")["thread_id"]
        found["run"] = say(old.home, thread, "m-1", "look")
        say(old.home, thread, "m-2", "hello \N{SNOWMAN}")
        found["history"] = history(old.home, thread)
        found["rows"] = ask(old.home, "thread.list")["threads"]
        found["online"] = old.run("thread", "export", thread)
        found["written"] = old.run("thread", "export", thread, "--out", str(file))
        found["refused"] = old.run("thread", "import", str(file))
        stop(daemon)
    found["offline"] = old.run("thread", "export", thread)
    found["imported"] = new.run("thread", "import", str(file))
    found["twice"] = new.run("thread", "import", str(file), "--json")
    with new.up() as daemon:
        found["new rows"] = ask(new.home, "thread.list")["threads"]
        found["new history"] = history(new.home, thread)
        found["sent again"] = ask(new.home, "turn.send", thread_id=thread, message_id="m-1", text="look")
        found["after"] = history(new.home, thread)
        say(new.home, thread, "m-3", "and now")
        found["shown"] = model.shown_last
        stop(daemon)
    return found


def test_history_and_list_are_the_same_in_the_new_home(moved: dict[str, Any]) -> None:
    assert moved["new history"] == moved["history"]
    assert [event["seq"] for event in moved["history"]] == list(range(1, len(moved["history"]) + 1))
    assert moved["new rows"] == moved["rows"]
    assert moved["imported"] == (
        Exit.OK,
        f"{moved['file']}: imported thread {moved['thread']}, {len(moved['history'])} records\n",
        f"{ALONE}\n",
    )


def test_a_file_holds_what_the_gateway_shows(moved: dict[str, Any]) -> None:
    lines = [json.loads(line) for line in moved["file"].read_text().splitlines()]
    assert lines[0] == {"format": "sulla-thread", "version": 1, "thread_id": moved["thread"]}
    assert lines[1:-1] == moved["history"]
    assert lines[-1]["count"] == len(moved["history"])


def test_with_and_without_a_daemon_the_file_is_the_same(moved: dict[str, Any]) -> None:
    assert moved["online"] == moved["offline"] == (Exit.OK, moved["file"].read_text(), "")
    assert moved["written"][0] == Exit.OK
    assert f"exported {moved['thread']}: {len(moved['history'])} records" in moved["written"][1]


def test_a_file_is_for_its_owner_alone_and_nothing_is_left_beside_it(moved: dict[str, Any]) -> None:
    assert stat.S_IMODE(moved["file"].stat().st_mode) == 0o600
    assert [path.name for path in moved["folder"].iterdir() if path.is_file()] == ["thread.jsonl"]


def test_an_old_message_sent_again_gets_its_old_run_and_is_not_answered_twice(moved: dict[str, Any]) -> None:
    assert moved["sent again"] == {"run_id": moved["run"], "seq": 2}
    assert moved["after"] == moved["history"]


def test_the_next_turn_knows_what_was_said(moved: dict[str, Any]) -> None:
    shown = " ".join(moved["shown"])
    for said in ("look", "I look.", "Nothing there.", "hello \N{SNOWMAN}", "and now"):
        assert said in shown


def test_beside_a_running_daemon_an_import_is_refused_with_the_remedy(moved: dict[str, Any]) -> None:
    code, out, error = moved["refused"]
    assert (code, out) == (Exit.SETTINGS, "")
    assert f"runs on the home {moved['old'].home}" in error
    assert "stop the daemon" in error
    assert error.count("\n") == 1


def test_the_same_file_once_more_does_nothing_and_says_so(moved: dict[str, Any]) -> None:
    code, out, _ = moved["twice"]
    assert code == Exit.OK
    assert json.loads(out) == {
        "file": str(moved["file"]),
        "thread_id": moved["thread"],
        "records": len(moved["history"]),
        "fresh": False,
        "ended": 0,
    }


# ------------------------------------------------------------------------------------------------- what was under way


def test_a_turn_that_was_running_ends_and_its_message_is_not_asked_again(tmp_path: Path, model: Service) -> None:
    old, new, file = home_in(tmp_path / "old", model), home_in(tmp_path / "new", model), tmp_path / "thread.jsonl"
    with old.up() as daemon:
        thread = ask(old.home, "thread.create")["thread_id"]
        run = say(old.home, thread, "m-1", "slow", until="TEXT_MESSAGE_CONTENT")
        waiting = ask(old.home, "turn.send", thread_id=thread, message_id="m-2", text="hello")
        assert old.run("thread", "export", thread, "--out", str(file))[0] == Exit.OK
        before = history(old.home, thread)
        daemon.process.kill()
    code, out, _ = new.run("thread", "import", str(file))
    assert code == Exit.OK
    assert out.endswith("; 2 turns that were under way or waited end here as cancelled (imported)\n")
    asked = model.asked
    with new.up() as daemon:
        for message_id, text in (("m-1", "slow"), ("m-2", "hello")):
            ask(new.home, "turn.send", thread_id=thread, message_id=message_id, text=text)
        say(new.home, thread, "m-3", "hello")
        after = history(new.home, thread)
        stop(daemon)
    assert after[: len(before)] == before
    ends = {event["run_id"]: event["data"]["outcome"] for event in after if event["type"] == "RUN_FINISHED"}
    for ended in (run, waiting["run_id"]):
        assert (ends[ended]["status"], ends[ended]["reason"]) == ("cancelled", "imported")
    assert model.asked == asked + 1, "only the new message was asked"


# ---------------------------------------------------------------------------------------------------- whole or not


def die(home: Path, file: Path, at: int) -> None:
    command = [sys.executable, "-m", "tests.cli.dying_import", str(home), str(file), str(at)]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def test_an_import_that_was_killed_leaves_nothing_to_the_daemon_and_can_be_done_again(
    moved: dict[str, Any], tmp_path: Path, model: Service, capsys: Capsys
) -> None:
    home, file = Place(tmp_path / "home", **model.environ), moved["file"]
    for at in (3, 12):
        die(home.home, file, at)
    with home.up() as daemon:
        assert ask(home.home, "thread.list")["threads"] == []
        stop(daemon)
    assert f"the import of thread {moved['thread']} was cut off" in daemon.complaints
    die(home.home, file, 7)
    done = typed(capsys, "thread", "import", str(file), "--home", str(home.home))
    assert (done.code, done.out) == (Exit.OK, moved["imported"][1])
    assert typed(capsys, "thread", "export", moved["thread"], "--home", str(home.home)).out == file.read_text()


# ------------------------------------------------------------------------------------------- without a daemon, quick


@pytest.fixture
def home(moved: dict[str, Any], tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that the thread was imported into."""
    monkeypatch.setenv("SULLA_HOME", str(tmp_path / "home"))
    assert typed(capsys, "thread", "import", str(moved["file"])).code == Exit.OK
    return tmp_path / "home"


@pytest.mark.usefixtures("home")
def test_a_copy_gets_an_id_of_its_own(moved: dict[str, Any], capsys: Capsys, tmp_path: Path) -> None:
    copy = json.loads(typed(capsys, "thread", "import", str(moved["file"]), "--as-new", "--json").out)
    assert copy["thread_id"] != moved["thread"]
    assert copy["records"] == len(moved["history"])
    listed = [
        json.loads(line)["thread_id"]
        for line in typed(
            capsys, "thread", "export", "--all", "--out", str(tmp_path / "all"), "--json"
        ).out.splitlines()
    ]
    assert sorted(listed) == sorted((moved["thread"], copy["thread_id"]))


@pytest.mark.usefixtures("home")
def test_all_threads_are_exported_each_to_its_file(moved: dict[str, Any], capsys: Capsys, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "down"
    done = typed(capsys, "thread", "export", "--all", "--out", str(target))
    file = target / f"{moved['thread']}.jsonl"
    assert (done.code, done.out) == (
        Exit.OK,
        f"exported {moved['thread']}: {len(moved['history'])} records to {file}\n",
    )
    assert file.read_bytes() == moved["file"].read_bytes()
    assert stat.S_IMODE(target.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in target.iterdir()] == [file.name]


@pytest.mark.usefixtures("home")
def test_a_bad_file_is_named_with_its_line_and_does_not_hold_up_the_good_ones(
    moved: dict[str, Any], capsys: Capsys, tmp_path: Path
) -> None:
    cut, whole = tmp_path / "cut.jsonl", str(moved["file"])
    cut.write_bytes(moved["file"].read_bytes()[:-200])
    done = typed(capsys, "thread", "import", str(cut), str(tmp_path / "none"), "/dev/null", whole)
    assert done.code == Exit.REFUSED
    first, second, third = done.err.splitlines()
    assert first.startswith(f"sulla: {cut}: line ")
    assert "export the thread again" in first
    assert second == f"sulla: {tmp_path / 'none'}: it cannot be read: No such file or directory"
    assert third.startswith("sulla: /dev/null: this is no file that can be read twice")
    assert done.out.endswith(f"is here already, with all {len(moved['history'])} records: nothing to do\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export",), "one of the arguments ID --all is required"),
        (("export", "--all"), "say where with --out DIR"),
        (("export", "thr_1", "--all", "--out", "x"), "not allowed with argument"),
        (("import",), "required: FILE"),
        (("list", "--limit", "0"), "--limit: expected a number of 1 or more, found '0'"),
        (("show", "thr_1", "--after", "-"), "--after: expected a record's number, found '-'"),
        ((), "required: COMMAND"),
    ],
)
def test_a_wrong_command_line_is_explained(capsys: Capsys, words: tuple[str, ...], said: str) -> None:
    done = typed(capsys, "thread", *words)
    assert (done.code, done.out) == (Exit.USAGE, "")
    assert said in done.err


def test_where_nothing_is_kept_nothing_is_made(capsys: Capsys, tmp_path: Path) -> None:
    done = typed(capsys, "thread", "export", "thr_1", "--home", str(tmp_path / "none"))
    assert (done.code, done.out) == (Exit.REFUSED, "")
    assert "nothing is kept in" in done.err
    assert not (tmp_path / "none").exists()


@pytest.mark.usefixtures("home")
def test_an_unknown_thread_writes_nothing(capsys: Capsys, tmp_path: Path) -> None:
    shown = typed(capsys, "thread", "export", "thr_none")
    assert (shown.code, shown.out) == (Exit.REFUSED, "")
    written = typed(capsys, "thread", "export", "thr_none", "--out", str(tmp_path / "file"))
    assert written.code == Exit.REFUSED
    assert "no thread 'thr_none'" in written.err
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_a_place_that_cannot_be_written_to_is_named(moved: dict[str, Any], home: Path, capsys: Capsys) -> None:
    target = home / "none" / "file"
    done = typed(capsys, "thread", "export", moved["thread"], "--out", str(target))
    assert (done.code, done.out) == (Exit.REFUSED, "")
    assert done.err == f"sulla: {target} cannot be written: No such file or directory\n"
    done = typed(capsys, "thread", "export", "--all", "--out", str(home / "id"))
    assert done.err == f"sulla: the folder {home / 'id'} cannot be made: File exists\n"


def test_a_store_in_memory_has_nothing_to_open(
    moved: dict[str, Any], capsys: Capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SULLA_STORE", "memory:")
    done = typed(capsys, "thread", "import", str(moved["file"]), "--home", str(tmp_path / "home"))
    assert (done.code, done.out) == (Exit.SETTINGS, "")
    assert "memory:, which ends with its daemon" in done.err


def test_the_home_is_free_again_after_it(moved: dict[str, Any], home: Path, capsys: Capsys) -> None:
    for _ in range(2):
        assert typed(capsys, "thread", "export", moved["thread"]).code == Exit.OK
    assert not (home / "daemon.json").exists()
