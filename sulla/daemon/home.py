"""The folder that a daemon owns: one daemon at a time, its identity, its token, and where it can be reached."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sulla.core.errors import HomeInUse, SettingsError

_LOCK = "lock"
_ID = "id"
_TOKEN = "token"
_WHERE = "daemon.json"


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """How to reach a running daemon."""

    url: str
    pid: int


class Home:
    """A home folder; made, private to its owner, when something is first written to it.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    def lock(self) -> None:
        """Claim the home for this process; the kernel gives it back when the process ends, however it ends.

        Raises:
            HomeInUse: another daemon has it.
            SettingsError: the folder cannot be made or written to.
        """
        self._make()
        try:
            handle = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise SettingsError(f"cannot write to the home {self.path}: {error.strerror}") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            other = self.whereabouts()
            who = f" (pid {other.pid}, {other.url})" if other is not None else ""
            raise HomeInUse(
                f"another daemon{who} runs on the home {self.path}; stop it, or start this one with --home DIR"
            ) from None
        self._lock = handle

    def unlock(self) -> None:
        """Give the home back."""
        if self._lock is not None:
            (self.path / _WHERE).unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None

    def identity(self, make_id: Callable[[str], str]) -> str:
        """The home's own id, made on first use."""
        return self._once(_ID, lambda: make_id("home"))

    def token(self, make_token: Callable[[], str]) -> str:
        """The first token, made on first use and readable by the owner alone."""
        return self._once(_TOKEN, make_token)

    def known_token(self) -> str | None:
        """The first token, or None if it was never made or is not ours to read."""
        try:
            return (self.path / _TOKEN).read_text(encoding="utf-8").strip() or None
        except OSError:
            return None

    def announce(self, where: Whereabouts) -> None:
        """Write down how this daemon can be reached."""
        self._write(_WHERE, json.dumps({"url": where.url, "pid": where.pid}) + "\n")

    def whereabouts(self) -> Whereabouts | None:
        """How the running daemon can be reached; None if nobody said so."""
        try:
            match json.loads((self.path / _WHERE).read_text(encoding="utf-8")):
                case {"url": str(url), "pid": int(pid)}:
                    return Whereabouts(url, pid)
        except (FileNotFoundError, json.JSONDecodeError):
            return None  # no daemon, or one that died while writing
        return None

    def _make(self) -> None:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"cannot make the home {self.path}: {error.strerror}; set SULLA_HOME to another folder"
            ) from None

    def _once(self, name: str, make: Callable[[], str]) -> str:
        self._make()
        path = self.path / name
        try:
            kept = path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            kept = ""
        if not kept:
            kept = make()
            self._write(name, kept + "\n")
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        return kept

    def _write(self, name: str, text: str) -> None:
        """Replace a file as a whole: a crash leaves the old one or the new one."""
        draft = self.path / f".{name}.new"
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.write(handle, text.encode())
            os.fsync(handle)
        finally:
            os.close(handle)
        draft.replace(self.path / name)
