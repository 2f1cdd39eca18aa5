from __future__ import annotations

import contextlib
import os
import shutil
import socket
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from sulla.host.system import SystemClock
from sulla.tools.output import Output
from sulla.tools.shell import sandbox
from sulla.tools.shell.bounds import MB, NO_SETTINGS
from sulla.tools.shell.layer import Layer
from sulla.tools.shell.process import DEFAULT_PATH, run_program
from sulla.tools.shell.reaper import FILTER_FD
from sulla.tools.shell.sandbox import SHOWN, Sandbox, Shell
from sulla.tools.shell.syscalls import ALLOW

BWRAP = shutil.which("bwrap")
FOLDER = str(Path(BWRAP).parent) if BWRAP else ""
FILTER = ("--seccomp", str(FILTER_FD))
TMP_SIZE = str(NO_SETTINGS.max_tmp_mb * MB)
NAMESPACES = "--unshare-ipc\0--unshare-pid\0--unshare-net\0--unshare-uts\0--unshare-cgroup-try"
real = pytest.mark.skipif(BWRAP is None, reason="bubblewrap is not installed here")


async def opened(workspace: Path, folder: str) -> Shell:
    shell = Shell(f"{folder}:{DEFAULT_PATH}")
    await shell.open(workspace, SystemClock())
    return shell


async def said(shell: Shell, workspace: Path, command: str, *, tainted: bool = False) -> tuple[int, str]:
    output = Output()
    program = await shell.program(command, workspace, tainted=tainted)
    ended = await run_program(program, output.feed, SystemClock(), 20)
    return ended.status, output.show("")


def fake_bwrap(folder: Path, text: str) -> str:
    """A program of that name that does as the text says."""
    folder.mkdir()
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return str(folder)


async def test_before_it_was_tried_there_is_none(tmp_path: Path) -> None:
    shell = Shell()
    assert not shell.sealed
    assert not shell.tried
    assert shell.trouble
    assert await said(shell, tmp_path, "pwd") == (0, f"{tmp_path}\n")


async def test_where_bubblewrap_is_not_installed_it_says_so(tmp_path: Path) -> None:
    shell = Shell(str(tmp_path))
    await shell.open(tmp_path, SystemClock())
    assert (shell.sealed, shell.trouble) == (False, f"bubblewrap is not installed: there is no bwrap in {tmp_path}")


async def test_a_bubblewrap_that_fails_is_none(tmp_path: Path) -> None:
    shell = await opened(tmp_path, fake_bwrap(tmp_path / "bin", "echo 'no permission for namespaces' >&2; exit 1"))
    assert not shell.sealed
    assert shell.trouble == "bubblewrap does not work here (exit status 1): no permission for namespaces"


async def test_a_bubblewrap_that_shuts_nothing_off_is_none(tmp_path: Path) -> None:
    """The trial looks for itself: here the command runs, but with the machine's own /usr and network around it."""
    passes_on = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'
    shell = await opened(tmp_path, fake_bwrap(tmp_path / "bin", passes_on))
    assert not shell.sealed
    assert "does not work here" in shell.trouble


async def test_of_a_bubblewrap_that_is_too_old_it_is_said_which_one_is_needed(tmp_path: Path) -> None:
    shell = await opened(tmp_path, fake_bwrap(tmp_path / "bin", "echo 'Unknown option --disable-userns' >&2; exit 1"))
    assert not shell.sealed
    assert shell.trouble.endswith("Unknown option --disable-userns; Sulla needs bubblewrap 0.8 or newer")


async def test_the_settings_can_do_without(tmp_path: Path) -> None:
    shell = Shell(fake_bwrap(tmp_path / "bin", "echo sealed"), wanted=False)
    await shell.open(tmp_path, SystemClock())
    assert not shell.sealed
    assert "shell.sandbox" in shell.trouble


def test_the_command_line_shows_the_workspace_alone_to_write_in() -> None:
    words = Sandbox("/usr/bin/bwrap").wrap(("sh", "-c", "ls"), "/srv/ws")
    writable = [words[place + 1] for place, word in enumerate(words) if word == "--bind"]
    assert writable == ["/srv/ws"]
    assert {"--unshare-all", "--die-with-parent", "--new-session"} <= set(words)
    assert "--share-net" not in words
    assert "--" in words
    assert words[-3:] == ("sh", "-c", "ls")
    assert all(path.startswith(("/usr", "/bin", "/sbin", "/lib", "/opt", "/nix/store", "/etc/")) for path in SHOWN)


def test_a_home_among_what_is_shown_is_covered_before_the_workspace_is_put_there() -> None:
    words = " ".join(Sandbox("/usr/bin/bwrap", "/opt/sulla").wrap(("ls",), "/opt/sulla/workspace"))
    bind = "--bind /opt/sulla/workspace /opt/sulla/workspace"
    assert f"--tmpfs /opt/sulla {bind} --remount-ro /opt/sulla" in words
    assert words.index("/opt /opt") < words.index("--tmpfs /opt/sulla")
    assert "/srv/home" not in " ".join(Sandbox("/usr/bin/bwrap", "/srv/home").wrap(("ls",), "/srv/ws"))


