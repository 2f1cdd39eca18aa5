"""The filter of system calls: by itself, for both architectures, and in the sandbox, where each call is really made."""

from __future__ import annotations

import errno
import json
import platform
import re
import shutil
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.host.system import SystemClock
from sulla.tools.output import Output
from sulla.tools.shell import syscalls
from sulla.tools.shell.process import DEFAULT_PATH, run_program
from sulla.tools.shell.sandbox import Shell
from sulla.tools.shell.syscalls import ALLOW, ARCHITECTURES, RULES, syscall_filter

BWRAP = shutil.which("bwrap")
PYTHON = shutil.which("python3", path=DEFAULT_PATH)
real = pytest.mark.skipif(
    BWRAP is None or PYTHON is None or platform.machine() not in ARCHITECTURES,
    reason="bubblewrap, or a Python that is seen in it, is not installed here",
)
MARK = 77
"""An error that no system call fails with: what fails with it was refused by the filter, not by the kernel."""

_CALLS = """
import ctypes, json, os, sys
made = ctypes.CDLL(None, use_errno=True).syscall
open("file", "w").close()
name = ctypes.create_string_buffer(b"file")
for number, *arguments in json.loads(sys.argv[1]):
    ctypes.set_errno(0)
    words = [ctypes.c_long(ctypes.addressof(name) if each == "file" else each) for each in arguments]
    done = made(ctypes.c_long(number), *words)
    print(0 if done >= 0 else ctypes.get_errno())
"""


