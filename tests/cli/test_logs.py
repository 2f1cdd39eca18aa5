"""`sulla logs` shows what is asked for, of all files, whole or damaged, and nothing that moves the cursor."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sulla.cli.main import main
from sulla.core.stamp import stamp
from sulla.telemetry.logs import FILE
from sulla.terminal.exits import Exit
from tests.daemon.running import Place


def _entry(minute: int, event: str, **more: object) -> dict[str, Any]:
    at = f"2027-01-15T08:{minute:02}:00.000Z"
    return {"at": at, "level": "info", "logger": "sulla.x", "event": event, **more}


ENTRIES = [
    _entry(0, "oldest", level="debug"),
    _entry(1, "begun", thread_id="thr_1", run_id="run_1"),
    _entry(2, "begun", thread_id="thr_1", run_id="run_2"),
    _entry(3, "worse", level="warning", thread_id="thr_2"),
    _entry(4, "worst", level="error", exception="Traceback:\n  needle"),
]


@pytest.fixture(autouse=True)
def clocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose clocks show UTC, and nobody who has set others."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a log of two files, and half a line between them."""
    logs = tmp_path / "home" / "logs"
    logs.mkdir(parents=True)
    lines = [json.dumps(entry) + "\n" for entry in ENTRIES]
    (logs / f"{FILE}.1").write_text("".join(lines[:2]) + '{"at": "2027-01\n')
    (logs / FILE).write_text("".join(lines[2:]) + '{"at": "2027-01-15T08:05')
    return tmp_path / "home"


def _events(home: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["logs", "--home", str(home), "--json", *words]) == Exit.OK
    return [json.loads(line)["event"] for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ([], ["oldest", "begun", "begun", "worse", "worst"]),
        (["--lines", "2"], ["worse", "worst"]),
        (["--thread", "thr_1"], ["begun", "begun"]),
        (["--run", "run_2"], ["begun"]),
        (["--level", "warning"], ["worse", "worst"]),
        (["--grep", "needle"], ["worst"]),
        (["--grep", "thr_1"], ["begun", "begun"]),
        (["--since", "2027-01-15T08:03"], ["worse", "worst"]),
        (["--since", "2027-01-15T08:03:00.000Z"], ["worse", "worst"]),
        (["--since", "2027-01-16"], []),
        (["--thread", "thr_1", "--level", "error"], []),
    ],
)
def test_what_is_asked_for_is_shown(
    home: Path, capsys: pytest.CaptureFixture[str], words: list[str], shown: list[str]
) -> None:
    assert _events(home, capsys, *words) == shown


def test_an_age_is_counted_from_now(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    ages_s = {"old": 7200, "new": 60}
    entries = [_entry(0, name) | {"at": stamp(round((time.time() - age_s) * 1000))} for name, age_s in ages_s.items()]
    (logs / FILE).write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    assert _events(tmp_path, capsys, "--since", "1h") == ["new"]
    assert _events(tmp_path, capsys, "--since", "30s") == []
    assert _events(tmp_path, capsys, "--since", "1d") == ["old", "new"]


def test_people_read_lines_and_are_told_of_damaged_ones(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["logs", "--home", str(home)]) == Exit.OK
    said = capsys.readouterr()
    begun = "2027-01-15 08:01:00.000 UTC INFO sulla.x: begun [thread_id=thr_1 run_id=run_1]"
    assert said.out.splitlines()[1] == begun
    assert said.out.endswith("ERROR sulla.x: worst\n  Traceback:\n    needle\n")
    assert said.err == "1 damaged lines are left out\n"


def test_people_are_shown_the_homes_time_and_programs_utc(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "sulla.toml").write_text('[daemon]\nzone = "Europe/Berlin"\n')
    monkeypatch.delenv("TZ")
    assert main(["logs", "--home", str(home), "--since", "2027-01-15T09:03"]) == Exit.OK  # in the home's time, too
    worse, worst, *_ = capsys.readouterr().out.splitlines()
    assert worse.startswith("2027-01-15 09:03:00.000 CET WARNING sulla.x: worse")
    assert worst.startswith("2027-01-15 09:04:00.000 CET")
    assert main(["logs", "--home", str(home), "--since", "2027-01-15T08:04Z", "--json"]) == Exit.OK
    assert json.loads(capsys.readouterr().out)["at"] == "2027-01-15T08:04:00.000Z"


def test_the_log_is_shown_also_where_the_settings_are_wrong(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "sulla.toml").write_text("[daemon\n")
    assert main(["logs", "--home", str(home)]) == Exit.OK
    assert capsys.readouterr().out.startswith("2027-01-15 08:00:00.000 UTC DEBUG")


def test_a_line_that_is_nested_without_end_is_a_damaged_one(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "logs" / f"{FILE}.2").write_text("[" * 100_000 + "\n")
    assert main(["logs", "--home", str(home)]) == Exit.OK
    said = capsys.readouterr()
    assert said.out.endswith("ERROR sulla.x: worst\n  Traceback:\n    needle\n")
    assert said.err == "2 damaged lines are left out\n"


@pytest.mark.parametrize(("made", "wrong"), [(f"logs/{FILE}/x", "Is a directory"), ("logs", "Not a directory")])
def test_a_log_that_cannot_be_read_is_told_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], made: str, wrong: str
) -> None:
    (tmp_path / made).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / made).write_text("x")
    assert main(["logs", "--home", str(tmp_path)]) == Exit.REFUSED
    said = capsys.readouterr().err
    assert said.startswith(f"sulla: cannot read the log {tmp_path}/logs/{FILE}: {wrong}; run this as the user")


def test_what_others_wrote_moves_no_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / FILE).write_text(json.dumps(_entry(0, "a\x1b[2J", name="\x9b1m")) + "\n[1]\n7\n")
    assert main(["logs", "--home", str(tmp_path)]) == Exit.OK
    assert "\x1b" not in (said := capsys.readouterr().out)
    assert "\x9b" not in said


def test_a_home_without_a_log_is_told_with_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["logs", "--home", str(tmp_path)]) == Exit.REFUSED
    assert capsys.readouterr().err == (
        f"sulla: there is no log at {tmp_path}/logs/{FILE}: "
        "a daemon writes it while it runs; start one with `sulla up`\n"
    )


@pytest.mark.parametrize(
    "since", ["1x", "h", "-1h", "2027", "2027-01-15 08:00", "\u0661h", "2027-13-01", "2027-01-15T24"]
)
def test_a_time_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], since: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["logs", "--home", str(tmp_path), f"--since={since}"])
    assert ended.value.code == Exit.USAGE
    assert "expected 90s, 15m, 1h, 2d or a time like 2027-01-15T08:00" in capsys.readouterr().err


def test_following_goes_on_over_a_move_until_ctrl_c(home: Path) -> None:
    place, path = Place(home), home / "logs" / FILE
    with place.begin("logs", "--follow", "--json", "--lines", "1") as command:
        command.until("worst")
        with path.open("a") as out:
            out.write("\n" + json.dumps(_entry(6, "before the move")) + "\n")
        path.rename(home / "logs" / f"{FILE}.2")
        path.write_text(json.dumps(_entry(7, "behind the move")) + "\n")
        command.until("behind the move")
        assert "before the move" in command.said
        assert command.ended(signal.SIGINT) == Exit.INTERRUPTED
