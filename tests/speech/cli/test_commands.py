"""`sulla speech replay`: every decision with its reason, without a daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sulla.terminal.exits import Exit
from tests.cli.recordings import BARGE_IN, HESITATION, PHONE_NUMBER, SHIPPED, line, written
from tests.cli.typed import typed

Capsys = pytest.CaptureFixture[str]


def _rows(capsys: Capsys, *words: str) -> list[dict[str, Any]]:
    shown = typed(capsys, "speech", "replay", *words, "--json")
    assert (shown.code, shown.err) == (Exit.OK, "")
    return [json.loads(one) for one in shown.out.splitlines()]


def _of(rows: list[dict[str, Any]], profile: str, what: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["profile"] == profile and row["what"] == what]


def test_who_was_cut_off_is_told_when_and_why(capsys: Capsys, tmp_path: Path) -> None:
    name = written(
        tmp_path / "r", [line(0, "could you remind me to"), line(2_000, "could you remind me to call her", 2)]
    )
    shown = typed(capsys, "speech", "replay", name, "--profile", "classic")
    assert (shown.code, shown.err) == (Exit.OK, "")
    assert shown.out == (
        "    0.000  turn u begins\n"
        '    0.000    "could you remind me to"\n'
        '    1.500  turn u ends: "could you remind me to"\n'
        "             complete: 1.5 s of silence were enough, because it ends like a sentence or begins as a request\n"
        "    2.000  turn u was cut off: more of it came 0.5 s after its end, when 2 s had passed since its last word\n"
        "             complete: 1.5 s of silence were enough, because it ends like a sentence or begins as a request\n"
        "    2.000  turn u#2 begins\n"
        '    2.000    "call her"\n'
        "    3.500    it is too short to be guessed at: waits for 3 s of silence\n"
        '    5.000  turn u#2 ends: "call her"\n'
        "             silence: 3 s of silence were enough, because it is too short to be guessed at\n"
        "\n"
        "PROFILE   TURNS  CUT OFF  DROPPED  DEAD AIR  LONGEST\n"
        "classic   2      1        0        3 s       3 s\n"
    )


def test_without_a_profile_both_are_played_and_what_they_share_is_told_once(capsys: Capsys, tmp_path: Path) -> None:
    name = written(tmp_path / "r", [line(0, "please turn the light in the"), line(1_400, "stop", 1, "final", "v")])
    out = typed(capsys, "speech", "replay", name).out.splitlines()
    assert out[:2] == ["    0.000            turn u begins", '    0.000              "please turn the light in the"']
    assert out[2].startswith("    1.250  adaptive    it reads 0.")
    assert "): waits for " in out[2]
    assert [one.split()[0] for one in out[-2:]] == ["classic", "adaptive"]


def test_the_hesitation_that_comes_along_is_cut_off_by_one_profile_alone(capsys: Capsys) -> None:
    rows = _rows(capsys, str(HESITATION))
    [cut] = _of(rows, "classic", "cut_off")
    assert (cut["turn_id"], cut["after_ms"], cut["pause_ms"], cut["rule"]) == ("h1", 600, 2_100, "complete_thought")
    assert _of(rows, "adaptive", "cut_off") == []
    [end] = _of(rows, "adaptive", "end")
    assert end["text"] == "could you remind me to um call the dentist before five tomorrow"
    totals = {row["profile"]: row for row in rows if row["what"] == "totals"}
    assert totals["adaptive"]["dead_air_ms"] < totals["classic"]["dead_air_ms"]


def test_a_number_that_is_dictated_stays_in_one_turn(capsys: Capsys) -> None:
    rows = _rows(capsys, str(PHONE_NUMBER))
    for profile in ("classic", "adaptive"):
        [end] = _of(rows, profile, "end")
        assert end["text"].lower().strip(".").replace(",", "") == (
            "sure it's oh one six three four four seven two double nine one"
        )


def test_every_line_of_what_comes_along_is_told_in_words(capsys: Capsys) -> None:
    for path in sorted(SHIPPED.glob("*.jsonl")):
        shown = typed(capsys, "speech", "replay", str(path))
        assert (shown.code, shown.err) == (Exit.OK, "")
    assert (
        "here a talk stands still until the assistant is speaking"
        in typed(capsys, "speech", "replay", str(BARGE_IN)).out
    )


def test_a_question_that_was_asked_before_counts(capsys: Capsys, tmp_path: Path) -> None:
    name = written(tmp_path / "r", [line(0, "nine"), line(5_000, "nine", 2, "final")])

    def waited(*words: str) -> int:
        [end] = _of(_rows(capsys, name, "--profile", "adaptive", *words), "adaptive", "end")
        return int(end["waited_ms"])

    assert waited("--question", "How many guests are coming?") < waited()


def test_orders_and_chunks_that_say_nothing_new_are_told(capsys: Capsys, tmp_path: Path) -> None:
    name = written(
        tmp_path / "r",
        [
            {"at_ms": 0, "question": "Which one?"},
            line(0, "the red one"),
            line(100, "the red one"),
            {"at_ms": 200, "do": "flush"},
            line(300, "no", 1, "delta", "v"),
            {"at_ms": 400, "do": "cancel"},
            {"at_ms": 500, "question": ""},
        ],
    )
    shown = typed(capsys, "speech", "replay", name, "--profile", "classic")
    assert shown.out.splitlines()[:-3] == [
        '    0.000  the assistant asks "Which one?"',
        "    0.000  turn u begins",
        '    0.000    "the red one"',
        "    0.100  line 3: this says nothing new: u 1",
        '    0.200  turn u ends: "the red one"',
        "             forced: somebody asked for it",
        "    0.300  turn v begins",
        '    0.300    "no"',
        '    0.400  turn v is dropped: "no"',
        "    0.500  the assistant says something",
    ]


def test_who_asked_for_the_end_was_not_cut_off(capsys: Capsys, tmp_path: Path) -> None:
    name = written(tmp_path / "r", [line(0, "the"), {"at_ms": 100, "do": "flush"}, line(200, "the red one", 2)])
    assert _of(_rows(capsys, name), "classic", "cut_off") == []


def test_a_full_stop_that_comes_late_breaks_no_silence(capsys: Capsys, tmp_path: Path) -> None:
    name = written(tmp_path / "r", [line(0, "the red one"), line(900, "The red one.", 2, "final")])
    [end] = _of(_rows(capsys, name), "classic", "end")
    assert (end["waited_ms"], end["silent_ms"]) == (0, 900)


def test_what_was_recorded_cannot_move_the_cursor(capsys: Capsys, tmp_path: Path) -> None:
    name = written(
        tmp_path / "r", [{"at_ms": 0, "question": "a\x1b[2J"}, line(1, "red\x1b]52;c;eA\x07 one\nand more", 1, "final")]
    )
    out = typed(capsys, "speech", "replay", name).out
    assert "\x1b" not in out
    assert "one and more" in out


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_file_with_faults_is_not_played(capsys: Capsys, tmp_path: Path, words: tuple[str, ...]) -> None:
    name = written(tmp_path / "r", [line(0, "the"), {"at_ms": 1}, [2]])
    shown = typed(capsys, "speech", "replay", name, *words)
    assert (shown.code, shown.out) == (Exit.REFUSED, "")
    assert [one.split(": ")[0] for one in shown.err.splitlines()] == [f"{name}:2", f"{name}:3"]


def test_a_recording_may_be_piped_in(capsys: Capsys, tmp_path: Path) -> None:
    given = Path(written(tmp_path / "r", [line(0, "the", 1, "final")])).read_bytes()
    assert typed(capsys, "speech", "replay", "-", given=given).code == Exit.OK
    wrong = typed(capsys, "speech", "replay", "-", given=b"\xff\n")
    assert wrong.code == Exit.REFUSED
    assert wrong.err == "standard input:1: character 1 is not valid UTF-8: write it in UTF-8\n"


def test_the_page_shows_what_is_printed(capsys: Capsys) -> None:
    page = (SHIPPED.parent / "cli.md").read_text(encoding="utf-8")
    shown = typed(capsys, "speech", "replay", str(HESITATION), "--profile", "classic").out
    assert f"$ sulla speech replay docs/recordings/hesitation.jsonl --profile classic\n{shown}```" in page
