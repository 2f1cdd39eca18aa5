"""The reaper by itself, without a daemon: what it does with each word that it is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sulla.tools.shell.process import REAPER
from sulla.tools.shell.reaper import GRACE_S, NOT_FOUND, ROUNDS, TICK_MS, kill_marked


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
            pass  # not yet the program
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