def verdict(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter says to a call, by following its instructions."""
    known = ARCHITECTURES[machine][1] if architecture is None else architecture
    call = struct.pack("<IIQ6Q", number, known, 0, *arguments, *[0] * (6 - len(arguments)))
    program = list(struct.iter_unpack("<HBBI", syscall_filter(machine)))
    at, word = 0, 0
    while True:
        code, then, otherwise, operand = program[at]
        at += 1
        if code == 0x06:
            return int(operand)
        if code == 0x20:
            [word] = struct.unpack_from("<I", call, operand)
        else:
            holds = {0x15: word == operand, 0x45: bool(word & operand), 0x35: word >= operand}[code]
            at += then if holds else otherwise


async def errors(workspace: Path, *calls: tuple[int | str, ...]) -> list[int]:
    """The errors that calls failed with in the sandbox, 0 for those that did not."""
    shell = Shell()
    await shell.open(workspace, SystemClock())
    assert shell.trouble == ""
    (workspace / "calls.py").write_text(_CALLS)
    (workspace / "calls").write_text(json.dumps(calls))
    output = Output()
    program = await shell.program('exec python3 -I calls.py "$(cat calls)"', workspace, tainted=False)
    ended = await run_program(program, output.feed, SystemClock(), 30)
    assert ended.status == 0, output.show("")
    return [int(line) for line in output.show("").split()]


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_what_has_a_rule_is_refused_and_nothing_else(machine: str) -> None:
    column = ARCHITECTURES[machine][0]
    numbers = {rule.numbers[column] for rule in RULES}
    refused = {number for number in range(600) if verdict(machine, number) != ALLOW}
    assert refused == {rule.numbers[column] for rule in RULES if not rule.tests} - {None}
    assert all(verdict(machine, number, 1, 1, 1, 1) == ALLOW for number in range(600) if number not in numbers)


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_calls_of_another_architecture_are_refused(machine: str) -> None:
    refused = 0x0005_0000 | errno.ENOSYS
    assert verdict(machine, 0, architecture=0x4000_0003) == refused
    assert verdict(machine, 0x4000_0000 + 39) == refused


def test_where_no_filter_is_written_there_is_none() -> None:
    assert syscall_filter("riscv64") == b""


@pytest.mark.parametrize(
    ("column", "header"),
    [(0, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), (1, "/usr/include/asm-generic/unistd.h")],
)
def test_the_numbers_are_those_of_the_system(column: int, header: str) -> None:
    if not Path(header).exists():
        pytest.skip("the headers of the kernel are not installed here")
    known = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+)\s+(\d+)", Path(header).read_text())}
    assert {r.call: r.numbers[column] for r in RULES if r.call in known} == {
        r.call: known[r.call] for r in RULES if r.call in known
    }
    assert len({r.call for r in RULES} & known.keys()) > 40


@real
async def test_in_the_sandbox_each_call_is_refused_by_the_filter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = tuple(rule if rule.verdict == ALLOW else replace(rule, verdict=0x0005_0000 | MARK) for rule in RULES)
    column = ARCHITECTURES[platform.machine()][0]
    numbers = [number for rule in marked if not rule.tests and (number := rule.numbers[column]) is not None]
    monkeypatch.setattr(syscalls, "RULES", marked)
    assert await errors(tmp_path, *[(number, 0, 0, 0, 0, 0, 0) for number in numbers]) == [MARK] * len(numbers)


@real
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86_64")
async def test_in_the_sandbox_calls_are_refused_by_what_they_ask_for(tmp_path: Path) -> None:
    at, create, temporary = -100, 0o100, 0o20_200_000
    rows: list[tuple[tuple[int | str, ...], int]] = [
        ((90, "file", 0o755), 0),  # chmod
        ((90, "file", 0o4755), errno.EPERM),
        ((90, "file", 0o2755), errno.EPERM),
        ((268, at, "file", 0o4755), errno.EPERM),  # fchmodat
        ((452, at, "file", 0o4755, 0), errno.EPERM),  # fchmodat2
        ((2, "file", 0, 0o4755), 0),  # open: the mode means nothing where nothing is made
        ((2, "file", create | 1, 0o4755), errno.EPERM),
        ((257, at, "file", create | 1, 0o6755), errno.EPERM),  # openat
        ((257, at, "file", temporary | 1, 0o4755), errno.EPERM),
        ((85, "file", 0o4755), errno.EPERM),  # creat
        ((133, "file", 0o104755, 0), errno.EPERM),  # mknod
        ((437, at, "file", 0, 0), errno.ENOSYS),  # openat2
        ((188, "file", "file", "file", 1, 0), errno.EOPNOTSUPP),  # setxattr
        ((41, 1, 1, 0), 0),  # socket: Unix, Internet, the list of network interfaces
        ((41, 2, 1, 0), 0),
        ((41, 16, 3, 0), 0),
        ((41, 16, 3, 12), errno.EAFNOSUPPORT),  # the firewall
        ((41, 40, 1, 0), errno.EAFNOSUPPORT),  # AF_VSOCK: a virtual machine's host
        ((41, 38, 5, 0), errno.EAFNOSUPPORT),  # AF_ALG: the kernel's ciphers
        ((41, 17, 3, 0), errno.EAFNOSUPPORT),  # AF_PACKET
        ((56, 0x1000_0011, 0, 0, 0, 0), errno.EPERM),  # clone, with a namespace
        ((435, 0, 0), errno.ENOSYS),  # clone3
    ]
    assert await errors(tmp_path, *[call for call, _ in rows]) == [error for _, error in rows]


@real
async def test_in_the_sandbox_ordinary_programs_run_as_ever(tmp_path: Path) -> None:
    script = """
import concurrent.futures, multiprocessing, shutil, socket, subprocess, tempfile, threading
threading.Thread(target=print, args=("a thread",)).start()
with concurrent.futures.ProcessPoolExecutor(2) as pool:
    assert list(pool.map(abs, [-1, -2])) == [1, 2]
assert subprocess.run(["sh", "-c", "echo a program"], check=True).returncode == 0
with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
    pass
assert [name for _, name in socket.if_nameindex()] == ["lo"]
with tempfile.TemporaryFile() as file:
    file.write(b"text")
shutil.copy2("ordinary.py", "copy.py")
subprocess.run(["cp", "-a", "ordinary.py", "copied.py"], check=True)
"""
    shell = Shell()
    await shell.open(tmp_path, SystemClock())
    (tmp_path / "ordinary.py").write_text(script)
    output = Output()
    program = await shell.program("python3 -I ordinary.py", tmp_path, tainted=False)
    ended = await run_program(program, output.feed, SystemClock(), 30)
    assert (ended.status, sorted(output.show("").splitlines())) == (0, ["a program", "a thread"])
