"""Where commands run: in bubblewrap, where it is there and really works."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.tools.output import Output
from sulla.tools.shell.bounds import MB, NO_SETTINGS, CommandBounds
from sulla.tools.shell.layer import Layer, Layers
from sulla.tools.shell.process import DEFAULT_PATH, OWN_CACHES, Program, environment, run_program
from sulla.tools.shell.reaper import FILTER_FD
from sulla.tools.shell.syscalls import ARCHITECTURES, syscall_filter

PROBE_S = 10.0
"""How long the trial may take."""

SHOWN = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/ssl/certs", "/etc/ssl/openssl.cnf"),
    *("/etc/bash.bashrc", "/etc/profile", "/etc/mime.types", "/etc/services", "/etc/protocols", "/etc/java"),
)
"""What a command sees of the machine, to read: its programs, and what they cannot do without. No home, no other mounts,
nothing that holds a secret."""

NOBODY = "65534"
"""The user that root's commands run as in the sandbox. For the kernel they stay root, without capabilities."""

TRIALS = (
    ("its folder could not be written in", "test -w ."),
    ("it had a network", 'test "$(grep -c : /proc/net/dev)" = 1'),
    ("it could write in /usr", "! test -w /usr"),
    # The kernel judges these files by the user alone, not by capabilities: to root each would be open.
    ("it could change the kernel's settings in /proc/sys", "! test -w /proc/sys/kernel/core_pattern"),
    ("it could write in /proc", "! test -w /proc/self/oom_score_adj"),
    ("it could make a namespace of its own", "! unshare --user true 2>/dev/null"),
    ("it ran as root", 'test "$(id -u)" != 0'),
    ("its system calls were not filtered", "grep -q '^Seccomp:[[:space:]]*2' /proc/self/status"),
    ("it could make a setuid file", "! (cd /tmp && : > setuid && chmod u+s setuid) 2>/dev/null"),
    ("it could write in /dev", "! test -w /dev"),
    ("its /tmp had no bound", 'test $(($(stat -f -c "%S*%b" /tmp))) -le "$1"'),
    ("its /dev/shm had no bound", 'test $(($(stat -f -c "%S*%b" /dev/shm))) -le "$1"'),
    ("its open files had no bound", 'test "$(ulimit -n)" -le "$2"'),
    ("its processes had no bound", 'test -z "$3" || grep -q "^Max processes *$3 " /proc/self/limits'),
)
"""What is tried in the sandbox before it is believed: what would be wrong with it, and the command that fails then.
The bounds are its arguments: bytes of ``/tmp``, open files, and processes as far as the kernel counts them."""

TRIED = ".sulla-trial"
"""A file that is made in a layer, to see that it is not in the workspace."""

COUNTED_SINCE = (5, 14)
"""The Linux that counts a user's processes in each namespace by itself. Before, all of the user's are one number."""

LOOKING = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "diff.autoRefreshIndex",
    "GIT_CONFIG_VALUE_0": "false",
}
"""What only looks writes nothing into a repository: a person would be asked about it, or told of it."""

NO_NETWORK = (
    *("Could not resolve host", "Temporary failure in name resolution", "Name or service not known"),
    *("Network is unreachable", "nodename nor servname provided"),
)
"""What programs print that need a network; in the sandbox there is none, so nothing else can be the reason."""
SETUID = re.compile(r"\bchmod\b[^;|&\n]*?\s(?:[ugoa]*[+=][rwxXt]*s|0?[2-7][0-7]{3})(?=[\s,]|$)")
"""A command that sets a setuid or setgid bit. What it prints alone would not tell: others' files refuse any bit."""

