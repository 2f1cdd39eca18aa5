"""Gateways, workers and their servers on this machine, everything below one folder. For local-cluster.sh and drill.sh.

What runs is written down in the folder (`KEPT`), so that whoever comes later can look at it and end it.
"""

from __future__ import annotations

import argparse
import getpass
import json
import os
import secrets
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from deploy.local_parts import Failed, Running, answers, claimed_ports, spawn
from deploy.local_servers import HOST, OWNER, make_postgres, postgres_words, redis_words, server_account

KEPT = "cluster.json"
MOST_PARTS = 64
STOP_S = 60.0
"""How long a daemon may take to bring its turns to a border (`daemon.drain_s` is less)."""

Store = Literal["postgres", "redis"]
Role = Literal["postgres", "redis", "gateway", "worker"]
SERVERS = ("postgres", "redis")


@dataclass(frozen=True, slots=True)
class Part:
    """A process of the cluster."""

    name: str
    role: Role
    port: int


@dataclass(slots=True)
class Kept:
    """What is written down of a cluster."""

    store: Store
    password: str
    """Of both servers."""
    parts: list[Part]
    running: dict[str, Running] = field(default_factory=dict)
    """By the part's name."""


class LocalCluster:
    """A cluster in a folder; whoever has the folder has the cluster.

    Args:
        folder: where everything of it is.
        kept: what was written down of it.
    """

    def __init__(self, folder: Path, kept: Kept) -> None:
        self.folder = folder
        self._kept = kept
        self._lock = threading.Lock()  # parts may be started and ended side by side

    @classmethod
    def make(cls, folder: Path, store: Store, gateways: int, workers: int) -> LocalCluster:
        """Make one in a new folder; nothing of it runs.

        Raises:
            Failed: the folder is there, or a program is missing.
        """
        if folder.exists():
            raise Failed(f"{folder} is there already: `stop` the cluster in it, or name another --folder")
        servers: tuple[Role, ...] = ("postgres", "redis") if store == "redis" else ("postgres",)
        names: list[tuple[str, Role]] = [(name, name) for name in servers]
        names += [(f"gateway-{number}", "gateway") for number in range(1, gateways + 1)]
        names += [(f"worker-{number}", "worker") for number in range(1, workers + 1)]
        ports = claimed_ports(len(names))
        parts = [Part(name, role, port) for (name, role), port in zip(names, ports, strict=True)]
        folder.mkdir(parents=True)
        folder.chmod(0o711 if server_account() else 0o700)  # the server's user has to get through to its own
        made = cls(folder, Kept(store, secrets.token_urlsafe(24), parts))
        try:
            for name in ("log", "workspace"):
                (folder / name).mkdir(mode=0o700)
            token = f"sulla_{secrets.token_urlsafe(32)}"
            for part in made.daemons:
                home = made.home(part.name)
                home.mkdir(mode=0o700)
                (home / "token").touch(mode=0o600)
                (home / "token").write_text(f"{token}\n", encoding="ascii")  # one for all, as they are one service
            made._write()
            make_postgres(folder / "postgres", made._kept.password)
        except BaseException:
            shutil.rmtree(folder)
            raise
        return made

    @classmethod
    def open(cls, folder: Path) -> LocalCluster:
        """The cluster that is in a folder.

        Raises:
            Failed: none is.
        """
        try:
            found = json.loads((folder / KEPT).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise Failed(f"there is no cluster in {folder}: `start` one, or name its --folder") from None
        parts = [Part(**part) for part in found["parts"]]
        running = {name: Running(**one) for name, one in found["running"].items()}
        return cls(folder, Kept(found["store"], found["password"], parts, running))

    @property
    def parts(self) -> Sequence[Part]:
        """All, in the order in which they are started."""
        return tuple(self._kept.parts)

    @property
    def daemons(self) -> Sequence[Part]:
        """Gateways and workers."""
        return [part for part in self._kept.parts if part.role not in SERVERS]

    @property
    def servers(self) -> Sequence[Part]:
        """What the daemons keep things in."""
        return [part for part in self._kept.parts if part.role in SERVERS]

    @property
    def token(self) -> str:
        """What lets a client in at each gateway."""
        return (self.home(self.daemons[0].name) / "token").read_text(encoding="ascii").strip()

    def part(self, name: str) -> Part:
        """The part of a name."""
        return next(part for part in self._kept.parts if part.name == name)

    def home(self, name: str) -> Path:
        """Where a daemon's home is."""
        return self.folder / name

    def log(self, name: str) -> Path:
        """What a part says."""
        return self.folder / "log" / f"{name}.log"

    def running(self, name: str) -> Running | None:
        """A part's process; None if it does not run."""
        found = self._kept.running.get(name)
        return found if found is not None and found.lives() else None

    def url(self, server: str, port: int | None = None) -> str:
        """Where a server is.

        Args:
            server: `postgres` or `redis`.
            port: of a way to it that is not its own.
        """
        own = port if port is not None else self.part(server).port
        if server == "redis":
            return f"redis://:{self._kept.password}@{HOST}:{own}/0"
        return f"postgresql://{OWNER}:{self._kept.password}@{HOST}:{own}/postgres"

    @property
    def store_url(self) -> str:
        """Where the store is."""
        return self.url(self._kept.store)

    def settings(self, part: Part, ways: Mapping[str, int] | None = None) -> dict[str, str]:
        """What tells a daemon to be a part of it.

        Args:
            part: a gateway or a worker.
            ways: ports by which it reaches servers, by their names; for those without, the server's own.
        """
        way = ways or {}
        return {
            "SULLA_STORE": self.url(self._kept.store, way.get(self._kept.store)),
            "SULLA_WORK__ENGINE": "dbos",
            "SULLA_WORK__ROLE": part.role,
            "SULLA_WORK__EXECUTOR": part.name,
            "SULLA_WORK__DATABASE_URL": self.url("postgres", way.get("postgres")),
            # One place for all: a call that a person allowed in one worker's is another call in the next one's.
            "SULLA_AGENT__WORKSPACE": str(self.folder / "workspace"),
        }

    def start(
        self,
        name: str,
        *,
        settings: Mapping[str, str] | None = None,
        ways: Mapping[str, int] | None = None,
        code: Path | None = None,
    ) -> None:
        """Start a part that does not run, and return when it answers.

        Args:
            name, settings, ways, code: as for `begin`.

        Raises:
            Failed: it does not come up; the message has what it said.
        """
        self.begin(name, settings=settings, ways=ways, code=code)
        self.await_ready(name)

    def begin(
        self,
        name: str,
        *,
        settings: Mapping[str, str] | None = None,
        ways: Mapping[str, int] | None = None,
        code: Path | None = None,
    ) -> None:
        """Start a part that does not run.

        Args:
            name: the part's.
            settings: more of a daemon's environment.
            ways: as for `settings`.
            code: where a daemon's program is; None for the one that this one belongs to.

        Raises:
            Failed: its program is missing.
        """
        part = self.part(name)
        account = server_account() if part.role == "postgres" else None
        environ: dict[str, str] = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
        if part.role == "postgres":
            words = postgres_words(self.folder / "postgres", part.port)
        elif part.role == "redis":
            words = redis_words(self.folder / "redis", part.port, self._kept.password)
        else:
            home = str(self.home(name))
            words = [sys.executable, "-m", "sulla", "up", "--home", home, "--role", part.role, "--port", str(part.port)]
            environ = _own_environ(code) | self.settings(part, ways) | dict(settings or {})
        self._keep(name, spawn(words, environ, self.log(name), account))

    def await_ready(self, name: str) -> None:
        """Return when a part that was begun answers.

        Raises:
            Failed: it does not; the message has what it said.
        """
        part = self.part(name)
        self._kept.running[name].until(lambda: answers(part.role, part.port, self.url), self.log(name))

    def send(self, name: str, number: signal.Signals) -> None:
        """Send a part a signal, a PostgreSQL all its processes; nothing if it does not run."""
        if (found := self.running(name)) is not None:
            found.send(number, everyone=self.part(name).role == "postgres")

    def stop(self, name: str, how: signal.Signals = signal.SIGTERM) -> None:
        """End a part and wait for its end; by force, if it takes too long."""
        if (found := self.running(name)) is not None:
            found.end(_in_order(self.part(name).role) if how == signal.SIGTERM else how, STOP_S)
        self._keep(name, None)

    def start_all(self) -> None:
        """Start every part: the servers, the first daemon, which makes the store, and then the others."""
        first, *others = self.daemons
        for part in (*self.servers, first):
            self.start(part.name)
        for part in others:
            self.begin(part.name)
        for part in others:
            self.await_ready(part.name)

    def remove(self) -> None:
        """End everything, and leave nothing."""
        for part in reversed(self._kept.parts):
            self.send(part.name, signal.SIGCONT)
            self.stop(part.name)
        shutil.rmtree(self.folder)

    def _keep(self, name: str, running: Running | None) -> None:
        """Write down what has become of a part, at once: whatever happens next, `stop` knows of it."""
        with self._lock:
            if running is None:
                self._kept.running.pop(name, None)
            else:
                self._kept.running[name] = running
            self._write()

    def _write(self) -> None:
        draft = self.folder / f".{KEPT}"
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(asdict(self._kept)), encoding="utf-8")
        draft.replace(self.folder / KEPT)