def test_only_to_root_a_command_is_somebody_else() -> None:
    assert "--uid 65534 --gid 65534" in " ".join(Sandbox("/usr/bin/bwrap", root=True).wrap(("ls",), "/srv/ws"))
    assert "--uid" not in Sandbox("/usr/bin/bwrap").wrap(("ls",), "/srv/ws")


@real
@pytest.mark.parametrize(
    ("holes", "wrong"),
    [
        ([("--remount-ro", "/proc")], "it could write in /proc"),
        ([("--remount-ro", "/dev")], "it could write in /dev"),
        ([("--disable-userns",), FILTER], "it could make a namespace of its own"),
        ([FILTER], "its system calls were not filtered"),
        ([("--unshare-net",)], "it had a network"),
        ([("--uid", "65534", "--gid", "65534")], "it ran as root"),
        ([("--size", TMP_SIZE)], "its /tmp had no bound"),
        ([("--size", TMP_SIZE, "--tmpfs", "/dev/shm")], "its /dev/shm had no bound"),
        ([("ulimit -u 2048 2>/dev/null || ulimit -p 2048;",)], "its processes had no bound"),
    ],
)
async def test_a_sandbox_with_a_hole_counts_as_none(
    holes: Sequence[tuple[str, ...]], wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Sandbox.wrap

    def holed(
        self: Sandbox, argv: tuple[str, ...], workspace: str, layer: Layer | None = None, *, reading: bool = False
    ) -> tuple[str, ...]:
        # One namespace each, so that a hole can be one of them.
        line = "\0".join(whole(self, argv, workspace, layer)).replace("--unshare-all", NAMESPACES)
        for hole in holes:
            assert "\0".join(hole) in line
            line = line.replace("\0".join(hole) + "\0", "").replace("\0".join(hole), "")
        return tuple(line.split("\0"))

    if os.geteuid() == 0 and "processes" in wrong:
        pytest.skip("the kernel counts no processes of root")
    if os.geteuid() != 0 and wrong == "it ran as root":
        pytest.skip("only root's commands are somebody else")
    monkeypatch.setattr(Sandbox, "wrap", holed)
    shell = await opened(tmp_path, FOLDER)
    assert not shell.sealed
    # Root could change the kernel's settings through the same hole, which is tried first.
    assert wrong in shell.trouble or (os.geteuid() == 0 and wrong.endswith("/proc") and "/proc/sys" in shell.trouble)


@real
async def test_without_the_filter_a_setuid_file_of_the_daemons_user_would_be_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Why the filter has rules for it: neither the mounts nor the want of capabilities keep it from that."""
    shell = await opened(tmp_path, FOLDER)
    status, said_of_it = await said(shell, tmp_path, "cp /bin/sh one && chmod u+s one")
    assert (status, (tmp_path / "one").stat().st_mode & 0o7000) == (1, 0), said_of_it
    monkeypatch.setattr(sandbox, "syscall_filter", lambda *_, **__: struct.pack("<HBBI", 0x06, 0, 0, ALLOW))
    assert (await said(shell, tmp_path, "cp /bin/sh two && chmod u+s two"))[0] == 0
    left = (tmp_path / "two").stat()
    assert (left.st_mode & 0o7000, left.st_uid) == (0o4000, os.geteuid())


@real
async def test_in_the_sandbox_a_home_among_what_is_shown_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, workspace = tmp_path / "home", tmp_path / "home/workspace"
    workspace.mkdir(parents=True)
    (home / "token").write_text("do not tell")
    monkeypatch.setattr(sandbox, "SHOWN", (*SHOWN, str(tmp_path)))
    shell = Shell(f"{FOLDER}:{DEFAULT_PATH}", home=home)
    await shell.open(workspace, SystemClock())
    assert (shell.trouble, shell.sealed) == ("", True)
    assert await said(shell, workspace, f"ls {home}; echo hi > a") == (0, "workspace\n")
    status, text = await said(shell, workspace, f"cat {home}/token; touch {home}/sulla.toml")
    assert status != 0
    assert "do not tell" not in text
    assert (workspace / "a").read_text() == "hi\n"


@real
async def test_in_the_sandbox_a_command_works_in_the_workspace(tmp_path: Path) -> None:
    shell = await opened(tmp_path, FOLDER)
    assert (shell.trouble, shell.sealed) == ("", True)
    assert await said(shell, tmp_path, "pwd; echo hi > a; ls; exit 7") == (7, f"{tmp_path}\na\n")
    assert (tmp_path / "a").read_text() == "hi\n"


@real
async def test_what_only_looks_at_a_repository_writes_nothing_into_it(tmp_path: Path) -> None:
    shell = await opened(tmp_path, FOLDER)
    git = "git -c user.name=a -c user.email=a@b.c"
    await said(shell, tmp_path, f"git init -q; echo 1 > a; git add a; {git} commit -qm a; touch -d yesterday a")
    before = (tmp_path / ".git/index").read_bytes()
    assert (await said(shell, tmp_path, "git status --short; git diff"))[0] == 0
    assert (tmp_path / ".git/index").read_bytes() == before


@real
async def test_in_the_sandbox_what_tools_keep_for_themselves_is_not_in_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("")
    (tmp_path / "package.json").write_text('{"scripts": {"build": "true"}}')
    shell = await opened(tmp_path, FOLDER)
    await said(shell, tmp_path, "python3 -c 'import one'; npm run build; bash -ic 'echo hi'")
    assert {path.name for path in tmp_path.iterdir()} == {"one.py", "package.json"}


@real
@pytest.mark.parametrize(
    "command",
    [
        "touch /usr/sulla-was-here",
        "touch /etc/sulla-was-here",
        "cat ../secret",
        "cat /etc/shadow",
        "ls ~/../secret /home/*",
        "exec 3<>/dev/tcp/127.0.0.1/22",
        "kill -0 {pid}",
        "cat /proc/{pid}/environ",
        "mount -t tmpfs none /mnt",
        'for file in $(find /proc/sys -type f); do test -w "$file" && exit 0; done; exit 1',
        ": >> /proc/sys/kernel/core_pattern",
        ": >> /proc/sysrq-trigger",
        "test -n \"$(find /proc -path '/proc/[0-9]*' -prune -o -type f -writable -print -quit)\"",
        "unshare --user --map-root-user true",
        "unshare --user --mount --cgroup --map-root-user mount -t cgroup2 none /mnt",
        "unshare --user --pid --fork --map-root-user --mount-proc true",
        "setpriv --reuid 0 true",
        "chroot /",
        "mknod disk b 8 0",
        'test "$(id -u)" = 0 -a {root} = 1',
    ],
)
async def test_in_the_sandbox_nothing_else_is_in_reach(command: str, tmp_path: Path) -> None:
    workspace = tmp_path / "home/workspace"
    workspace.mkdir(parents=True)
    (workspace.parent / "secret").write_text("do not tell")
    shell = await opened(workspace, FOLDER)
    assert shell.sealed
    # Its own process numbers begin at 1, so a number this high is nobody's there.
    status, text = await said(shell, workspace, command.format(pid=max(os.getpid(), 1000), root=int(os.geteuid() == 0)))
    assert status != 0
    assert "do not tell" not in text


@real
async def test_in_the_sandbox_tmp_is_its_own(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    shell = await opened(workspace, FOLDER)
    assert shell.sealed
    mine = Path("/tmp") / "sulla-sandbox-test"
    assert await said(shell, workspace, f"touch {mine} && ls -d {mine}") == (0, f"{mine}\n")
    assert not mine.exists()


@real
@pytest.mark.parametrize("name", ["editor.sock", ".editor/inner/ipc", "node_modules/x.sock"])
async def test_in_the_sandbox_a_tainted_command_reaches_nobody_who_listens_on_a_socket_of_the_workspace(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    connect = "import socket,sys; socket.socketpair(); {}.connect(sys.argv[1])"
    stream, datagram = "socket.socket(socket.AF_UNIX)", "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0]"
    shell = await opened(tmp_path, FOLDER)
    with socket.socket(socket.AF_UNIX) as listening, contextlib.chdir(tmp_path):  # a short path: it has a bound
        listening.bind(name)
        listening.listen()
        assert await said(shell, tmp_path, f'python3 -c "{connect.format(stream)}" {name}') == (0, "")
        for kind in (stream, datagram):
            status, text = await said(shell, tmp_path, f'python3 -c "{connect.format(kind)}" {name}', tainted=True)
            assert status != 0
            assert "PermissionError: [Errno 13] Permission denied" in text


@real
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("exec 3<>/dev/tcp/192.0.2.1/80", "no network in the sandbox"),
        ("exec 3<>/dev/tcp/news.example/80", "no network in the sandbox"),
        ("touch x && chmod u+s x", "setuid and setgid bits"),
        ("mkdir d; chmod -R 2755 d", "setuid and setgid bits"),
        ("touch x && chmod u+x,g-s x", ""),
        ("chmod 755 /usr/bin/env", ""),
        ("cat nothing", ""),
    ],
)
async def test_what_the_sandbox_has_refused_is_named_where_nothing_else_can_be_the_reason(
    tmp_path: Path, command: str, expected: str
) -> None:
    shell = await opened(tmp_path, FOLDER)
    _, printed = await said(shell, tmp_path, command)
    found = shell.hint(command, printed)
    assert expected in found
    assert bool(found) is bool(expected), (printed, found)


def test_without_a_sandbox_nothing_is_said_of_one() -> None:
    assert Shell().hint("chmod u+s x", "Operation not permitted: Network is unreachable") == ""
