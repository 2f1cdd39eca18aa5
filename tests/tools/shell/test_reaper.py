"""The reaper by itself, without a daemon: what it does with each word that it is told."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sulla.tools.shell import reaper as watching
from sulla.tools.shell.marked import kill_marked
from sulla.tools.shell.process import REAPER
from sulla.tools.shell.reaper import GRACE_S, NOT_FOUND, ROUNDS, TICK_MS
from tests.soon import pause


def kept(*argv: str, limits: str = "") -> subprocess.Popen[bytes]:
    """A program under a reaper, whose input stays open."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", REAPER, limits, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def pids_of(reaper: subprocess.Popen[bytes], how_many: int) -> list[int]:
    """The process ids that the program printed, a line each."""
    assert reaper.stdout is not None
    return [int(reaper.stdout.readline()) for _ in range(how_many)]


def test_it_leaves_with_the_programs_status() -> None:
    with kept("sh", "-c", "exit 9") as reaper:
        assert reaper.wait(50) == 9
    with kept("no-such-program") as reaper:
        assert reaper.wait(50) == NOT_FOUND


def test_asked_it_asks_the_program_and_those_that_left_it() -> None:
    script = "setsid -f sh -c 'trap \"exit 0\" TERM; echo $$; while :; do sleep 0.05; done'; trap 'exit 4' TERM; "
    with kept("sh", "-c", script + "echo $$; while :; do sleep 0.05; done") as reaper:
        pids = pids_of(reaper, 2)
        assert reaper.stdin is not None
        reaper.stdin.write(b"t")
        reaper.stdin.flush()
        assert reaper.wait(50) == 4
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_when_its_input_ends_everything_does() -> None:
    deaf = "trap '' TERM; echo $$; sleep 1000; sleep 1000"
    with kept("sh", "-c", f'setsid -f sh -c "{deaf}"; {deaf}') as reaper:
        pids = pids_of(reaper, 2)
        assert reaper.stdin is not None
        reaper.stdin.close()
        assert reaper.wait(50) == 137
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_a_line_to_the_daemon_that_breaks_is_its_end() -> None:
    """Whoever holds the other end may leave what was sent unread."""
    ours, theirs = socket.socketpair()
    with (
        theirs,
        subprocess.Popen(
            [sys.executable, "-I", "-S", REAPER, "", "sh", "-c", "echo; sleep 1000"],
            stdin=theirs.fileno(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as reaper,
    ):
        assert reaper.stdout is not None
        assert reaper.stderr is not None
        reaper.stdout.readline()
        theirs.send(b"never read")
        ours.close()  # the reaper reads that the connection was reset
        assert reaper.wait(50) == 137
        assert reaper.stderr.read() == b""


@pytest.mark.parametrize(
    ("limits", "command", "said"),
    [
        ("FSIZE=2048", "ulimit -f", b"2\n"),
        ("NOFILE=64,CORE=0", "ulimit -n; ulimit -c", b"64\n0\n"),
        ("NO_SUCH_LIMIT=5", "echo fine", b"fine\n"),
    ],
)
def test_the_program_has_the_limits_that_it_is_given(limits: str, command: str, said: bytes) -> None:
    with kept("bash", "-c", command, limits=limits) as reaper:
        assert reaper.stdout is not None
        assert reaper.stdout.read() == said


def test_a_file_that_grows_too_large_ends_the_program(tmp_path: Path) -> None:
    with kept("sh", "-c", f"head -c 5000 /dev/zero > {tmp_path}/large", limits="FSIZE=1000") as reaper:
        assert reaper.wait(50) in (1, 153)
    assert (tmp_path / "large").stat().st_size <= 1000


def test_what_is_marked_is_found_wherever_it_went() -> None:
    mark = f"SULLA_PROGRAM=test-{os.getpid()}"
    name, _, value = mark.partition("=")
    env = {name: value, "PATH": os.defpath}
    with subprocess.Popen(["setsid", "sleep", "1000"], env=env) as marked, subprocess.Popen(["sleep", "1000"]) as other:
        environ = Path(f"/proc/{marked.pid}/environ")
        while mark.encode() not in environ.read_bytes():
            pause()
            # not yet the program
        kill_marked(mark.encode())
        assert marked.wait(50) == -9
        assert other.poll() is None
        other.kill()


def test_its_patience_ends_before_the_daemons() -> None:
    assert GRACE_S + TICK_MS / 1000 < 1.5
    assert ROUNDS * TICK_MS / 1000 > 2


@pytest.mark.skipif(sys.platform != "linux", reason="only there")
def test_when_there_is_no_memory_left_the_program_goes_first() -> None:
    with kept("cat", "/proc/self/oom_score_adj") as reaper:
        assert reaper.stdout is not None
        assert reaper.stdout.read() == b"1000\n"


def bounded(*argv: str, **bounds: int) -> tuple[int, str]:
    """The exit status of a program under bounds of all together, and which of them the reaper says was reached."""
    wide = {"ALL_PROCESSES": 10_000, "ALL_MEMORY": 1 << 40, "ALL_SHARED": 1 << 40, "ALL_DISK": 1 << 50}
    report, told = os.pipe()
    limits = ",".join(f"{name}={number}" for name, number in {**wide, **bounds, "REPORT": told}.items())
    words = [sys.executable, "-I", "-S", os.fspath(REAPER), limits, *argv]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=(told,)) as reaper:
        os.close(told)
        status = reaper.wait(50)
    with os.fdopen(report) as said:
        return status, said.read()


HOLDS = "import time; held = bytearray(b'x') * (200 << 20); time.sleep(%s)"
FORKS = "import os, time; held = bytearray(b'x') * (60 << 20); [os.fork() for _ in range(3)]; time.sleep(3)"
linux = pytest.mark.skipif(sys.platform != "linux", reason="only there the system tells what its processes take")


@linux
@pytest.mark.parametrize(
    ("argv", "bounds", "reached"),
    [
        (("sh", "-c", "while :; do sleep 1000 & done"), {"ALL_PROCESSES": 100}, "processes"),
        ((sys.executable, "-c", HOLDS % 1000), {"ALL_MEMORY": 100 << 20}, "memory"),
        (("sh", "-c", "exec head -c 300M /dev/zero > large; sleep 1000"), {"ALL_DISK": 50 << 20}, "disk"),
        (("true",), {}, ""),
    ],
)
def test_what_reaches_a_bound_of_all_together_is_ended(
    argv: tuple[str, ...], bounds: dict[str, int], reached: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert bounded(*argv, **bounds) == (137 if reached else 0, reached)


@linux
def test_what_several_share_counts_once() -> None:
    assert bounded(sys.executable, "-c", FORKS, ALL_MEMORY=200 << 20) == (0, "")


@linux
@pytest.mark.parametrize(
    ("machine", "disk", "reached"),
    [
        ((9, 999, 50), (5000, 70), "scarce"),
        ((9, 9000, 251), (5000, 70), "shared"),
        ((9, 9000, 50), (499, 70), "full"),
        ((9, 9000, 50), (5000, 9), "full"),
        ((9, 9000, 50), (4799, 90), "disk"),
        ((9, 1000, 250), (4800, 10), ""),
    ],
)
def test_when_the_machine_itself_runs_short_the_program_is_ended(
    machine: tuple[int, int, int], disk: tuple[int, int], reached: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_machine", lambda: (9, 10_000, 50))
    monkeypatch.setattr(watching, "_free_disk", lambda folders: (5000, 100))
    watch = watching._Watch({"ALL_PROCESSES": 1 << 30, "ALL_MEMORY": 1 << 50, "ALL_SHARED": 200, "ALL_DISK": 200})
    monkeypatch.setattr(watching, "_machine", lambda: machine)
    monkeypatch.setattr(watching, "_free_disk", lambda folders: disk)
    assert watch.look() == reached


def test_the_programs_own_report_is_none(tmp_path: Path) -> None:
    """What it is told over is closed to the program."""
    status, said = bounded("sh", "-c", "for fd in 3 4 5 6 7 8 9; do echo memory >&$fd; done; exit 3")
    assert (status, said) == (3, "")


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root makes control groups")
def test_the_kernel_lets_roots_programs_have_no_more_processes_than_their_group_may() -> None:
    script = "for i in $(seq 40); do sleep 1000 & done; echo all"
    with kept("sh", "-c", script, limits="GROUP=20") as reaper:
        assert reaper.stdout is not None
        assert b"all" not in reaper.stdout.read()
        assert reaper.wait(50) == 2
    assert not [name for folder in watching.GROUPS for name in Path(folder).glob(f"sulla-{reaper.pid}")]


def test_where_no_control_group_can_be_made_the_program_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "GROUPS", (str(tmp_path), str(tmp_path / "none")))
    assert watching._make_group(20) == ""
    assert not [*tmp_path.iterdir()], "nothing is left of the try"
