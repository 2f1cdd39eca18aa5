"""A terminal with a screen: what a person at `sulla` sees, whatever was sent to draw it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyte

from tests.daemon.running import PATIENCE_S
from tests.processes.forked import Process, start

_HISTORY = 5_000
_PIECE = 16_384


@dataclass(slots=True)
class Seat:
    """Somebody who sits at a terminal."""

    process: Process
    side: int
    """Our side of the terminal."""
    screen: pyte.HistoryScreen
    stream: pyte.ByteStream
    above: list[str] = field(default_factory=list)
    """The lines that have moved off the top."""
    raw: bytearray = field(default_factory=bytearray)
    """All that was sent to the terminal."""

    @property
    def text(self) -> str:
        """All that is to be seen, with what has moved off the top."""
        top = self.screen.history.top
        while top:
            row = top.popleft()
            self.above.append("".join(row[at].data for at in range(self.screen.columns)).rstrip())
        return "\n".join([*self.above, *(line.rstrip() for line in self.screen.display)]).rstrip()

    def look(self, *, patience_s: float = PATIENCE_S) -> bool:
        """Take in what is sent next; whether anything was before the patience ended."""
        if not select.select([self.side], [], [], patience_s)[0]:
            return False
        try:
            data = os.read(self.side, _PIECE)
        except OSError:  # the command has ended, and with it the terminal's other side
            return False
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    def until(self, *texts: str, times: int = 1) -> str:
        """Look until all of these are shown; all that is shown then.

        Args:
            texts: what has to be shown.
            times: how often each of them, now or further up.
        """
        return self._look_until(lambda text: all(text.count(one) >= times for one in texts), f"{texts} {times} times")

    def until_more(self, keys: str, *texts: str, more: int = 1) -> str:
        """Type, and look until each of these is shown so often more than before; all that is shown then."""
        before = {text: self.text.count(text) for text in texts}
        self.type(keys)
        return self._look_until(
            lambda text: all(text.count(one) >= before[one] + more for one in texts), f"{keys!r}: {texts}"
        )

    def until_gone(self, text: str) -> str:
        """Look until this is shown no more; all that is shown then."""
        return self._look_until(lambda shown: text not in shown, f"{text!r} to be gone")

    def until_last(self, begins: str) -> str:
        """Look until the last line that is shown begins so; all that is shown then."""
        return self._look_until(
            lambda text: text.rpartition("\n")[2].startswith(begins), f"{begins!r} as the last line"
        )

    def _look_until(self, is_shown: Callable[[str], bool], what: str) -> str:
        end_s = time.monotonic() + PATIENCE_S  # a sign of work is drawn for ever
        while not is_shown(text := self.text):
            seen = self.look() and time.monotonic() < end_s
            assert seen, f"waited for {what}:\n{text}"
        return text

    def type(self, text: str) -> None:
        """Type, and take in what is shown meanwhile, so that neither side waits for the other."""
        left = text.encode()
        os.set_blocking(self.side, False)
        while left:
            readable, writable, _ = select.select([self.side], [self.side], [], PATIENCE_S)
            assert readable or writable, "the terminal takes nothing"
            if readable:
                os.set_blocking(self.side, True)
                self.look()
                os.set_blocking(self.side, False)
            if writable:
                left = left[os.write(self.side, left) :]
        os.set_blocking(self.side, True)

    def paste(self, text: str) -> None:
        """Paste, as a terminal marks it."""
        self.type(f"\x1b[200~{text.replace(chr(10), chr(13))}\x1b[201~")

    def resize(self, columns: int, rows: int) -> None:
        """Pull the window to another size."""
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)
        self.process.send_signal(signal.SIGWINCH)

    def ended(self) -> int:
        """Wait for the end; the exit code."""
        end_s = time.monotonic() + PATIENCE_S
        while self.look():
            assert time.monotonic() < end_s, f"waited for its end:\n{self.text}"
        return self.process.wait(PATIENCE_S)


@contextmanager
def seat(
    words: Sequence[str], environ: Mapping[str, str], *, columns: int = 60, rows: int = 24, ahead: str = ""
) -> Iterator[Seat]:
    """Sit down at a terminal where `sulla` runs; what is left of it at the end is killed.

    Args:
        words: the command line behind `sulla`.
        environ: its environment.
        columns: how wide the terminal is.
        rows: how high.
        ahead: what is typed before it runs.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.write(ours, ahead.encode())
    screen = pyte.HistoryScreen(columns, rows, history=_HISTORY, ratio=0.5)
    # Like xterm, it cuts rows where it becomes narrower, and breaks none of them anew.
    about = {**environ, "TERM": "xterm", "XTERM_VERSION": "1"}
    with start(words, about, stdin=theirs, stdout=theirs, stderr=theirs, session=True) as process:
        os.close(theirs)
        try:
            yield Seat(process, ours, screen, pyte.ByteStream(screen))
        finally:
            if process.poll() is None:
                process.kill()
            os.close(ours)
