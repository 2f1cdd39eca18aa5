"""An entry reads as one line; what others wrote in it can neither begin a line nor move the cursor."""

from __future__ import annotations

from sulla.telemetry.entry import as_text

HEAD = {"at": "2027-01-15T08:00:00.000Z", "level": "warning", "logger": "sulla.x"}
SHOWN = "2027-01-15T08:00:00.000Z WARNING sulla.x: "


def test_an_entry_is_a_line_with_what_is_known_behind_it() -> None:
    entry = HEAD | {"event": "it broke", "thread_id": "thr_1", "took_s": 1.5, "why": "two words", "none": ""}
    assert as_text(entry) == f'{SHOWN}it broke [thread_id=thr_1 took_s=1.5 why="two words" none=""]'


def test_exceptions_stand_below_and_further_in() -> None:
    entry = HEAD | {"event": "it broke", "exception": "Traceback:\n  here", "stack": "Stack"}
    assert as_text(entry) == f"{SHOWN}it broke\n  Stack\n  Traceback:\n    here"


def test_no_text_can_pass_for_an_entry_of_its_own() -> None:
    lines = as_text(HEAD | {"event": f"a\n{SHOWN}forged", "name": f"b\n{SHOWN}forged"}).split("\n")
    assert [line.startswith("2027") for line in lines] == [True, False]


def test_control_characters_are_shown_as_what_they_are() -> None:
    shown = as_text(HEAD | {"event": "\x1b[2J\x07\x9b1m\u202egnp.exe\u2028", "x": "\x1b]0;"})
    assert shown == f'{SHOWN}\\x1b[2J\\x07\\x9b1m\\u202egnp.exe\\u2028 [x="\\u001b]0;"]'


def test_an_entry_that_lacks_everything_is_shown_all_the_same() -> None:
    assert as_text({}) == "  : "