_NOT_LOOKED: Final = "nobody has looked for it yet"
_TRYING: Final = "it is being tried"
_TRIAL = (
    "".join(f"{command} || {{ echo {shlex.quote(wrong)}; exit 1; }}; " for wrong, command in TRIALS) + "echo sealed"
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A bubblewrap that works."""

    bwrap: str
    """Where it is."""
    hidden: str = ""
    """A folder that is not to be seen even if it lies in one that is, links resolved: the daemon's home."""
    root: bool = False
    """Whether the daemon runs as root: a command is somebody else then."""
    bounds: CommandBounds = NO_SETTINGS
    """What a command may use."""

    def wrap(
        self, argv: tuple[str, ...], workspace: str, layer: Layer | None = None, *, reading: bool = False
    ) -> tuple[str, ...]:
        """The command line that runs `argv` without network, with nothing but `workspace` to write in.

        Args:
            argv: what to run.
            workspace: its folder, links resolved.
            layer: what it writes into instead; None for the workspace itself.
            reading: whether it only looks at what is in the layer.
        """
        somebody: tuple[str, ...] = ()
        if self.root or layer is not None:
            user, group = (NOBODY, NOBODY) if self.root else (str(os.getuid()), str(os.getgid()))
            somebody = ("--uid", user, "--gid", group)
        shown = (word for path in SHOWN for word in ("--ro-bind-try", path, path))
        in_sight = any(Path(self.hidden).is_relative_to(os.path.realpath(path)) for path in SHOWN)
        hide, seal = (("--tmpfs", self.hidden), ("--remount-ro", self.hidden)) if in_sight else ((), ())
        size = ("--size", str(self.bounds.max_tmp_mb * MB), "--tmpfs")
        # Not before: outside of the new namespace all of the user's processes would be counted. None of root's are: a
        # control group bounds these.
        count = f'ulimit -u {self.bounds.max_processes} 2>/dev/null || ulimit -p {self.bounds.max_processes}; exec "$@"'
        counted = () if self.root else ("sh", "-c", count, "sh")
        words = (
            *(self.bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
            *("--seccomp", str(FILTER_FD)),
            # In a namespace of its own a command would have every capability, and could mount what is kept from it here
            # (its control group, with which it could end the daemon).
            *("--unshare-user", "--disable-userns", *somebody),
            *shown,
            *("--proc", "/proc", "--dev", "/dev", *size, "/dev/shm", "--remount-ro", "/dev"),  # noqa: S108 - its own
            *(*size, "/tmp"),  # noqa: S108 - one of its own
            # Without this, root's commands could write the kernel's settings, some of which name programs that it runs.
            *("--remount-ro", "/proc"),
            *hide,
            *("--bind", workspace, workspace, *seal, "--remount-ro", "/"),
            *("--chdir", workspace, "--", *counted, *argv),
        )
        return words if layer is None else layer.over(words, self.bwrap, reading=reading)


class Shell:
    """What runs commands. Until it was opened it takes it that there is no sandbox.

    Args:
        path: the folders that programs are looked for in, with colons between; empty for the system's own.
        wanted: whether a sandbox is to be used if there is one.
        home: the daemon's own folder; a command in the sandbox sees nothing of it but the workspace.
        layers: makes layers over the workspace; None for a shell that has none.
        bounds: what a command may use of the machine.
    """

    def __init__(
        self,
        path: str = "",
        *,
        wanted: bool = True,
        home: Path | None = None,
        layers: Layers | None = None,
        bounds: CommandBounds = NO_SETTINGS,
    ) -> None:
        self.bounds = bounds
        """What a command may use of the machine."""
        self._layers = layers
        self._path = path or DEFAULT_PATH
        self._home = home
        self._wanted = wanted
        self._sandbox: Sandbox | None = None
        self._starts = asyncio.Lock()
        self.trouble = _NOT_LOOKED
        """Why there is no sandbox; empty if there is one."""
        self.layer_trouble = self.trouble
        """Why no layer can be put over the workspace; empty if one can."""

    @property
    def layered(self) -> bool:
        """Whether a command can be kept from the workspace until what it has written was looked through."""
        return self.sealed and not self.layer_trouble

    @property
    def sealed(self) -> bool:
        """Whether commands run in a sandbox."""
        return self._sandbox is not None

    @property
    def bounded(self) -> str:
        """What one command may use of the machine and what keeps it to that, for people."""
        if self._sandbox is None:
            return self.bounds.told(counted=False)
        return f"{self.bounds.told(counted=True)}, {self.bounds.max_tmp_mb} MB in /tmp"

    def hint(self, command: str, said: str) -> str:
        """Which bound something in a command may have met, and what of the sandbox was in its way; empty for nothing.

        Args:
            command: the line.
            said: what it printed.
        """
        found = [self.bounds.hint(said)]
        if self.layered and "hardlink different from source" in said:
            found.append(
                "files cannot be linked over the layer that such a command writes into: git clone --no-hardlinks"
            )
        if self.layered and "nvalid cross-device link" in said:
            found.append(
                "over the layer that such a command writes into, a folder of before cannot be renamed, only copied and "
                "removed, as mv does: mv, then git add -A in the place of git mv"
            )
        if self.sealed and any(words in said for words in NO_NETWORK):
            found.append("commands have no network in the sandbox")
        if self.sealed and "Operation not permitted" in said and SETUID.search(command):
            found.append("the sandbox lets nobody set setuid and setgid bits")
        return "; ".join(filter(None, found))

    @property
    def tried(self) -> bool:
        """Whether it is known if there is a sandbox."""
        return self.trouble not in (_NOT_LOOKED, _TRYING)

    async def open(self, workspace: Path, clock: Clock) -> None:
        """Find out, by running something in it, whether there is a sandbox.

        Args:
            workspace: a folder that commands will run in; has to be there.
            clock: all time.
        """
        self._sandbox = None
        if (words := await self._prepared()) is None:
            self.layer_trouble = self.trouble
            return
        sandbox, filter_ = words
        self.trouble = self.layer_trouble = _TRYING
        root = await asyncio.to_thread(os.path.realpath, workspace)
        self.layer_trouble = await self._try_layer(sandbox, filter_, root, clock)
        # With a layer all is tried that is without one, in one namespace more.
        self.trouble = self.layer_trouble and await self._try(sandbox, filter_, root, clock)
        if not self.trouble:
            self._sandbox = sandbox

    async def _prepared(self) -> tuple[Sandbox, bytes] | None:
        """The sandbox that is to be tried, and its filter; None where there is none to try, and `trouble` says why."""
        self.trouble = ""
        bwrap = await asyncio.to_thread(shutil.which, "bwrap", path=self._path)
        release = os.uname().release
        if not self._wanted:
            self.trouble = "the settings say that none is to be used (shell.sandbox)"
        elif bwrap is None:
            self.trouble = f"bubblewrap is not installed: there is no bwrap in {self._path}"
        elif not (filter_ := syscall_filter(os.uname().machine)):
            known = " and ".join(ARCHITECTURES)
            self.trouble = (
                f"Sulla can filter the system calls of {known} alone, and this machine is {os.uname().machine}"
            )
        elif tuple(int(number) for number in re.findall(r"\d+", release)[:2]) < COUNTED_SINCE:
            self.trouble = f"the processes of a command can be bounded since Linux 5.14, and this is {release}"
        else:
            home = "" if self._home is None else await asyncio.to_thread(os.path.realpath, self._home)
            return Sandbox(bwrap, home, root=os.geteuid() == 0, bounds=self.bounds), filter_
        return None

    async def _try_layer(self, sandbox: Sandbox, filter_: bytes, root: str, clock: Clock) -> str:
        """What is wrong with a layer over the workspace; empty for nothing."""
        if self._layers is None:
            return "there is no folder for layers"
        layers = self._layers
        try:
            layer = await asyncio.to_thread(layers.make, root)
        except SullaError as error:
            return error.message
        try:
            trouble = await self._try(sandbox, filter_, root, clock, layer)
            if not trouble and not await asyncio.to_thread((layer.upper / TRIED).exists):
                return "what a command wrote was not in the layer"
            return trouble
        finally:
            await asyncio.to_thread(layers.remove, layer)

    async def _try(self, sandbox: Sandbox, filter_: bytes, root: str, clock: Clock, layer: Layer | None = None) -> str:
        """What is wrong with a sandbox; empty for nothing."""
        output = Output()
        processes = "" if sandbox.root else str(self.bounds.max_processes)
        bounds = (str(self.bounds.max_tmp_mb * MB), str(self.bounds.max_open_files), processes)
        script = _TRIAL if layer is None else f"{_TRIAL}; : > {TRIED}"
        words = sandbox.wrap(("sh", "-c", script, "sh", *bounds), root, layer)
        env = environment(Path(root), self._path)
        trial = Program(words, Path(root), env, self.bounds, sandbox.root, filter_)
        try:
            ended = await run_program(trial, output.feed, clock, PROBE_S)
        except SullaError as error:
            return f"bubblewrap could not be tried: {error.message}"
        said = output.show("").strip()
        if ended.status != 0 or not said.endswith("sealed"):
            old = "; Sulla needs bubblewrap 0.8 or newer" if "--disable-userns" in said else ""
            return f"bubblewrap does not work here (exit status {ended.status}): {said[:300] or 'it said nothing'}{old}"
        return ""

    async def program(
        self,
        command: str,
        workspace: Path,
        *,
        tainted: bool = False,
        layer: Layer | None = None,
        reading: bool = False,
    ) -> Program:
        """What to run for a command line.

        Args:
            command: the line.
            workspace: where it runs.
            tainted: whether it may be what nobody trusts that asks for it: in a sandbox it has no Unix sockets.
            layer: what it writes into instead of the workspace; None for the workspace itself.
            reading: whether it only looks at what is in the layer.

        Raises:
            NotFound: the workspace is not there.
        """
        return await asyncio.to_thread(self._program, command, workspace, tainted, layer, reading)

    def _program(self, command: str, workspace: Path, tainted: bool, layer: Layer | None, reading: bool) -> Program:
        root = os.path.realpath(workspace)
        grouped, filter_ = False, b""
        argv: tuple[str, ...] = (shutil.which("bash", path=self._path) or "sh", "-c", command)
        env = environment(Path(root), self._path) | LOOKING
        if self._sandbox is not None:
            argv = self._sandbox.wrap(argv, root, layer, reading=reading)
            grouped, filter_ = self._sandbox.root, syscall_filter(os.uname().machine, unix=not tainted)
            env |= OWN_CACHES
        disk = layer.folder if layer is not None else None
        return Program(argv, workspace, env, self.bounds, grouped, filter_, disk, self._starts)
