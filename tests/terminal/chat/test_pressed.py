"""What Ctrl-C means, one press after the other."""

from __future__ import annotations

import pytest

from sulla.terminal.chat.pressed import Pressed

BUSY, TYPED, IDLE = (True, False), (False, True), (False, False)


@pytest.mark.parametrize(
    ("presses", "meant"),
    [
        ([IDLE], ["leave"]),
        ([TYPED, IDLE], ["clear", "leave"]),
        ([BUSY, BUSY, BUSY], ["stop", "again", "leave"]),
        ([(True, True)], ["stop"]),
        ([BUSY, IDLE], ["stop", "leave"]),
        ([BUSY, IDLE, BUSY], ["stop", "leave", "stop"]),
    ],
)
def test_no_press_leaves_an_answer_running_unsaid(presses: list[tuple[bool, bool]], meant: list[str]) -> None:
    pressed = Pressed()
    assert [pressed.press(busy=busy, typed=typed) for busy, typed in presses] == meant


def test_an_answer_that_has_ended_is_stopped_no_more() -> None:
    pressed = Pressed()
    pressed.press(busy=True, typed=False)
    pressed.ended()
    assert pressed.press(busy=True, typed=False) == "stop"
