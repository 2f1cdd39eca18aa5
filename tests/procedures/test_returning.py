"""When a procedure goes on that was set aside: where the person says so, and nowhere else."""

from __future__ import annotations

import pytest

from sulla.procedures.returning import MOST_CHARS, asks_to_go_on


@pytest.mark.parametrize(
    "said",
    [
        "continue",
        "Continue, please.",
        "ok, let's go on",
        "can we continue with the exercise?",
        "I\u2019d like to resume the breathing exercise",
        "let's get back to the exercise",
        "I'm ready to carry on now",
        "Okay. Where were we?",
    ],
)
def test_who_says_so_goes_on(said: str) -> None:
    assert asks_to_go_on(said)


@pytest.mark.parametrize(
    "said",
    [
        "please help me",
        "i dont feel anything",
        "i mean it",
        "ready",
        "done",
        "yes",
        "ok",
        "",
        "i can't go on",
        "i cannot continue",
        "why should i go on",
        "i don't want to continue",
        "no, don't continue",
        "how can I go on like this",
        "i can't go on with this",
        "continue to hurt myself",
        "shall i go on living",
        "continue " * MOST_CHARS,
    ],
)
def test_nothing_else_is_taken_for_it(said: str) -> None:
    assert not asks_to_go_on(said)
