"""Pastes and keys in any order: no message loses a byte, and no question is answered by what was meant for the line."""

from __future__ import annotations

import json
import random

import pytest

from sulla.terminal.exits import Exit
from tests.terminal.chat.conftest import Here
from tests.terminal.chat.screens import Seat, seat
from tests.terminal.chat.script import ASKED, CTRL_C, ENTER, LABEL, pasted

WORDS = [
    " understanding",
    " international",
    " caf\N{LATIN SMALL LETTER E WITH ACUTE}",
    " \u65e5\u672c",
    " \N{FIRE}",
    " \N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}",
    "\n",
    "\n\n",
    "\t",
    " y",
    " yes",
]
NOTHING = ["\x01\x05", "\x1b[D\x1b[C", "\x02\x06", "q\x7f", "q\x08", "z\x1b[D\x04", "\x1b[A\x1b[B"]
"""Keys that leave the end of a line as it was: there and back, typed and taken away."""
MOST_READ = 20_000
"""A longer message is taken whole, and too much for the model."""
STRAY = [
    "y",
    "\x01",
    "\x0b",
    "\x15",
    "\N{FIRE}",
    pasted("x" * 5_000 + "\nyes\n"),
    "\x1b[A",
    "\x1b[D",
    "\x1b[B",
    "\t",
    pasted("yes\n"),
    pasted("y"),
    pasted("y\nyes\n"),
]
"""What somebody may hit while a question comes, and which sends nothing."""


def message(dice: random.Random, number: int) -> tuple[str, str]:
    """A message, and the keys and pastes by which it comes."""
    parts = ["x" + "".join(dice.choices(WORDS, k=dice.randrange(1, 60))) for _ in range(dice.randrange(1, 6))]
    if number % 7 == 3:
        parts.append("x" * dice.randrange(4_000, 9_000))
    if number % 10 == 4:
        parts.append("x" * 99_000 + "end")
    keys = [part if not set("\n\t") & set(part) and dice.random() < 0.5 else pasted(part) for part in parts]
    return "".join(parts), "".join(key + dice.choice(["", *NOTHING]) for key in keys)


def storm(at: Seat, here: Here, dice: random.Random, rounds: int) -> list[str]:
    """Say so many messages, and meet a question now and then; what was said."""
    said: list[str] = []
    for number in range(rounds):
        text, keys = message(dice, number)
        said.append(text)
        at.until_more(keys + ENTER, "[failed:" if len(text) > MOST_READ else "[done:")
        if number % 5 == 2:
            said.append("leave a mark")
            at.until_more(f"leave a mark{ENTER}" + "".join(dice.choices(STRAY, k=20)), ASKED)
            at.type("".join(dice.choices([pasted("yes\n"), pasted("y\nyes\n"), "\x1b[A"], k=20)))
            at.until_more(f"no{ENTER}", "[done:")
            assert not (here.place.home / "workspace" / "unseen").exists()
            at.type(f"z{CTRL_C}")  # what is left of the keys is taken away
    return said


@pytest.mark.parametrize(
    ("seed", "rounds"), [(13, 6), *(pytest.param(seed, 20, marks=pytest.mark.faults) for seed in range(5))]
)
def test_no_message_loses_a_byte_and_no_question_is_answered(here: Here, seed: int, rounds: int) -> None:
    with seat(["chat"], here.place.environ, columns=100, rows=40) as at:
        at.until_last(LABEL)
        said = storm(at, here, random.Random(seed), rounds)
        at.type(f"z{CTRL_C}/exit{ENTER}")
        assert at.ended() == Exit.OK
    thread_id = (here.place.home / "last_thread").read_text().strip()
    told = map(json.loads, here.place.run("thread", "export", thread_id)[1].splitlines()[1:-1])
    assert [event["data"]["text"] for event in told if event["type"] == "INPUT"] == said


def test_the_second_line_of_an_unmarked_paste_is_a_message_and_no_answer(here: Here) -> None:
    with seat(["chat"], here.place.environ) as at:
        at.until_last(LABEL)
        at.until_more(f"leave a mark{ENTER}yes{ENTER}", ASKED)
        assert not (here.place.home / "workspace" / "unseen").exists()
        at.until_more(f"no{ENTER}", "[done:", more=2)
        assert not (here.place.home / "workspace" / "unseen").exists()
