"""Commands at a terminal, with somebody who types ahead, or looks first."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tests.daemon.running import PATIENCE_S
from tests.processes.forked import Process, start


def at_a_terminal(command: Sequence[str], typed_in: str, environ: Mapping[str, str]) -> tuple[int, str]:
    """Run a command to its end.

    Args:
        command: its words.
        typed_in: what is typed before it asks.
        environ: its environment.

    Returns:
        Its exit code and what was shown, echo included.
    """
    ours, theirs = _opened()
    with _started(command, environ, theirs) as process:
        os.close(theirs)
        os.write(ours, typed_in.encode())
        shown = b""
        try:
            while more := os.read(ours, 4096):
                shown += more
        except OSError:
            pass  # the command has ended, and with it the terminal's other side
        os.close(ours)
        return process.wait(PATIENCE_S), shown.decode(errors="replace")


def _started(command: Sequence[str], environ: Mapping[str, str], side: int) -> Process:
    """A command whose three files are one side of a terminal; one of Sulla's is forked, as elsewhere."""
    interpreter, *words = command
    if words[:2] == ["-m", "sulla"] and interpreter == sys.executable:
        return start(words[2:], environ, stdin=side, stdout=side, stderr=side)
    return subprocess.Popen(command, env=environ, stdin=side, stdout=side, stderr=side)


def _opened() -> tuple[int, int]:
    """Both sides of a terminal that is wide enough for every line that is told."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 400, 0, 0))
    return ours, theirs


@dataclass(slots=True)
class Terminal:
    """A command at a terminal, with somebody who looks before they type."""

    process: Process
    side: int
    """Our side of the terminal."""
    shown: str = ""
    ahead: bytes = b""
    """What was shown while something was typed, and not read yet."""

    def until(self, text: str) -> None:
        """Read until it is shown behind what was waited for before."""
        seen = ""
        while text not in seen:
            self.ahead = self.ahead or os.read(self.side, 4096)
            seen += self.ahead[:1].decode(errors="replace")
            self.ahead = self.ahead[1:]
        self.shown += seen

    def prompted(self, text: str) -> None:
        """Read until a line editor has begun to read a line and shows this; it shows its prompt again when it ends."""
        self.until("\x1b[?2004h")
        self.until(text)

    def type(self, text: str) -> None:
        """Type, and take in what is shown meanwhile, so that neither side waits for the other."""
        left = text.encode()
        os.set_blocking(self.side, False)
        while left:
            readable, writable, _ = select.select([self.side], [self.side], [])
            if readable:
                self.ahead += os.read(self.side, 4096)
            if writable:
                left = left[os.write(self.side, left) :]
        os.set_blocking(self.side, True)


@contextmanager
def terminal(command: Sequence[str], environ: Mapping[str, str]) -> Iterator[Terminal]:
    """Run a command; what is left of it at the end is killed."""
    ours, theirs = _opened()
    with _started(command, environ, theirs) as process:
        os.close(theirs)
        try:
            yield Terminal(process, ours)
        finally:
            if process.poll() is None:
                process.kill()
            os.close(ours)
