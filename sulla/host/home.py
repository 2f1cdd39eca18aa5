"""The folder that a daemon owns: one daemon at a time, its identity, its token, and where it can be reached."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from sulla.core.dataclass import dataclass
from sulla.core.errors import HomeInUse, SettingsError

HOME = "SULLA_HOME"
"""The environment variable that names the home."""
LOCK = "lock"
"""The file that the daemon holds open and locked for as long as it lives."""
_ID = "id"
_STORES = "stores.json"
_MOST_STORES = 16
TOKEN = "token"
WHERE = "daemon.json"
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
_ROOM = "free some space there, at least a few MiB: what is kept in this home is in no other one"
_REMEDIES = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EROFS: "its disk is mounted for reading alone: mount it for writing, then start again",
}
"""What to do about a home that cannot be written to."""
_ELSE = "name another with SULLA_HOME or --home DIR"


def expanded(path: Path) -> Path:
    """A path with its `~` replaced by the folder that it stands for.

    Raises:
        SettingsError: nobody knows that folder.
    """
    try:
        return path.expanduser()
    except RuntimeError:
        raise SettingsError(
            f"nobody knows which folder the ~ in {str(path)!r} stands for: write the path out"
        ) from None


def find_home(environ: Mapping[str, str], given: Path | None) -> Path:
    """Where the home is.

    Args:
        environ: the process's environment.
        given: from the command line; None to look at `SULLA_HOME`, and then at `~/.sulla`.

    Raises:
        SettingsError: it begins with a `~` that stands for no folder.
    """
    return expanded(given or Path(environ.get(HOME) or "~/.sulla")).absolute()


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """How to reach a running daemon."""

    url: str
    pid: int
    zone: str = ""
    """The time zone that the home's settings name; empty where they name none, and the machine's counts."""


class Home:
    """A home folder; made, private to its owner, when something is first written to it.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None
        self._said_who = False
        self._announced: int | None = None

    def lock(self) -> None:
        """Claim the home for this process; the kernel gives it back when the process ends, however it ends.

        Raises:
            HomeInUse: another daemon has it.
            SettingsError: the folder cannot be made or written to, or its disk knows no locks.
        """
        self._make()
        try:
            handle = os.open(self.path / LOCK, _FLAGS, 0o600)
        except OSError as error:
            raise self._unusable("written to", error) from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(handle)
            if not isinstance(error, BlockingIOError):
                raise self._unusable("locked", error) from None
            other = self.whereabouts()
            who = f" (pid {other.pid}, {other.url})" if other is not None else ""
            raise HomeInUse(
                f"another daemon{who} runs on the home {self.path}; stop it, or start this one with --home DIR"
            ) from None
        self._lock = handle

    @property
    def is_read_only(self) -> bool:
        """Whether it is there and nothing can be written to it, so that it can only be looked at."""
        return self.path.is_dir() and not os.access(self.path, os.W_OK)

    def say_who(self) -> None:
        """Say in the locked file which process has it, for `claimed_by`: a daemon does, and nobody who only looks."""
        if self._lock is not None:
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)
            self._said_who = True

    def claimed_by(self) -> int:
        """Which daemon has claimed the home, by its process: it runs, begins to, or is about to end; 0 for none."""
        try:
            pid = int((self.path / LOCK).read_text("ascii"))
            os.kill(pid, 0)
        except (OSError, ValueError):
            return 0  # nobody has, or who had it is dead
        return pid

    def has_lock_file(self) -> bool:
        """Whether anybody ever claimed the home."""
        return (self.path / LOCK).exists()

    def unlock(self) -> None:
        """Give the home back."""
        if self._announced is not None:
            (self.path / WHERE).unlink(missing_ok=True)
            os.close(self._announced)
            self._announced = None
        if self._lock is not None:
            if self._said_who:
                os.ftruncate(self._lock, 0)
                self._said_who = False
            os.close(self._lock)
            self._lock = None

    def identity(self, make_id: Callable[[str], str]) -> str:
        """The home's own id, made on first use.

        Raises:
            SettingsError: it can be neither read nor kept.
        """
        return self._once(_ID, lambda: make_id("home"))

    def token(self, make_token: Callable[[], str]) -> str:
        """The first token, made on first use and readable by the owner alone.

        Raises:
            SettingsError: it can be neither read nor kept.
        """
        return self._once(TOKEN, make_token)

    def renew_token(self, make_token: Callable[[], str]) -> str:
        """Another first token in the place of the one that there was.

        Raises:
            SettingsError: it cannot be kept; the old one is still there.
        """
        token, draft = make_token(), self.path / f".{TOKEN}.new"
        self._make()
        try:
            with os.fdopen(os.open(draft, _FLAGS | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(token + "\n")
                file.flush()
                os.fsync(file.fileno())
            _replace(draft, self.path / TOKEN)
        except OSError as error:
            raise self._unusable("written", error, TOKEN) from None
        return token

    def known_store(self, place: str) -> str:
        """Which store was last used at a place; empty if none was, or nobody knows any more."""
        return self._stores().get(place, "")

    def known_stores(self) -> frozenset[str]:
        """The stores that were used, wherever each of them was."""
        return frozenset(self._stores().values())

    def last_store(self) -> str:
        """The place of the store that a daemon on this home used last; empty where none is known."""
        return next(reversed(self._stores()), "")

    def remember_store(self, place: str, incarnation: str) -> None:
        """Write down which store is used at a place.

        Args:
            place: its URL, without a password.
            incarnation: the store's own id.

        Raises:
            SettingsError: it cannot be written.
        """
        stores = {name: known for name, known in self._stores().items() if name != place}
        kept = dict([*stores.items(), (place, incarnation)][-_MOST_STORES:])
        draft = self.path / f".{_STORES}.new"
        try:
            with os.fdopen(os.open(draft, _FLAGS | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(kept, file)
            draft.replace(self.path / _STORES)
        except OSError as error:
            raise self._unusable("written", error, _STORES) from None

    def _stores(self) -> dict[str, str]:
        try:
            kept = json.loads((self.path / _STORES).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # never written, or damaged: then nobody knows, and the next start writes it anew
        return {str(name): str(known) for name, known in kept.items()} if isinstance(kept, dict) else {}

    def known_token(self) -> str | None:
        """The first token, or None if it was never made or is not ours to read."""
        return self._known(TOKEN)

    def _known(self, name: str) -> str | None:
        try:
            return (self.path / name).read_text(encoding="ascii").strip() or None
        except (OSError, UnicodeDecodeError):
            return None

    def announce(self, where: Whereabouts) -> None:
        """Write down how this daemon can be reached, for as long as it lives.

        Raises:
            SettingsError: it cannot be written.
        """
        draft = self.path / f".{WHERE}.new"
        try:
            handle = os.open(draft, _FLAGS | os.O_TRUNC, 0o600)
        except OSError as error:
            raise self._unusable("written", error, WHERE) from None
        try:
            os.write(handle, (json.dumps({"url": where.url, "pid": where.pid, "zone": where.zone}) + "\n").encode())
            # Held until this process ends, however it ends: who can take it knows that the file is left over.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            draft.replace(self.path / WHERE)  # as a whole: nobody sees half a file
        except OSError as error:
            os.close(handle)
            raise self._unusable("written", error, WHERE) from None
        self._announced = handle

    def whereabouts(self) -> Whereabouts | None:
        """How the running daemon can be reached; None if none said so and still runs.

        What a killed one left behind does not count: by now somebody else may listen on that port, and would be sent
        the token.
        """
        try:
            with (self.path / WHERE).open(encoding="utf-8") as file:
                match json.load(file):
                    case {"url": str(url), "pid": int(pid), **more} if _held(file.fileno()):
                        return Whereabouts(url, pid, str(more.get("zone", "")))
        except (OSError, ValueError):
            pass  # never written, not ours to read, or not what a daemon writes
        return None

    def _make(self) -> None:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable("written to" if self.path.is_dir() else "made", error) from None

    def _once(self, name: str, make: Callable[[], str]) -> str:
        """What a file holds, made now if there is none; two processes that do this at once get the same."""
        if self.is_read_only and (known := self._known(name)) is not None:
            return known
        self._make()
        try:
            with os.fdopen(os.open(self.path / name, _FLAGS, 0o600), "r+", encoding="ascii") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # held for one small write
                os.fchmod(file.fileno(), 0o600)
                kept = file.read().strip()
                if not kept:
                    kept = make()
                    file.seek(0)
                    file.write(kept + "\n")
                    file.flush()
                    os.fsync(file.fileno())
                return kept
        except OSError as error:
            raise self._unusable("used", error, name) from None
        except UnicodeDecodeError:
            raise SettingsError(
                f"{self.path / name} is damaged: remove it, and the next start makes a new one"
            ) from None

    def _unusable(self, what: str, error: OSError, name: str = "") -> SettingsError:
        asked = f"the file {name!r} of the home {self.path}" if name else f"the home {self.path}"
        return SettingsError(f"{asked} cannot be {what}: {error.strerror}; {_REMEDIES.get(error.errno or 0, _ELSE)}")


def _replace(draft: Path, path: Path) -> None:
    """Put a file in the place of another in its folder, for good: a crash of the machine does not bring it back."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        draft.replace(path)
        os.fsync(folder)
    finally:
        os.close(folder)


def _held(handle: int) -> bool:
    """Whether some process holds the lock of an open file."""
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
