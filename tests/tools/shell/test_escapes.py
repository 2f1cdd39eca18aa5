"""Every known way out of the sandbox is tried, as root and as another user; then the outside is looked at."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from sulla.host.system import SystemClock
from sulla.tools.output import Output
from sulla.tools.shell.bounds import CommandBounds
from sulla.tools.shell.changes import changes_in
from sulla.tools.shell.landing import put
from sulla.tools.shell.layer import Layer, Layers
from sulla.tools.shell.process import DEFAULT_PATH, ProcessEnd, run_program
from sulla.tools.shell.sandbox import Sandbox, Shell
from tests.kits.points import some
from tests.tools.shell.escapes import ESCAPES, Escape

pytestmark = pytest.mark.skipif(
    not shutil.which("bwrap") or not shutil.which("python3", path=DEFAULT_PATH) or platform.machine() != "x86_64",
    reason="bubblewrap, or a Python that is seen in it, is not installed here, or the numbers of system calls differ",
)

SMALL = CommandBounds(
    max_processes=200, max_memory_mb=300, max_file_mb=20, max_disk_mb=100, max_tmp_mb=32, max_open_files=256
)
SOMEBODY = 61_234
"""A user that owns nothing but the workspace."""
PLACES = (
    "/",
    "/usr",
    "/usr/bin",
    "/etc",
    "/home",
    Path("/", "root"),
    "/var",
    "/var/tmp",
    "/tmp",
    "/run",
    "/dev",
    "/dev/shm",
    "/opt",
)
TOGETHER_S = 40.0
"""How long one may take; none needs a quarter of that where nothing else runs."""
GATE = 6
"""How many ways are tried in the gate, each as both users and with a layer over the workspace and without; the others
are for `./dev faults`."""


@dataclass
class World:
    """A workspace, and around it what must stay as it is."""

    folder: Path
    name: str
    user: int
    layered: bool
    sentinel: subprocess.Popen[bytes]
    listeners: dict[str, socket.socket] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def outside(self) -> Path:
        return self.folder / "outside"

    def words(self, code: str) -> str:
        """A row's code with what it needs to know of this world."""
        for name, value in {
            "out": self.outside,
            "ws": self.workspace,
            "name": self.name,
            "pid": self.sentinel.pid,
            "port": self.listeners["port"].getsockname()[1],
            "socket": self.outside / "socket",
            "abstract": self.name,
        }.items():
            code = code.replace(f"{{{name}}}", str(value))
        return code

    def harm(self) -> list[str]:
        """What has happened outside that must not."""
        found = [f"{place} has a file of its" for place in (*PLACES, self.outside) if Path(place, self.name).exists()]
        if sorted(path.name for path in self.outside.iterdir()) != ["secret", "socket"]:
            found.append("the folder beside it changed")
        if (self.outside / "secret").read_text() != "do not tell":
            found.append("the file beside it changed")
        for what, listener in self.listeners.items():
            try:
                listener.accept()[0].close()
            except BlockingIOError:
                continue
            found.append(f"something came in by {what}")
        if self.sentinel.poll() is not None or _state(self.sentinel.pid) not in "SR":
            found.append("a process outside was ended or stopped")
        elif os.getpriority(os.PRIO_PROCESS, self.sentinel.pid) != os.getpriority(os.PRIO_PROCESS, 0):
            found.append("the rank of a process outside changed")
        for path in self.workspace.rglob("*"):
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and (mode & 0o6000 or stat.S_ISBLK(mode) or stat.S_ISCHR(mode)):
                found.append(f"it left {path.name} with mode {mode:o}")
        found += [f"process {pid} is left" for pid in _at_work_in(self.workspace)]
        began = time.monotonic()
        subprocess.run(["sh", "-c", "true"], check=True, timeout=20)
        if time.monotonic() - began > 5:
            found.append("the machine could hardly be used")
        return found


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def _at_work_in(folder: Path) -> Iterator[int]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink().is_relative_to(folder):
                yield int(process.name)
        except OSError:
            continue


