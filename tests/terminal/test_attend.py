"""Ctrl-C while a turn is stopped: it is never left running unsaid."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from sulla.core.errors import Unavailable
from sulla.host.system import SystemClock
from sulla.terminal.attend import run_turn
from sulla.terminal.exits import Exit
from sulla.terminal.turn import Asking, Said

Capsys = pytest.CaptureFixture[str]


class Slow(Asking):
    """A question whose answer does not come; Ctrl-C is pressed by the test, at the moment that it says."""

    def __init__(self, home: Path, presses: int, stops: bool = True) -> None:
        super().__init__(home, "thr_1", Said("hi"), SystemClock(), as_json=False)
        self._presses = presses
        self._stops = stops
        self.stopped = 0

    async def answer(self) -> Exit | None:
        """Somebody presses once."""
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()
        return None

    async def stop(self) -> bool:
        """Somebody presses so often while it is on its way."""
        for _ in range(self._presses):
            signal.raise_signal(signal.SIGINT)
        if not self._stops:
            raise Unavailable("gone")
        for _ in range(5):
            await asyncio.sleep(0)
        self.stopped += 1
        return True


def attended(asking: Slow) -> Exit:
    with asyncio.Runner() as runner:
        return run_turn(asking, SystemClock(), runner)


@pytest.mark.parametrize(
    ("presses", "ended", "stopped", "said"),
    [
        (0, Exit.CANCELLED, 1, "\n[stopped]\n"),
        (1, Exit.CANCELLED, 1, "\n[stopping; Ctrl-C once more leaves without it]\n\n[stopped]\n"),
        (2, Exit.INTERRUPTED, 0, "[not stopped: the turn may go on;"),
    ],
)
def test_each_press_while_it_is_stopped_says_what_becomes_of_it(
    tmp_path: Path, capsys: Capsys, presses: int, ended: Exit, stopped: int, said: str
) -> None:
    asking = Slow(tmp_path, presses)
    assert (attended(asking), asking.stopped) == (ended, stopped)
    assert said in capsys.readouterr().err


def test_a_daemon_that_is_away_is_said_to_go_on(tmp_path: Path, capsys: Capsys) -> None:
    assert attended(Slow(tmp_path, 0, stops=False)) == Exit.INTERRUPTED
    assert "[not stopped: the daemon is away, and the turn goes on when it is back" in capsys.readouterr().err


def test_whoever_took_ctrl_c_before_takes_it_again(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    attended(Slow(tmp_path, 0))
    assert signal.getsignal(signal.SIGINT) is before