def _in_order(role: Role) -> signal.Signals:
    """What asks for an end that loses nothing; a PostgreSQL would wait for its clients after a SIGTERM."""
    return signal.SIGINT if role == "postgres" else signal.SIGTERM


def _own_environ(code: Path | None) -> dict[str, str]:
    """The caller's environment, without what leads a daemon to another home or store than the cluster's."""
    kept = {name: value for name, value in os.environ.items() if name not in ("POSTGRES_URL", "REDIS_URL")}
    root = code if code is not None else Path(__file__).resolve().parent.parent
    # Compiled files are kept, whatever the caller's environment says: each start would else compile everything.
    own = {"PYTHONPATH": str(root), "PYTHONSAFEPATH": "1", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": ""}
    return kept | own


def _default_folder() -> Path:
    return Path(tempfile.gettempdir(), f"sulla-cluster-{getpass.getuser()}")


def check_libraries(store: Store, is_there: Callable[[str], object] = find_spec) -> None:
    """See that this Python has what the daemons and this script need.

    Args:
        store: where conversations are to be kept.
        is_there: finds a library by its name.

    Raises:
        Failed: one is missing.
    """
    for library in ("dbos", "psycopg", *(("redis",) if store == "redis" else ())):
        if not is_there(library):
            extras = "cluster,redis" if store == "redis" else "cluster,postgres"
            raise Failed(
                f"the library {library!r} is missing in {sys.executable}: install 'sulla-agent[{extras}]' there, or "
                "name a Python that has it with PYTHON"
            )


def _start(folder: Path, given: argparse.Namespace) -> int:
    check_libraries(given.store)
    made = LocalCluster.make(folder, given.store, given.gateways, given.workers)
    try:
        made.start_all()
    except BaseException:
        made.remove()
        raise
    if server_account():
        print("PostgreSQL does not run as root: it runs as another user here, and everything else as root")
    return _status(folder)


def _stop(folder: Path) -> int:
    LocalCluster.open(folder).remove()
    print(f"{folder}: nothing of it is left")
    return 0


def _status(folder: Path) -> int:
    found = LocalCluster.open(folder)
    good = True
    for part in found.parts:
        process = found.running(part.name)
        ready = process is not None and answers(part.role, part.port, found.url)
        good = good and ready
        state = f"pid {process.pid}" if process is not None else "has ended"
        print(f"{part.name:12} {HOST}:{part.port}  {state}{'' if ready or process is None else ', does not answer'}")
    print(f"token        {found.token}")
    print(f"folder       {folder}")
    return 0 if good else 1


def main() -> int:
    """Read the command line, and do it."""
    parser = argparse.ArgumentParser(prog="local-cluster.sh")
    parser.add_argument("what", choices=("start", "stop", "status"))
    parser.add_argument("--store", choices=SERVERS, default="postgres", help="where conversations are kept")
    parser.add_argument("--gateways", type=int, default=2)
    parser.add_argument("--workers", type=int, default=3)
    whole = _default_folder()
    parser.add_argument("--folder", type=Path, default=whole, help="where all of it is (default %(default)s)")
    given = parser.parse_args()
    if min(given.gateways, given.workers) < 1 or given.gateways + given.workers > MOST_PARTS:
        parser.error(f"expected at least one gateway and one worker, and at most {MOST_PARTS} of both")
    folder = given.folder.absolute()
    doing = {"start": lambda: _start(folder, given), "stop": lambda: _stop(folder), "status": lambda: _status(folder)}
    try:
        return doing[given.what]()
    except (Failed, OSError) as error:
        print(f"local-cluster.sh: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