@pytest.fixture(params=["root", "user", "root layered", "user layered"])
def world(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    who, _, layered = request.param.partition(" ")
    if who == "root" and os.geteuid() != 0:
        pytest.skip("only root can try it as root")
    if who == "user" and os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed here")
    user = os.geteuid() if who == "root" or os.geteuid() != 0 else SOMEBODY
    if user == SOMEBODY:
        as_somebody(monkeypatch)
    with ExitStack() as stack:
        # Not in a folder of the test's, which is closed to other users.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sulla-escapes-", dir="/tmp")))
        name = f"planted-{os.getpid()}-{folder.name[-8:]}"
        folder.chmod(0o755)
        for below in ("workspace", "outside"):
            (folder / below).mkdir()
            os.chown(folder / below, user, user if user == SOMEBODY else -1)
        (folder / "outside/secret").write_text("do not tell")
        env = {**os.environ, "SENTINEL": "do not tell"}
        sentinel = stack.enter_context(
            subprocess.Popen(
                ["sleep", "1000"],
                env=env,
                user=user if user == SOMEBODY else None,
            )
        )
        stack.callback(sentinel.kill)
        made = World(folder, name, user, bool(layered), sentinel)
        for what, family, address in (
            ("port", socket.AF_INET, ("127.0.0.1", 0)),
            ("socket", socket.AF_UNIX, str(folder / "outside/socket")),
            ("abstract", socket.AF_UNIX, f"\0{name}"),
        ):
            listener = stack.enter_context(socket.socket(family))
            listener.bind(address)
            listener.listen()
            listener.setblocking(False)
            made.listeners[what] = listener
        (folder / "outside/socket").chmod(0o777)
        yield made


def as_somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on root's sandboxes are made as a daemon of another user makes them."""
    become = ("setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups", "--inh-caps=-all")
    whole = Sandbox.wrap

    def wrap(
        self: Sandbox, argv: tuple[str, ...], workspace: str, layer: Layer | None = None, *, reading: bool = False
    ) -> tuple[str, ...]:
        if layer is not None:
            for folder in (layer.folder, *layer.folder.iterdir()):
                os.chown(folder, SOMEBODY, SOMEBODY)
        return (*become, *whole(replace(self, root=False), argv, workspace, layer, reading=reading))

    monkeypatch.setattr(Sandbox, "wrap", wrap)
    monkeypatch.setattr("sulla.tools.shell.sandbox.os.getuid", lambda: SOMEBODY)
    monkeypatch.setattr("sulla.tools.shell.sandbox.os.getgid", lambda: SOMEBODY)


async def run(world: World, escape: Escape) -> tuple[ProcessEnd, str]:
    """Run one in the sandbox."""
    (home := world.folder / "home").mkdir(exist_ok=True)
    layers = Layers(home)
    shell = Shell(layers=layers, bounds=SMALL)
    await shell.open(world.workspace, SystemClock())
    assert (shell.trouble, shell.layer_trouble) == ("", "")
    code = world.words(escape.code)
    if escape.python:
        code = f"exec python3 -I -c {shlex.quote(code)}"
    layer = layers.make(str(world.workspace)) if world.layered else None
    program = await shell.program(code, world.workspace, layer=layer)
    output = Output()
    ended = await run_program(program, output.feed, SystemClock(), TOGETHER_S)
    if layer is not None:
        layer.close()
        put(layer, changes_in(layer, layer.since_ns, layer.before))
        layers.remove(layer)
    return ended, output.show("")


@pytest.mark.parametrize("escape", some(ESCAPES, GATE, "escapes"), ids=lambda escape: escape.name)
async def test_none_gets_out(escape: Escape, world: World) -> None:
    ended, said = await run(world, escape)
    assert "ESCAPED" not in said
    assert "do not tell" not in said
    assert world.harm() == []
    assert not ended.timed_out
    assert escape.ended in ended.exceeded
    assert bool(escape.ended) == bool(ended.exceeded), ended.exceeded


async def test_what_runs_in_the_sandbox_is_seen_and_what_it_leaves_is_found(world: World) -> None:
    """The looks at the outside see what they are for: here it happens, done by the test."""
    ended, said = await run(world, Escape("", "touch it; id -u"))
    assert (ended.status, (world.workspace / "it").stat().st_uid) == (0, world.user)
    assert said.strip() == ("65534" if world.user == 0 else str(world.user))
    assert world.harm() == []
    (world.workspace / "it").chmod(0o4755)
    (world.outside / "more").touch()
    with socket.create_connection(world.listeners["port"].getsockname()):
        found = world.harm()
    assert [each.split()[0] for each in found] == ["the", "something", "it"]
    assert list(_at_work_in(Path.cwd())), "this very test is at work in its folder"
    world.sentinel.kill()
    world.sentinel.wait()
    assert "a process outside was ended or stopped" in world.harm()
