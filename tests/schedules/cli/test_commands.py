from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator

import pytest

from sulla.schedules.cli.ask import show
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.daemon.running import Place
from tests.soon import pause

Capsys = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def clean(here: Place, capsys: Capsys) -> Iterator[None]:
    """The daemon is everybody's."""
    yield
    for row in typed(capsys, "schedule", "list", "--json").out.splitlines():
        typed(capsys, "schedule", "remove", json.loads(row)["schedule"])


def test_where_there_are_none_it_says_how_to_make_one(capsys: Capsys) -> None:
    done = typed(capsys, "schedule")
    assert done.code == Exit.OK
    assert "sulla schedule add --every 30m" in done.out


def test_one_is_made_shown_paused_resumed_fired_and_removed(capsys: Capsys) -> None:
    words = (
        "--cron",
        "0 9 * * 1-5",
        "--zone",
        "Europe/Berlin",
        "--message",
        "What",
        "is on?",
        "--id",
        "am",
        "--title",
        "AM",
    )
    made = typed(capsys, "schedule", "add", *words)
    assert made.code == Exit.OK, made.err
    lines = made.out.splitlines()
    assert lines[0] == "am (AM) active"
    assert lines[1] == "  At 09:00 on Monday through Friday, Europe/Berlin: message to its own thread: What is on?"
    assert lines[2].startswith("  next: 20")
    assert lines[2].count(":00:00") == 3
    assert typed(capsys, "schedule", "pause", "am").out.splitlines()[0] == "am (AM) paused"
    assert typed(capsys, "schedule", "resume", "am").out.splitlines()[0] == "am (AM) active"
    assert typed(capsys, "schedule", "run", "am").out == "fired am\n"
    while "begun (thr_" not in (shown := typed(capsys, "schedule").out):
        pause()
        assert "am (AM) active" in shown
    assert typed(capsys, "schedule", "remove", "am").out == "removed am\n"
    assert typed(capsys, "schedule", "list", "--json").out == ""


def test_json_is_what_the_protocol_gives(capsys: Capsys) -> None:
    made = typed(
        capsys, "schedule", "add", "--json", "--every", "1h30m", "--jitter", "5m", "--message", "hi", "--id", "e"
    )
    assert json.loads(made.out)["explain"] == "Every 1h30m, up to 5m later"
    assert [json.loads(line)["schedule"] for line in typed(capsys, "schedule", "--json").out.splitlines()] == ["e"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--every", "3x", "--message", "hi"), "expected a time such as 45s, 30m, 2h"),
        (("--every", "5m"), "--message"),
        (("--every", "5m", "--cron", "@daily", "--message", "hi"), "not allowed with"),
        (("--cron", "61 * * * *", "--message", "hi"), "cron: got '61 * * * *'"),
        (("--at", "2020-01-01", "--message", "hi"), "at: that time is over"),
        (("--every", "5m", "--playbook", "p"), "there is no playbook 'p'"),
        (("--every", "5m", "--message", "hi", "--agent", "nobody"), "no agent 'nobody'"),
        (("--every", "5m", "--message", "hi", "--thread", "thr_none"), "no thread 'thr_none'"),
        (("--every", "5m", "--message", "hi", "--hours", "never"), "active hours"),
    ],
)
def test_what_cannot_be_is_refused_in_words(capsys: Capsys, words: tuple[str, ...], said: str) -> None:
    done = typed(capsys, "schedule", "add", *words)
    assert done.code != Exit.OK
    assert said in done.err
    assert "Traceback" not in done.err


def test_one_that_there_is_not_is_said_to_be_none(capsys: Capsys) -> None:
    done = typed(capsys, "schedule", "run", "nothing")
    assert done.code != Exit.OK
    assert "`sulla schedule list` shows all" in done.err


def test_the_newest_firing_is_shown_and_not_the_one_that_ended_last(capsys: Capsys) -> None:
    def note(minute: int, what: str, slot: str, said: str = "") -> dict[str, str]:
        return {"at": f"2027-01-15T08:{minute:02}:00.000Z", "what": what, "slot": slot, "said": said}

    row = {
        "schedule": "am", "title": "", "status": "active", "why": "", "explain": "Each minute", "action": "x",
        "next": [],
        "notes": [
            note(0, "fired", "one"), note(0, "begun", "one"), note(1, "fired", "two"), note(1, "begun", "two", "thr_2"),
            note(2, "succeeded", "one"),
        ],
    }  # fmt: skip
    show(Namespace(json=False), row)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.endswith("08:01:00 UTC begun (thr_2)")
