"""How work is told to end."""

from __future__ import annotations

import pytest

from sulla.core.control import Control
from sulla.core.errors import Aborted, StaleLease


def test_a_new_control_lets_everything_go_on() -> None:
    control = Control()
    control.check()
    assert (control.aborted, control.draining, control.signalled) == (None, False, False)


def test_the_first_abort_wins() -> None:
    control = Control()
    control.abort("stopped")
    control.abort("lease_lost")
    assert control.aborted == "stopped"
    with pytest.raises(Aborted, match="stopped") as raised:
        control.check()
    assert raised.value.reason == "stopped"


def test_callbacks_run_once_and_in_their_order() -> None:
    control, heard = Control(), list[str]()
    control.on_abort(lambda: heard.append("first"))
    control.on_abort(lambda: heard.append("second"))
    assert heard == []
    control.abort("stopped")
    control.abort("stopped")
    assert heard == ["first", "second"]


def test_a_callback_that_comes_too_late_runs_at_once() -> None:
    control, heard = Control(), list[str]()
    control.abort("stopped")
    control.on_abort(lambda: heard.append("late"))
    assert heard == ["late"]


def test_a_callback_sees_why() -> None:
    control, heard = Control(), list[str | None]()
    control.on_abort(lambda: heard.append(control.aborted))
    control.abort("interrupted")
    assert heard == ["interrupted"]


def test_a_callback_may_add_another_one() -> None:
    control, heard = Control(), list[str]()
    control.on_abort(lambda: control.on_abort(lambda: heard.append("inner")))
    control.abort("stopped")
    assert heard == ["inner"]


def test_draining_does_not_abort() -> None:
    control, heard = Control(), list[str]()
    control.on_abort(lambda: heard.append("aborted"))
    control.drain()
    control.check()
    assert (control.aborted, control.draining, control.signalled, heard) == (None, True, True, [])


def test_an_abort_while_draining_is_still_an_abort() -> None:
    control = Control()
    control.drain()
    control.abort("stopped")
    assert (control.aborted, control.draining, control.signalled) == ("stopped", True, True)


def test_a_guard_has_its_say_at_each_check() -> None:
    over: list[bool] = []

    def guard() -> None:
        if over:
            raise StaleLease("the lease is over")

    control = Control(guard)
    control.check()
    over.append(True)
    with pytest.raises(StaleLease):
        control.check()
